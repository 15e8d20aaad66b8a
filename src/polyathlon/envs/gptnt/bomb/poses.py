"""How the bomb is held: the 24 poses whose sides are square to the viewer, and the turns.

Yaws are about the bomb's own vertical axis and rolls about the screen's horizontal one, so the
turns never lay the bomb's vertical axis across the screen: 16 poses can be reached from `START`.
They show all six sides, front, back, left and right upright or upside down.

Body axes: x to the bomb's right side, y to its top, z to its front. Screen axes: x right, y up,
z towards the viewer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec

Side: TypeAlias = Literal["front", "back", "left", "right", "top", "bottom"]
Turn: TypeAlias = Literal["rotate_left", "rotate_right", "flip", "roll_up", "roll_down"]
Vector: TypeAlias = tuple[int, int, int]

NORMALS: Mapping[Side, Vector] = MappingProxyType(
    {
        "front": (0, 0, 1),
        "back": (0, 0, -1),
        "left": (-1, 0, 0),
        "right": (1, 0, 0),
        "top": (0, 1, 0),
        "bottom": (0, -1, 0),
    }
)
"""The outward normal of every side, in body axes."""

OPPOSITE: Mapping[Side, Side] = MappingProxyType(
    {
        "front": "back",
        "back": "front",
        "left": "right",
        "right": "left",
        "top": "bottom",
        "bottom": "top",
    }
)

UPRIGHT: Mapping[Side, Side] = MappingProxyType(
    {
        "front": "top",
        "back": "top",
        "left": "top",
        "right": "top",
        "top": "back",
        "bottom": "front",
    }
)
"""The side above a side that is looked at upright: what a roll from the front shows is upright."""

_SIDE_OF: Mapping[Vector, Side] = MappingProxyType({v: side for side, v in NORMALS.items()})

_YAW_LEFT: Mapping[Side, Side] = MappingProxyType(
    {
        "front": "left",
        "left": "back",
        "back": "right",
        "right": "front",
        "top": "top",
        "bottom": "bottom",
    }
)
"""Which side takes the place of which when the bomb turns left about its own vertical axis."""

_YAW_RIGHT: Mapping[Side, Side] = MappingProxyType({new: old for old, new in _YAW_LEFT.items()})


class Pose(msgspec.Struct, frozen=True, order=True):
    """The side that looks at the viewer and the side that is up on the screen."""

    facing: Side
    up: Side

    def __post_init__(self) -> None:
        if self.up in (self.facing, OPPOSITE[self.facing]):
            raise ValueError(f"{self.up} cannot be up while {self.facing} looks at the viewer")

    @property
    def right(self) -> Side:
        """The side at the right of the screen."""
        return _SIDE_OF[_cross(NORMALS[self.up], NORMALS[self.facing])]

    @property
    def quarters(self) -> int:
        """How far the side that looks at the viewer appears turned: 0 to 3 quarters clockwise."""
        around = (self.up, self.right, OPPOSITE[self.up], OPPOSITE[self.right])
        return around.index(UPRIGHT[self.facing])

    @property
    def matrix(self) -> tuple[Vector, Vector, Vector]:
        """The rotation from body to screen axes: rows are screen x, y and z in body axes."""
        return NORMALS[self.right], NORMALS[self.up], NORMALS[self.facing]


START = Pose("front", "top")
ALL = tuple(
    Pose(facing, up) for facing in NORMALS for up in NORMALS if up not in (facing, OPPOSITE[facing])
)


def rotate_left(pose: Pose) -> Pose:
    """A quarter turn about the bomb's own vertical axis, counter-clockwise seen from its top:
    from the front it shows the left side."""
    return Pose(_YAW_LEFT[pose.facing], _YAW_LEFT[pose.up])


def rotate_right(pose: Pose) -> Pose:
    """A quarter turn about the bomb's own vertical axis, clockwise seen from its top: from the
    front it shows the right side."""
    return Pose(_YAW_RIGHT[pose.facing], _YAW_RIGHT[pose.up])


def flip(pose: Pose) -> Pose:
    """A half turn about the bomb's own vertical axis: from the front it shows the back."""
    return rotate_left(rotate_left(pose))


def roll_up(pose: Pose) -> Pose:
    """A quarter turn about the screen's horizontal axis that shows what was below."""
    return Pose(OPPOSITE[pose.up], pose.facing)


def roll_down(pose: Pose) -> Pose:
    """A quarter turn about the screen's horizontal axis that shows what was above."""
    return Pose(pose.up, OPPOSITE[pose.facing])


TURNS: Mapping[Turn, Callable[[Pose], Pose]] = MappingProxyType(
    {
        "rotate_left": rotate_left,
        "rotate_right": rotate_right,
        "flip": flip,
        "roll_up": roll_up,
        "roll_down": roll_down,
    }
)


def _cross(a: Vector, b: Vector) -> Vector:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )
