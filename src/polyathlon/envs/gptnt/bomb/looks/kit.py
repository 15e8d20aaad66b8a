"""What all modules are built of: materials, lettering, blocks, knobs, lamps, the status LED.

    from polyathlon.envs.gptnt.bomb.looks import kit
    from polyathlon.media.raster import merged

    def mesh(...):                                   # in the module's own frame
        panel = kit.block(1.2, 0.5, 0.06, kit.matt("black")).moved(-0.1, 0.5, kit.SURFACE)
        word = kit.glowing("READY", 0.24, "green", 1.1).moved(-0.1, 0.5, kit.SURFACE + 0.06)
        key = kit.key(0.4, 0.5, 0.16, "white").moved(0.0, -0.4, kit.SURFACE)
        digit = kit.printed("3", 0.3, "white").moved(0.0, -0.4, kit.SURFACE + 0.16)
        return merged([panel, word, merged([key, digit]).labelled(1)])

A module's frame: origin in the middle of its slot on the casing, x right, y up, z outwards, one
slot 2 x 2. `frames` draws `plate()` and `status_led(...)` under every module alike, so a module's
own mesh stands on z = `SURFACE`, inside `SPAN` and off `LED_CORNER`, and stays below z = 0.6.
Parts carry ids 1, 2, ... in the order of all possible parts of the kind; id 0 is never pressed.

Every shape stands on z = 0 and looks along +z. Lettering lies at z = `LIFT`, so that it may be
moved to the very height of the face that carries it; its size is the height of a capital; the
paper around it is opaque, so give it the colour of what it lies on. Everything here is cached:
the same arguments give the same mesh.

    printed(text, size, paper)      black on a colour, in the light of the room
    painted(text, size, paper)      white on "black", "blue", "red" or "green", in the light
    glowing(text, size, glow)       coloured light on a black display
    symbol(name, size, paper)       a keypad symbol, black on a colour
    all of them with `most`, the greatest width, to which longer text is narrowed
    seven_segments(text, size, glow)  digits, ":" and "." of a clock
    block, key, disc, lathe, screw, lamp, screen, frame, wire, plate, cover, status_led, copies,
    flat, cross
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from polyathlon.envs.gptnt.bomb.looks import atlas
from polyathlon.envs.gptnt.bomb.looks.lettering import (
    LIFT,
    Paint,
    flat,
    glowing,
    painted,
    printed,
    rgb,
    seven_segments,
    symbol,
)
from polyathlon.envs.gptnt.bomb.looks.palette import (
    COPPER,
    DARK_LAMP,
    GLASS,
    GLOWS,
    INK,
    PANEL,
    PLATE,
    RUBBER,
    STEEL,
)
from polyathlon.media.raster import Material, Mesh, merged, quad, tube
from polyathlon.media.raster.mesh import Point

Led: TypeAlias = Literal["off", "solved", "strike"]
Corners: TypeAlias = tuple[tuple[float, float], ...]

SURFACE = 0.08
"""Height of the plate's face above the casing."""

SPAN = 0.9
"""A module's things lie within -SPAN..SPAN in x and y."""

LED_CORNER = 0.6
"""Where x and y are both above it, the plate carries the status LED."""

_LED_PLACE = 0.75


def matt(paint: Paint) -> Material:
    """A surface that shows its colour in the light of the room."""
    return Material(rgb(paint))


def metal(paint: Paint = STEEL) -> Material:
    """Brushed metal."""
    return Material(rgb(paint), atlas.METAL)


def glow(name: str) -> Material:
    """Light of a colour of `palette.GLOWS`."""
    return Material(GLOWS[name], unlit=True)


@lru_cache(maxsize=1024)
def block(
    width: float, height: float, depth: float, material: Material, bevel: float = 0.02
) -> Mesh:
    """A box without a back, its front edges cut at an angle."""
    outer = _corners(width / 2, height / 2)
    inner = _corners(width / 2 - bevel, height / 2 - bevel)
    front = quad([(x, y, depth) for x, y in inner], material)
    edge = depth - bevel
    slants = _walls(outer, edge, inner, depth, material)
    return merged([front, *slants, *_walls(outer, 0.0, outer, edge, material)])


def _walls(
    low: Corners, low_z: float, high: Corners, high_z: float, material: Material
) -> list[Mesh]:
    """Four sides between two rectangles at different heights."""
    below = [(x, y, low_z) for x, y in low]
    above = [(x, y, high_z) for x, y in high]
    return [quad([below[i - 1], below[i], above[i], above[i - 1]], material) for i in range(4)]


def _corners(w: float, h: float) -> Corners:
    return (-w, -h), (w, -h), (w, h), (-w, h)


@lru_cache(maxsize=512)
def key(width: float, height: float, depth: float, paint: Paint = "white") -> Mesh:
    """A key to press: a bevelled block on a dark rim, its front at z = `depth`."""
    rim = block(width + 0.05, height + 0.05, depth * 0.35, matt(RUBBER), 0.01)
    return merged([block(width, height, depth, matt(paint), 0.03), rim])


def lathe(profile: Sequence[tuple[float, float]], material: Material, sides: int = 16) -> Mesh:
    """A body turned about the z axis, without a floor: pairs of radius and z from its foot to its
    top, different ones side by side; the radius may be 0 at the ends."""
    return merged([_band(*low, *high, material, sides) for low, high in pairwise(profile)])


