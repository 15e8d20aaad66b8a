"""Pictures drawn out of earlier ones: only the rows in which something differs are drawn again.

    setting = Setting(camera, textures)
    picture = draw((lamp_off, wall), setting)    # pieces: meshes, drawn as if merged
    later = redraw(picture, (lamp_on, wall))     # equal to draw((lamp_on, wall), setting), sooner

A piece is known again by being the same object: meshes are immutable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from polyathlon.media.raster.backends import Backend, kernels
from polyathlon.media.raster.camera import Camera
from polyathlon.media.raster.geometry import Triangles, screen_triangles
from polyathlon.media.raster.look import DAYLIGHT, Background, Fog, Light, Pixels
from polyathlon.media.raster.mesh import Ints, Mesh, merged
from polyathlon.media.raster.render import NO_TEXTURES
from polyathlon.media.raster.shading import offsets, shading
from polyathlon.media.raster.textures import Textures

Bands: TypeAlias = list[tuple[int, int]]
"""Ranges of rows, each from its first to before its second number, in order and apart."""


@dataclass(frozen=True)
class Setting:
    """All that a picture depends on besides its pieces; `render` says what it means."""

    camera: Camera
    textures: Textures = NO_TEXTURES
    light: Light = DAYLIGHT
    fog: Fog | None = None
    background: Background = (0, 0, 0)
    samples: int = 3
    backend: Backend | None = None

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise ValueError("samples must be at least 1")


@dataclass(frozen=True, eq=False)
class Picture:
    """What pieces look like, and what is needed to draw the next picture out of it.

    `colour` (h, w, 3) uint8 and `sharp`, the same before smoothing. `owners` (h, w) int32 number
    the nearest triangle of all `parts`, the triangles of each piece, one after another; -1 is the
    background. No array must be written to.
    """

    setting: Setting
    pieces: tuple[Mesh, ...]
    parts: tuple[Triangles, ...]
    owners: Ints
    sharp: Pixels
    colour: Pixels

    def ids(self, table: Ints) -> Ints:
        """What `table` says of the object at the centre of every pixel (h, w), 0 the background."""
        ids = self.owners.copy()
        numbers = table[np.concatenate([part.ids for part in self.parts])]
        kernels(self.setting.backend).renumber(numbers, int(table[0]), ids)
        return ids


def draw(pieces: Iterable[Mesh], setting: Setting) -> Picture:
    """A picture of one or more pieces, in which they look as if merged.

    Raises ValueError for a face whose layer the setting's textures do not have.
    """
    pieces = tuple(pieces)
    shape = setting.camera.height_px, setting.camera.width_px
    picture = Picture(
        setting,
        pieces,
        _set_up(pieces, setting),
        np.empty(shape, np.int32),
        np.empty((*shape, 3), np.uint8),
        np.empty((*shape, 3), np.uint8),
    )
    _paint(picture, [(0, shape[0])])
    return picture


def redraw(kept: Picture, pieces: Iterable[Mesh]) -> Picture:
    """What `draw(pieces, kept.setting)` returns, drawn the sooner the more pieces are `kept`'s."""
    pieces = tuple(pieces)
    if len(pieces) != len(kept.pieces):
        return draw(pieces, kept.setting)
    changed = [i for i, old in enumerate(kept.pieces) if pieces[i] is not old]
    if not changed:
        return kept
    parts = list(kept.parts)
    fresh = _set_up([pieces[i] for i in changed], kept.setting)
    for i, part in zip(changed, fresh, strict=True):
        parts[i] = part
    bands, numbers = _differences(kept.parts, parts)
    owners = kept.owners.copy()
    kernels(kept.setting.backend).renumber(numbers, -1, owners)
    picture = Picture(
        kept.setting, pieces, tuple(parts), owners, kept.sharp.copy(), kept.colour.copy()
    )
    _paint(picture, bands)
    return picture


def _set_up(pieces: Sequence[Mesh], setting: Setting) -> tuple[Triangles, ...]:
    """The triangles of every piece, made in one go."""
    mesh = merged(pieces)
    setting.textures.check(mesh.layers)
    triangles = screen_triangles(mesh, setting.camera, setting.light)
    ends = np.cumsum([0, *(len(piece.faces) for piece in pieces)])
    cuts = np.searchsorted(triangles.faces, ends)
    return tuple(
        Triangles._make(field[start:end] for field in triangles) for start, end in pairwise(cuts)
    )


def _differences(old: Sequence[Triangles], new: Sequence[Triangles]) -> tuple[Bands, Ints]:
    """The rows of the triangles that come or go, and the new numbers of those that stay."""
    bands: Bands = []
    numbers = []
    first = 0
    for before, after in zip(old, new, strict=True):
        staying = np.arange(first, first + len(before.faces), dtype=np.int32)
        if before is not after:
            head, tail = _common(before, after)
            gone, come = (slice(head, len(part.faces) - tail) for part in (before, after))
            bands += [*_rows(before.bounds[gone]), *_rows(after.bounds[come])]
            staying[gone.stop :] += len(after.faces) - len(before.faces)
        numbers.append(staying)
        first += len(after.faces)
    return _united(bands), np.concatenate(numbers)


def _common(one: Triangles, other: Triangles) -> tuple[int, int]:
    """With how many equal triangles both begin, and with how many of the others they end."""
    shorter = min(len(one.faces), len(other.faces))
    head = _leading(one, other, 1)
    return head, min(_leading(one, other, -1), shorter - head)


def _leading(one: Triangles, other: Triangles, step: Literal[1, -1]) -> int:
    """With how many equal triangles both begin, or, read backwards, end."""
    count = min(len(one.faces), len(other.faces))
    same = np.ones(count, bool)
    for name in ("edges", "planes", "layers"):
        mine, yours = (getattr(part, name)[::step][:count] for part in (one, other))
        same &= (mine == yours).all(axis=tuple(range(1, mine.ndim)))
    return count if same.all() else int(same.argmin())


def _rows(bounds: Ints) -> Bands:
    """The rows that some triangles may cover, as one band."""
    return [(int(bounds[:, 2].min()), int(bounds[:, 3].max()) + 1)] if len(bounds) else []


def _united(bands: Bands) -> Bands:
    """The rows of bands that may touch or overlap."""
    united: Bands = []
    for top, end in sorted(bands):
        if united and top <= united[-1][1]:
            united[-1] = united[-1][0], max(end, united[-1][1])
        else:
            united.append((top, end))
    return united


def _paint(picture: Picture, bands: Bands) -> None:
    """Draw some rows, and smooth them and those beside them."""
    setting, owners, sharp, colour = picture.setting, picture.owners, picture.sharp, picture.colour
    triangles = Triangles._make(map(np.concatenate, zip(*picture.parts, strict=True)))
    parameters = shading(setting.camera, setting.textures, setting.fog, setting.background)
    by = kernels(setting.backend)
    nearness = np.zeros(owners.shape, np.float32)
    for top, end in bands:
        by.find_owners(triangles, top, end, nearness, owners)
        by.shade(triangles, parameters, top, end, owners, sharp)
    places = offsets(setting.samples)
    for top, end in _united([(max(top - 1, 0), min(end + 1, len(owners))) for top, end in bands]):
        colour[top:end] = sharp[top:end]
        if setting.samples > 1:
            by.smooth(triangles, places, top, end, owners, sharp, colour)
    for array in (owners, sharp, colour):
        array.flags.writeable = False
