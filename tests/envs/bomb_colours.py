"""The colours of a bomb in real frames: where they are, what they are, which name is nearest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle, islice, product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray
from PIL import Image as Pil
from tests.envs.bomb_by_hand import lit, opened
from tests.envs.bomb_reading import (
    Box,
    Size,
    box_on,
    box_on_module,
    edge_shown,
    filled,
    picture,
    resized,
    with_fields,
)

from polyathlon.envs.gptnt.bomb.bomb import Bomb, Fitted, advanced, fitted
from polyathlon.envs.gptnt.bomb.casing import Indicator
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.looks import casing
from polyathlon.envs.gptnt.bomb.looks.frames import Shot, view
from polyathlon.envs.gptnt.bomb.looks.kit import SURFACE
from polyathlon.envs.gptnt.bomb.looks.palette import (
    COLOURS,
    DARK_LAMP,
    GLASS,
    GLOWS,
    INK,
    IVORY,
    RUBBER,
    Rgb,
)
from polyathlon.envs.gptnt.bomb.modules.button import ButtonModule
from polyathlon.envs.gptnt.bomb.modules.morse import UNIT_US, blinking
from polyathlon.envs.gptnt.bomb.modules.simon import BY_PLACE
from polyathlon.envs.gptnt.bomb.rulebook.button import COLOURS as CAPS
from polyathlon.envs.gptnt.bomb.rulebook.button import Button
from polyathlon.envs.gptnt.bomb.rulebook.complicated import COLOURINGS, Complicated, ComplicatedWire
from polyathlon.envs.gptnt.bomb.rulebook.maze import Maze
from polyathlon.envs.gptnt.bomb.rulebook.morse import Morse
from polyathlon.envs.gptnt.bomb.rulebook.sequence import COLOURS as OF_SEQUENCE
from polyathlon.envs.gptnt.bomb.rulebook.sequence import ENDS, PANELS, SequenceWire, WireSequence
from polyathlon.envs.gptnt.bomb.rulebook.simon import Simon
from polyathlon.envs.gptnt.bomb.rulebook.wires import COLOURS as OF_WIRES
from polyathlon.envs.gptnt.bomb.rulebook.wires import Wires

Place: TypeAlias = tuple[float, float, float, float]
"""The middle of a square of a module, its height above the plate, and its side."""

_ARROWS = ("up", "down")

LEAST_SHARE = 0.25
"""Of the pixels of a striped wire each of its colours has at least so many."""


class State(NamedTuple):
    """What is to be seen of a module that has these values of fields."""

    is_: Sequence[str]
    fields: dict[str, Any]


class Patch(NamedTuple):
    """Something with a name of `names`, or several joined by +, and its part of a frame."""

    is_: str
    names: Mapping[str, Rgb]
    seen: Pil.Image
    where: Pil.Image
    """A mask of the frame's size."""
    striped: bool = False

    def pixels(self, size: Size) -> NDArray[np.uint8]:
        """What is seen of it, (n, 3), in a frame of another size."""
        inside = np.asarray(self.where.resize(size, Pil.Resampling.NEAREST))
        return np.asarray(resized(self.seen, size))[inside > 0]

    def told(self, size: Size) -> str:
        """The name nearest to its typical colour; of a striped one, those that much of it has."""
        if not self.striped:
            return str(nearest(np.median(self.pixels(size), axis=0)[None], self.names)[0])
        found = nearest(self.pixels(size), self.names)
        return "+".join(name for name in self.names if (found == name).mean() > LEAST_SHARE)


def nearest(pixels: NDArray[Any], names: Mapping[str, Rgb]) -> NDArray[np.str_]:
    """The nearest name for each pixel of (n, 3)."""
    apart = pixels[:, None, :].astype(float) - np.array([*names.values()])
    found: NDArray[np.str_] = np.array([*names])[(apart**2).sum(axis=2).argmin(axis=1)]
    return found