def _band(r0: float, z0: float, r1: float, z1: float, material: Material, sides: int) -> Mesh:
    """The part of a cone between two rings."""
    angles = np.linspace(0.0, 2 * np.pi, sides, endpoint=False)
    x, y, one = np.cos(angles), np.sin(angles), np.ones(sides)
    points = np.concatenate([np.stack([r * x, r * y, z * one], 1) for r, z in ((r0, z0), (r1, z1))])
    rise, run = r0 - r1, z1 - z0
    normal = np.stack([run * x, run * y, rise * one], 1) / np.hypot(rise, run)
    low = np.arange(sides)
    after = (low + 1) % sides
    faces = [np.stack([low, after, after + sides], 1)]
    if r1 > 0:
        faces.append(np.stack([low, after + sides, low + sides], 1))
    uv = np.tile((0.5, 0.5), (2 * sides, 1))
    return Mesh.of(points, np.concatenate(faces), np.concatenate([normal, normal]), uv, material)


@lru_cache(maxsize=512)
def disc(radius: float, depth: float, material: Material, sides: int = 32) -> Mesh:
    """A round knob with a bevelled front edge."""
    bevel = min(0.03, depth / 2)
    top = [(radius, depth - bevel), (radius - bevel, depth), (0.0, depth)]
    return lathe([(radius, 0.0), *top], material, sides)


@lru_cache(maxsize=64)
def screw(radius: float = 0.05, paint: Paint = STEEL) -> Mesh:
    """The head of a screw with a slot."""
    height, long, thin = radius * 0.5, radius * 0.6, radius * 0.14
    head = lathe([(radius, 0.0), (radius * 0.75, height), (0.0, height)], matt(paint), sides=8)
    return merged([flat(_corners(long, thin), matt(INK)).moved(z=height), head])


def cross(reach: float, half_width: float, material: Material) -> Mesh:
    """A flat diagonal cross at z = `LIFT`, its arms `reach` wide and high from the middle."""
    a, b = reach + half_width, reach - half_width
    return merged(
        [
            flat([(-a, -b), (-b, -a), (a, b), (b, a)], material),
            flat([(b, -a), (a, -b), (-b, a), (-a, b)], material),
        ]
    )


@lru_cache(maxsize=256)
def lamp(radius: float, glow: str, lit: bool) -> Mesh:
    """A round lamp in a metal ring; lit it shines in a colour of `palette.GLOWS`."""
    look = Material(GLOWS[glow], unlit=True) if lit else Material(DARK_LAMP[glow])
    ring = [(1.3, 0.0), (1.15, 0.4), (0.0, 0.4)]
    dome = [(1.0, 0.4), (0.87, 0.65), (0.5, 0.87), (0.0, 0.95)]
    return merged(
        [
            lathe([(radius * r, radius * z) for r, z in profile], material, 14)
            for profile, material in ((dome, look), (ring, matt(STEEL)))
        ]
    )


@lru_cache(maxsize=256)
def screen(width: float, height: float, depth: float = 0.05) -> Mesh:
    """A black display in a raised frame; its glass is at z = `depth`."""
    w, h = width / 2, height / 2
    glass = quad([(x, y, depth) for x, y in _corners(w, h)], Material(GLASS, unlit=True))
    return merged([glass, frame(width, height, depth + 0.03, 0.05, matt(RUBBER))])


@lru_cache(maxsize=256)
def frame(width: float, height: float, depth: float, thick: float, material: Material) -> Mesh:
    """Four bars around an opening of `width` x `height`."""
    w, h = (width + thick) / 2, (height + thick) / 2
    across = block(width + 2 * thick, thick, depth, material, 0.01)
    down = block(thick, height, depth, material, 0.01)
    return merged([across.moved(y=h), across.moved(y=-h), down.moved(x=w), down.moved(x=-w)])


@lru_cache(maxsize=512)
def wire(path: tuple[Point, ...], radius: float, paint: Paint, sides: int = 8) -> Mesh:
    """A round wire along a path."""
    return tube(path, radius, matt(paint), sides=sides)


@lru_cache(maxsize=8)
def plate(paint: Paint = PLATE) -> Mesh:
    """The plate that carries a module: bevelled metal with a screw in three of its corners."""
    base = block(1.9, 1.9, SURFACE, metal(paint), 0.03)
    places = ((-0.86, -0.86), (0.86, -0.86), (-0.86, 0.86))
    return merged([*(screw(0.045).moved(x, y, SURFACE) for x, y in places), base])


@lru_cache(maxsize=8)
def status_led(state: Led) -> Mesh:
    """The lamp in the top right corner of every puzzle: dark, green when solved, red at a strike.

    In the module's frame.
    """
    glow, lit = {"off": ("white", False), "solved": ("green", True), "strike": ("red", True)}[state]
    socket = disc(0.15, 0.05, matt(PANEL), sides=16)
    return merged([lamp(0.085, glow, lit).moved(z=0.05), socket]).moved(
        _LED_PLACE, _LED_PLACE, SURFACE
    )


@lru_cache(maxsize=8)
def cover() -> Mesh:
    """The flat copper plate on an empty slot."""
    base = block(1.84, 1.84, SURFACE * 0.7, metal(COPPER), 0.02)
    places = [(x, y) for x in (-0.78, 0.78) for y in (-0.78, 0.78)]
    return merged([base, *(screw(0.06).moved(x, y, SURFACE * 0.7) for x, y in places)])


def copies(mesh: Mesh, places: Iterable[Point]) -> Mesh:
    """A mesh at several places."""
    return merged([mesh.moved(*place) for place in places])


__all__ = [
    "LED_CORNER",
    "LIFT",
    "SPAN",
    "SURFACE",
    "Led",
    "Paint",
    "block",
    "copies",
    "cover",
    "cross",
    "disc",
    "flat",
    "frame",
    "glow",
    "glowing",
    "key",
    "lamp",
    "lathe",
    "matt",
    "metal",
    "painted",
    "plate",
    "printed",
    "rgb",
    "screen",
    "screw",
    "seven_segments",
    "status_led",
    "symbol",
    "wire",
]
