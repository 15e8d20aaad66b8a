"""Pictures of a bomb: frames, masks of what can be pressed, and what is at a point.

    shot = Shot(bomb)                    # a moment, to be drawn at any time, in any process
    frame(shot)                          # the picture
    seen = view(shot)                    # the same with the element at every pixel
    seen.centroid("m1/wire2")            # where to press it
    mask(shot)                           # one flat colour an element, and which is which
    element_at(shot, 0.5, 0.5)           # what a press in the middle meets

Points are relative, (0, 0) the top left of the picture and (1, 1) its bottom right. Only what can
be pressed at the moment is an element, but all that is opaque hides what lies behind it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image as Pil

from polyathlon.core.errors import unknown
from polyathlon.core.parts import Image
from polyathlon.envs.gptnt.bomb.bomb import Bomb, elements
from polyathlon.envs.gptnt.bomb.looks import atlas, modules, scene, stage
from polyathlon.envs.gptnt.bomb.looks.gaze import gaze, rotation
from polyathlon.envs.gptnt.bomb.looks.palette import Rgb
from polyathlon.media.raster import Mesh, Picture, Setting, draw, merged, pick, redraw
from polyathlon.media.raster.look import Pixels
from polyathlon.media.raster.mesh import Ints

_KEPT_PICTURES = 8


@dataclass(frozen=True)
class Shot:
    """A bomb at a moment, the size of its picture, and whether there are props on the table."""

    bomb: Bomb
    width_px: int = 640
    height_px: int = 480
    props: bool = True


@dataclass(frozen=True, eq=False)
class View:
    """A picture with the element at every pixel.

    `colour` (h, w, 3) uint8; `ids` (h, w) int32: 0 where nothing can be pressed, else one more than
    the element's index in `elements`, which are in reading order. `colour` is read-only.
    """

    colour: Pixels
    ids: Ints
    elements: tuple[str, ...]

    @property
    def image(self) -> Image:
        """The picture to send or store."""
        return _image(self.colour)

    def centroid(self, element: str) -> tuple[float, float] | None:
        """The middle of the pixel at the centroid of what is seen of an element.

        If something else is there (a wire is bent, say), of the element's pixel nearest to it.
        None if nothing of it is seen; an unknown element raises UserError.
        """
        if element not in self.elements:
            raise unknown("element", element, self.elements)
        own = self.elements.index(element) + 1
        rows, columns = np.nonzero(self.ids == own)
        if not rows.size:
            return None
        apart = (rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2
        nearest = apart.argmin()
        height, width = self.ids.shape
        return (float(columns[nearest]) + 0.5) / width, (float(rows[nearest]) + 0.5) / height


@dataclass(frozen=True, eq=False)
class Mask:
    """A picture that is black but for one flat colour an element, and the colours of those seen."""

    image: Image
    colours: Mapping[str, Rgb]


def frame(shot: Shot) -> Image:
    """The picture of a shot."""
    return _image(_picture(*_staged(shot)).colour)


def view(shot: Shot) -> View:
    """The picture of a shot with the element at every pixel, drawn in one go."""
    picture, names = _picture(*_staged(shot)), elements(shot.bomb)
    return View(picture.colour, picture.ids(_lookup(shot.bomb, names)), names)


def mask(shot: Shot) -> Mask:
    """What can be pressed in a shot, in flat colours without smoothing."""
    return flat(view(shot))


def flat(seen: View) -> Mask:
    """The mask of a picture that has been drawn."""
    height, width = seen.ids.shape
    colours = _flat_colours(len(seen.elements))
    painted = Pil.fromarray(seen.ids.astype(np.uint8))
    present = painted.histogram()
    painted.putpalette(np.array(colours, np.uint8).tobytes())
    return Mask(
        Image(width, height, painted.convert("RGB").tobytes()),
        {name: colours[i] for i, name in enumerate(seen.elements, 1) if present[i]},
    )


def element_at(shot: Shot, x: float, y: float) -> str | None:
    """The element that a ray through a point of the picture meets first, if it meets one."""
    if not (0 <= x <= 1 and 0 <= y <= 1):
        return None
    pieces, setting = _staged(shot)
    column = min(int(x * shot.width_px), shot.width_px - 1)
    row = min(int(y * shot.height_px), shot.height_px - 1)
    hit = pick(merged(pieces), setting.camera, column, row)
    names = elements(shot.bomb)
    index = int(_lookup(shot.bomb, names)[hit.object_id]) if hit else 0
    return names[index - 1] if index else None


def centroid(shot: Shot, element: str) -> tuple[float, float] | None:
    """Where to press an element of a shot; see `View.centroid`."""
    return view(shot).centroid(element)


def forget() -> None:
    """Drop the pictures kept; what is drawn is the same without them, but takes longer."""
    _picture.cache_clear()
    _last.cache_clear()


@lru_cache(maxsize=_KEPT_PICTURES)
def _picture(pieces: tuple[Mesh, ...], setting: Setting) -> Picture:
    """Kept for a while, since moments often look alike, and else drawn out of the last alike."""
    last = _last(setting)
    picture = redraw(last[0], pieces) if last else draw(pieces, setting)
    last.append(picture)
    return picture


@lru_cache(maxsize=_KEPT_PICTURES)
def _last(setting: Setting) -> deque[Picture]:
    """The picture that was drawn last in a setting; empty before the first one."""
    return deque(maxlen=1)


def _staged(shot: Shot) -> tuple[tuple[Mesh, ...], Setting]:
    look = gaze(shot.bomb, shot.width_px / shot.height_px)
    pieces = scene.pieces(shot.bomb, rotation(shot.bomb), look.eye, shot.props)
    camera = look.camera(shot.width_px, shot.height_px)
    if shot.bomb.phase != "lights_off":
        return pieces, Setting(camera, atlas.textures(), stage.LIGHT, background=stage.BACKGROUND)
    unpowered = tuple(stage.unpowered(piece) for piece in pieces)
    return unpowered, Setting(camera, atlas.textures(), stage.DARK, background=stage.NIGHT)


def _lookup(bomb: Bomb, names: tuple[str, ...]) -> Ints:
    """For every id of `scene.mesh` 0, or one more than the index of its element."""
    table = np.zeros(scene.STRIDE * (len(bomb.modules) + 1), np.int32)
    for index, name in enumerate(names, 1):
        module_id, _, part = name.partition("/")
        number = int(module_id[1:])
        first = number * scene.STRIDE
        if part:
            table[first + 1 + modules.parts(bomb.modules[number - 1].module).index(part)] = index
        else:
            table[first : first + scene.STRIDE] = index
    return table


def _flat_colours(count: int) -> list[Rgb]:
    """Black, then so many different colours, up to 255."""
    return [(97 * i % 256, 179 * i % 256, 53 * i % 256) for i in range(count + 1)]


def _image(colour: Pixels) -> Image:
    height, width, _ = colour.shape
    return Image(width, height, colour.tobytes())
