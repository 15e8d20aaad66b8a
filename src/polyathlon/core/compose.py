"""An Env put together from the modules of its folder: rules, view, prompts, scoring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from polyathlon.core.actions import ActionSpace
from polyathlon.core.canonical import JSON
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Brief, Observation, Outcome, Role, Step


class Rules(Protocol):
    """The state machine of `rules.py`: pure and fast; draws nothing and says nothing.

    That of a world with a clock has `next_event_us` too, as an `Env` has it.
    """

    def reset(self, seed: int) -> None: ...
    def turn(self, role: Role) -> int: ...
    def time_us(self) -> int: ...
    def pending(self) -> tuple[Role, ...]: ...
    def act(self, role: Role, action: Any) -> Step: ...
    def advance_to(self, time_us: int) -> Step: ...
    def outcome(self) -> Outcome | None: ...
    def state(self) -> JSON: ...


class View(Protocol):
    """The functions of `view.py`."""

    def percepts(self, rules: Any, role: Role) -> tuple[Percept, ...]: ...
    def actions(self, rules: Any, role: Role) -> ActionSpace[Any]: ...


class Prompts(Protocol):
    """The functions of `prompts.py`."""

    def brief(self, rules: Any, role: Role) -> Brief: ...
    def ask(self, rules: Any, role: Role) -> str: ...


class Scoring(Protocol):
    """The function of `scoring.py`."""

    def metrics(self, rules: Any, role: Role | None) -> Mapping[str, float]: ...


class ComposedEnv:
    """The Env whose parts live in one folder. `rules` is public for the env's own tests."""

    def __init__(
        self, spec: EnvSpec, rules: Any, view: View, prompts: Prompts, scoring: Scoring
    ) -> None:
        self.spec = spec
        self.rules: Rules = rules
        clocked = spec.clock == "real"
        self._next_event_us: Callable[[], int | None] = rules.next_event_us if clocked else _never
        self._percepts = view.percepts
        self._actions = view.actions
        self._prompts = prompts
        self._scoring = scoring

    def reset(self, seed: int) -> None:
        self.rules.reset(seed)

    def brief(self, role: Role) -> Brief:
        return self._prompts.brief(self.rules, role)

    def pending(self) -> tuple[Role, ...]:
        return self.rules.pending()

    def observe(self, role: Role) -> Observation:
        rules = self.rules
        return Observation(
            role,
            rules.turn(role),
            rules.time_us(),
            self._percepts(rules, role),
            self._prompts.ask(rules, role),
            self._actions(rules, role),
        )

    def act(self, role: Role, action: Any, answers_us: int = 0) -> Step:
        return self.rules.act(role, action)

    def advance_to(self, time_us: int) -> Step:
        return self.rules.advance_to(time_us)

    def next_event_us(self) -> int | None:
        return self._next_event_us()

    def outcome(self) -> Outcome | None:
        return self.rules.outcome()

    def metrics(self, role: Role | None = None) -> Mapping[str, float]:
        return self._scoring.metrics(self.rules, role)

    def state(self) -> JSON:
        return self.rules.state()


def _never() -> int | None:
    return None
