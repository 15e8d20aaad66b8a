"""Trace events: one JSON object a line, appended before anything depends on it.

Fields whose names begin with `wall_` and `latency_s` are measurements of one run; everything else
is equal in any two runs of the same episode. An episode's file is `episodes/ID.jsonl`, sealed to
`.jsonl.zst` when the episode ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

from polyathlon.core.canonical import JSON, plain
from polyathlon.core.episodes import EpisodeSpec, EpisodeStatus
from polyathlon.core.models import Message, Reply, Sampling, Speaker, ToolCall, Usage
from polyathlon.core.parts import Audio, Image, Modality, Part, Text, Video
from polyathlon.core.world import Mail, Role, Status

SCHEMA = 1


class _Event(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event"):
    pass


class Header(_Event, frozen=True, tag="header"):
    """First line: what is played and the versions of what made it."""

    schema: int
    id: str
    episode: EpisodeSpec
    env_version: str = ""
    package: str = ""


class Ref(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part in a trace: text in line, media by the hash of their raw signal.

    `shape` is `WxH` for images, `rate/channels` for audio, `WxH@fps` for video.
    """

    type: Modality
    text: str = ""
    digest: str = ""
    shape: str = ""


class Said(_Event, frozen=True, tag="message"):
    """One message, stored once under its chained hash; `parent` is the message before it."""

    hash: str
    parent: str
    speaker: Speaker
    parts: tuple[Ref, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    reasoning: str = ""


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
    """A model call was started. Its key is (role, turn, purpose, ordinal)."""

    role: Role
    turn: int
    purpose: str
    ordinal: int
    model: str
    request: str
    head: str
    sampling: Sampling = Sampling()
    time_us: int = 0


class Attempted(_Event, frozen=True, tag="attempt"):
    """One attempt at a call ended: with a reply, or with the cause of its failure.

    `final` marks the attempt that decided the call: its reply, or the error raised to the agent.
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


class Used(_Event, frozen=True, tag="tool"):
    """A tool answered. Its key is (role, turn, ordinal)."""

    role: Role
    turn: int
    ordinal: int
    name: str
    arguments: Mapping[str, JSON]
    parts: tuple[Ref, ...] = ()
    error: str = ""
    latency_s: float = 0.0


class Overdue(_Event, frozen=True, tag="deadline"):
    """A decision was cut off by its deadline and counts as malformed."""

    role: Role
    turn: int


class Acted(_Event, frozen=True, tag="act"):
    """A decision reached the world. `action` is None when it was malformed."""

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


class Advanced(_Event, frozen=True, tag="advance"):
    """Time passed without an act."""

    time_us: int
    rewards: Mapping[Role, float] = {}
    mail: tuple[Mail, ...] = ()
    state: str = ""


class Ended(_Event, frozen=True, tag="end"):
    """Last line. `status` says whether the episode counts; `cause` why it ended.

    `metrics` holds the env's metrics; for a failed episode each metric's declared failed value.
    `roles` holds them by role where the env has several.
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


Event: TypeAlias = (
    Header | Said | Observed | Called | Attempted | Used | Overdue | Acted | Advanced | Ended
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
            shape = f"{part.width_px}x{part.height_px}@{part.fps}"
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
    )


def unmeasured(event: Event) -> dict[str, Any]:
    """The event without the fields that measure one run: what replay compares."""
    stripped: dict[str, Any] = _strip(plain(event))
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
