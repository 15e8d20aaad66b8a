"""Overlapping ellipses and the places inside them that are farthest from every line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from msgspec import Struct

from polyathlon.envs.gptnt.bomb.manual.sheet import THICK, Pen, Point, dashed, ellipse

_STEPS = 80


class Oval(Struct, frozen=True):
    """An ellipse of a unit square, turned clockwise; `dash` is a dash's and a gap's length in
    points, None for a solid line."""

    name: str
    x: float
    y: float
    x_radius: float
    y_radius: float
    tilt_deg: float
    dash: tuple[float, float] | None

    @property
    def line(self) -> str:
        """How the line looks."""
        if self.dash is None:
            return "solid"
        dash, gap = self.dash
        return "dotted" if dash < gap else "long dashes" if dash > 2 * gap else "short dashes"

    def draw(self, pen: Pen) -> None:
        """The ellipse, with a pen whose unit is the square's side."""
        corners = ellipse(self.x, self.y, self.x_radius, self.y_radius, self.tilt_deg)
        ring = [*corners, corners[0]]
        if self.dash is None:
            pen.line(*ring, width=THICK)
            return
        dash, gap = (length / pen.unit for length in self.dash)
        for piece in dashed(ring, dash, gap):
            pen.line(*piece, width=THICK)

    def depth(self, point: Point) -> float:
        """How far inside the ellipse a point lies, in units of its short radius; else negative."""
        tilt = math.radians(self.tilt_deg)
        dx, dy = point[0] - self.x, point[1] - self.y
        across = dx * math.cos(tilt) + dy * math.sin(tilt)
        down = dy * math.cos(tilt) - dx * math.sin(tilt)
        return 1 - math.hypot(across / self.x_radius, down / self.y_radius)


@cache
def spots(ovals: Sequence[Oval]) -> dict[frozenset[str], Point]:
    """For each region, by the names of the ellipses it is inside of, its roomiest point."""
    best: dict[frozenset[str], tuple[float, Point]] = {}
    for step in range(_STEPS * _STEPS):
        point = (step % _STEPS + 0.5) / _STEPS, (step // _STEPS + 0.5) / _STEPS
        depths = {oval.name: oval.depth(point) * oval.y_radius for oval in ovals}
        inside = frozenset(name for name, depth in depths.items() if depth > 0)
        room = min(map(abs, depths.values()))
        if inside and room > best.get(inside, (0.0, point))[0]:
            best[inside] = room, point
    return {inside: point for inside, (_, point) in best.items()}