def chosen(names: Sequence[str], of: Mapping[str, Rgb] = COLOURS) -> dict[str, Rgb]:
    """A part of a palette."""
    return {name: of[name] for name in names}


def part_of(bomb: Bomb, part: str) -> Pil.Image:
    """Where a part of the module in view is, without its rim."""
    found = view(Shot(bomb))
    inside = found.ids == found.elements.index(f"{bomb.grip.zoomed}/{part}") + 1
    core = inside.copy()
    for axis, step in product((0, 1), (-1, 1)):
        core &= np.roll(inside, step, axis)
    return Pil.fromarray(np.where(core, 255, 0).astype(np.uint8))


def _rectangle(seen: Pil.Image, box: Box) -> Pil.Image:
    """Where a rectangle of the frame, in 0..1, is."""
    where = Pil.new("L", seen.size)
    left, top, right, bottom = box
    edges = (left * seen.width, top * seen.height, right * seen.width, bottom * seen.height)
    x0, y0, x1, y1 = map(round, edges)
    where.paste(255, (x0, y0, max(x1, x0 + 1), max(y1, y0 + 1)))
    return where


def _showing(kind: str, states: Sequence[State]) -> Iterator[tuple[Bomb, Fitted, State]]:
    """A bomb zoomed into a module in each of the states, in all slots in turn."""
    bomb = filled(kind)
    homes = [home for home in bomb.modules if home.placed.type == kind]
    rounds = islice(cycle(states), max(len(states), len(homes)))
    for state, home in zip(rounds, cycle(homes), strict=False):
        shown = with_fields(bomb, home.placed.id, **state.fields)
        yield opened(shown, home.placed.id), home, state


def spots(
    kind: str, names: Mapping[str, Rgb], states: Sequence[State], places: Sequence[Place]
) -> Iterator[Patch]:
    """Small squares of modules of a kind."""
    for bomb, home, state in _showing(kind, states):
        seen = picture(bomb)
        for is_, place in zip(state.is_, places, strict=True):
            yield Patch(is_, names, seen, _spot(bomb, home, seen, place))


def parts(kind: str, names: Sequence[str], states: Sequence[State]) -> Iterator[Patch]:
    """The parts of modules of a kind but for arrows."""
    for bomb, home, state in _showing(kind, states):
        found = [
            part for part in fitted(bomb, home.placed.id).module.parts() if part not in _ARROWS
        ]
        for is_, part in zip(state.is_, found, strict=True):
            striped = kind == "Complicated Wires"
            yield Patch(is_, chosen(names), picture(bomb), part_of(bomb, part), striped)


def _spot(bomb: Bomb, home: Fitted, seen: Pil.Image, place: Place) -> Pil.Image:
    x, y, z, size = place
    box = (x - size / 2, y - size / 2, x + size / 2, y + size / 2)
    return _rectangle(seen, box_on_module(bomb, home, box, z + SURFACE))


def wires() -> Iterator[Patch]:
    rows = [OF_WIRES[i:] + OF_WIRES[: i + 1] for i in range(len(OF_WIRES))]
    return parts("Wires", OF_WIRES, [State(row, {"puzzle": Wires(row)}) for row in rows])


def caps() -> Iterator[Patch]:
    states = [State((colour,), {"puzzle": Button(colour, "hold")}) for colour in CAPS]
    return parts("Button", CAPS, states)


def sequence_wires() -> Iterator[Patch]:
    rows = [OF_SEQUENCE[i:] + OF_SEQUENCE[:i] for i in range(len(OF_SEQUENCE))]
    panels = [tuple(map(SequenceWire, row, ENDS)) for row in rows]
    states = [
        State(row, {"puzzle": WireSequence((panel,) * PANELS)})
        for row, panel in zip(rows, panels, strict=True)
    ]
    return parts("Wire Sequence", OF_SEQUENCE, states)


def stripes() -> Iterator[Patch]:
    states = [
        State(tuple(COLOURINGS[i:] + COLOURINGS[:i]), {"puzzle": _complicated(i)}) for i in range(6)
    ]
    return parts("Complicated Wires", ("red", "blue", "white"), states)


