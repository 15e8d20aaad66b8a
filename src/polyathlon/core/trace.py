"""Trace events: one JSON object a line, appended before anything depends on it.

Fields whose names begin with `wall_` and `latency_s` are measurements of one run; everything else
is equal in any two runs of the same episode. `time_us` is the world's time. What is in flight for
a role, an *operation*, is known by (role, turn, path, purpose, ordinal): `path` is "" but inside
`Context.together`, whose nth block runs its mth strand under `n.m/`, and inside a tool, whose own
calls are under `tool.ORDINAL/`. An operation is written down before it starts and when it ends. An
episode's file is `episodes/ID.jsonl`, sealed to `.jsonl.zst` when the episode ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

from polyathlon.core.agents import Access
from polyathlon.core.canonical import JSON, plain
from polyathlon.core.episodes import EpisodeSpec, EpisodeStatus
from polyathlon.core.models import Message, Reply, Sampling, Speaker, ToolCall, Usage
from polyathlon.core.parts import Audio, Image, Modality, Part, Text, Video
from polyathlon.core.world import Mail, Role, Status

SCHEMA = 2


class _Event(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event"):
    pass


class Header(_Event, frozen=True, tag="header"):
    """First line: what is played and the versions of what made it.

    The next `copied` events of a branch were played, and paid for, by the episode it left. `access`
    is what each role's agent was given; traces of before it was kept do not say.
    """

    schema: int
    id: str
    episode: EpisodeSpec
    env_version: str = ""
    package: str = ""
    copied: int = 0
    access: Mapping[Role, Access] = {}


class Ref(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part in a trace: text in line, media by the hash of their raw signal.

    `shape` is `WxH` for images, `rate/channels` for audio, `WxH@fps` for video. In a file, a text
    is told in `pieces`: new ones as they are, those that came before by their number.
    """

    type: Modality
    text: str = ""
    digest: str = ""
    shape: str = ""
    pieces: tuple[str | int, ...] = ()


