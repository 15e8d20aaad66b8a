"""The keypad's symbols as drawings of our own: strokes of one pen and filled areas.

A symbol is drawn on a square of 100 x 100 units, y down. Its paths are written as `M x y` (start),
`L x y` (line), `Q` and `C` (quadratic and cubic Bezier curve) and `A cx cy rx ry from to`
(arc of an ellipse, in degrees from three o'clock on, clockwise).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from polyathlon.core.errors import unknown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Point: TypeAlias = tuple[float, float]

UNITS = 100
PEN = 9.0
"""The width of a stroke, which has round ends, in units."""
_CURVE_STEPS = 14
_ARC_STEP_DEG = 10.0
_SUPERSAMPLE = 4


class Symbol(Struct, frozen=True):
    """A symbol: the nearest character, what it looks like, and its paths."""

    character: str
    looks: str
    strokes: tuple[str, ...] = ()
    fills: tuple[str, ...] = ()


class Outline(Struct, frozen=True):
    """A line of points in units, either drawn with the pen or filled."""

    points: tuple[Point, ...]
    filled: bool


def _dot(x: float, y: float, radius: float = 6.5) -> str:
    return f"A {x} {y} {radius} {radius} 0 360"


def _star() -> str:
    """Five points; the inner corners lie where the lines between the outer ones cross."""
    inner = math.cos(math.radians(72)) / math.cos(math.radians(36))
    corners = []
    for corner in range(11):
        angle = math.radians(36 * corner - 90)
        radius = 43 * (inner if corner % 2 else 1)
        corners.append(f"{50 + radius * math.cos(angle):.2f} {54 + radius * math.sin(angle):.2f}")
    return "M " + " L ".join(corners)


_LEGS = ("M {0} 86 Q {0} 54 {1} 54 Q {2} 54 {2} 86", "M {1} 52 L {1} 86")

_SYMBOLS: dict[str, Symbol] = {
    "koppa_ring": Symbol(
        "Ϙ",
        "a ring on a short upright stem, like a hand mirror",
        ("A 50 38 27 30 0 360", "M 50 68 L 50 92"),
    ),
    "little_yus": Symbol(
        "Ѧ",
        "an A on three legs",
        ("M 12 86 L 46 14 L 54 14 L 88 86", "M 29 54 L 71 54", "M 50 54 L 50 86"),
    ),
    "barred_lambda": Symbol(
        "ƛ",
        "an upside-down y with a slanted bar through its top",
        ("M 28 14 Q 42 12 47 28 L 72 86", "M 52 40 L 24 86", "M 26 39 L 66 23"),
    ),
    "koppa_bolt": Symbol(
        "Ϟ",
        "a zigzag, like a flash of lightning or a leaning N",
        ("M 26 14 Q 44 14 42 30 L 34 58 L 70 34 L 58 74 Q 56 88 74 88",),
    ),
    "iotified_yus": Symbol(
        "Ѭ",
        "an upright bar tied to an insect: a triangle standing on its tip over three legs",
        (
            "M 12 14 L 12 86",
            "M 12 54 L 62 54",
            "M 34 14 L 90 14 L 62 52 L 34 14",
            *(leg.format(34, 62, 90) for leg in _LEGS),
        ),
    ),
    "kai_hook": Symbol(
        "ϗ",
        "a handwritten k whose leg curls back below the line",
        (
            "M 20 18 Q 34 14 32 28 L 22 70",
            "M 80 20 Q 72 12 62 24 L 28 48",
            "M 42 40 Q 58 36 58 52 Q 58 68 66 68 Q 74 68 72 78 Q 70 92 44 88",
        ),
    ),
    "reversed_dotted_c": Symbol(
        "Ͽ",
        "a C that opens to the left, with a dot inside",
        ("A 42 50 36 37 -120 120",),
        (_dot(40, 50, 8),),
    ),
    "reversed_e_dots": Symbol(
        "Ӭ",
        "a round E facing left under two dots",
        ("A 44 58 32 30 -130 130", "M 40 58 L 76 58"),
        (_dot(34, 13), _dot(60, 13)),
    ),
    "looped_ha": Symbol(
        "Ҩ",
        "a C and a loop in one line, like a pig's tail",
        (
            "M 46 18 Q 14 18 14 50 Q 14 82 44 82 C 66 82 76 60 76 42 C 76 26 70 18 62 18 "
            "C 54 18 48 26 48 42 C 48 66 62 82 88 82",
        ),
    ),
    "star_outline": Symbol("☆", "the outline of a five-pointed star", (_star(),)),
    "inverted_question": Symbol(
        "¿",
        "a question mark turned upside down",
        ("M 52 34 L 52 44 Q 52 54 40 60 Q 26 68 28 76 Q 32 90 50 90 Q 64 90 72 80",),
        (_dot(52, 16),),
    ),
    "copyright": Symbol(
        "©", "a c inside a circle", ("A 50 50 40 40 0 360", "A 52 50 18 20 50 310")
    ),
    "omega_titlo": Symbol(
        "Ѽ",
        "a round w under a small wave with a comma",
        (
            "M 24 38 Q 8 54 12 72 Q 16 90 32 88 Q 44 86 50 74 Q 56 86 68 88 "
            "Q 84 90 88 72 Q 92 54 76 38",
            "M 26 22 Q 38 6 54 12 Q 66 16 74 8",
            "M 51 30 Q 55 40 47 48",
        ),
    ),
    "zhe_tail": Symbol(
        "Җ",
        "a K back to back with its mirror image, with a small tail at the lower right",
        ("M 46 14 L 46 82", "M 12 14 L 42 48 L 10 82", "M 80 14 L 50 48 L 76 82 L 89 82 L 89 92"),
    ),
    "komi_three": Symbol(
        "Ԇ",
        "a 3 whose lower half runs straight down into a small tail",
        (
            "M 22 20 Q 34 12 46 12 Q 68 12 68 29 Q 68 46 40 46 L 48 46 Q 68 48 68 66 "
            "L 68 80 L 82 80 L 82 92",
        ),
    ),
    "hooked_six": Symbol(
        "Ϭ",
        "a 6 with a flag that bends over to the right",
        ("A 50 64 27 24 0 360", "M 23 64 C 20 36 30 24 52 21 Q 74 18 78 10"),
    ),
    "pilcrow": Symbol(
        "¶",
        "a paragraph mark: a filled P turned around, with two stems",
        ("M 50 12 L 50 90", "M 71 12 L 71 90", "M 44 12 L 80 12"),
        ("M 50 8 L 50 56 L 44 56 Q 18 56 18 32 Q 18 8 44 8 L 50 8",),
    ),
    "yat": Symbol(
        "ѣ",
        "a b crossed like a t",
        (
            "M 46 10 L 46 84",
            "M 18 28 L 74 28",
            "M 46 50 L 60 50 Q 82 50 82 67 Q 82 84 60 84 L 46 84",
        ),
    ),
    "tte_smiley": Symbol(
        "ټ",
        "a smiling face: two dots in a shallow bowl, a small ring below",
        ("M 12 30 Q 8 60 34 60 L 64 60 Q 92 60 88 28", "A 50 80 8 8 0 360"),
        (_dot(38, 30), _dot(62, 30)),
    ),
    "psi_trident": Symbol(
        "Ψ",
        "a fork with three prongs",
        ("M 14 14 L 14 34 Q 14 62 50 62 Q 86 62 86 34 L 86 14", "M 50 14 L 50 88"),
    ),
    "dotted_c": Symbol(
        "Ͼ",
        "a C with a dot inside",
        ("A 58 50 36 37 60 300",),
        (_dot(60, 50, 8),),
    ),
    "ksi_tail": Symbol(
        "ѯ",
        "a 3 with a v on its head and a tail that snakes below",
        (
            "M 34 8 L 47 22 L 60 8",
            "M 26 32 Q 36 24 47 24 Q 68 24 68 36 Q 68 48 42 48 L 48 48 Q 70 48 70 62 "
            "Q 70 76 46 75 Q 28 74 30 84 Q 34 92 70 90",
        ),
    ),
    "star_filled": Symbol("★", "a solid five-pointed star", (), (_star(),)),
    "thousands_mark": Symbol(
        "҂",
        "a slanted stroke crossed by two short bars, like a piece of railway",
        ("M 30 88 L 70 12", "M 34 27 L 78 50", "M 22 50 L 66 73"),
    ),
    "ae_ligature": Symbol(
        "ӕ",
        "an a and an e grown together",
        (
            "M 16 38 Q 22 28 33 28 Q 50 28 50 46 L 50 60 Q 50 82 30 82 Q 13 82 13 68 "
            "Q 13 55 33 55 L 88 55 Q 88 28 69 28 Q 50 28 50 55 Q 50 82 70 82 Q 82 82 88 74",
        ),
    ),
    "short_i_tail": Symbol(
        "Ҋ",
        "an N in a mirror, with a little bowl above and a tail",
        ("M 20 28 L 20 82 L 70 32", "M 70 28 L 70 80 L 84 80 L 74 92", "M 31 8 Q 45 26 59 8"),
    ),
    "omega": Symbol(
        "Ω",
        "a horseshoe with feet",
        (
            "M 12 86 L 38 86 L 38 80 Q 15 66 15 44 Q 15 14 50 14 Q 85 14 85 44 Q 85 66 62 80 "
            "L 62 86 L 88 86",
        ),
    ),
    "gangia": Symbol(
        "ϫ",
        "an x that stands on a flat base",
        ("M 14 22 Q 28 20 34 30 L 66 84", "M 84 22 Q 70 20 62 32 L 24 84 L 84 84"),
    ),
    "dotted_circle": Symbol(
        "◌",
        "a circle of short dashes",
        tuple(f"A 50 50 37 37 {start} {start + 16}" for start in range(0, 360, 40)),
    ),
    "big_yus": Symbol(
        "Ѫ",
        "an insect: a triangle standing on its tip over three legs",
        (
            "M 18 14 L 82 14 L 50 52 L 18 14",
            *(leg.format(14, 50, 86) for leg in _LEGS),
        ),
    ),
    "zeta": Symbol(
        "ζ",
        "a z written in one swing that ends in a hook below",
        ("M 24 13 L 72 13 Q 28 40 26 60 Q 26 76 48 77 Q 74 79 66 92",),
    ),
}

NAMES: tuple[str, ...] = tuple(_SYMBOLS)
"""Every symbol that a rule book can use."""
LOOKS: Mapping[str, str] = MappingProxyType({n: s.looks for n, s in _SYMBOLS.items()})
CHARACTERS: Mapping[str, str] = MappingProxyType({n: s.character for n, s in _SYMBOLS.items()})
"""The nearest Unicode character of each, for text."""


@cache
def outlines(name: str) -> tuple[Outline, ...]:
    """The symbol as lines of points. An unknown name raises UserError."""
    if name not in _SYMBOLS:
        raise unknown("symbol", name, NAMES)
    symbol = _SYMBOLS[name]
    strokes = (Outline(tuple(_traced(path)), filled=False) for path in symbol.strokes)
    fills = (Outline(tuple(_traced(path)), filled=True) for path in symbol.fills)
    return (*strokes, *fills)


@lru_cache(maxsize=512)
def mask(name: str, size_px: int) -> NDArray[np.uint8]:
    """How much of each pixel the symbol covers: `size_px` squared, 0 to 255. Do not write to it."""
    import numpy as np
    from PIL import Image, ImageDraw

    side = size_px * _SUPERSAMPLE
    paper = Image.new("L", (side, side))
    draw = ImageDraw.Draw(paper)
    scale = side / UNITS
    width = max(1, round(PEN * scale))
    for outline in outlines(name):
        points = [(x * scale, y * scale) for x, y in outline.points]
        if outline.filled:
            draw.polygon(points, fill=255)
            continue
        draw.line(points, fill=255, width=width)
        for point in points:
            draw.circle(point, (width - 1) / 2, fill=255)
    cover = np.asarray(paper.resize((size_px, size_px), Image.Resampling.BOX))
    cover.setflags(write=False)
    return cover


def _traced(path: str) -> Iterator[Point]:
    tokens = iter(path.split())
    here: Point = (0.0, 0.0)
    for command in tokens:
        count = {"M": 2, "L": 2, "Q": 4, "C": 6, "A": 6}[command]
        values = [float(next(tokens)) for _ in range(count)]
        points = list(_piece(command, here, values))
        yield from points
        here = points[-1]


def _piece(command: str, here: Point, values: Sequence[float]) -> Iterator[Point]:
    if command == "A":
        return _arc(*values)
    controls = list(zip(values[::2], values[1::2], strict=True))
    return iter(controls) if command in "ML" else _bezier([here, *controls])


def _bezier(controls: Sequence[Point]) -> Iterator[Point]:
    """Points of the curve after its first, by De Casteljau's algorithm."""
    for step in range(1, _CURVE_STEPS + 1):
        t = step / _CURVE_STEPS
        points = list(controls)
        while len(points) > 1:
            points = [_between(a, b, t) for a, b in pairwise(points)]
        yield points[0]


def _between(a: Point, b: Point, t: float) -> Point:
    return a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t


def _arc(
    cx: float, cy: float, rx: float, ry: float, start_deg: float, end_deg: float
) -> Iterator[Point]:
    steps = max(1, math.ceil((end_deg - start_deg) / _ARC_STEP_DEG))
    for step in range(steps + 1):
        angle = math.radians(start_deg + (end_deg - start_deg) * step / steps)
        yield cx + rx * math.cos(angle), cy + ry * math.sin(angle)
