"""The Who's On First module: three stages of six labels under a display."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from polyathlon.core.canonical import JSON
from polyathlon.envs.gptnt.bomb.modules.base import NEVER_US, Effect, Moment, index_of
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.words import (
    SLOTS,
    STAGES,
    WordsStage,
    draw_stage,
    slot_to_press,
)

STAGE_US = 2_500_000
"""How long the words take to change; presses do nothing meanwhile."""


class WordsModule(msgspec.Struct, frozen=True):
    """Stage `stage` (from 1; one more than there are when solved) shows `current`.

    `stages` are as planned; each mistake (`draws` so far) draws the current one anew. `changed_us`
    is when the words last began to change, from `before` to `current`.
    """

    stages: tuple[WordsStage, ...]
    current: WordsStage
    stage: int = 1
    draws: int = 0
    changed_us: int = NEVER_US
    before: WordsStage | None = None

    @property
    def done(self) -> int:
        """Stages behind, 0 to 3."""
        return self.stage - 1

    def changing(self, time_us: int) -> bool:
        """Whether the words are changing."""
        return time_us - self.changed_us < STAGE_US

    def parts(self) -> tuple[str, ...]:
        """The six labels."""
        return tuple(f"label{i + 1}" for i in range(len(SLOTS)))

    def tap(self, part: str, moment: Moment) -> Effect:
        """Press a label; a mistake keeps the stage and draws other words."""
        if self.changing(moment.time_us):
            return Effect(self, "nothing")
        rules = moment.book.words
        if SLOTS[index_of(part)] != slot_to_press(rules, self.current):
            other = draw_stage(rules, moment.draws(self.draws))
            return Effect(replace(self._showing(other, moment), draws=self.draws + 1), "strike")
        if self.stage == STAGES:
            return Effect(replace(self, stage=STAGES + 1), "solved")
        return Effect(replace(self._showing(self.stages[self.stage], moment), stage=self.stage + 1))

    def _showing(self, words: WordsStage, moment: Moment) -> WordsModule:
        return replace(self, current=words, changed_us=moment.time_us, before=self.current)

    def config(self, book: RuleBook) -> dict[str, JSON]:
        """The planned stages."""
        return {"stages": [_export(stage) for stage in self.stages]}

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """The stage, what it shows, and whether that is changing."""
        return {
            "stage": self.stage,
            "current": _export(self.current),
            "animating": self.changing(time_us),
        }


def _export(stage: WordsStage) -> dict[str, JSON]:
    return {"display": stage.display, "labels": stage.labels}
