"""What the defusal simulator's API is asked: bodies and queries, strictly checked.

All refuse fields they do not know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from polyathlon.core.errors import UserError
from polyathlon.envs.gptnt.bomb.bomb import Act, Click, Hold, Release, TurnBomb, ZoomOut
from polyathlon.envs.gptnt.bomb.missions import MissionSpec
from polyathlon.envs.gptnt.bomb.poses import Turn
from polyathlon.envs.gptnt.bomb.simulator import MAX_FRAMES, PointAct

T = TypeVar("T")

MIN_SIDE_PX, MAX_SIDE_PX = 64, 1280
_SIZE = re.compile("[0-9]{1,4}x[0-9]{1,4}")

Share: TypeAlias = Annotated[float, Meta(ge=0.0, le=1.0)]
Seed: TypeAlias = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=100)]


class Refused(Exception):
    """A request that changes nothing; `problem` says what to do instead."""

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status = status
        self.problem = problem


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A body; this one is empty."""


class Mission(Body, frozen=True):
    """A mission definition, and which rules hold on its bomb (0 are the standard ones)."""

    seed: Seed
    time_limit_s: Annotated[int, Meta(ge=1, le=86_400)]
    modules: Annotated[tuple[str, ...], Meta(max_length=12)]
    name: Annotated[str, Meta(max_length=200)] = "mission"
    strike_limit: Annotated[int, Meta(ge=1, le=100)] = 3
    widgets: Count = 5
    back_placement: bool = False
    needy: Annotated[tuple[str, ...], Meta(max_length=12)] = ()
    manual_seed: Annotated[int, Meta(ge=0, lt=2**31)] = 0

    def __post_init__(self) -> None:
        self.spec()

    def spec(self) -> MissionSpec:
        """The mission. Raises UserError for one that cannot be built."""
        fields = msgspec.structs.asdict(self)
        del fields["manual_seed"]
        return MissionSpec(**fields)


class Lights(Body, frozen=True):
    """Lights on; `paused` begins with a pause at time 0."""

    on: Literal[True]
    paused: bool = False


class Advance(Body, frozen=True):
    """Let game time pass."""

    seconds: Annotated[float, Meta(gt=0.0, le=86_400.0)]


class Restore(Body, frozen=True):
    """Go back to a snapshot of this bomb."""

    snapshot: Annotated[str, Meta(max_length=40)]


class NewBomb(Body, frozen=True):
    """Another bomb, at the server's own pace unless told: 0 game seconds a second is `virtual`."""

    scale: Annotated[float, Meta(ge=0.0, le=100.0)] | None = None


class Action(Body, frozen=True):
    """What a player does; clicks and holds take a point of the frame, from its top left."""

    action: PointAct | Turn | Literal["release", "zoom_out"]
    point: tuple[Share, Share] | None = None

    def __post_init__(self) -> None:
        if (self.action in ("click_release", "hold")) != (self.point is not None):
            raise ValueError("click_release and hold take a point [x, y], other actions none")

    def on(self, element: str | None) -> Act | None:
        """The act, when its point meets `element`; None when it meets nothing."""
        match self.action:
            case "release":
                return Release()
            case "zoom_out":
                return ZoomOut()
            case "click_release":
                return None if element is None else Click(element)
            case "hold":
                return None if element is None else Hold(element)
        return TurnBomb(self.action)


class Look(Body, frozen=True):
    """How something is seen: `props` are the things on the table."""

    props: bool = True


class FrameQuery(Look, frozen=True):
    """How a frame is asked for; other sizes than the usual one are resized to."""

    size: str = "640x480"
    format: Literal["png"] = "png"

    def __post_init__(self) -> None:
        if not _SIZE.fullmatch(self.size):
            raise ValueError("a size is width x height in pixels, such as 640x480")
        if not all(MIN_SIDE_PX <= side_px <= MAX_SIDE_PX for side_px in self.pixels):
            raise ValueError(f"a side is from {MIN_SIDE_PX} to {MAX_SIDE_PX} pixels")

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height."""
        width_px, height_px = map(int, self.size.split("x"))
        return width_px, height_px


class FramesQuery(Look, frozen=True):
    """How many of the last frames are asked for."""

    last: Annotated[int, Meta(ge=1, le=MAX_FRAMES)] = MAX_FRAMES


class ObservationQuery(Look, frozen=True):
    """Whether the frames before this one are asked for."""

    burst: bool = False


class StateQuery(Body, frozen=True):
    """Which part of the state is asked for."""

    runtime: bool = True


class AudioQuery(Body, frozen=True):
    """Which sounds are asked for: those since a moment of game time."""

    since_s: Annotated[float, Meta(ge=0.0, le=1e9)] = 0.0
    format: Literal["json", "wav"] = "json"


def decoded(body: bytes, kind: type[T]) -> T:
    """A JSON body (an empty one means {}). Raises Refused for anything but a `kind`."""
    try:
        return msgspec.json.decode(body or b"{}", type=kind)
    except (msgspec.DecodeError, UserError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(400, str(error)) from None


def queried(query: Mapping[str, str], kind: type[T]) -> T:
    """The parameters of an address. Raises Refused for anything but a `kind`."""
    try:
        return msgspec.convert(dict(query), type=kind, strict=False)
    except msgspec.ValidationError as error:
        raise Refused(400, str(error)) from None
