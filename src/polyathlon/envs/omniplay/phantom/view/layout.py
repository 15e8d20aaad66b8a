"""Where the map lies in its picture, and how places on it become pixels."""

from __future__ import annotations

from polyathlon.envs.omniplay.phantom.rules.command import MAP_SIZE

WIDTH_PX, HEIGHT_PX = 640, 480
LEFT_PX, TOP_PX, SIDE_PX = 26, 34, 426
PX_PER_UNIT = SIDE_PX / MAP_SIZE


def to_px(x: float, y: float) -> tuple[float, float]:
    """The column and row in pixels of a place on the map; y points up on the map."""
    return LEFT_PX + x * PX_PER_UNIT, TOP_PX + SIDE_PX - y * PX_PER_UNIT


def to_map(column_px: float, row_px: float) -> tuple[float, float]:
    """The place on the map at a pixel; beyond the map for a pixel outside it."""
    return (column_px - LEFT_PX) / PX_PER_UNIT, (TOP_PX + SIDE_PX - row_px) / PX_PER_UNIT
