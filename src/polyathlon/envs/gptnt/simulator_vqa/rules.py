"""Picture questions: which item a seed asks."""

from __future__ import annotations

from polyathlon.core.errors import UserError
from polyathlon.envs.gptnt.bomb.questions import OneQuestion
from polyathlon.envs.gptnt.simulator_vqa import bank

ROLE = "observer"
ALL = "all"


class Rules(OneQuestion):
    """One item of a category. `size` is that of the picture, `props` the things on the table."""

    def __init__(self, level: str, *, size: str, props: bool, module: str) -> None:
        super().__init__(ROLE, lambda seed: self.item.question)
        self.size = size
        self.props = props
        self._category = bank.category(level)
        self._slots = bank.slots(self._category, "" if module == ALL else module)
        if not self._slots:
            known = ", ".join(bank.ALLOCATION[self._category])
            raise UserError(f"no {level} items about {module}: choose among {known}")

    def reset(self, seed: int) -> None:
        subject, number = self._slots[seed % len(self._slots)]
        self.item = bank.items(self._category, subject)[number]
        super().reset(seed)
