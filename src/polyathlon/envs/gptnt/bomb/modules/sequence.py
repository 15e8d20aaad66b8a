"""The Wire Sequence module: four panels of wires, one in view."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from polyathlon.core.canonical import JSON
from polyathlon.envs.gptnt.bomb.modules.base import NEVER_US, Effect, Moment, index_of
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.sequence import (
    PANELS,
    SLOTS,
    SequenceWire,
    WireSequence,
    cuts,
)

Direction: TypeAlias = Literal["up", "down"]

PANEL_US = 1_500_000
"""How long a panel takes to give way to the next; presses do nothing meanwhile."""


class SequenceModule(msgspec.Struct, frozen=True):
    """The panel in view, 0 to 3, and the wires cut so far as pairs of panel and slot (from 0).

    `done` panels have been left downwards, four when solved. `changed_us` is when the panel in
    view last began to come, from the direction pressed.
    """

    puzzle: WireSequence
    panel: int = 0
    cut: tuple[tuple[int, int], ...] = ()
    cut_us: tuple[int, ...] = ()
    changed_us: int = NEVER_US
    direction: Direction = "down"
    done: int = 0

    def changing(self, time_us: int) -> bool:
        """Whether a panel is giving way to another."""
        return time_us - self.changed_us < PANEL_US

    def parts(self) -> tuple[str, ...]:
        """Both arrows, and between them the wires in view that are not yet cut."""
        wires = enumerate(self.puzzle.panels[self.panel])
        left = [slot for slot, wire in wires if wire and (self.panel, slot) not in self.cut]
        return ("up", *(f"wire{slot + 1}" for slot in left), "down")

    def tap(self, part: str, moment: Moment) -> Effect:
        """Cut a wire or change the panel."""
        if self.changing(moment.time_us):
            return Effect(self, "nothing")
        if part == "up":
            return self._up(moment)
        due = cuts(moment.book.sequence, self.puzzle)[self.panel]
        if part == "down":
            return self._down(due, moment)
        slot = index_of(part)
        cut = (*self.cut, (self.panel, slot))
        after = replace(self, cut=cut, cut_us=(*self.cut_us, moment.time_us))
        return Effect(after, "done" if due[slot] else "strike")

    def _up(self, moment: Moment) -> Effect:
        if self.panel == 0:
            return Effect(self, "nothing")
        return Effect(self._showing(self.panel - 1, "up", moment))

    def _down(self, due: tuple[bool, ...], moment: Moment) -> Effect:
        """A mistake, and the panel stays, while a wire of it has to be cut."""
        if any(due[slot] and (self.panel, slot) not in self.cut for slot in range(SLOTS)):
            return Effect(self, "strike")
        after = replace(self, done=max(self.done, self.panel + 1))
        if after.done == PANELS:
            return Effect(after, "solved")
        return Effect(after._showing(self.panel + 1, "down", moment))

    def _showing(self, panel: int, direction: Direction, moment: Moment) -> SequenceModule:
        return replace(self, panel=panel, changed_us=moment.time_us, direction=direction)

    def config(self, book: RuleBook) -> dict[str, JSON]:
        """All twelve slots in order."""
        return {"slots": [_export(wire) for panel in self.puzzle.panels for wire in panel]}

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """The panel in view, the panels behind, and the slots, 1 to 12, of the cut wires."""
        cut = [panel * SLOTS + slot + 1 for panel, slot in self.cut]
        return {"panel": self.panel + 1, "panels_done": self.done, "cut": cut}


def _export(wire: SequenceWire | None) -> JSON:
    return {"colour": wire.colour, "to": wire.end} if wire else None
