"""The Memory module: five stages whose instructions refer back."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from polyathlon.core.canonical import JSON
from polyathlon.envs.gptnt.bomb.modules.base import NEVER_US, Effect, Moment, index_of
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.memory import (
    BUTTONS,
    STAGES,
    MemoryStage,
    Pressed,
    draw,
    press,
)

STAGE_US = 1_500_000
"""How long the digits take to change; presses do nothing meanwhile."""


class MemoryModule(msgspec.Struct, frozen=True):
    """Five stages; `history` is what was rightly pressed in those behind.

    A mistake draws all `stages` anew (`draws` so far; `planned` are the first ones) and begins with
    stage 1. `changed_us` is when the digits last began to change, from `before` to `current`.
    """

    planned: tuple[MemoryStage, ...]
    stages: tuple[MemoryStage, ...]
    history: tuple[Pressed, ...] = ()
    draws: int = 0
    changed_us: int = NEVER_US
    before: MemoryStage | None = None

    @property
    def done(self) -> int:
        """Stages behind, 0 to 5."""
        return len(self.history)

    @property
    def stage(self) -> int:
        """The number of the stage in view, 1 to 5."""
        return min(self.done + 1, STAGES)

    @property
    def current(self) -> MemoryStage:
        """What the stage in view shows."""
        return self.stages[self.stage - 1]

    def changing(self, time_us: int) -> bool:
        """Whether the digits are changing."""
        return time_us - self.changed_us < STAGE_US

    def parts(self) -> tuple[str, ...]:
        """The four buttons by their places from the left."""
        return tuple(f"button{i + 1}" for i in range(BUTTONS))

    def tap(self, part: str, moment: Moment) -> Effect:
        """Press a button; a mistake leads back to the first stage."""
        if self.changing(moment.time_us):
            return Effect(self, "nothing")
        index = index_of(part)
        pressed = Pressed(index + 1, self.current.labels[index])
        if pressed != press(moment.book.memory, self.current, self.history):
            return Effect(self._again(moment), "strike")
        history = (*self.history, pressed)
        if len(history) == STAGES:
            return Effect(replace(self, history=history), "solved")
        return Effect(
            replace(self, history=history, changed_us=moment.time_us, before=self.current)
        )

    def _again(self, moment: Moment) -> MemoryModule:
        return MemoryModule(
            planned=self.planned,
            stages=draw(moment.draws(self.draws)).stages,
            draws=self.draws + 1,
            changed_us=moment.time_us,
            before=self.current,
        )

    def config(self, book: RuleBook) -> dict[str, JSON]:
        """The planned stages."""
        return {"stages": [_export(stage) for stage in self.planned]}

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """The stage, what it shows, and what was pressed in those behind."""
        history = [{"position": p.place, "label": p.digit} for p in self.history]
        return {
            "stage": self.stage,
            "current": _export(self.current),
            "history": history,
            "animating": self.changing(time_us),
        }


def _export(stage: MemoryStage) -> dict[str, JSON]:
    return {"display": stage.display, "labels": stage.labels}
