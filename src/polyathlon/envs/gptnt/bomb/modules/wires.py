"""The wires module: cut the right one of three to six."""

from __future__ import annotations

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.envs.gptnt.bomb.modules.base import Effect, Moment, index_of
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.wires import Wires, wire_to_cut


class WiresModule(msgspec.Struct, frozen=True):
    """Wires, 0-based from the top, cut in the order of `cut` at the times of `cut_us`.

    A wrong wire stays cut; the rules keep asking about all the wires there were.
    """

    puzzle: Wires
    cut: tuple[int, ...] = ()
    cut_us: tuple[int, ...] = ()

    def parts(self) -> tuple[str, ...]:
        """The wires not yet cut."""
        count = len(self.puzzle.wires)
        return tuple(f"wire{i + 1}" for i in range(count) if i not in self.cut)

    def tap(self, part: str, moment: Moment) -> Effect:
        """Cut a wire."""
        wire = index_of(part)
        after = WiresModule(self.puzzle, (*self.cut, wire), (*self.cut_us, moment.time_us))
        right = wire == wire_to_cut(moment.book.wires, self.puzzle, moment.facts)
        return Effect(after, "solved" if right else "strike")

    def config(self, book: RuleBook) -> dict[str, JSON]:
        """The wires from the top."""
        wires = enumerate(self.puzzle.wires, 1)
        return {"wires": [{"slot": slot, "colour": colour} for slot, colour in wires]}

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """The cut wires in order."""
        return {"cut": [wire + 1 for wire in self.cut]}
