"""A bomb as a value: what is done to it, and the passing of its own time, make the next value."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from polyathlon.envs.gptnt.bomb.casing import Casing, draw_casing
from polyathlon.envs.gptnt.bomb.clock import SECOND_US, Clock
from polyathlon.envs.gptnt.bomb.layout import Layout, Placed, arrange
from polyathlon.envs.gptnt.bomb.missions import MissionSpec
from polyathlon.envs.gptnt.bomb.modules.base import (
    Attentive,
    Effect,
    Holdable,
    Moment,
    Needy,
    Verdict,
)
from polyathlon.envs.gptnt.bomb.poses import START, TURNS, Pose, Turn

Phase: TypeAlias = Literal["lights_off", "lights_on", "solved", "exploded_strikes", "exploded_time"]
OVER: frozenset[Phase] = frozenset({"solved", "exploded_strikes", "exploded_time"})


class Click(msgspec.Struct, frozen=True, tag="click_release"):
    """Press an element and let go at once; a module is zoomed into."""

    element: str


class Hold(msgspec.Struct, frozen=True, tag="hold"):
    """Press an element and keep it pressed."""

    element: str


class Release(msgspec.Struct, frozen=True, tag="release"):
    """Let go of what is held."""


class ZoomOut(msgspec.Struct, frozen=True, tag="zoom_out"):
    """See the whole bomb again."""


class TurnBomb(msgspec.Struct, frozen=True, tag="turn"):
    """Turn the bomb; zooms out first."""

    turn: Turn


Act: TypeAlias = Click | Hold | Release | ZoomOut | TurnBomb


class Plan(msgspec.Struct, frozen=True):
    """What never changes about a bomb."""

    mission: MissionSpec
    rule_seed: int
    casing: Casing
    layout: Layout


class Grip(msgspec.Struct, frozen=True):
    """How the bomb is held and looked at.

    `zoomed` is a module's id, `held` an element's. The view moves from (`from_pose`,
    `from_zoomed`) to (`pose`, `zoomed`) from `moved_us` on; what can be pressed changes at once.
    """

    pose: Pose = START
    zoomed: str | None = None
    held: str | None = None
    from_pose: Pose = START
    from_zoomed: str | None = None
    moved_us: int = -10 * SECOND_US


class Fitted(msgspec.Struct, frozen=True):
    """A module in its slot, when it was solved, and when it last caused a strike."""

    placed: Placed
    module: Any
    solved_us: int | None = None
    struck_us: int | None = None


class Strike(msgspec.Struct, frozen=True):
    """A mistake."""

    time_us: int
    module_id: str


class Bomb(msgspec.Struct, frozen=True):
    """A bomb at one moment of its own time.

    Elements are named `m1` (a module) or `m1/wire2` (a part of it).
    """

    plan: Plan
    clock: Clock
    modules: tuple[Fitted, ...]
    time_us: int = 0
    phase: Phase = "lights_off"
    grip: Grip = Grip()
    strikes: tuple[Strike, ...] = ()
