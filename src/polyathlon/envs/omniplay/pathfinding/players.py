"""Players without memory that sense what a player senses and trust some channels alone.

They think in cells of 1 m: a player keeps to the four axes of the map, walks from the middle of
a cell to the middle of another, and stops where a side way opens. Where the channel they live on
is missing they act at random. Those who see take what is drawn from the scene behind the picture,
which makes them privileged; listeners read facts; the others read words as anybody can.
"""

from __future__ import annotations

import math
from typing import Any

import msgspec

from polyathlon.core.agents import with_access
from polyathlon.core.chance import Stream
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Observation
from polyathlon.envs.omniplay.pathfinding.directions import (
    QUARTERS,
    Quarter,
    turn_deg,
    wrapped,
)
from polyathlon.envs.omniplay.pathfinding.figures import Figures, read
from polyathlon.envs.omniplay.pathfinding.guidance import understood
from polyathlon.envs.omniplay.pathfinding.maze import METRE, NEIGHBOURS, UNKNOWN, WALL, Rows
from polyathlon.envs.omniplay.pathfinding.moves import Move
from polyathlon.envs.omniplay.pathfinding.view.scene import MAP_REACH, Scene

STRIDE_M = 1.0
LONGEST_M = 3
WHIM = 0.2
SIDES = ("left", "right")
RIGHT_HAND: tuple[Quarter, ...] = ("right", "ahead", "left", "behind")


@with_access("privileged")
def full(observation: Observation, rng: Stream) -> Move:
    """Takes the turn from the voice, the corridor from the picture, the pose from the numbers."""
    view, guidance, state = (_percept(observation, name) for name in ("view", "guidance", "state"))
    turn = None if guidance is None else understood(guidance.meaning or "")
    figures = None if state is None else read(state.meaning or "")
    if view is not None:
        return _by_view(view.scene, turn, figures)
    if figures is not None:
        return _by_figures(figures, turn)
    return _follow(turn, observation, rng)


@with_access("privileged")
def view_only(observation: Observation, rng: Stream) -> Move:
    """Follows the arrow, walks to the beacon in sight, else keeps to the right-hand wall.

    Uses what is drawn: arrow, beacon, and the mini-map with its dart.
    """
    view = _percept(observation, "view")
    if view is None:
        return _follow(None, observation, rng)
    return _by_view(view.scene, None, None)


def guidance_only(observation: Observation, rng: Stream) -> Move:
    """Turns as the words say and walks 1 m."""
    guidance = _percept(observation, "guidance")
    turn = None if guidance is None else understood(guidance.meaning or "")
    return _follow(turn, observation, rng)


def state_only(observation: Observation, rng: Stream) -> Move:
    """Keeps to the right-hand wall by the distances to walls."""
    state = _percept(observation, "state")
    if state is None:
        return _follow(None, observation, rng)
    return _by_figures(read(state.meaning or ""), None)


@with_access("informed")
def view_listener(observation: Observation, rng: Stream) -> Move:
    """Turns where the view's facts suggest; at a whim, or without a suggestion, anywhere."""
    return _listen("view", observation, rng)


@with_access("informed")
def guidance_listener(observation: Observation, rng: Stream) -> Move:
    """Turns where the guidance's facts suggest; at a whim, or without a suggestion, anywhere."""
    return _listen("guidance", observation, rng)


@with_access("informed")
def state_listener(observation: Observation, rng: Stream) -> Move:
    """Turns where the state's facts suggest; at a whim, or without a suggestion, anywhere."""
    return _listen("state", observation, rng)


def _listen(channel: str, observation: Observation, rng: Stream) -> Move:
    trusted = _percept(observation, channel)
    suggested: Any = None if trusted is None else trusted.facts.get("suggests")
    if suggested is None or rng.uniform() < WHIM:
        suggested = rng.choice(QUARTERS)
    return Move(STRIDE_M, turn_deg(suggested))


