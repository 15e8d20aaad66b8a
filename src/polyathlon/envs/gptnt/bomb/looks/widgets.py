"""What sits on the edges of the casing: serial number, batteries, indicators, ports.

A widget stands on z = 0 of its place, its middle at the origin, within `WIDTH` x `HEIGHT`.
"""

from __future__ import annotations

from functools import lru_cache

from polyathlon.envs.gptnt.bomb.casing import BatteryHolder, Indicator, PortPlate, SerialNumber
from polyathlon.envs.gptnt.bomb.casing import Widget as Mounted
from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.palette import BRASS, INK, PANEL, RUBBER, STEEL, Rgb
from polyathlon.envs.gptnt.bomb.rulebook.facts import Port
from polyathlon.media.raster import Mesh, merged, prism

WIDTH, HEIGHT = 1.76, 1.16

_PITCH = 0.28
_D_CELL: Rgb = (200, 120, 40)
_AA_CELL: Rgb = (60, 150, 170)
_PORT_PLACES: dict[Port, tuple[float, float]] = {
    "Parallel": (0.0, 0.24),
    "Serial": (0.0, -0.26),
    "DVI-D": (0.0, 0.26),
    "PS/2": (-0.56, -0.24),
    "RJ-45": (-0.02, -0.24),
    "Stereo RCA": (0.54, -0.24),
}


@lru_cache(maxsize=256)
def mesh(widget: SerialNumber | Mounted) -> Mesh:
    """A widget in the frame of its place."""
    match widget:
        case SerialNumber(value=value):
            return _serial_number(value)
        case BatteryHolder(cell=cell):
            return _holder(1, 0.27, _D_CELL) if cell == "D" else _holder(2, 0.15, _AA_CELL)
        case Indicator(label=label, lit=lit):
            return _indicator(label, lit)
        case PortPlate(ports=ports):
            return _port_plate(ports)


def _serial_number(value: str) -> Mesh:
    """A white label with a red head; the characters have the same room each."""
    z = 0.03
    middle = (len(value) - 1) / 2
    characters = [
        kit.printed(character, 0.35, "white", _PITCH * 0.94).moved((place - middle) * _PITCH)
        for place, character in enumerate(value)
    ]
    return merged(
        [
            kit.painted("SERIAL #", 0.15, "red").moved(0, 0.33, z),
            merged(characters).moved(0, -0.15, z),
            kit.block(WIDTH, 0.32, z, kit.matt("red"), 0.01).moved(y=0.33),
            kit.block(WIDTH, 0.7, z, kit.matt("white"), 0.01).moved(y=-0.15),
        ]
    )


def _holder(cells: int, radius: float, paint: Rgb) -> Mesh:
    """A tray with lying cells sunk into it, one above the other."""
    pitch, sunk = 2.5 * radius, 0.06 - 0.7 * radius
    tray = kit.block(1.72, cells * pitch + 0.24, 0.06, kit.matt(RUBBER))
    spring = kit.block(0.06, 0.3, 0.06 + radius, kit.metal())
    places = [((cells - 1) / 2 - number) * pitch for number in range(cells)]
    lying = _cell(radius, paint)
    return merged(
        [
            *(lying.moved(y=y, z=sunk) for y in places),
            *(spring.moved(x, y) for y in places for x in (-0.72, 0.76)),
            tray,
        ]
    )


def _cell(radius: float, paint: Rgb) -> Mesh:
    """A battery, its positive pole to the right."""
    pole = radius * 0.34
    bodies: tuple[tuple[Rgb, list[tuple[float, float]]], ...] = (
        (STEEL, [(0.0, -0.66), (radius, -0.66), (radius, -0.6)]),
        (INK, [(radius, -0.6), (radius, 0.12)]),
        (paint, [(radius, 0.12), (radius, 0.58)]),
        (STEEL, [(radius, 0.58), (radius * 0.92, 0.62), (pole, 0.62), (pole, 0.7), (0.0, 0.7)]),
    )
    bars = [kit.lathe(profile, kit.matt(colour), 20) for colour, profile in bodies]
    return merged(bars).turned(yaw_deg=-90).moved(z=radius)


def _indicator(label: str, lit: bool) -> Mesh:
    """A lamp with its label at the right."""
    z = 0.06
    return merged(
        [
            kit.lamp(0.19, "yellow", lit).moved(-0.48, 0, z),
            kit.painted(label, 0.34, "black", 0.92).moved(0.28, 0, z),
            kit.block(1.6, 0.72, z, kit.matt("black")),
        ]
    )


