"""What the picture shows: its captured scene, the same in words, and what can be read off it."""

from __future__ import annotations

import math

import msgspec

from polyathlon.core.parts import Part
from polyathlon.core.percepts import Percept
from polyathlon.envs.omniplay.pathfinding.directions import Quarter, opposite, quarter
from polyathlon.envs.omniplay.pathfinding.guidance import Hint
from polyathlon.envs.omniplay.pathfinding.maze import (
    FIELD_DEG,
    METRE,
    UNKNOWN,
    Point,
    Rows,
    bearing_deg,
    cell_at,
    centre,
    depth,
    target_cell,
    visible,
)
from polyathlon.envs.omniplay.pathfinding.moves import Move
from polyathlon.envs.omniplay.pathfinding.rules import Rules

MAP_REACH = 3
COLUMNS = (-1.0, -0.5, 0.0, 0.5, 1.0)


class Scene(msgspec.Struct, frozen=True):
    """Everything the picture is made of.

    `position` is in micrometres, `heading_deg` in [0, 360); `known` is the map of what has been
    seen; `last` the last move, None before the first and after one that could not be read;
    `arrow` where the arrow points, None where there is none.
    """

    rows: Rows
    position: Point
    heading_deg: float
    known: Rows
    last: Move | None
    arrow: Quarter | None

    def mini_map(self) -> Rows:
        """What is known of the cells within `MAP_REACH` of the player's, which is in the middle."""
        x, y = cell_at(self.position)
        width = 2 * MAP_REACH + 1
        beside, beyond = UNKNOWN * MAP_REACH, [UNKNOWN * len(self.known)] * MAP_REACH
        rows = [*beyond, *self.known, *beyond][y : y + width]
        return tuple([f"{beside}{row}{beside}"[x : x + width] for row in rows])

    def depths_m(self) -> tuple[float, ...]:
        """Metres to the wall at five columns: the left edge, a quarter, the middle, and so on."""
        x_m, y_m = self.position[0] / METRE, self.position[1] / METRE
        slope = math.tan(math.radians(FIELD_DEG / 2))
        angles = [math.degrees(math.atan(column * slope)) for column in COLUMNS]
        return tuple([depth(self.rows, x_m, y_m, self.heading_deg + angle) for angle in angles])

    def beacon_deg(self) -> float | None:
        """The bearing of the beacon, None where it is not in the picture."""
        target = target_cell(self.rows)
        if not visible(self.rows, self.position, self.heading_deg, [target]):
            return None
        return bearing_deg(self.position, centre(target), self.heading_deg)


def percept(rules: Rules, told: Hint) -> Percept:
    """The view with its lie, `opposite`: the arrow turned round; no lie where there is no arrow.

    The arrow is drawn where the straight direction of the target is also that of the next turn.
    """
    straight = quarter(told.bearing_deg)
    arrow = straight if straight == told.turn else None
    scene = Scene(rules.rows, rules.position, rules.heading, rules.known, rules.last, arrow)
    if arrow is None:
        return Percept("view", "image", scene, draw, tell)
    turned = opposite(arrow)
    lie = _pointing(msgspec.structs.replace(scene, arrow=turned), turned)
    return msgspec.structs.replace(_pointing(scene, arrow), counterfactuals={"opposite": lie})


def draw(scene: Scene) -> Part:
    """The picture, 640x480."""
    from polyathlon.envs.omniplay.pathfinding.view.painting import painted

    return painted(scene)


def tell(scene: Scene) -> str:
    """Depths, beacon, arrow, mini-map and last move in words."""
    depths = ", ".join([f"{metres:.1f}" for metres in scene.depths_m()])
    return "\n".join(
        (
            f"free view from the left edge to the right in metres: {depths}",
            f"beacon: {_beacon(scene.beacon_deg())}",
            f"arrow: {'none' if scene.arrow is None else scene.arrow}",
            f"last move: {_last(scene.last)}",
            "mini-map (# wall, . open, ? not seen; you are in the middle, facing "
            f"{scene.heading_deg:.0f}°, 0 is right, 90 down):",
            *scene.mini_map(),
        )
    )


def last_words(move: Move) -> str:
    """A move as the overlay shows it."""
    return f"turn {move.rotation_deg:+.2f}°  advance {move.distance_m:.2f} m"


def _pointing(scene: Scene, arrow: Quarter) -> Percept:
    return Percept("view", "image", scene, draw, tell, {"suggests": arrow})


def _beacon(bearing: float | None) -> str:
    if bearing is None:
        return "not in view"
    return f"in view at {bearing:+.0f}° (right is positive)"


def _last(move: Move | None) -> str:
    return "none" if move is None else last_words(move)
