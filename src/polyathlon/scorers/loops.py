"""Loops: how often an agent does what does not work, and how long it keeps doing it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from polyathlon.core import trace
from polyathlon.core.scoring import Scorer, ScorerContext, Scores
from polyathlon.core.world import Role


class Tally(msgspec.Struct, frozen=True):
    """Counts over turns; `longest` is a run of invalid turns that tried the same."""

    turns: int = 0
    invalid: int = 0
    repeats: int = 0
    longest: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.turns + other.turns,
            self.invalid + other.invalid,
            self.repeats + other.repeats,
            max(self.longest, other.longest),
        )

    def values(self) -> dict[str, float]:
        """The metrics; none without a turn."""
        if not self.turns:
            return {}
        return {
            "invalid_rate": self.invalid / self.turns,
            "longest_invalid_run": float(self.longest),
            "repeat_rate": self.repeats / self.turns,
        }


def tally(acts: Iterable[trace.Acted]) -> Tally:
    """The counts of one role's turns, in order. Malformed replies are the same if their text is."""
    counts = Tally()
    failed: str | None = None
    run = 0
    for act in acts:
        tried = act.raw if act.action is None else act.action
        valid, again = act.status == "ok", tried == failed
        run = 0 if valid else run + 1 if again else 1
        failed = None if valid else tried
        counts += Tally(1, not valid, again, run)
    return counts


class Loops:
    """Scores `loops`: three numbers from statuses and actions.

    `invalid_rate` is the share of turns that were ineffective, illegal or malformed,
    `longest_invalid_run` the most invalid turns in a row that tried the same, and `repeat_rate`
    the share of turns that tried again what had failed on the turn before.
    """

    name = "loops"
    version = 1
    asks = False
    envs: tuple[str, ...] = ()

    async def score(self, events: Sequence[trace.Event], ctx: ScorerContext) -> Scores:
        acts: dict[Role, list[trace.Acted]] = {}
        for event in events:
            if isinstance(event, trace.Acted):
                acts.setdefault(event.role, []).append(event)
        tallies = {role: tally(found) for role, found in acts.items()}
        roles = {role: counts.values() for role, counts in tallies.items()}
        whole = sum(tallies.values(), Tally())
        return Scores(whole.values(), roles if len(roles) > 1 else {})


def loops() -> Scorer:
    """Share of invalid turns, longest run of one, and how often what just failed is tried again."""
    return Loops()
