"""A listener with real ears: the noisier the voice, the more it mishears and the worse it plays."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.omniplay.arms import Arm, arm

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.agents import Context, Decision
from polyathlon.core.chance import stream
from polyathlon.core.parts import Audio
from polyathlon.core.world import Observation, Step
from polyathlon.envs.omniplay.pathfinding.directions import turn_deg
from polyathlon.envs.omniplay.pathfinding.guidance import understood
from polyathlon.envs.omniplay.pathfinding.moves import Move
from polyathlon.testing.hearing import corpus_wer, transcribe

MOST_WER = 0.06
RATES = (0.0, 0.2, 0.4, 0.8)
SEEDS, CAP = range(2), 8


class Ears:
    """Writes down what a recogniser hears of the guidance, and goes where that says."""

    access, replayable = "plain", True

    def __init__(self, heard: list[str]) -> None:
        self._heard = heard

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        sound = next(p.render() for p in obs.percepts if p.channel == "guidance")
        assert isinstance(sound, Audio)
        self._heard.append(transcribe(sound))
        turn = understood(self._heard[-1])
        return Decision(obs.actions.sample(ctx.rng) if turn is None else Move(1.0, turn_deg(turn)))


def _said(walks: Arm) -> Iterator[str]:
    """What the voice meant to say, moment by moment."""
    for events in walks.traces:
        for event in events:
            if isinstance(event, trace.Observed):
                true = event.truth or event.percepts
                yield next(str(p.facts["words"]) for p in true if p.channel == "guidance")


@pytest.mark.slow
def test_word_noise_is_heard_and_leads_astray() -> None:
    pytest.importorskip("faster_whisper")
    errors, right = [], []
    for rate in RATES:
        heard: list[str] = []
        noise = (f"words:noise={rate}@guidance",)
        walks = arm("pathfinding", "easy", lambda: Ears(heard), *noise, seeds=SEEDS, cap=CAP)  # noqa: B023
        errors.append(corpus_wer(zip(_said(walks), heard, strict=True)))
        right.append(walks.cues()["guidance"].share or 0.0)
        print(f"\nnoise {rate}: word error rate {errors[-1]:.2f}, {right[-1]:.0%} right turns")
    assert errors[0] <= 0.06
    assert errors == sorted(errors)
    assert len(set(errors)) == len(RATES)
    assert right[0] > 0.9
    assert right[-1] < right[0] - 0.2


def _spoken(id: str, level: str, wanted: int) -> Iterator[tuple[str, Audio]]:
    """Guidance of a few games in which every channel is used, every other moment."""
    full = registry.policy(id, "full")
    assert full is not None
    for seed in range(wanted):
        env = registry.make(id, level)
        env.reset(seed)
        rng = stream(seed, "test")
        for moment in range(4):
            if not (roles := env.pending()):
                break
            seen = env.observe(roles[0])
            percept = next(p for p in seen.percepts if p.channel == "guidance")
            if moment % 2 == 0:
                sound = percept.render()
                assert isinstance(sound, Audio)
                yield str(percept.facts["words"]), sound
            env.act(roles[0], full(seen, rng))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "level", "wanted"), [("pathfinding", "hard", 15), ("phantom", "medium", 6)]
)
def test_what_the_games_say_is_understood(game: str, level: str, wanted: int) -> None:
    pytest.importorskip("faster_whisper")
    spoken = list(_spoken(f"omniplay/{game}-v0", level, wanted))
    rate = corpus_wer([(words, transcribe(sound)) for words, sound in spoken])
    print(f"{game}: word error rate {100 * rate:.1f}% over {len(spoken)} utterances")
    assert rate <= MOST_WER
