"""Localisation: which instruction a seed gives, and what an answer met."""

from __future__ import annotations

from typing import cast

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.errors import UserError
from polyathlon.core.world import Outcome, Role, Step
from polyathlon.envs.gptnt.bomb.bomb import Bomb, elements
from polyathlon.envs.gptnt.bomb.play.actions import Interaction, Mark, Point, marks, relative
from polyathlon.envs.gptnt.bomb.play.catalogue import SIZES
from polyathlon.envs.gptnt.localisation import bank
from polyathlon.envs.gptnt.localisation.answers import NONE, Answer, element_at

ROLE = "pointer"
ALL = "all"


class Rules:
    """One instruction of a category. Any answer ends the episode, an unusable one as wrong.

    `paradigm` is how a place is named, `size` that of the picture, `props` the things on the table.
    """

    def __init__(self, level: str, *, paradigm: str, size: str, props: bool, module: str) -> None:
        self.paradigm = cast(Interaction, paradigm)
        self.size_px = SIZES[size]
        self.props = props
        self._category = bank.category(level)
        self._slots = bank.slots(self._category, "" if module == ALL else module)
        if not self._slots:
            known = ", ".join(bank.ALLOCATION[self._category])
            raise UserError(f"no {level} items about {module}: choose among {known}")

    def reset(self, seed: int) -> None:
        self.slot = self._slots[seed % len(self._slots)]
        module, number = self.slot
        self.item = bank.items(self._category, module)[number]
        self.marks = marks(elements(self.bomb))
        self.answer: Answer | None = None
        self.met: str | None = None
        self.turns = 0

    @property
    def bomb(self) -> Bomb:
        """What is seen."""
        return self.item.moment.bomb

    @property
    def correct(self) -> bool:
        """Whether the right element was met, or none where there is no one to be met."""
        if self.item.target is None:
            return self.answer == NONE
        return self.met == self.item.target

    def turn(self, role: Role) -> int:
        return self.turns

    def time_us(self) -> int:
        return 0

    def pending(self) -> tuple[Role, ...]:
        return () if self.turns else (ROLE,)

    def act(self, role: Role, action: Answer | Malformed) -> Step:
        if self.turns:
            return Step.illegal()
        self.turns = 1
        if isinstance(action, Malformed):
            return Step.malformed()
        if self._foreign(action):
            return Step.illegal()
        self.answer = action
        self.met = self._element(action)
        return Step.ok({role: float(self.correct)})

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def outcome(self) -> Outcome | None:
        if not self.turns:
            return None
        return Outcome("right", winners=(ROLE,)) if self.correct else Outcome("wrong")

    def state(self) -> JSON:
        module, number = self.slot
        return {
            "category": self._category,
            "module": module,
            "number": number,
            "paradigm": self.paradigm,
            "size_px": list(self.size_px),
            "target": self.item.target,
            "origin": self.item.moment.origin(),
            "answer": None if self.answer is None else _written(self.answer),
            "met": self.met,
            "turns": self.turns,
        }

    def place(self, point: Point) -> tuple[float, float] | None:
        """A point in [0, 1]² of the picture; None when it lies outside."""
        return relative(point, self.paradigm, self.size_px)

    def _foreign(self, action: Answer) -> bool:
        """Whether an answer is of another paradigm, or outside the picture."""
        if isinstance(action, Point):
            return self.paradigm == "markers" or self.place(action) is None
        return isinstance(action, Mark) and self.paradigm != "markers"

    def _element(self, action: Answer) -> str | None:
        if isinstance(action, Point):
            place = self.place(action)
            return None if place is None else element_at(self.bomb, *place)
        return action.element if isinstance(action, Mark) else None


def _written(answer: Answer) -> JSON:
    match answer:
        case Mark(label, element):
            return {"label": label, "element": element}
        case Point(x, y):
            return {"x": x, "y": y}
    return answer