def strips() -> Iterator[Patch]:
    states = [State((colour,), {"held_us": 0, "strip": colour}) for colour in CAPS]
    dark = State(("dark",), {"held_us": None, "strip": None})
    for bomb, home, _ in _showing("Button", [*states, dark]):
        yield strip(bomb, home)


def strip(bomb: Bomb, home: Fitted) -> Patch:
    """The strip of a button in view."""
    module = fitted(bomb, home.placed.id).module
    assert isinstance(module, ButtonModule)
    seen = picture(bomb)
    where = _spot(bomb, home, seen, (0.72, -0.16, 0.07, 0.14))
    return Patch(module.strip or "dark", chosen(CAPS, GLOWS) | {"dark": RUBBER}, seen, where)


def complicated_lamps() -> Iterator[Patch]:
    lamps = tuple("lit" if i % 2 else "dark" for i in range(6))
    places = [((number - 2.5) * 0.275, 0.47, 0.11, 0.08) for number in range(6)]
    state = State(lamps, {"puzzle": _complicated(0)})
    return spots("Complicated Wires", _lamp("yellow"), [state], places)


def stars() -> Iterator[Patch]:
    found = tuple("star" if i % 3 else "none" for i in range(6))
    places = [((number - 2.5) * 0.275, -0.72, 0.115, 0.06) for number in range(6)]
    state = State(found, {"puzzle": _complicated(0)})
    return spots("Complicated Wires", {"star": INK, "none": IVORY}, [state], places)


