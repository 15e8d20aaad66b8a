"""Where a picture is taken from: a pinhole camera with a size in pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Point: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True)
class Camera:
    """A pinhole camera in a right-handed world with y up.

    `yaw_deg` turns clockwise seen from above: 0 looks along +x, 90 along +z, so that x and z are
    the columns and rows of a map. `pitch_deg` is positive upwards. `fov_deg` is the vertical
    field of view. Lengths are in the world's unit; what is nearer than `near` along the viewing
    axis is cut off, and faces that lie wholly beyond `far` are dropped.
    """

    position: Point
    yaw_deg: float = 0.0
    pitch_deg: float = 0.0
    fov_deg: float = 60.0
    width_px: int = 640
    height_px: int = 480
    near: float = 0.02
    far: float = math.inf

    def __post_init__(self) -> None:
        if self.width_px < 1 or self.height_px < 1:
            raise ValueError("Camera needs a width and height of at least one pixel")
        if not 0 < self.fov_deg < 180 or not 0 < self.near < self.far:
            raise ValueError("Camera needs 0 < fov_deg < 180 and 0 < near < far")

    @classmethod
    def looking_at(
        cls, position: Point, target: Point, fov_deg: float = 60.0, **more: int
    ) -> Camera:
        """A camera at `position` that has `target` in the middle of its picture."""
        x, y, z = (b - a for a, b in zip(position, target, strict=True))
        yaw = math.degrees(math.atan2(z, x))
        pitch = math.degrees(math.atan2(y, math.hypot(x, z)))
        return cls(position, yaw, pitch, fov_deg, **more)

    @cached_property
    def focal_px(self) -> float:
        """The focal length in pixels."""
        return self.height_px / 2 / math.tan(math.radians(self.fov_deg) / 2)

    @cached_property
    def axes(self) -> Floats:
        """The unit vectors right, up and forward, as rows (3, 3)."""
        yaw, pitch = math.radians(self.yaw_deg), math.radians(self.pitch_deg)
        cos_yaw, sin_yaw, cos_pitch, sin_pitch = (
            math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch),
        )  # fmt: skip
        return np.array(
            [
                [-sin_yaw, 0.0, cos_yaw],
                [-sin_pitch * cos_yaw, cos_pitch, -sin_pitch * sin_yaw],
                [cos_pitch * cos_yaw, sin_pitch, cos_pitch * sin_yaw],
            ]
        )

    def seen(self, points: ArrayLike) -> Floats:
        """World points (n, 3) as right, up and forward of the camera (n, 3).

        Written out instead of a matrix product, whose rounding depends on the BLAS library.
        """
        away = np.asarray(points, np.float64) - self.position
        columns = [away[:, 0] * a + away[:, 1] * b + away[:, 2] * c for a, b, c in self.axes]
        return np.stack(columns, axis=1)

    def project(self, points: ArrayLike) -> Floats:
        """World points (n, 3) as picture x, y and depth along the viewing axis (n, 3).

        Pixel (column, row) covers [column, column + 1) x [row, row + 1). A point at or behind
        the near plane has no place in the picture: its x and y are NaN.
        """
        seen = self.seen(points)
        depth = np.where(seen[:, 2] > self.near, seen[:, 2], np.nan)
        x = self.width_px / 2 + self.focal_px * seen[:, 0] / depth
        y = self.height_px / 2 - self.focal_px * seen[:, 1] / depth
        return np.stack([x, y, seen[:, 2]], axis=1)

    def ray(self, x_px: float, y_px: float) -> Floats:
        """The unit vector (3,) in the world from the camera through a place in the picture."""
        right, up, forward = self.axes
        across = (x_px - self.width_px / 2) / self.focal_px
        above = (self.height_px / 2 - y_px) / self.focal_px
        along = forward + across * right + above * up
        return np.asarray(along / math.sqrt(1.0 + across * across + above * above))
