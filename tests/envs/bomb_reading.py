"""The texts of a bomb in real frames: where they stand, what they say, what tesseract reads.

Frames are taken as a player gets them: zoomed into a module in every slot of both faces, or of a
whole side for what sits on the edges. The smaller sizes are Lanczos copies of 640 x 480.
"""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import cycle, islice, permutations, product
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from msgspec.structs import replace
from PIL import Image as Pil
from PIL import ImageOps
from tests.envs.bomb_by_hand import later, lit, opened

from polyathlon.envs.gptnt.bomb.bomb import Bomb, Fitted, TurnBomb, acted
from polyathlon.envs.gptnt.bomb.casing import LETTERS, Edge, Indicator, Mount
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.looks import casing
from polyathlon.envs.gptnt.bomb.looks.frames import Shot, frame
from polyathlon.envs.gptnt.bomb.looks.gaze import gaze, rotation
from polyathlon.envs.gptnt.bomb.looks.kit import SURFACE
from polyathlon.envs.gptnt.bomb.looks.turning import HALF_SIZE, from_side, turned
from polyathlon.envs.gptnt.bomb.looks.turning import product as then
from polyathlon.envs.gptnt.bomb.missions import MODULES
from polyathlon.envs.gptnt.bomb.modules.vent import QUESTIONS
from polyathlon.envs.gptnt.bomb.poses import Side, Turn
from polyathlon.envs.gptnt.bomb.rulebook.button import COLOURS as CAPS
from polyathlon.envs.gptnt.bomb.rulebook.button import LABELS as ON_CAPS
from polyathlon.envs.gptnt.bomb.rulebook.button import Button
from polyathlon.envs.gptnt.bomb.rulebook.memory import MemoryStage
from polyathlon.envs.gptnt.bomb.rulebook.morse import selectable_khz
from polyathlon.envs.gptnt.bomb.rulebook.password import Password
from polyathlon.envs.gptnt.bomb.rulebook.sequence import ENDS, PANELS, SLOTS
from polyathlon.envs.gptnt.bomb.rulebook.variants import book
from polyathlon.envs.gptnt.bomb.rulebook.words import WordsStage

Size: TypeAlias = tuple[int, int]
Box: TypeAlias = tuple[float, float, float, float]
Showing: TypeAlias = tuple[dict[str, Any], Sequence[str]]
"""Values of fields of a module, and the texts they make it show."""

SIZES: tuple[Size, ...] = ((640, 480), (504, 504), (448, 448))
TURN_TO: Mapping[Edge, Turn] = {
    "left": "rotate_left",
    "right": "rotate_right",
    "top": "roll_down",
    "bottom": "roll_up",
}
ALL_SLOTS, TIMER_SLOTS = 11, 5

_ENLARGED, _MARGIN_PX, _ROW, _ROW_PX = 3, 20, 6, 72
_WORDS = ascii_uppercase + "'? "


class Text(NamedTuple):
    """A text, the frame of 640 x 480 it is in, and where: left, top, right, bottom in 0..1."""

    says: str
    seen: Pil.Image
    box: Box

    def crop(self, size: Size) -> Pil.Image:
        """The part of the frame with the text after the whole frame has been scaled."""
        (width, height), (left, top, right, bottom) = size, self.box
        edges = (left * width, top * height, right * width, bottom * height)
        x0, y0, x1, y1 = map(round, edges)
        return resized(self.seen, size).crop((x0, y0, x1, y1))


class Kind(NamedTuple):
    """A kind of text: where there are some, and the characters they are made of."""

    texts: Callable[[], Iterator[Text]]
    characters: str
    in_rows: bool = False
    """Read side by side, since tesseract wants more than one or two characters."""


def read(kind: Kind, found: Sequence[Text], size: Size) -> list[tuple[str, str]]:
    """Every text, or every row of short ones, with what tesseract reads in frames of a size."""
    crops = [enlarged(text.crop(size)) for text in found]
    says = [text.says.replace(" ", "") for text in found]
    if kind.in_rows:
        crops = [_row(some) for some in chunks(crops, _ROW)]
        says = ["".join(some) for some in chunks(says, _ROW)]
    return list(zip(says, tesseract(crops, kind.characters), strict=True))


