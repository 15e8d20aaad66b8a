"""Arms of an experiment: the same player on the same seeds, under one condition each."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec
from tests.omniplay.cues import Followed, followed
from tests.runtime.support import episode, played

from polyathlon import registry
from polyathlon.analysis.stats import Summary, summary
from polyathlon.core import trace
from polyathlon.core.agents import Agent, Context, Decision
from polyathlon.core.episodes import Limits
from polyathlon.core.parts import Part, Text
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Observation, Step

Player = str | Callable[[], Agent]


class Arm(msgspec.Struct):
    """Whole traces, one a seed."""

    env: str
    condition: str
    traces: list[list[trace.Event]]

    def values(self, metric: str) -> list[float]:
        """What every episode came to."""
        ends = [events[-1] for events in self.traces]
        return [end.metrics[metric] for end in ends if isinstance(end, trace.Ended)]

    def mean(self, metric: str = "raw_score") -> float:
        return self.summary(metric).mean

    def summary(self, metric: str = "raw_score") -> Summary:
        values = self.values(metric)
        return summary(values, range(len(values)))

    def cues(self) -> dict[str, Followed]:
        """What the actions followed, by channel."""
        return {cue.channel: cue for cue in followed(self.env, self.traces)}


def arm(
    game: str,
    level: str,
    player: Player,
    *interventions: str,
    seeds: Sequence[int],
    turns: int | None = None,
    **options: object,
) -> Arm:
    """Whole episodes of a game by a policy of its env, or by an agent made for each."""
    id = f"omniplay/{game}-v0"
    name = player if isinstance(player, str) else "random"
    traces = []
    for seed in seeds:
        spec = episode(
            id, name, seed=seed, interventions=interventions, limits=Limits(turns), **options
        )
        agents = None if isinstance(player, str) else dict.fromkeys(spec.lineup, player())
        traces.append(played(msgspec.structs.replace(spec, level=level), agents=agents))
    return Arm(id, ", ".join(interventions) or "as it is", traces)


class Watcher:
    """Plays a policy of the env and keeps every observation it was given."""

    access, replayable = "privileged", True

    def __init__(self, env: str, policy: str) -> None:
        play = registry.policy(env, policy)
        assert play is not None
        self._play = play
        self.seen: list[Observation] = []

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        self.seen.append(obs)
        return Decision(self._play(obs, ctx.rng))


class Obedient:
    """Does what a channel suggests; without a suggestion, anything."""

    access, replayable = "informed", True

    def __init__(self, channel: str) -> None:
        self._channel = channel

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        suggested = [p.facts.get("suggests") for p in obs.percepts if p.channel == self._channel]
        if suggested and suggested[0]:
            return Decision(obs.actions.parse(str(suggested[0])))
        return Decision(obs.actions.sample(ctx.rng))


class Forgetful:
    """Plays the melody from what is there now: the report, the note and, as aid, the mapping."""

    access, replayable = "privileged", True

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        now = {percept.channel: percept for percept in obs.percepts}
        learned = _learned(now["mapping"].render()) if "mapping" in now else {}
        blocks = [block for block in now["board"].scene[0] if block not in learned]
        lit = now["board"].facts.get("suggests")
        wanted = lit or self._next(now, learned)
        return Decision(
            obs.actions.parse(f"{wanted or ctx.rng.choice(blocks or list(learned))}, DO")
        )

    def _next(self, now: dict[str, Percept], learned: dict[str, str]) -> str | None:
        heard = now["note"].facts["note"] if "note" in now else ""
        if now["state"].facts["in_sequence"]:
            return _block(learned, _after(str(heard)))
        following = {_after(note) for note in learned.values()}
        first = [block for block, note in learned.items() if note not in following]
        return first[0] if len(learned) == LENGTH else None


LENGTH = 5
NOTES = ("DO", "RE", "MI", "FA", "SOL", "LA", "SI")


def _after(note: str) -> str:
    return NOTES[(NOTES.index(note) + 1) % len(NOTES)]


def _block(learned: dict[str, str], note: str) -> str | None:
    return next((block for block, its in learned.items() if its == note), None)


def _learned(told: Part) -> dict[str, str]:
    assert isinstance(told, Text)
    found = re.findall(r"'(\w+)' ='(\w+)'", told.text)
    return {block.upper(): note.upper() for block, note in found if note != "Unknown"}


def table(title: str, rows: Sequence[tuple[str, Summary]]) -> None:
    """Print means with their 95 % intervals."""
    print(f"\n{title}")
    for name, values in rows:
        low, high = values.interval or (values.mean, values.mean)
        print(f"  {name:44} {values.mean:8.2f}  [{low:.2f}, {high:.2f}]  n {values.n}")
