"""The commands of the players as values (section 9 of the specification, the paper's table C.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import msgspec

from polyathlon.core.canonical import JSON

Kind: TypeAlias = Literal["do_nothing", "send_message", "interact_game"]
Turning: TypeAlias = Literal["rotate_left", "rotate_right", "flip", "roll_up", "roll_down"]
Pressing: TypeAlias = Literal["click_release", "hold"]
Name: TypeAlias = Literal[Turning, "zoom_out", "release", Pressing]
Interaction: TypeAlias = Literal["markers", "absolute", "scaled", "relative"]
Size: TypeAlias = tuple[int, int]

TURNINGS: tuple[Turning, ...] = get_args(Turning)
PRESSINGS: tuple[Pressing, ...] = get_args(Pressing)
UNPLACED: tuple[Name, ...] = (*TURNINGS, "zoom_out", "release")
NAMES: tuple[Name, ...] = (*UNPLACED, *PRESSINGS)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SCALE = 1_000


class Wait(msgspec.Struct, frozen=True, tag="do_nothing"):
    """Let the moment pass."""


class Message(msgspec.Struct, frozen=True, tag="send_message"):
    """Words to the partner."""

    text: str


class Mark(msgspec.Struct, frozen=True):
    """A marker's letter, and the element that wore it when the player looked; None if none did."""

    label: str
    element: str | None = None


class Point(msgspec.Struct, frozen=True):
    """A place in the picture, in the units of the game's interaction."""

    x: float
    y: float


class Interact(msgspec.Struct, frozen=True, tag="interact_game"):
    """Handle the bomb; pressing needs a place, the rest has none."""

    name: Name
    at: Mark | Point | None = None


Command: TypeAlias = Wait | Message | Interact


class Flawed(msgspec.Struct, frozen=True):
    """A command out of a reply with faults: it is carried out, and the player is told of them."""

    command: Command
    flaws: tuple[str, ...]


Action: TypeAlias = Command | Flawed


def as_json(command: Command) -> JSON:
    """What stands under `result` in an answer."""
    match command:
        case Wait():
            return {"kind": "do_nothing", "data": {}}
        case Message():
            return {"kind": "send_message", "data": {"message": command.text}}
    data: dict[str, JSON] = {"action": command.name}
    if isinstance(command.at, Mark):
        data["location"] = command.at.label
    elif command.at is not None:
        data["location"] = {"x": _short(command.at.x), "y": _short(command.at.y)}
    return {"kind": "interact_game", "data": data}


def _short(number: float) -> int | float:
    return int(number) if number == int(number) else number


def marks(elements: Sequence[str]) -> tuple[Mark, ...]:
    """The elements with their letters: A, B, ... in reading order."""
    return tuple(Mark(letter, element) for letter, element in zip(LETTERS, elements, strict=False))


def bounds(interaction: Interaction, size_px: Size) -> tuple[float, float]:
    """The greatest x and y of a point; the least are 0."""
    match interaction:
        case "absolute":
            return size_px[0] - 1, size_px[1] - 1
        case "scaled":
            return SCALE, SCALE
    return 1.0, 1.0


def relative(point: Point, interaction: Interaction, size_px: Size) -> tuple[float, float] | None:
    """A point in [0, 1]² of the picture, from its top left; None when it lies outside.

    A pixel means its middle.
    """
    most_x, most_y = bounds(interaction, size_px)
    if not (0 <= point.x <= most_x and 0 <= point.y <= most_y):
        return None
    if interaction == "absolute":
        return (point.x + 0.5) / size_px[0], (point.y + 0.5) / size_px[1]
    return point.x / most_x, point.y / most_y


def pointed(x: float, y: float, interaction: Interaction, size_px: Size) -> Point:
    """The point at (x, y) in [0, 1]² of the picture, rounded to what an answer can say."""
    if interaction == "relative":
        return Point(round(x, 4), round(y, 4))
    most_x, most_y = bounds(interaction, size_px)
    if interaction == "absolute":
        return Point(min(most_x, int(x * size_px[0])), min(most_y, int(y * size_px[1])))
    return Point(round(x * most_x), round(y * most_y))
