"""A scripted player that trusts one channel, with its own eyes and ears.

It perceives what is rendered, not the facts of the trace, so that whatever an experiment does to
the signal reaches it. What it cannot make out, or is not given, it guesses.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from tests.runtime.support import episode, played
from tests.toys.relay import COLOURS, NAMES

from polyathlon.core import trace
from polyathlon.core.agents import Context, Decision
from polyathlon.core.parts import Audio, Image, Part, Text
from polyathlon.core.world import Observation, Step

RELAY = "toys/relay-v0"
EPISODES = 20


class Listener:
    """Remembers what the trusted channel named, moment by moment, and presses that in order."""

    access = "plain"
    replayable = True

    def __init__(self, trusted: str) -> None:
        self._trusted = trusted
        self._named: list[str] = []
        self._pressed = 0

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        heard = [made_out(p.render()) for p in obs.percepts if p.channel == self._trusted]
        if "watch" in obs.actions.labels:
            self._named += [names[-1] if names else ctx.rng.choice(NAMES) for names in heard]
            return Decision("watch")
        whole = [names for names in heard if len(names) > 1]
        named = whole[0] if whole else self._named
        place, self._pressed = self._pressed, self._pressed + 1
        return Decision(named[place] if place < len(named) else ctx.rng.choice(NAMES))


def made_out(part: Part) -> list[str]:
    """The colours a signal names: read, looked at through one pixel, or heard by pitch."""
    match part:
        case Text(text):
            return [word for word in text.replace(",", " ").split() if word in NAMES]
        case Image():
            pixel = np.frombuffer(part.rgb, np.uint8).reshape(-1, 3)[part.width_px // 2].astype(int)
            away = [abs(pixel - np.array(COLOURS[name])).sum() for name in NAMES]
            return [NAMES[int(np.argmin(away))]]
        case Audio():
            samples = np.frombuffer(part.pcm, "<i2")[:: part.channels]
            strength = np.abs(np.fft.rfft(samples))
            bins = [round((300 + 100 * i) * len(samples) / part.rate_hz) for i in range(len(NAMES))]
            return [NAMES[int(np.argmax(strength[bins]))]]
        case _:
            return []


def listened(trusted: str, *interventions: str, seed: int = 0) -> list[trace.Event]:
    """The trace of a long relay."""
    spec = episode(RELAY, seed=seed, interventions=interventions, repeats=4)
    return played(spec, agents={"player": Listener(trusted)})


@cache
def score(trusted: str, *interventions: str) -> float:
    """The mean share of the sequence that the listener pressed rightly."""
    ends = [listened(trusted, *interventions, seed=seed)[-1] for seed in range(EPISODES)]
    scores = [end.metrics["raw_score"] for end in ends if isinstance(end, trace.Ended)]
    assert len(scores) == EPISODES
    return sum(scores) / EPISODES
