"""Directions in words: quarters for turns and arrows, eighths for where something lies."""

from __future__ import annotations

from typing import Literal, TypeAlias

Quarter: TypeAlias = Literal["ahead", "right", "behind", "left"]

QUARTERS: tuple[Quarter, ...] = ("ahead", "right", "behind", "left")
SECTORS = (
    "straight ahead",
    "slightly right",
    "on the right",
    "back right",
    "behind you",
    "back left",
    "on the left",
    "slightly left",
)


def quarter(bearing_deg: float) -> Quarter:
    """The quarter that holds a bearing; each spans 90 degrees about its axis."""
    return QUARTERS[int((bearing_deg + 45.0) % 360.0 // 90.0)]


def sector(bearing_deg: float) -> str:
    """The eighth that holds a bearing: straight ahead within 22.5 degrees, and so on."""
    return SECTORS[int((bearing_deg + 22.5) % 360.0 // 45.0)]


def turn_deg(towards: Quarter) -> float:
    """The rotation in (-180, 180] that faces a quarter."""
    return (0.0, 90.0, 180.0, -90.0)[QUARTERS.index(towards)]


def opposite(towards: Quarter) -> Quarter:
    """Left for right, behind for ahead, and back."""
    return QUARTERS[QUARTERS.index(towards) - 2]


def wrapped(angle_deg: float) -> float:
    """An angle in (-180, 180]."""
    return 180.0 - (180.0 - angle_deg) % 360.0