def right(pairs: Iterable[tuple[str, str]]) -> tuple[int, int]:
    """How many characters were read right, and how many there are."""
    pairs = list(pairs)
    wrong = sum(min(len(said), _edits(said, found)) for said, found in pairs)
    total = sum(len(said) for said, _ in pairs)
    return total - wrong, total


def tesseract(crops: Sequence[Pil.Image], characters: str) -> list[str]:
    """The line of text in each picture, without blanks, read in one go."""
    file = io.BytesIO()
    crops[0].save(file, "TIFF", save_all=True, append_images=crops[1:])
    allowed = f"tessedit_char_whitelist={characters}"
    done = subprocess.run(
        ["tesseract", "-", "-", "--psm", "7", "-c", allowed],
        input=file.getvalue(),
        capture_output=True,
        check=True,
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
    )
    pages = done.stdout.decode().split("\f")[: len(crops)]
    return ["".join(page.split()) for page in pages]


def enlarged(crop: Pil.Image) -> Pil.Image:
    """Three times as large, grey, dark on light."""
    size = crop.width * _ENLARGED, crop.height * _ENLARGED
    grey = crop.convert("L").resize(size, Pil.Resampling.BICUBIC)
    dark = np.median(np.asarray(grey)) < 128
    return ImageOps.expand(
        ImageOps.autocontrast(ImageOps.invert(grey) if dark else grey), _MARGIN_PX, 255
    )


def resized(seen: Pil.Image, size: Size) -> Pil.Image:
    """A frame at another size."""
    return seen if seen.size == size else seen.resize(size, Pil.Resampling.LANCZOS)


def picture(bomb: Bomb) -> Pil.Image:
    """The frame of a bomb."""
    drawn = frame(Shot(bomb))
    return Pil.frombytes("RGB", (drawn.width_px, drawn.height_px), drawn.rgb)


def projected(bomb: Bomb, side: Side, points: Sequence[tuple[float, float, float]]) -> Any:
    """Where points of a side's frame, z outwards from its face, are seen: (n, 2), in 0..1."""
    width, height = SIZES[0]
    rows = then(rotation(bomb), from_side(side))
    there = [turned(rows, (x, y, z + HALF_SIZE[side])) for x, y, z in points]
    camera = gaze(bomb, width / height).camera(width, height)
    return camera.project(there)[:, :2] / (width, height)


def box_on(bomb: Bomb, side: Side, box: Box, z: float) -> Box:
    """The part of the picture with a rectangle (left, bottom, right, top) of a side."""
    left, bottom, right, top = box
    found = projected(bomb, side, [(x, y, z) for x in (left, right) for y in (bottom, top)])
    (x0, y0), (x1, y1) = found.min(axis=0), found.max(axis=0)
    return x0, y0, x1, y1


def box_on_module(bomb: Bomb, found: Fitted, box: Box, z: float) -> Box:
    """The part of the picture with a rectangle of a module's own frame."""
    slot = found.placed.slot
    x, y, _ = casing.slot_place(slot)
    left, bottom, right, top = box
    return box_on(bomb, slot.face, (left + x, bottom + y, right + x, top + y), z)


def filled(kind: str, seed: int = 0) -> Bomb:
    """A bomb with a module of one type in every slot that can have one."""
    if kind not in MODULES:
        return lit("Wires", needy=(kind,) * (ALL_SLOTS - 1), seed=seed)
    return lit(*[kind] * (TIMER_SLOTS if kind == "Button" else ALL_SLOTS), seed=seed)


def with_fields(bomb: Bomb, module_id: str, **fields: Any) -> Bomb:
    """The bomb with other values of a module's fields."""
    modules = list(bomb.modules)
    index = [found.placed.id for found in modules].index(module_id)
    module: Any = modules[index].module
    modules[index] = replace(modules[index], module=replace(module, **fields))
    return replace(bomb, modules=tuple(modules))


