"""Manual questions: which item a seed asks."""

from __future__ import annotations

from typing import cast

from polyathlon.core.errors import UserError
from polyathlon.envs.gptnt.bomb.questions import OneQuestion, Question
from polyathlon.envs.gptnt.manual_vqa import bank

ROLE = "reader"
ALL = "all"


class Rules(OneQuestion):
    """One item of a category. `rule_seed` and `manual` say which manual is given, and how much."""

    def __init__(self, level: str, *, rule_seed: int, manual: str, module: str) -> None:
        super().__init__(ROLE, self._item)
        self.rule_seed = rule_seed
        self.manual = manual
        self._category = cast(bank.Category, level)
        self._slots = bank.slots(self._category, "" if module == ALL else module)
        if not self._slots:
            known = ", ".join(bank.ALLOCATION[self._category])
            raise UserError(f"no {level} items about {module}: choose among {known}")

    def _item(self, seed: int) -> Question:
        slot = self._slots[seed % len(self._slots)]
        return bank.question(self._category, slot, self.rule_seed)
