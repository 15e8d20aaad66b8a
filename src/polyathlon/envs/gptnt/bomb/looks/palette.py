"""The colours of the bomb by their names.

Hues that players must tell apart also differ in lightness, so that they stay apart without hue:
black, blue, red, green, yellow, white, from dark to light.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

Rgb: TypeAlias = tuple[int, int, int]

COLOURS: Mapping[str, Rgb] = MappingProxyType(
    {
        "black": (30, 30, 34),
        "blue": (38, 84, 214),
        "red": (212, 34, 40),
        "green": (24, 168, 92),
        "orange": (246, 138, 30),
        "yellow": (250, 206, 36),
        "white": (244, 244, 240),
        "grey": (124, 128, 134),
    }
)
"""What rules and players speak of, as it looks in the light of the room."""

GLOWS: Mapping[str, Rgb] = MappingProxyType(
    {
        "blue": (70, 140, 255),
        "red": (255, 54, 48),
        "green": (48, 255, 120),
        "orange": (255, 168, 48),
        "yellow": (255, 232, 64),
        "white": (255, 255, 250),
    }
)
"""The same as light: lamps and displays, which the room does not dim."""

DARK_LAMP: Mapping[str, Rgb] = MappingProxyType(
    {name: (r // 5 + 14, g // 5 + 14, b // 5 + 14) for name, (r, g, b) in GLOWS.items()}
)
"""The lamps of `GLOWS` when they are off."""

CASE: Rgb = (58, 61, 68)
CASE_EDGE: Rgb = (62, 65, 72)
PLATE: Rgb = (178, 182, 188)
PANEL: Rgb = (52, 55, 62)
STEEL: Rgb = (168, 172, 180)
BRASS: Rgb = (206, 168, 84)
COPPER: Rgb = (196, 122, 80)
IVORY: Rgb = (238, 230, 208)
RUBBER: Rgb = (44, 46, 52)
GLASS: Rgb = (8, 9, 9)
INK: Rgb = (24, 24, 28)