def chunks(things: Iterable[Any], length: int) -> Iterator[tuple[Any, ...]]:
    """Things in tuples of a length; the last one may be shorter."""
    left = iter(things)
    while chunk := tuple(islice(left, length)):
        yield chunk


def on_modules(
    type_: str, places: Sequence[tuple[Box, float]], showings: Callable[[], Iterable[Showing]]
) -> Iterator[Text]:
    """Texts at places (rectangle and height) of modules of a type, which show one after the other
    what there is to show, in as many slots as there are."""
    bomb = filled(type_)
    homes = [found for found in bomb.modules if found.placed.type == type_]
    shown = list(showings())
    rounds = islice(cycle(shown), max(len(homes), len(shown)))
    for (fields, says), home in zip(rounds, cycle(homes), strict=False):
        near = opened(with_fields(bomb, home.placed.id, **fields), home.placed.id)
        seen = picture(near)
        for text, (box, z) in zip(says, places, strict=True):
            yield Text(text, seen, box_on_module(near, home, box, z))


def _row(crops: Sequence[Pil.Image]) -> Pil.Image:
    """Pictures side by side, of one height."""
    same = [
        crop.resize((crop.width * _ROW_PX // crop.height, _ROW_PX), Pil.Resampling.BICUBIC)
        for crop in crops
    ]
    row = Pil.new("L", (sum(crop.width for crop in same), _ROW_PX), 255)
    left = 0
    for crop in same:
        row.paste(crop, (left, 0))
        left += crop.width
    return ImageOps.expand(row, _MARGIN_PX, 255)


def _edits(one: str, other: str) -> int:
    """Levenshtein's distance."""
    costs = list(range(len(other) + 1))
    for i, char in enumerate(one, 1):
        above, costs[0] = costs[0], i
        for j, against in enumerate(other, 1):
            above, costs[j] = (
                costs[j],
                min(above + (char != against), costs[j] + 1, costs[j - 1] + 1),
            )
    return costs[-1]


def _around(x: float, y: float, width: float, height: float, z: float) -> tuple[Box, float]:
    """A rectangle about a point, at a height above the plate."""
    return (x - width / 2, y - height / 2, x + width / 2, y + height / 2), z + SURFACE


def _button_words() -> Iterator[Showing]:
    for colour, label in product(CAPS, ON_CAPS):
        yield {"puzzle": Button(colour, label)}, [label.upper()]


def _labels() -> Iterator[Showing]:
    for six in chunks(islice(cycle(sum(book(0).words.groups, ())), 66), 6):
        yield {"current": WordsStage("", six)}, six


def _displays() -> Iterator[Showing]:
    labels = book(0).words.groups[0][:6]
    for display in filter(None, book(0).words.read):
        yield {"current": WordsStage(display, labels)}, [display]


def _memory_keys() -> Iterator[Showing]:
    for four in permutations((1, 2, 3, 4)):
        yield {"stages": (MemoryStage(1, four),)}, [*map(str, four)]


def _memory_displays() -> Iterator[Showing]:
    for digit in (1, 2, 3, 4):
        yield {"stages": (MemoryStage(digit, (1, 2, 3, 4)),)}, [str(digit)]


def _frequencies() -> Iterator[Showing]:
    for index, khz in enumerate(selectable_khz(book(0).morse)):
        yield {"index": index}, [f"3.{khz}MHz"]


def _starts() -> Iterator[Showing]:
    for panel in range(PANELS):
        yield {"panel": panel}, [str(panel * SLOTS + slot + 1) for slot in range(SLOTS)]


def _ends() -> Iterator[Showing]:
    yield {}, ENDS


def _letters() -> Iterator[Showing]:
    for five in chunks(islice(cycle(ascii_lowercase), 130), 5):
        yield {"puzzle": Password(five)}, [letter.upper() for letter in five]


def _questions() -> Iterator[Showing]:
    for question in QUESTIONS:
        yield {"question": question, "due_us": 30 * SECOND_US}, [question]


def _characters(places: Sequence[int]) -> Iterator[Text]:
    """Characters at these places of the numbers of many bombs, on every place of every edge."""
    for seed in range(36):
        bomb = lit("Wires", seed=seed)
        mount, serial = bomb.plan.casing.mounts[0], bomb.plan.casing.serial
        for place in places:
            x = (place - 2.5) * 0.28
            yield _on_edge(bomb, mount, serial.value[place], (x - 0.14, -0.45, x + 0.14, 0.13))


def _indicators() -> Iterator[Text]:
    for seed in range(8):
        bomb = lit("Wires", seed=seed, widgets=11)
        for mount, widget in bomb.plan.casing.mounted():
            if isinstance(widget, Indicator):
                yield _on_edge(bomb, mount, widget.label, (-0.2, -0.28, 0.76, 0.28))


def _on_edge(bomb: Bomb, mount: Mount, says: str, box: Box) -> Text:
    """A text on a widget, seen from its side."""
    bomb = edge_shown(bomb, mount.edge)
    x, y = casing.mount_place(mount)
    left, bottom, right, top = box
    place = box_on(bomb, mount.edge, (left + x, bottom + y, right + x, top + y), 0.05)
    return Text(says, picture(bomb), place)


@lru_cache(maxsize=8)
def edge_shown(bomb: Bomb, edge: Edge) -> Bomb:
    """The bomb turned so that an edge looks at the viewer."""
    return later(acted(bomb, TurnBomb(TURN_TO[edge])).bomb)


def _on(
    type_: str, showings: Callable[[], Iterable[Showing]], *places: tuple[Box, float]
) -> Callable[[], Iterator[Text]]:
    return partial(on_modules, type_, places, showings)


_ROWS_Y = (0.32, -0.06, -0.44)
_LABELS = [_around(x, y, 0.68, 0.33, 0.14) for y in (0.14, -0.27, -0.68) for x in (-0.5, 0.26)]
_KEYS = [_around(0.39 * i - 0.7, -0.52, 0.3, 0.48, 0.14) for i in range(4)]
_WINDOWS = [_around(0.335 * (i - 2), 0.04, 0.26, 0.4, 0.04) for i in range(5)]
_STARTS, _ENDS = ([_around(x, y, 0.28, 0.28, 0.12) for y in _ROWS_Y] for x in (-0.67, 0.47))

KINDS: Mapping[str, Kind] = {
    "button word": Kind(
        _on("Button", _button_words, _around(-0.2, -0.08, 1.0, 0.34, 0.34)), ascii_uppercase
    ),
    "words label": Kind(_on("Who's On First", _labels, *_LABELS), _WORDS),
    "words display": Kind(
        _on("Who's On First", _displays, _around(-0.15, 0.6, 1.3, 0.32, 0.05)), _WORDS
    ),
    "memory key": Kind(_on("Memory", _memory_keys, *_KEYS), "1234", in_rows=True),
    "memory display": Kind(
        _on("Memory", _memory_displays, _around(-0.12, 0.37, 0.7, 0.7, 0.05)), "1234", in_rows=True
    ),
    "morse frequency": Kind(
        _on("Morse Code", _frequencies, _around(0.0, -0.27, 1.06, 0.3, 0.05)), digits + ".MHz"
    ),
    "sequence start": Kind(_on("Wire Sequence", _starts, *_STARTS), digits, in_rows=True),
    "sequence end": Kind(_on("Wire Sequence", _ends, *_ENDS), "".join(ENDS), in_rows=True),
    "password letter": Kind(_on("Passwords", _letters, *_WINDOWS), ascii_uppercase, in_rows=True),
    "vent question": Kind(_on("Vent", _questions, _around(0.0, 0.32, 1.56, 0.34, 0.05)), _WORDS),
    "serial letter or digit": Kind(partial(_characters, (0, 1)), LETTERS + digits, in_rows=True),
    "serial digit": Kind(partial(_characters, (2, 5)), digits, in_rows=True),
    "serial letter": Kind(partial(_characters, (3, 4)), LETTERS, in_rows=True),
    "indicator label": Kind(_indicators, ascii_uppercase),
}
