"""The Simon Says module: lamps flash a growing sequence that is answered through a colour map.

The delays are those of the benchmark, in game time (sections 3.6 and 4.3 of the specification).
"""

from __future__ import annotations

from typing import cast

import msgspec
from msgspec.structs import replace

from polyathlon.core.canonical import JSON
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.modules.base import NEVER_US, Effect, Moment
from polyathlon.envs.gptnt.bomb.rulebook.book import Lamp, RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.simon import Simon, press

LIT_US = 500_000
DARK_US = 250_000
IDLE_US = 1_000_000
"""From the last lamp of a loop to the first of the next, and before the next stage's first loop."""
ENTRY_US = 5_000_000
"""From a press within an entry to the lamps, if no other press comes before."""
OPENED_US = 500_000
"""From zooming in to the lamps: as long as the view takes to arrive."""
STRUCK_US = 1_000_000
"""From a mistake to the lamps: as long as the strike shows."""

BY_PLACE: tuple[Lamp, ...] = ("blue", "red", "yellow", "green")
"""The lamps in reading order: top, left, right, bottom."""


class SimonModule(msgspec.Struct, frozen=True):
    """Stage `stage` (from 1) flashes that many lamps, in loops from `loop_us` on.

    `entered` are the answers so far, `pressed` the last lamp pressed, at `pressed_us`. A half
    entered sequence is dropped as soon as the lamps start again.
    """

    puzzle: Simon
    stage: int = 1
    entered: tuple[Lamp, ...] = ()
    loop_us: int = IDLE_US
    pressed: Lamp | None = None
    pressed_us: int = NEVER_US

    @property
    def period_us(self) -> int:
        """The length of a loop with the pause after it."""
        return self.stage * (LIT_US + DARK_US) - DARK_US + IDLE_US

    @property
    def answered(self) -> bool:
        """Whether the whole sequence has been entered."""
        return len(self.entered) == len(self.puzzle.flashes)

    def lamp(self, time_us: int) -> Lamp | None:
        """The lamp that flashes by itself at a moment, if any."""
        if self.answered or time_us < self.loop_us:
            return None
        flash, phase_us = divmod((time_us - self.loop_us) % self.period_us, LIT_US + DARK_US)
        lit = flash < self.stage and phase_us < LIT_US
        return self.puzzle.flashes[flash] if lit else None

    def entry(self, time_us: int) -> tuple[Lamp, ...]:
        """The answers that still count at a moment."""
        return self.entered if self.answered or time_us < self.loop_us else ()

    def parts(self) -> tuple[str, ...]:
        """The four lamps."""
        return BY_PLACE

    def tap(self, part: str, moment: Moment) -> Effect:
        """Answer one flash, through the map of the strikes so far."""
        lamp = cast(Lamp, part)
        now_us = moment.time_us
        entered = (*self.entry(now_us), lamp)
        touched = replace(self, entered=entered, pressed=lamp, pressed_us=now_us)
        flash = self.puzzle.flashes[len(entered) - 1]
        if lamp != press(moment.book.simon, flash, moment.facts, moment.strikes):
            return Effect(replace(touched, entered=(), loop_us=now_us + STRUCK_US), "strike")
        if touched.answered:
            return Effect(touched, "solved")
        if len(entered) < self.stage:
            return Effect(replace(touched, loop_us=now_us + ENTRY_US))
        return Effect(replace(touched, stage=self.stage + 1, entered=(), loop_us=now_us + IDLE_US))

    def opened(self, time_us: int) -> SimonModule:
        """The lamps start from the beginning."""
        return replace(self, entered=(), loop_us=time_us + OPENED_US)

    def closed(self) -> SimonModule:
        """What was entered is dropped."""
        return replace(self, entered=())

    def config(self, book: RuleBook) -> dict[str, JSON]:
        """The whole sequence of flashes."""
        return {"sequence": self.puzzle.flashes}

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """Stage, answers, the lamp that flashes, and the time since its loop began, if it has."""
        phase_us = (time_us - self.loop_us) % self.period_us
        looping = not self.answered and time_us >= self.loop_us
        return {
            "stage": self.stage,
            "entered": self.entry(time_us),
            "lamp": self.lamp(time_us),
            "loop_phase_s": phase_us / SECOND_US if looping else None,
        }
