"""How the bomb is held and from where it is seen, at rest and while the view moves.

Screen axes: x right, y up, z towards the viewer; the bomb's middle stays at the origin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from polyathlon.envs.gptnt.bomb.bomb import TURN_US, ZOOM_US, Bomb, fitted
from polyathlon.envs.gptnt.bomb.layout import FACES, TIMER_SLOT, Slot
from polyathlon.envs.gptnt.bomb.looks import timer
from polyathlon.envs.gptnt.bomb.looks.casing import slot_place
from polyathlon.envs.gptnt.bomb.looks.turning import (
    HALF_SIZE,
    Rows,
    between,
    from_side,
    product,
    turned,
)
from polyathlon.envs.gptnt.bomb.poses import Pose
from polyathlon.media.raster import Camera
from polyathlon.media.raster.mesh import Point

FOV_DEG = 40.0
_FAR_TILT_DEG, _NEAR_TILT_DEG = 14.0, 8.0
_FACE_FILL, _EDGE_FILL, _NEAR_FILL = (0.8, 0.84), (0.9, 0.9), (0.96, 0.95)
_BACK_MARGIN = 1.25

Box: TypeAlias = tuple[float, float, float, float]


@dataclass(frozen=True)
class Gaze:
    """What is looked at, from how far and how steeply from above."""

    target: Point
    distance: float
    tilt_deg: float

    @property
    def eye(self) -> Point:
        """Where it is looked from."""
        x, y, z = self.target
        tilt = math.radians(self.tilt_deg)
        return x, y + self.distance * math.sin(tilt), z + self.distance * math.cos(tilt)

    def camera(self, width_px: int, height_px: int) -> Camera:
        """The camera of a picture."""
        return Camera.looking_at(
            self.eye, self.target, FOV_DEG, width_px=width_px, height_px=height_px
        )


def rotation(bomb: Bomb) -> Rows:
    """From the bomb's body to the screen at this moment."""
    grip = bomb.grip
    share = _eased(bomb.time_us - grip.moved_us, TURN_US)
    return between(grip.from_pose.matrix, grip.pose.matrix, share)


def gaze(bomb: Bomb, aspect: float) -> Gaze:
    """How it is looked at at this moment, for pictures `aspect` times as wide as high."""
    grip = bomb.grip
    turning = grip.pose != grip.from_pose
    share = _eased(bomb.time_us - grip.moved_us, TURN_US if turning else ZOOM_US)
    after = _resting(bomb, grip.pose, grip.zoomed, aspect)
    if share >= 1:
        return after
    before = _resting(bomb, grip.from_pose, grip.from_zoomed, aspect)
    return _mixed(before, after, share)


def _resting(bomb: Bomb, pose: Pose, zoomed: str | None, aspect: float) -> Gaze:
    if zoomed is None:
        half_width, half_height = HALF_SIZE[pose.right], HALF_SIZE[pose.up]
        target = (0.0, 0.0, HALF_SIZE[pose.facing])
        fill = _FACE_FILL if pose.facing in FACES else _EDGE_FILL
        distance = _distance(half_width, half_height, aspect, fill)
        return Gaze(target, distance, _FAR_TILT_DEG)
    return _close_up(pose, _surroundings(fitted(bomb, zoomed).placed.slot), aspect)


def _surroundings(slot: Slot) -> Box:
    """Left, bottom, right and top of what is seen with a module, in the frame of its face.

    On the timer's face clock and strikes, on the other one the margins of the neighbours.
    """
    x, y, _ = slot_place(slot)
    if slot.face != TIMER_SLOT.face:
        return x - _BACK_MARGIN, y - _BACK_MARGIN, x + _BACK_MARGIN, y + _BACK_MARGIN
    over, up, _ = slot_place(TIMER_SLOT)
    left, bottom, right, top = timer.READOUT
    return (
        min(x - 1, over + left),
        min(y - 1, up + bottom),
        max(x + 1, over + right),
        max(y + 1, up + top),
    )


def _close_up(pose: Pose, box: Box, aspect: float) -> Gaze:
    """A part of the side that looks at the viewer as large as it fits."""
    rows = product(pose.matrix, from_side(pose.facing))
    left, bottom, right, top = box
    z = HALF_SIZE[pose.facing]
    (x0, y0, _), (x1, y1, _) = (turned(rows, (x, y, z)) for x, y in ((left, bottom), (right, top)))
    half_width, half_height = abs(x1 - x0) / 2, abs(y1 - y0) / 2
    distance = _distance(half_width, half_height, aspect, _NEAR_FILL)
    return Gaze(((x0 + x1) / 2, (y0 + y1) / 2, z), distance, _NEAR_TILT_DEG)


def _distance(
    half_width: float, half_height: float, aspect: float, fill: tuple[float, float]
) -> float:
    """From where something fills these shares of the picture's width or height."""
    slope = math.tan(math.radians(FOV_DEG / 2))
    return max(half_width / (slope * aspect * fill[0]), half_height / (slope * fill[1]))


def _eased(passed_us: int, lasts_us: int) -> float:
    """How much of a movement is done, 0 to 1; it starts and ends softly."""
    share = min(max(passed_us / lasts_us, 0.0), 1.0)
    return share * share * (3 - 2 * share)


def _mixed(before: Gaze, after: Gaze, share: float) -> Gaze:
    def blend(a: float, b: float) -> float:
        return a + share * (b - a)

    x, y, z = (blend(a, b) for a, b in zip(before.target, after.target, strict=True))
    return Gaze(
        (x, y, z),
        blend(before.distance, after.distance),
        blend(before.tilt_deg, after.tilt_deg),
    )
