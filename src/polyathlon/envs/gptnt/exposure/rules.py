"""Prior exposure: one open question."""

from __future__ import annotations

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.world import Outcome, Role, Step
from polyathlon.envs.gptnt.bomb.missions import MODULES

ROLE = "answerer"
ALL = "all"


class Rules:
    """Asks about one module; `named` says whether the question names the game."""

    def __init__(self, level: str, *, module: str) -> None:
        self.named = level == "named"
        self._modules = tuple(MODULES) if module == ALL else (module,)

    def reset(self, seed: int) -> None:
        self.module = self._modules[seed % len(self._modules)]
        self.answer = ""
        self.turns = 0

    def turn(self, role: Role) -> int:
        return self.turns

    def time_us(self) -> int:
        return 0

    def pending(self) -> tuple[Role, ...]:
        return () if self.turns else (ROLE,)

    def act(self, role: Role, action: str | Malformed) -> Step:
        if self.turns:
            return Step.illegal()
        self.turns = 1
        if isinstance(action, Malformed):
            return Step.malformed()
        self.answer = action
        return Step.ok()

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def outcome(self) -> Outcome | None:
        return Outcome("answered" if self.answer else "no answer") if self.turns else None

    def state(self) -> JSON:
        return {
            "named": self.named,
            "module": self.module,
            "answer": self.answer,
            "turns": self.turns,
        }