def _port_plate(ports: tuple[Port, ...]) -> Mesh:
    z = 0.04
    places = [(x, y) for x in (-0.78, 0.78) for y in (-0.48, 0.48)]
    return merged(
        [
            *(_port(port).moved(*_PORT_PLACES[port], z) for port in ports),
            *(kit.screw(0.04).moved(x, y, z) for x, y in places),
            kit.block(WIDTH, HEIGHT, z, kit.metal((120, 124, 132))),
        ]
    )


def _port(port: Port) -> Mesh:
    match port:
        case "Parallel":
            return merged([_pins((13, 12), 0.094, 0.12), _d_shape(1.36, 0.36, (206, 84, 140))])
        case "Serial":
            return merged([_pins((5, 4), 0.11, 0.13), _d_shape(0.74, 0.36, (40, 150, 148))])
        case "DVI-D":
            blade = kit.block(0.2, 0.035, 0.02, kit.matt(INK), 0.005).moved(0.46, 0, 0.08)
            pins = _pins((8, 8, 8), 0.1, 0.09).moved(-0.16)
            return merged([pins, blade, _socket(1.26, 0.36, (240, 240, 236))])
        case "PS/2":
            holes = [(-0.1, 0.05), (0.1, 0.05), (-0.1, -0.05), (0.1, -0.05), (-0.05, 0.13)]
            pins = merged([_pin().moved(x, y) for x, y in [*holes, (0.05, 0.13)]]).moved(z=0.08)
            notch = kit.block(0.1, 0.06, 0.02, kit.matt(INK), 0.005).moved(0, -0.14, 0.08)
            rim = kit.disc(0.25, 0.06, kit.metal(), sides=20)
            return merged([pins, notch, kit.disc(0.21, 0.08, kit.matt((120, 72, 168))), rim])
        case "RJ-45":
            return _network()
        case "Stereo RCA":
            white, red = (_plug(colour) for colour in ("white", "red"))
            return merged([white.moved(-0.15), red.moved(0.17)])


def _d_shape(width: float, height: float, paint: Rgb) -> Mesh:
    """A connector that is narrower below, in a steel shell."""
    shell = prism(_trapezium(width + 0.12, height + 0.1), 0.05, kit.metal())
    return merged([prism(_trapezium(width, height), 0.08, kit.matt(paint)), shell])


def _trapezium(width: float, height: float) -> list[tuple[float, float]]:
    w, h, slant = width / 2, height / 2, 0.08
    return [(-w + slant, -h), (w - slant, -h), (w, h), (-w, h)]


def _socket(width: float, height: float, paint: Rgb) -> Mesh:
    shell = kit.block(width + 0.1, height + 0.1, 0.05, kit.metal())
    return merged([kit.block(width, height, 0.08, kit.matt(paint)), shell])


def _pins(rows: tuple[int, ...], across: float, down: float) -> Mesh:
    """Rows of pins about the origin."""
    top = (len(rows) - 1) / 2 * down
    places = [
        ((column - (count - 1) / 2) * across, top - row * down)
        for row, count in enumerate(rows)
        for column in range(count)
    ]
    return merged([_pin().moved(x, y) for x, y in places]).moved(z=0.08)


@lru_cache(maxsize=1)
def _pin() -> Mesh:
    return kit.flat(
        [(-0.022, -0.022), (0.022, -0.022), (0.022, 0.022), (-0.022, 0.022)], kit.matt(INK)
    )


def _network() -> Mesh:
    """A square hole with a step for the catch below and eight contacts above."""
    hole = [(-0.16, -0.1), (0.16, -0.1), (0.16, 0.16), (-0.16, 0.16)]
    step = [(-0.07, -0.17), (0.07, -0.17), (0.07, -0.1), (-0.07, -0.1)]
    contact = kit.flat(
        [(-0.008, 0.06), (0.008, 0.06), (0.008, 0.15), (-0.008, 0.15)], kit.matt(BRASS)
    )
    contacts = [contact.moved(0.036 * (i - 3.5)) for i in range(8)]
    return merged(
        [
            merged(contacts).moved(z=0.084),
            merged([kit.flat(hole, kit.matt(INK)), kit.flat(step, kit.matt(INK))]).moved(z=0.08),
            kit.block(0.46, 0.44, 0.08, kit.matt((196, 200, 206))),
            kit.block(0.52, 0.5, 0.03, kit.matt(PANEL)),
        ]
    )


def _plug(paint: str) -> Mesh:
    """A coloured ring around a metal sleeve with a hole."""
    return merged(
        [
            kit.disc(0.035, 0.16, kit.matt(INK), sides=10),
            kit.disc(0.075, 0.15, kit.metal(), sides=16),
            kit.disc(0.14, 0.06, kit.matt(paint), sides=20),
        ]
    )
