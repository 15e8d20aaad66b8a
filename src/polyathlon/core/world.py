"""The env contract: seeded state machines with roles; no model, no network, no wall clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from polyathlon.core.actions import ActionSpace, Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import EnvSpec

Role: TypeAlias = str
Status: TypeAlias = Literal["ok", "ineffective", "illegal", "malformed"]
STATUSES: tuple[Status, ...] = ("ok", "ineffective", "illegal", "malformed")


class Brief(msgspec.Struct, frozen=True):
    """What a role is told once: who it is, the rules, how to answer. Never ablated."""

    task: str
    rules: str
    answer: str
    advice: str = ""


class Mail(msgspec.Struct, frozen=True):
    """A message from one role to others, delivered with their next observation."""

    sender: Role
    to: tuple[Role, ...]
    text: str
    time_us: int = 0


class Observation(msgspec.Struct, frozen=True):
    """One role at one moment. `actions` is the ActionSpace of exactly that moment."""

    role: Role
    turn: int
    time_us: int
    percepts: tuple[Percept, ...]
    ask: str
    actions: ActionSpace[Any]
    mail: tuple[Mail, ...] = ()


NOTHING: Mapping[Role, float] = {}


class Step(msgspec.Struct, frozen=True):
    """What an act or the passing of time brought. Build it by a named constructor."""

    status: Status
    rewards: Mapping[Role, float] = {}
    feedback: tuple[Percept, ...] = ()
    mail: tuple[Mail, ...] = ()

    @classmethod
    def ok(
        cls,
        rewards: Mapping[Role, float] = NOTHING,
        feedback: tuple[Percept, ...] = (),
        mail: tuple[Mail, ...] = (),
    ) -> Step:
        """The action, or the passing of time, took effect."""
        return cls("ok", rewards, feedback, mail)

    @classmethod
    def ineffective(
        cls, rewards: Mapping[Role, float] = NOTHING, feedback: tuple[Percept, ...] = ()
    ) -> Step:
        """A legal action that changed nothing."""
        return cls("ineffective", rewards, feedback)

    @classmethod
    def illegal(
        cls, rewards: Mapping[Role, float] = NOTHING, feedback: tuple[Percept, ...] = ()
    ) -> Step:
        """An action the rules forbid at this moment."""
        return cls("illegal", rewards, feedback)

    @classmethod
    def malformed(
        cls, rewards: Mapping[Role, float] = NOTHING, feedback: tuple[Percept, ...] = ()
    ) -> Step:
        """A reply that was no action."""
        return cls("malformed", rewards, feedback)


class Outcome(msgspec.Struct, frozen=True):
    """How an episode ended by its own rules. `truncated` means its horizon cut it short."""

    reason: str
    truncated: bool = False
    winners: tuple[Role, ...] = ()


class Env(Protocol):
    """The rules of one world. Determined by level, options, seed, actions and advances alone."""

    spec: EnvSpec

    def reset(self, seed: int) -> None:
        """Start an episode. Every random draw comes from `stream(seed, ...)`."""
        ...

    def brief(self, role: Role) -> Brief:
        """What `role` is told once."""
        ...

    def pending(self) -> tuple[Role, ...]:
        """Whose action the world waits for; () when time must pass or the episode is over."""
        ...

    def observe(self, role: Role) -> Observation:
        """Capture what `role` senses now. Renders nothing and changes nothing."""
        ...

    def act(self, role: Role, action: Any, answers_us: int = 0) -> Step:
        """Take an action or a `Malformed`. Simultaneous acts buffer and resolve once.

        `answers_us` is the moment of the observation that it answers; only worlds with a clock are
        told.
        """
        ...

    def advance_to(self, time_us: int) -> Step:
        """Let time pass to `time_us`. How an interval is cut must not matter."""
        ...

    def next_event_us(self) -> int | None:
        """When the world will next change by itself, later than now; None where it will not.

        Until then `advance_to` brings no reward, no mail and no end; what merely runs on, such as a
        countdown, is computed where it is looked at and is no event. Only worlds with a clock are
        asked.
        """
        ...

    def outcome(self) -> Outcome | None:
        """None while the episode runs."""
        ...

    def metrics(self, role: Role | None = None) -> Mapping[str, float]:
        """The spec's metrics so far, of the whole episode or of one role."""
        ...

    def state(self) -> JSON:
        """Everything that decides the future, canonical. Its hash is the state hash."""
        ...


__all__ = [
    "STATUSES",
    "Brief",
    "Env",
    "Mail",
    "Malformed",
    "Observation",
    "Outcome",
    "Role",
    "Status",
    "Step",
]
