"""The state in numbers: five lines of text, written and read."""

from __future__ import annotations

import math
import re

import msgspec

from polyathlon.core.parts import Part, Text
from polyathlon.core.percepts import Percept
from polyathlon.envs.omniplay.pathfinding.directions import quarter, wrapped
from polyathlon.envs.omniplay.pathfinding.maze import METRE, bearing_deg, depth
from polyathlon.envs.omniplay.pathfinding.rules import Rules

_NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+")


class Figures(msgspec.Struct, frozen=True):
    """Position and distances in metres, angles in degrees.

    The direction to the target is relative to the orientation and, like the distance, as the
    crow flies. `walls_m` are the ways to the wall in front, to the right, behind, to the left.
    """

    x_m: float
    y_m: float
    orientation_deg: float
    distance_m: float
    direction_deg: float
    walls_m: tuple[float, ...]


def figures(rules: Rules) -> Figures:
    """The numbers of this moment."""
    here, heading = rules.position, rules.heading
    x_m, y_m = here[0] / METRE, here[1] / METRE
    return Figures(
        x_m,
        y_m,
        heading,
        math.dist(here, rules.target) / METRE,
        bearing_deg(here, rules.target, heading),
        tuple([depth(rules.rows, x_m, y_m, heading + turn) for turn in (0, 90, 180, 270)]),
    )


def percept(rules: Rules) -> Percept:
    """The text percept with its lie, `inverted`: orientation and direction turned by 180°."""
    truth = figures(rules)
    turned = msgspec.structs.replace(
        truth,
        orientation_deg=(truth.orientation_deg + 180.0) % 360.0,
        direction_deg=wrapped(truth.direction_deg + 180.0),
    )
    return _written(truth, {"inverted": _written(turned, {})})


def tell(scene: Figures) -> str:
    """Five lines, two decimals each."""
    front, right, back, left = scene.walls_m
    return (
        f"Current position: x={scene.x_m:.2f}, y={scene.y_m:.2f}\n"
        f"Current orientation: {scene.orientation_deg:.2f}°\n"
        f"Distance to target: {scene.distance_m:.2f}m\n"
        f"Direction to target: {scene.direction_deg:.2f}°\n"
        f"Distance to walls: front={front:.2f}m, right={right:.2f}m, back={back:.2f}m, "
        f"left={left:.2f}m"
    )


def draw(scene: Figures) -> Part:
    """The lines as text."""
    return Text(tell(scene))


def read(text: str) -> Figures:
    """The figures that `tell` wrote: its inverse. Raises ValueError for any other text."""
    values = [float(number) for number in _NUMBER.findall(text)]
    if len(values) != 9:
        raise ValueError("not the state block")
    x_m, y_m, orientation, distance, direction, *walls = values
    return Figures(x_m, y_m, orientation, distance, direction, tuple(walls))


def _written(scene: Figures, lies: dict[str, Percept]) -> Percept:
    facts = {"suggests": quarter(scene.direction_deg)}
    return Percept("state", "text", scene, draw, tell, facts, lies)
