"""Myriad Echoes: what there is to see, captured, and the timing of the clip and its sounds."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from polyathlon.envs.omniplay.echoes.grid import Cell, cells

FPS = 10
LEAD_IN_S, LIT_S, DARK_S = 0.5, 0.7, 0.3


class Clip(msgspec.Struct, frozen=True):
    """A grid, its kinds in reading order, and the order in which its cells light up."""

    rows: int
    columns: int
    layout: tuple[str, ...]
    order: tuple[Cell, ...]


class Screen(msgspec.Struct, frozen=True):
    """A grid, its kinds in reading order, and the cell clicked last."""

    rows: int
    columns: int
    layout: tuple[str, ...]
    last: Cell | None


def kinds(scene: Clip | Screen) -> dict[Cell, str]:
    """The kind of icon in each cell."""
    return dict(zip(cells(scene.rows, scene.columns), scene.layout, strict=True))


def starts_s(count: int) -> Iterator[float]:
    """When each of `count` icons lights up."""
    return (LEAD_IN_S + i * (LIT_S + DARK_S) for i in range(count))


def duration_s(count: int) -> float:
    """How long `count` icons take, the lead-in and the last dark interval included."""
    return LEAD_IN_S + count * (LIT_S + DARK_S)
