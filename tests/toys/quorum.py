"""Four seats act at once: they vote, and the votes resolve when the last one is in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from polyathlon.core.actions import Labels, Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream, stream
from polyathlon.core.percepts import text_percept
from polyathlon.core.spec import Channel, EnvSpec, Metric, Option
from polyathlon.core.world import Brief, Observation, Outcome, Role, Step

ROLES = ("north", "east", "south", "west")
VOTES = ("raise", "lower", "hold")
ABSTAIN = "abstain"

SPEC = EnvSpec(
    id="toys/quorum-v0",
    title="Quorum",
    doc="Four seats each hear a hint about the right vote, one of them false, and vote at once.",
    entry=f"{__name__}:Quorum",
    roles=ROLES,
    channels=(Channel("hint", "text", "what this seat was told, and the last result"),),
    levels=("standard",),
    metrics=(
        Metric("raw_score", "share of rounds in which the seat, or a majority, voted rightly"),
        Metric("invalid_rate", "share of votes that were no vote", "", False, 1.0),
    ),
    options=(Option("rounds", 5, "rounds", 1, 100),),
    horizon=100,
    bounds=(0.0, 1.0),
    baselines=__name__,
)


class Quorum:
    """Votes are buffered, unseen, until all four are in; a second vote in a round is illegal."""

    spec = SPEC

    def __init__(self, level: str, *, rounds: int) -> None:
        self._rounds = rounds

    def reset(self, seed: int) -> None:
        self._rng = stream(seed, SPEC.id, "rounds")
        self._round = 0
        self._votes: dict[Role, str] = {}
        self._right = Counter(dict.fromkeys((*ROLES, "majority"), 0))
        self._invalid = Counter(dict.fromkeys(ROLES, 0))
        self._last = "nobody has voted yet"
        self._deal()

    def brief(self, role: Role) -> Brief:
        return Brief(
            "Find out with three others what the right vote is.",
            "Each seat hears a hint; one hint in four is false. All vote at once.",
            f"Answer with one of {', '.join(VOTES)}.",
        )

    def pending(self) -> tuple[Role, ...]:
        return () if self.outcome() else tuple(r for r in ROLES if r not in self._votes)

    def observe(self, role: Role) -> Observation:
        text = f"you hear: {self._hints[role]}; {self._last}"
        seen = (text_percept("hint", text),)
        return Observation(role, self._round, 0, seen, "How do you vote?", Labels(VOTES))

    def act(self, role: Role, action: str | Malformed, answers_us: int = 0) -> Step:
        if role not in self.pending():
            return Step.illegal()
        malformed = isinstance(action, Malformed)
        known = action in VOTES
        self._invalid[role] += not known
        self._votes[role] = str(action) if known else ABSTAIN
        rewards = self._resolve() if len(self._votes) == len(ROLES) else {}
        if malformed:
            return Step.malformed(rewards)
        return Step.ok(rewards) if known else Step.illegal(rewards)

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def next_event_us(self) -> int | None:
        return None

    def outcome(self) -> Outcome | None:
        if self._round < self._rounds:
            return None
        best = max(self._right[role] for role in ROLES)
        return Outcome("counted", winners=tuple(r for r in ROLES if self._right[r] == best))

    def metrics(self, role: Role | None = None) -> Mapping[str, float]:
        rounds = max(1, self._round)
        votes = max(1, sum(self._voted(seat) for seat in ((role,) if role else ROLES)))
        invalid = self._invalid[role] if role else self._invalid.total()
        right = self._right[role or "majority"]
        return {"raw_score": right / rounds, "invalid_rate": invalid / votes}

    def state(self) -> JSON:
        return {
            "round": self._round,
            "truth": self._truth,
            "hints": self._hints,
            "votes": self._votes,
            "right": dict(self._right),
            "invalid": dict(self._invalid),
            "last": self._last,
            "drawn": self._rng.drawn,
        }

    def _voted(self, role: Role) -> int:
        return self._round + (role in self._votes)

    def _deal(self) -> None:
        self._truth = self._rng.choice(VOTES)
        liar = self._rng.choice(ROLES)
        lie = self._rng.choice([vote for vote in VOTES if vote != self._truth])
        self._hints = {role: lie if role == liar else self._truth for role in ROLES}

    def _resolve(self) -> Mapping[Role, float]:
        rewards = {role: float(self._votes[role] == self._truth) for role in ROLES}
        for role in ROLES:
            self._right[role] += rewards[role] > 0
        self._right["majority"] += sum(rewards.values()) > len(ROLES) / 2
        self._last = f"last votes: {', '.join(self._votes[role] for role in ROLES)}"
        self._votes = {}
        self._round += 1
        self._deal()
        return rewards


def random(observation: Observation, rng: Stream) -> str:
    """Any vote."""
    return observation.actions.sample(rng)


def oracle(state: Any, role: Role, rng: Stream) -> str:
    """The right vote."""
    return str(state["truth"])
