"""Where the modules sit: two faces of 2 x 3 slots, one slot the timer's.

The rule: types that need the clock go to the timer's face, all others to any free slot; with
placement on the back and two or more modules, each face gets at least one where that is possible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream, stream
from polyathlon.core.errors import UserError

Face: TypeAlias = Literal["front", "back"]

FACES: tuple[Face, ...] = ("front", "back")
ROWS, COLUMNS = 2, 3
CLOCK_DEPENDENT = frozenset({"Button"})
TIMER, EMPTY = "Timer", "Empty"


class Slot(msgspec.Struct, frozen=True, order=True):
    """A place for a module: row 0 is the upper one, column 0 the left one as the face is seen."""

    face: Face
    row: int
    col: int

    def export(self) -> dict[str, JSON]:
        """The slot as the state export writes it."""
        return {"face": self.face, "row": self.row, "col": self.col}


TIMER_SLOT = Slot("front", 0, 1)
SLOTS = tuple(Slot(f, r, c) for f in FACES for r in range(ROWS) for c in range(COLUMNS))
FREE_SLOTS = tuple(slot for slot in SLOTS if slot != TIMER_SLOT)
FRONT_SLOTS = tuple(slot for slot in FREE_SLOTS if slot.face == TIMER_SLOT.face)


class Placed(msgspec.Struct, frozen=True):
    """A module on a bomb: the `instance`-th (from 0) of its type."""

    id: str
    type: str
    instance: int
    slot: Slot


class Layout(msgspec.Struct, frozen=True):
    """The modules in the order of the mission, needy ones after the puzzles."""

    modules: tuple[Placed, ...]

    def at(self, slot: Slot) -> Placed | None:
        """The module in a slot; None for the timer and for cover plates."""
        return next((module for module in self.modules if module.slot == slot), None)

    def types(self) -> dict[Slot, str]:
        """What each of the twelve slots holds: a module type, "Timer" or "Empty"."""
        filled = {module.slot: module.type for module in self.modules}
        return {slot: filled.get(slot, EMPTY) for slot in SLOTS} | {TIMER_SLOT: TIMER}


def arrange(seed: int, types: Sequence[str], *, back: bool) -> Layout:
    """The modules of a mission in their slots; `back` permits the back face.

    Module ids are `m1`, `m2` ... in the order of `types`. Raises UserError without room.
    """
    check_room(types, back=back)
    slots = _slots(stream(seed, "gptnt/defusal", "layout"), types, back=back)
    return Layout(
        tuple(
            Placed(f"m{number}", kind, instance, slot)
            for number, ((kind, instance), slot) in enumerate(
                zip(instances(types), slots, strict=True), 1
            )
        )
    )


def instances(types: Iterable[str]) -> list[tuple[str, int]]:
    """Each type with how many of it come before."""
    seen: Counter[str] = Counter()
    found = []
    for kind in types:
        found.append((kind, seen[kind]))
        seen[kind] += 1
    return found


def module_stream(seed: int, kind: str, instance: int, purpose: str) -> Stream:
    """The randomness of one module for one purpose: `config` before the game, `runtime` in it.

    It depends on no other module, so that adding one never changes another.
    """
    return stream(seed, "gptnt/defusal", "module", kind, instance, purpose)


def check_room(types: Sequence[str], *, back: bool) -> None:
    """Raises UserError unless the modules fit: 11 slots, 5 of them on the timer's face."""
    bound = sum(kind in CLOCK_DEPENDENT for kind in types)
    room = len(FREE_SLOTS if back else FRONT_SLOTS)
    if not 1 <= len(types) <= room:
        faces = "two faces" if back else "the front alone (permit the back for up to 11)"
        raise UserError(f"a bomb has 1 to {room} modules on {faces}: not {len(types)}")
    if bound > len(FRONT_SLOTS):
        names = ", ".join(sorted(CLOCK_DEPENDENT))
        raise UserError(f"at most {len(FRONT_SLOTS)} of {names} fit beside the timer: not {bound}")


def _slots(rng: Stream, types: Sequence[str], *, back: bool) -> list[Slot]:
    """Uniform over the placements that the rule allows: drawn again until both faces have one."""
    free = list(FREE_SLOTS if back else FRONT_SLOTS)
    spread = back and len(types) > 1 and not CLOCK_DEPENDENT.issuperset(types)
    while True:
        rng.shuffle(free)
        slots = _fill(free, types)
        if not spread or {slot.face for slot in slots} == set(FACES):
            return slots


def _fill(free: Sequence[Slot], types: Sequence[str]) -> list[Slot]:
    """The first free slots in order, those of the timer's face for what depends on the clock."""
    beside = iter([slot for slot in free if slot.face == TIMER_SLOT.face])
    bound = {i: next(beside) for i, kind in enumerate(types) if kind in CLOCK_DEPENDENT}
    taken = set(bound.values())
    others = iter([slot for slot in free if slot not in taken])
    return [bound[i] if i in bound else next(others) for i in range(len(types))]
