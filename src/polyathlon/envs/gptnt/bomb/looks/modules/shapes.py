"""What several modules share: flat figures, keys with words, stage lamps, animation."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.palette import DARK_LAMP, INK, IVORY, PANEL, RUBBER
from polyathlon.media.raster import Material, Mesh, merged, quad

KEY_DEPTH = 0.14


def progress(since_us: int, time_us: int, lasts_us: int) -> float:
    """How much of an animation is over, 0 to 1."""
    return min(max((time_us - since_us) / lasts_us, 0.0), 1.0)


def seconds_left(due_us: int, time_us: int) -> str:
    """The whole seconds until a moment, rounded up, on two figures."""
    return f"{max(0, -((time_us - due_us) // SECOND_US)):2}"


def sunk(over: float) -> float:
    """How deep a key has sunk while what is on it changes: it falls at once and rises late."""
    return 0.8 * KEY_DEPTH * min(1.0, 8.0 * over, 4.0 * (1.0 - over))


def lamp_look(glow: str, lit: bool) -> Material:
    """A lamp's surface: light when it is lit, else dark."""
    return kit.glow(glow) if lit else kit.matt(DARK_LAMP[glow])


def stage_lamps(count: int, lit: int, x: float, top: float, step: float = 0.2) -> Mesh:
    """A column of lamps from `top` down, the first `lit` of them green."""
    lamps = [
        kit.block(0.12, 0.12, 0.05, lamp_look("green", number < lit)).moved(
            x, top - number * step, kit.SURFACE + 0.02
        )
        for number in range(count)
    ]
    middle = top - (count - 1) * step / 2
    strip = kit.block(0.17, (count - 1) * step + 0.18, 0.03, kit.matt(PANEL), 0.01)
    return merged([*lamps, strip.moved(x, middle, kit.SURFACE)])


def key(width: float, height: float, depth: float = KEY_DEPTH) -> Mesh:
    """An ivory key within a dark outline, its front at z = `depth`."""
    outline = rectangle(width + 0.05, height + 0.05, kit.matt(RUBBER)).moved(z=0.01)
    return merged([kit.block(width, height, depth, kit.matt(IVORY), 0.03), outline])


def word_key(text: str, width: float, height: float, size: float) -> Mesh:
    """A key with black letters `size` high on it."""
    word = kit.printed(text, size, IVORY, width - 0.1).moved(z=KEY_DEPTH)
    return merged([word, key(width, height)])


def arrow_key(width: float, height: float, quarters: int) -> Mesh:
    """A key with a triangle on it that points up, or so many quarter turns to the left of it."""
    size = 0.36 * min(width, height)
    figure = arrow(size, KEY_DEPTH + kit.LIFT, quarters, kit.matt(INK))
    return merged([figure, key(width, height)])


def tile(text: str, width: float, height: float, size: float, depth: float) -> Mesh:
    """An ivory plate with black letters `size` high on it, which is no key."""
    word = kit.printed(text, size, IVORY, width - 0.04).moved(z=depth)
    return merged([word, kit.block(width, height, depth, kit.matt(IVORY))])


def polygon(outline: Sequence[tuple[float, float]], z: float, material: Material) -> Mesh:
    """A flat figure at height `z`; all of its outline, counter-clockwise, can be seen from (0, 0).

    A convex polygon about the origin is one, and so is a star.
    """
    points = np.array([(0.0, 0.0), *outline])
    count = len(outline)
    fan = [(0, 1 + i, 1 + (i + 1) % count) for i in range(count)]
    flat = np.column_stack([points, np.full(count + 1, z)])
    return Mesh.of(flat, fan, [(0.0, 0.0, 1.0)] * (count + 1), points, material)


def rectangle(width: float, height: float, material: Material) -> Mesh:
    """A flat rectangle at z = 0."""
    x, y = width / 2, height / 2
    return quad(((-x, -y, 0.0), (x, -y, 0.0), (x, y, 0.0), (-x, y, 0.0)), material)


def disc(radius: float, z: float, material: Material, sides: int = 16) -> Mesh:
    """A flat disc about the z axis."""
    return polygon(_around(sides, (radius,)), z, material)


def star(radius: float, z: float, material: Material) -> Mesh:
    """A flat five-pointed star, one point up."""
    return polygon(_around(10, (radius, radius * 0.42)), z, material)


def ring(radius: float, width: float, z: float, material: Material, sides: int = 16) -> Mesh:
    """A flat ring about the z axis, `radius` to its middle."""
    inner, outer = (np.array(_around(sides, (radius + side * width / 2,))) for side in (-1.0, 1.0))
    points = np.column_stack([np.concatenate([inner, outer]), np.full(2 * sides, z)])
    this = np.arange(sides)
    after = (this + 1) % sides
    faces = np.concatenate(
        [
            np.column_stack([this, this + sides, after + sides]),
            np.column_stack([this, after + sides, after]),
        ]
    )
    return Mesh.of(points, faces, [(0.0, 0.0, 1.0)] * (2 * sides), points[:, :2], material)


def arrow(size: float, z: float, quarters: int, material: Material) -> Mesh:
    """A flat triangle that points up, or so many quarter turns to the left of it."""
    tip = math.pi * (0.5 + 0.5 * quarters)
    angles = (tip, tip + math.pi * 0.7, tip - math.pi * 0.7)
    return polygon([(size * math.cos(a), size * math.sin(a)) for a in angles], z, material)


def _around(count: int, radii: Sequence[float]) -> list[tuple[float, float]]:
    """`count` points about the origin from the top on, their distances `radii` in turn."""
    angles = [math.pi / 2 + 2 * math.pi * i / count for i in range(count)]
    distances = [radii[i % len(radii)] for i in range(count)]
    return [(r * math.cos(a), r * math.sin(a)) for r, a in zip(distances, angles, strict=True)]
