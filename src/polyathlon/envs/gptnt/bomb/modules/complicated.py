"""The Complicated Wires module: cut every wire whose colours, star and LED ask for it."""

from __future__ import annotations

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.envs.gptnt.bomb.modules.base import Effect, Moment, index_of
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.complicated import Complicated, ComplicatedWire, cut


class ComplicatedModule(msgspec.Struct, frozen=True):
    """Wires, 0-based from the left, cut in the order of `cut` at the times of `cut_us`."""

    puzzle: Complicated
    cut: tuple[int, ...] = ()
    cut_us: tuple[int, ...] = ()

    def parts(self) -> tuple[str, ...]:
        """The wires not yet cut."""
        count = len(self.puzzle.wires)
        return tuple(f"wire{i + 1}" for i in range(count) if i not in self.cut)

    def tap(self, part: str, moment: Moment) -> Effect:
        """Cut a wire; a wrong one stays cut."""
        wire = index_of(part)
        done = (*self.cut, wire)
        after = ComplicatedModule(self.puzzle, done, (*self.cut_us, moment.time_us))
        due = self._due(moment)
        if wire not in due:
            return Effect(after, "strike")
        return Effect(after, "solved" if due <= set(done) else "done")

    def _due(self, moment: Moment) -> set[int]:
        rules, facts = moment.book.complicated, moment.facts
        return {i for i, wire in enumerate(self.puzzle.wires) if cut(rules, wire, facts)}

    def config(self, book: RuleBook) -> dict[str, JSON]:
        """The wires from the left."""
        return {"wires": [_export(*item) for item in enumerate(self.puzzle.wires, 1)]}

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """The cut wires in order."""
        return {"cut": [wire + 1 for wire in self.cut]}


def _export(slot: int, wire: ComplicatedWire) -> dict[str, JSON]:
    colours = wire.colouring.split("+")
    shown: dict[str, JSON] = {colour: colour in colours for colour in ("red", "blue", "white")}
    return {"slot": slot, **shown, "star": wire.star, "led": wire.led}
