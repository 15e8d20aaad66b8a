"""The needy vent: a question that has to be answered with yes or no in time."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.modules.base import Effect, Moment
from polyathlon.envs.gptnt.bomb.modules.needy import sleep_us
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook

Answer: TypeAlias = Literal["yes", "no"]

QUESTIONS: Mapping[str, Answer] = MappingProxyType({"OPEN VENT?": "yes", "SET IT OFF?": "no"})
"""What is asked, and the answer that is not a mistake."""

ANSWER_US = 30 * SECOND_US


class VentModule(msgspec.Struct, frozen=True):
    """Sleeps until `due_us`, or waits until then for the answer to a `question`.

    `draws` counts its draws in play.
    """

    due_us: int
    question: str | None = None
    draws: int = 0

    def parts(self) -> tuple[str, ...]:
        """Both answers."""
        return ("yes", "no")

    def tap(self, part: str, moment: Moment) -> Effect:
        """Answer; sleep again, whatever the answer was."""
        if self.question is None:
            return Effect(self, "nothing")
        right = part == QUESTIONS[self.question]
        return Effect(self._asleep(moment), "done" if right else "strike")

    def elapsed(self, moment: Moment) -> Effect:
        """Wake with a question; or, if one was not answered, a mistake."""
        if self.question is not None:
            return Effect(self._asleep(moment), "strike")
        question = moment.draws(self.draws).choice(tuple(QUESTIONS))
        return Effect(VentModule(moment.time_us + ANSWER_US, question, self.draws + 1))

    def _asleep(self, moment: Moment) -> VentModule:
        wakes_us = moment.time_us + sleep_us(moment.draws(self.draws))
        return VentModule(wakes_us, draws=self.draws + 1)

    def config(self, book: RuleBook) -> dict[str, JSON]:
        """Nothing: all is drawn in play."""
        return {}

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """The question, if any, and the time left for it."""
        awake = self.question is not None
        left_s = (self.due_us - time_us) / SECOND_US if awake else None
        return {"awake": awake, "question": self.question, "left_s": left_s}