def morse_lamps() -> Iterator[Patch]:
    """A lone e is one lit unit and then dark ones."""
    for bomb, home, _ in _showing("Morse Code", [State((), {"puzzle": Morse("e")})]):
        loop_us = len(blinking("e")) * UNIT_US
        for is_, after_us in (("lit", 0), ("dark", UNIT_US)):
            moment = advanced(bomb, (bomb.time_us // loop_us + 1) * loop_us + after_us)
            seen = picture(moment)
            yield Patch(
                is_, _lamp("orange"), seen, _spot(bomb, home, seen, (-0.3, 0.74, 0.1, 0.06))
            )


def maze_figures() -> Iterator[Patch]:
    """The light, the triangle, a green circle at its right, and the dark between cells."""
    names = {"light": GLOWS["white"], "triangle": GLOWS["red"], "circle": GLOWS["green"]}
    fields = {"puzzle": Maze(((0, 0), (5, 5)), (1, 4), (4, 1)), "position": (1, 4)}
    places = [
        (_cell_x(4), _cell_y(1), 0.06, 0.05),
        (_cell_x(1), _cell_y(4) - 0.01, 0.06, 0.03),
        (_cell_x(0) + 0.078, _cell_y(0), 0.06, 0.02),
        (_cell_x(2.5), _cell_y(2.5), 0.06, 0.05),
    ]
    shown = State((*names, "dark"), fields)
    return spots("Maze", names | {"dark": GLASS}, [shown], places)


def _cell_x(column: float) -> float:
    return (column - 2.5) * 0.178 - 0.02


def _cell_y(row: float) -> float:
    return (2.5 - row) * 0.178 - 0.02


def keypad_lamps() -> Iterator[Patch]:
    names = {"right": GLOWS["green"], "wrong": GLOWS["red"], "off": DARK_LAMP["green"]}
    places = [(x, y + 0.255, 0.2, 0.05) for y in (0.2, -0.52) for x in (-0.4, 0.32)]
    state = State(
        ("right", "wrong", "off", "off"), {"pressed": (0,), "wrong": 1, "wrong_us": 60 * SECOND_US}
    )
    return spots("Keypad", names, [state], places)


def knob_leds() -> Iterator[Patch]:
    leds = (True, False, False, True, True, False, False, True, True, False, True, False)
    places = [
        ((i % 6 - 2.5) * 0.2 - 0.2, 0.61 + (0.5 - i // 6) * 0.2, 0.03, 0.06) for i in range(12)
    ]
    shown = State(
        tuple("lit" if led else "dark" for led in leds), {"leds": leds, "due_us": 30 * SECOND_US}
    )
    asleep = State(("dark",) * 12, {"leds": None})
    return spots("Knob", _lamp("orange"), [shown, asleep], places)


def stage_lamps() -> Iterator[Patch]:
    places = [(0.79, 0.14 - 0.41 * i, 0.05, 0.08) for i in range(3)]
    states = [
        State(("lit",) * stage + ("dark",) * (3 - stage), {"stage": stage + 1})
        for stage in range(4)
    ]
    return spots("Who's On First", _lamp("green"), states, places)


def simon_lamps() -> Iterator[Patch]:
    names = {f"{name} lit": GLOWS[name] for name in BY_PLACE}
    names |= {f"{name} dark": _times(COLOURS[name], 0.55) for name in BY_PLACE}
    states = [State((lamp,), {"puzzle": Simon((lamp,) * 3)}) for lamp in BY_PLACE]
    for bomb, home, state in _showing("Simon Says", states):
        bright = with_fields(bomb, home.placed.id, loop_us=bomb.time_us)
        for lamp in BY_PLACE:
            is_ = f"{lamp} lit" if lamp in state.is_ else f"{lamp} dark"
            yield Patch(is_, names, picture(bright), part_of(bright, lamp))


def status_leds() -> Iterator[Patch]:
    names = {"off": DARK_LAMP["white"], "solved": GLOWS["green"], "strike": GLOWS["red"]}
    for bomb, home, _ in _showing("Maze", [State((), {})]):
        fields = {"off": {}, "solved": {"solved_us": 0}, "strike": {"struck_us": bomb.time_us}}
        for name, values in fields.items():
            modules = [
                replace(other, **values) if other.placed == home.placed else other
                for other in bomb.modules
            ]
            seen = picture(replace(bomb, modules=tuple(modules)))
            yield Patch(name, names, seen, _spot(bomb, home, seen, (0.75, 0.75, 0.13, 0.07)))


def indicators() -> Iterator[Patch]:
    for seed in range(8):
        bomb = lit("Wires", seed=seed, widgets=11)
        for mount, widget in bomb.plan.casing.mounted():
            if isinstance(widget, Indicator):
                shown = edge_shown(bomb, mount.edge)
                x, y = casing.mount_place(mount)
                box = box_on(shown, mount.edge, (x - 0.56, y - 0.08, x - 0.4, y + 0.08), 0.2)
                seen = picture(shown)
                is_ = "lit" if widget.lit else "dark"
                yield Patch(is_, _lamp("yellow"), seen, _rectangle(seen, box))


def _complicated(first: int) -> Complicated:
    """Six wires of all colourings from `first` on, lamps and stars by turns."""
    colourings = COLOURINGS[first:] + COLOURINGS[:first]
    return Complicated(
        tuple(
            ComplicatedWire(colouring, star=bool(i % 3), led=bool(i % 2))
            for i, colouring in enumerate(colourings)
        )
    )


def _lamp(glow: str) -> dict[str, Rgb]:
    return {"lit": GLOWS[glow], "dark": DARK_LAMP[glow]}


def _times(colour: Rgb, share: float) -> Rgb:
    red, green, blue = (round(share * part) for part in colour)
    return red, green, blue


KINDS: Mapping[str, Callable[[], Iterator[Patch]]] = {
    "wire": wires,
    "button cap": caps,
    "button strip": strips,
    "keypad lamp": keypad_lamps,
    "simon lamp": simon_lamps,
    "stage lamp": stage_lamps,
    "maze figure": maze_figures,
    "morse lamp": morse_lamps,
    "complicated wire": stripes,
    "complicated lamp": complicated_lamps,
    "complicated star": stars,
    "sequence wire": sequence_wires,
    "knob led": knob_leds,
    "status led": status_leds,
    "indicator": indicators,
}
