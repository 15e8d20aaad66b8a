"""Moves: turn, then walk; how they are written, read, drawn at random and pointed at."""

from __future__ import annotations

import math
import re
from typing import ClassVar, Literal

import msgspec

from polyathlon.core.actions import MAX_ACTION_CHARS, Malformed, tidy
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.core.controls import Controls, Field
from polyathlon.envs.omniplay.pathfinding.maze import EYE_M, FIELD_DEG

LABEL = "Suggested action:"
DISTANCE_M = (-1.0, 3.0)
ROTATION_DEG = (-180.0, 180.0)
DIGITS = 6
VIEW_PX = (640, 480)

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,3})?|[-+]?(?:nan|inf(?:inity)?)"
_PAIR = re.compile(rf"({_NUMBER})[ \t]+({_NUMBER})", re.I)
_LABELLED = re.compile(r"suggested[ \t]+action[ \t*_`'\"]*:([^\n]*)", re.I)


class Move(msgspec.Struct, frozen=True):
    """Turn by `rotation_deg` in [-180, 180] (right is positive), then walk `distance_m` in
    [-1, 3] (backwards if negative). Both hold at most `DIGITS` decimals."""

    distance_m: float
    rotation_deg: float


class Moves(msgspec.Struct, frozen=True):
    """The moves there are, at every moment the same."""

    whole_reply: ClassVar[Literal["first", "only"]] = "first"

    def parse(self, text: str) -> Move | Malformed:
        """The last line `Suggested action: DISTANCE ROTATION`, or the two bare numbers alone."""
        lines = [tidy(match[1]) for match in _LABELLED.finditer(text[-MAX_ACTION_CHARS:])]
        for line in reversed(lines or [tidy(text)]):
            pair = _PAIR.fullmatch(line)
            if pair:
                return _checked(float(pair[1]), float(pair[2]), text)
        return Malformed(_reason(lines), text[:200])

    def write(self, action: Move) -> str:
        return f"{_written(action.distance_m)} {_written(action.rotation_deg)}"

    def sample(self, rng: Stream) -> Move:
        """Uniform over both ranges, in steps of 0.01 m and 0.1 degrees."""
        return Move((rng.below(401) - 100) / 100, (rng.below(3601) - 1800) / 10)

    def describe(self) -> str:
        return (
            "distance (-1.0 to 3.0 metres) and rotation (-180.0 to 180.0 degrees, right is "
            f"positive) as two bare numbers, such as {LABEL} 1.5 -90"
        )

    def schema(self) -> JSON:
        return {"type": "string", "pattern": r"^-?\d+(\.\d+)? -?\d+(\.\d+)?$"}

    def gbnf(self) -> str:
        distance = '("-1" | "3" | ("-"? "0" | [12]) ("." [0-9] [0-9]?)?)'
        rotation = '"-"? ("180" | ([0-9] | [1-9] [0-9] | "1" [0-7] [0-9]) ("." [0-9])?)'
        return f'{distance} " " {rotation}'

    def from_point(self, channel: str, x: float, y: float) -> Move | None:
        """Turn to the clicked column of the view and walk to the clicked spot of the floor.

        A click on or above the horizon means the longest walk.
        """
        if channel != "view":
            return None
        slope = math.tan(math.radians(FIELD_DEG / 2))
        across = (2 * x - 1) * slope
        below = (2 * y - 1) * slope * VIEW_PX[1] / VIEW_PX[0]
        farthest = DISTANCE_M[1]
        away = EYE_M / below * math.hypot(1.0, across) if below > 0 else farthest
        return Move(round(min(away, farthest), 2), round(math.degrees(math.atan(across)), 1))

    def controls(self) -> Controls:
        """Arrow keys, a few usual moves, and a form with both numbers."""
        return Controls(
            template="{distance} {rotation}",
            fields=(
                Field("distance", "Walk (m)", "1", low=-1.0, high=3.0, step=0.05),
                Field("rotation", "Turn right first (°)", "0", low=-180.0, high=180.0, step=5.0),
            ),
            buttons={
                "Turn left": "0 -90",
                "Walk 1 m": "1 0",
                "Walk 2 m": "2 0",
                "Walk 3 m": "3 0",
                "Turn right": "0 90",
                "Turn around": "0 180",
                "Left and 2 m": "2 -90",
                "Right and 2 m": "2 90",
            },
            keys={
                "ArrowUp": "1 0",
                "ArrowDown": "-0.5 0",
                "ArrowLeft": "0 -45",
                "ArrowRight": "0 45",
            },
        )


MOVES = Moves()


def _checked(distance_m: float, rotation_deg: float, text: str) -> Move | Malformed:
    for name, value, (low, high) in (
        ("distance", distance_m, DISTANCE_M),
        ("rotation", rotation_deg, ROTATION_DEG),
    ):
        if not math.isfinite(value):
            return Malformed(f"the {name} is no finite number", text[:200])
        if not low <= value <= high:
            return Malformed(f"{name} {value:g} is not in {low:g}..{high:g}", text[:200])
    return Move(round(distance_m, DIGITS) + 0.0, round(rotation_deg, DIGITS) + 0.0)


def _reason(lines: list[str]) -> str:
    if not lines:
        return f"no line '{LABEL} <distance> <rotation>'"
    return f"{LABEL!r} needs two bare numbers without units or words, not {lines[-1][:60]!r}"


def _written(value: float) -> str:
    return f"{value:.{DIGITS}f}".rstrip("0").rstrip(".")
