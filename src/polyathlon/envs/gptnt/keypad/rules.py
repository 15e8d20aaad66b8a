"""Keypad symbols: which symbol a seed shows, to be chosen a description for or to be described."""

from __future__ import annotations

from typing import Any

import msgspec

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.world import Outcome, Role, Step
from polyathlon.envs.gptnt.bomb.questions import OneQuestion
from polyathlon.envs.gptnt.keypad import bank, gold

ROLE = "describer"


class Choice(OneQuestion):
    """One of five descriptions is to be chosen."""

    def __init__(self) -> None:
        super().__init__(ROLE, bank.question)

    def reset(self, seed: int) -> None:
        number = seed % bank.SAMPLES
        self.sample = bank.samples()[number]
        super().reset(number)


class Description:
    """The symbol is to be described; anything said ends the episode."""

    def __init__(self) -> None:
        self.said: str | None = None

    def reset(self, seed: int) -> None:
        self.sample = bank.samples()[seed % bank.SAMPLES]
        self.said = None
        self.turns = 0

    @property
    def correct(self) -> bool:
        """Whether the words are nearest to a gold description of the symbol shown."""
        return self.said is not None and gold.nearest(self.said) == self.sample.symbol

    def turn(self, role: Role) -> int:
        return self.turns

    def time_us(self) -> int:
        return 0

    def pending(self) -> tuple[Role, ...]:
        return () if self.turns else (ROLE,)

    def act(self, role: Role, action: Any) -> Step:
        if self.turns:
            return Step.illegal()
        self.turns = 1
        if isinstance(action, Malformed):
            return Step.malformed()
        if not isinstance(action, str):
            return Step.illegal()
        self.said = action
        return Step.ok({role: float(self.correct)})

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def outcome(self) -> Outcome | None:
        if not self.turns:
            return None
        return Outcome("right", winners=(ROLE,)) if self.correct else Outcome("wrong")

    def state(self) -> JSON:
        """With all gold descriptions, for whoever judges what was said."""
        words = {name: list(each.gold) for name, each in gold.symbols().items()}
        sample: JSON = msgspec.to_builtins(self.sample)
        return {
            "sample": sample,
            "shown": self.sample.symbol,
            "gold": words,
            "said": self.said,
            "turns": self.turns,
        }


def Rules(level: str) -> Choice | Description:
    """The rules of a level."""
    return Choice() if level == "choice" else Description()