class Said(_Event, frozen=True, tag="message"):
    """One message, stored once under its chained hash; `parent` is the message before it."""

    hash: str
    parent: str
    speaker: Speaker
    parts: tuple[Ref, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    reasoning: str = ""
    opaque: bytes = b""


class Sensed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A percept as delivered: its channel, modality and facts."""

    channel: str
    modality: Modality
    facts: Mapping[str, JSON] = {}


class Observed(_Event, frozen=True, tag="observation"):
    """What a role was given. `truth` lists the percepts before interventions, where they differ."""

    role: Role
    turn: int
    time_us: int
    percepts: tuple[Sensed, ...] = ()
    truth: tuple[Sensed, ...] = ()
    mail: tuple[Mail, ...] = ()


class Called(_Event, frozen=True, tag="call"):
    """The first attempt at a model call starts.

    `most_usd` is the most that an attempt can cost, at which it is booked until it has ended; None
    where the price is unknown. `sampling` is as it was asked, its seed derived from the operation.
    """

    role: Role
    turn: int
    purpose: str
    ordinal: int
    model: str
    request: str
    head: str
    sampling: Sampling = Sampling()
    time_us: int = 0
    path: str = ""
    most_usd: float | None = None
    wall_at: float = 0.0


class Retried(_Event, frozen=True, tag="retry"):
    """A further attempt at a model call starts."""

    role: Role
    turn: int
    purpose: str
    ordinal: int
    number: int
    path: str = ""
    wall_at: float = 0.0


class Attempted(_Event, frozen=True, tag="attempt"):
    """One attempt at a call ended: with a reply, or with the cause of its failure.

    `final` marks the attempt that decided the call: its reply, or the error raised to the agent;
    its `time_us` is when that landed.
    """

    role: Role
    turn: int
    purpose: str
    ordinal: int
    number: int
    final: bool = False
    reply: Reply | None = None
    cause: str = ""
    detail: str = ""
    wall_at: float = 0.0
    wall_s: float = 0.0
    latency_s: float = 0.0
    path: str = ""
    time_us: int = 0


class Using(_Event, frozen=True, tag="use"):
    """A tool call starts. Its purpose is `tool`."""

    role: Role
    turn: int
    ordinal: int
    name: str
    arguments: Mapping[str, JSON]
    path: str = ""
    time_us: int = 0
    wall_at: float = 0.0


class Used(_Event, frozen=True, tag="tool"):
    """A tool answered. Traces of schema 1 hold no `Using`, and the arguments here."""

    role: Role
    turn: int
    ordinal: int
    name: str
    arguments: Mapping[str, JSON] = {}
    parts: tuple[Ref, ...] = ()
    error: str = ""
    latency_s: float = 0.0
    path: str = ""
    time_us: int = 0
    usage: Usage = Usage()
    cost_usd: float | None = 0.0


class Interrupted(_Event, frozen=True, tag="interrupted"):
    """What a kill cut off starts again, for the `times`th time.

    What it brought before is unknown and stays booked at `booked_usd`.
    """

    role: Role
    turn: int
    purpose: str
    ordinal: int
    times: int
    path: str = ""
    booked_usd: float | None = 0.0


class Landed(_Event, frozen=True, tag="landed"):
    """A sleep or a computation ended; noted where the wall's clock decides when.

    So is a reply that was held back, in a wall-clock game, for as long as its model takes.
    """

    role: Role
    turn: int
    purpose: str
    ordinal: int
    path: str = ""
    time_us: int = 0


class Overdue(_Event, frozen=True, tag="deadline"):
    """A decision was cut off by its deadline and counts as malformed."""

    role: Role
    turn: int
    time_us: int = 0


class Acted(_Event, frozen=True, tag="act"):
    """A decision reached the world. `action` is None when it was malformed.

    `answers_us` is the moment of the observation that it answers.
    """

    role: Role
    turn: int
    time_us: int
    action: str | None
    status: Status
    malformed: str = ""
    raw: str = ""
    thought: str = ""
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    rewards: Mapping[Role, float] = {}
    mail: tuple[Mail, ...] = ()
    state: str = ""
    score: float = 0.0
    answers_us: int = 0


class Late(_Event, frozen=True, tag="late"):
    """A decision came after the world's end, within the grace, and had no effect."""

    role: Role
    turn: int
    time_us: int
    action: str | None
    malformed: str = ""
    raw: str = ""
    thought: str = ""
    answers_us: int = 0


class Advanced(_Event, frozen=True, tag="advance"):
    """The passing of time changed the world."""

    time_us: int
    rewards: Mapping[Role, float] = {}
    mail: tuple[Mail, ...] = ()
    state: str = ""


class Ended(_Event, frozen=True, tag="end"):
    """Last line. `status` says whether the episode counts; `cause` why it ended.

    `cost_usd` counts calls that were cut off at the most they could cost, and `booked_usd` what
    kills cut off before they were made again. `metrics` holds the env's metrics; for a failed
    episode each metric's declared failed value.
    `roles` holds them by role where the env has several. `traceback` says where the fault of an
    agent, a tool or an env was raised; it names files and lines, so replay does not compare it.
    """

    status: EpisodeStatus
    cause: str
    metrics: Mapping[str, float] = {}
    roles: Mapping[Role, Mapping[str, float]] = {}
    winners: tuple[Role, ...] = ()
    turns: int = 0
    time_us: int = 0
    calls: int = 0
    attempts: int = 0
    usage: Usage = Usage()
    cost_usd: float | None = 0.0
    wall_s: float = 0.0
    booked_usd: float | None = 0.0
    traceback: str = ""


Event: TypeAlias = (
    Header
    | Said
    | Observed
    | Called
    | Retried
    | Attempted
    | Using
    | Used
    | Interrupted
    | Landed
    | Overdue
    | Acted
    | Late
    | Advanced
    | Ended
)

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Event).decode


def ref(part: Part) -> Ref:
    """How a trace names a part."""
    match part:
        case Text():
            return Ref("text", text=part.text)
        case Image():
            return Ref("image", digest=part.digest, shape=f"{part.width_px}x{part.height_px}")
        case Audio():
            return Ref("audio", digest=part.digest, shape=f"{part.rate_hz}/{part.channels}")
        case Video():
            shape = f"{part.width_px}x{part.height_px}@{float(part.fps)}"
            return Ref("video", digest=part.digest, shape=shape)


def said(message: Message, hash: str, parent: str) -> Said:
    """The event that stores a message."""
    return Said(
        hash,
        parent,
        message.speaker,
        tuple(ref(part) for part in message.parts),
        message.tool_calls,
        message.tool_call_id,
        message.reasoning,
        message.opaque,
    )


def unmeasured(event: Event) -> dict[str, Any]:
    """The event without the fields that measure one run: what replay compares."""
    stripped: dict[str, Any] = _strip(plain(event))
    if isinstance(event, Ended):
        stripped.pop("traceback", None)
    return stripped


def _strip(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _strip(item)
            for key, item in value.items()
            if not key.startswith("wall_") and key not in ("latency_s", "raw_id")
        }
    if isinstance(value, list | tuple):
        return [_strip(item) for item in value]
    return value