def _follow(turn: Quarter | None, observation: Observation, rng: Stream) -> Move:
    if turn is None:
        move: Move = observation.actions.sample(rng)
        return move
    return Move(STRIDE_M, turn_deg(turn))


class _Place(msgspec.Struct, frozen=True):
    """Where a player stands within its cell, in metres from the middle, and how it looks."""

    east_m: float
    south_m: float
    heading_deg: float

    def axis(self, turn: Quarter) -> int:
        """The axis of the map, an index of NEIGHBOURS, that lies in a quarter."""
        return round((self.heading_deg + turn_deg(turn)) / 90.0) % 4

    def move_to(self, axis: int, cells: int) -> Move:
        """The move to the middle of the cell so many cells along an axis."""
        dx, dy = NEIGHBOURS[axis]
        return self.move_by(dx * cells - self.east_m, dy * cells - self.south_m)

    def move_by(self, east_m: float, south_m: float) -> Move:
        """The move along a vector, at most `LONGEST_M` far."""
        angle = math.degrees(math.atan2(south_m, east_m))
        rotation = round(wrapped(angle - self.heading_deg), 1)
        return Move(round(min(math.hypot(east_m, south_m), LONGEST_M), 2), rotation)


def _by_view(scene: Scene, turn: Quarter | None, figures: Figures | None) -> Move:
    """To the beacon in sight, else along the told turn, the arrow or the right-hand wall.

    The walls in `figures` tell how far a side way goes that is not in view. Straight on and back
    the player goes into the unseen by one cell, so that it never swings about a side way.
    """
    beacon = scene.beacon_deg()
    if beacon is not None:
        return Move(float(LONGEST_M), round(beacon, 1))
    x, y = ((along % METRE) / METRE - 0.5 for along in scene.position)
    place = _Place(x, y, scene.heading_deg)
    cells = scene.mini_map()
    for way in (turn, scene.arrow, *RIGHT_HAND):
        if way is None:
            continue
        axis = place.axis(way)
        unseen = _free_cells(figures, way) if figures and way in SIDES else 1
        reach = _reach(cells, axis, unseen)
        if reach:
            return place.move_to(axis, reach)
    return place.move_by(-x, -y)


def _reach(cells: Rows, axis: int, unseen: int) -> int:
    """How many cells the player goes along an axis: up to a side way or a wall.

    Where the mini-map shows nothing, `unseen` cells are taken to be free.
    """
    dx, dy = NEIGHBOURS[axis]
    for count in range(1, LONGEST_M + 1):
        x, y = MAP_REACH + dx * count, MAP_REACH + dy * count
        if cells[y][x] == WALL:
            return count - 1
        if cells[y][x] == UNKNOWN:
            return max(count - 1, min(unseen, LONGEST_M))
        if count < MAP_REACH and cells[y + dx][x + dy] + cells[y - dx][x - dy] != WALL * 2:
            return count
    return LONGEST_M


def _free_cells(figures: Figures, way: Quarter) -> int:
    """The whole cells to the wall in a quarter."""
    return round(figures.walls_m[QUARTERS.index(way)] - 0.5)


def _by_figures(figures: Figures, turn: Quarter | None) -> Move:
    """To the wall in a side way, else one cell: as told, or along the first way on the right."""
    place = _Place(
        figures.x_m % 1.0 - 0.5, figures.y_m % 1.0 - 0.5, round(figures.orientation_deg / 90) * 90.0
    )
    off_axis = wrapped(figures.orientation_deg - place.heading_deg)
    if turn is not None and _free_cells(figures, turn):
        reach = min(_free_cells(figures, turn), LONGEST_M) if turn in SIDES else 1
        move = place.move_to(place.axis(turn), reach)
    else:
        way = next((way for way in RIGHT_HAND if _free_cells(figures, way)), RIGHT_HAND[-1])
        move = place.move_to(place.axis(way), 1)
    return Move(move.distance_m, round(wrapped(move.rotation_deg - off_axis), 1))


def _percept(observation: Observation, channel: str) -> Percept | None:
    return next((each for each in observation.percepts if each.channel == channel), None)
