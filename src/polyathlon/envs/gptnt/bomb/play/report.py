"""What a game reads out of the state of its bomb, wherever that is."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from polyathlon.core.canonical import JSON


class Camera(msgspec.Struct, frozen=True):
    """How the bomb is held and looked at: by module and element id, None for none."""

    zoomed_module: str | None
    held_element: str | None


class Progress(msgspec.Struct, frozen=True):
    """How far a game has come."""

    solved: int
    modules: int
    strikes: int
    left_s: float

    @property
    def share(self) -> float:
        """Solved modules of all modules, in [0, 1]."""
        return self.solved / self.modules


class _Module(msgspec.Struct):
    type: str
    runtime: Mapping[str, JSON]


class _Timer(msgspec.Struct):
    remaining_s: float


class _State(msgspec.Struct):
    modules: tuple[_Module, ...]
    strikes: int
    timer: _Timer


def camera(state: Mapping[str, JSON]) -> Camera:
    """The camera of an exported state (section 3.10 of the specification)."""
    return msgspec.convert(state["camera"], Camera)


def progress(state: Mapping[str, JSON], puzzles: Collection[str]) -> Progress:
    """The progress of an exported state; `puzzles` are the types that have to be solved."""
    read = msgspec.convert(state, _State)
    counted = [module for module in read.modules if module.type in puzzles]
    solved = sum(module.runtime.get("solved") is True for module in counted)
    return Progress(solved, len(counted), read.strikes, read.timer.remaining_s)
