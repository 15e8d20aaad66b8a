"""Wires of one colour or striped, whole or cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from polyathlon.envs.gptnt.bomb.looks.modules.shapes import progress
from polyathlon.envs.gptnt.bomb.looks.palette import COLOURS, COPPER
from polyathlon.envs.gptnt.bomb.modules.base import CUT_US
from polyathlon.media.raster import Material, Mesh, merged

T = TypeVar("T")

Floats: TypeAlias = NDArray[np.float64]
Path: TypeAlias = Callable[[Floats], Floats]
"""Places t (n,) in 0..1 along a wire to points (n, 3)."""

SEGMENTS = 8
STRANDS = 4
GAP = 0.13
TIP = 0.05
_SLANT = 0.06
_STEP = 1e-3
_ANGLES = np.radians(np.linspace(200.0, -20.0, STRANDS))
_BAND = np.array(
    [
        corners
        for left in range(STRANDS - 1)
        for corners in (
            (left, left + 1, left + 1 + STRANDS),
            (left, left + 1 + STRANDS, left + STRANDS),
        )
    ]
)


def cutting(which: T, cut: Sequence[T], cut_us: Sequence[int], time_us: int) -> float | None:
    """How far a wire is cut, 0 to 1; None if it is whole."""
    return progress(cut_us[cut.index(which)], time_us, CUT_US) if which in cut else None


def wire(path: Path, radius: float, colours: Sequence[str], cut: float | None = None) -> Mesh:
    """A wire, striped if it has several colours; from `cut` 0 to 1 it parts in the middle.

    Only the side that looks along +z is there: wires run above a plate.
    """
    if not cut:
        return _strand(path, (0.0, 1.0), radius, colours)
    first, last = 0.5 - GAP * cut, 0.5 + GAP * cut
    pieces: tuple[tuple[tuple[float, float], float, Sequence[str]], ...] = (
        ((0.0, first), radius, colours),
        ((first, first + TIP * cut), radius * 0.6, ("copper",)),
        ((last - TIP * cut, last), radius * 0.6, ("copper",)),
        ((last, 1.0), radius, colours),
    )
    return merged(_strand(path, *piece) for piece in pieces)


def _strand(path: Path, span: tuple[float, float], radius: float, colours: Sequence[str]) -> Mesh:
    """The stretch `span` of a wire, its slanted bands in `colours` by turns."""
    first, last = span
    count = max(1, round(SEGMENTS * (last - first)))
    edges = np.linspace(first, last, count + 1)
    slant = np.linspace(-_SLANT, _SLANT, STRANDS) if len(colours) > 1 else np.zeros(STRANDS)
    ends = np.stack([edges[:-1], edges[1:]], axis=1)
    places = np.clip(ends[:, :, None] + slant, first, last)
    middle, outward = _frame(path, places.ravel())
    normals = outward.reshape(*places.shape, 3)
    points = middle.reshape(*places.shape, 3) + radius * normals
    turns = len(colours)
    return merged(
        _bands(points[turn::turns], normals[turn::turns], colour)
        for turn, colour in enumerate(colours)
    )


def _bands(points: Floats, normals: Floats, colour: str) -> Mesh:
    """Pieces of one colour (n, 2, STRANDS, 3)."""
    look = Material(COPPER if colour == "copper" else COLOURS[colour])
    faces = _BAND + 2 * STRANDS * np.arange(len(points))[:, None, None]
    return Mesh.of(points, faces, normals, np.zeros((points.size // 3, 2)), look)


def _frame(path: Path, places: Floats) -> tuple[Floats, Floats]:
    """The middle of a wire and the unit vector to its skin, for `STRANDS` places at a time."""
    along = path(places + _STEP) - path(places - _STEP)
    aside = _units(np.cross(along, (0.0, 0.0, 1.0)))
    above = _units(np.cross(aside, along))
    angles = np.resize(_ANGLES, len(places))[:, None]
    return path(places), np.cos(angles) * aside + np.sin(angles) * above


def _units(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.sqrt((vectors * vectors).sum(axis=1, keepdims=True)))
