"""An env described: its spec as table rows, and what its roles are told and sense first."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from polyathlon.analysis import reference
from polyathlon.core.errors import UserError
from polyathlon.core.parts import Audio, Image, Modality, Part, Text, Video
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import Channel, EnvSpec, Metric, Option
from polyathlon.core.world import Brief, Env, Observation, Role

Row: TypeAlias = tuple[str, ...]

CHANNEL_HEAD = ("channel", "modality", "size", "sent", "what it carries")
METRIC_HEAD = ("metric", "unit", "better", "if failed", "what it counts")
BASELINE_HEAD = ("published", "metric", "mean", "sd", "runs", "source")
OPTION_HEAD = ("option", "default", "range", "what it sets")


class Sensed(msgspec.Struct, frozen=True):
    """A percept in words; `meaning` is None where words cannot say it.

    `form` is the signal's size and length, or what is missing here to make it.
    """

    channel: str
    modality: Modality
    meaning: str | None
    form: str = ""


class Seat(msgspec.Struct, frozen=True):
    """What one role is told and senses first."""

    role: Role
    brief: Brief
    percepts: tuple[Sensed, ...]
    ask: str
    actions: str


class Published(msgspec.Struct, frozen=True):
    """A published baseline: mean and standard deviation of `runs` runs, in a metric of the env."""

    source: str
    who: str
    metric: str
    mean: float
    sd: float
    runs: int


class Description(msgspec.Struct, frozen=True):
    """An env at the start of one episode, seen by the roles whose action it waits for."""

    spec: EnvSpec
    published: tuple[Published, ...]
    level: str
    seed: int
    seats: tuple[Seat, ...]


def describe(env: Env, level: str, seed: int) -> Description:
    """The description of an env that was reset to `seed`."""
    seats = tuple(_seat(env.brief(role), env.observe(role)) for role in env.pending())
    return Description(env.spec, published(env.spec, level), level, seed, seats)


def published(spec: EnvSpec, level: str) -> tuple[Published, ...]:
    """The published baselines of an env's level, with their source."""
    return tuple(
        Published(known.title, who, known.games[game].metric, *baselines[game])
        for known in map(reference.load, reference.NAMES)
        if (game := known.game_of(spec.id, level))
        for who, baselines in (("random", known.random), ("human", known.human))
    )


def _seat(brief: Brief, observation: Observation) -> Seat:
    percepts = tuple(
        Sensed(p.channel, p.modality, p.meaning, _form(p)) for p in observation.percepts
    )
    actions = observation.actions.describe()
    return Seat(observation.role, brief, percepts, observation.ask, actions)


def _form(percept: Percept) -> str:
    if percept.modality == "text":
        return ""
    try:
        return form(percept.render())
    except UserError as missing:
        return str(missing)


def about(percept: Sensed) -> str:
    """A percept's modality and form on one line."""
    return ", ".join(filter(None, (percept.modality, percept.form)))


def form(part: Part) -> str:
    """The size and length of a signal in words; "" for text."""
    match part:
        case Text():
            return ""
        case Image():
            return f"{part.width_px}x{part.height_px}"
        case Audio():
            sides = {1: "mono", 2: "stereo"}.get(part.channels, f"{part.channels} channels")
            return f"{part.duration_s:.1f} s, {part.rate_hz:,} Hz {sides}"
        case Video():
            rate = f"{part.frames} frames at {part.fps:g} a second"
            return f"{part.width_px}x{part.height_px}, {part.duration_s:.1f} s, {rate}"


def first_picture(env: Env) -> Image | None:
    """The first picture that a role whose action is awaited senses now, if any.

    Where there are only videos it is the first telling frame of one.
    """
    sensed = [percept for role in env.pending() for percept in env.observe(role).percepts]
    for percept in sorted(sensed, key=lambda percept: percept.modality != "image"):
        if percept.modality in ("image", "video"):
            return _picture(percept.render())
    return None


def _picture(part: Part) -> Image | None:
    if isinstance(part, Video):
        from polyathlon.media.video import sampled

        return next(iter(sampled(part, 1)), None)
    return part if isinstance(part, Image) else None


def fact_rows(spec: EnvSpec) -> list[tuple[str, str]]:
    """What a spec says in single lines."""
    facts = [
        ("roles", ", ".join(spec.roles)),
        ("levels", ", ".join(spec.levels)),
        ("clock", spec.clock),
        ("horizon", f"{spec.horizon} decisions a role"),
        ("score bounds", " to ".join("none" if b is None else f"{b:g}" for b in spec.bounds)),
        ("baselines", ", ".join(spec.policies)),
        ("tools", ", ".join(spec.tools)),
        ("reproducible", ", ".join(spec.promises)),
    ]
    return [(name, value) for name, value in facts if value]


def tables(shown: Description) -> dict[str, tuple[Row, list[Row]]]:
    """Channels, metrics, options and published baselines: a head and rows by title."""
    spec = shown.spec
    found: dict[str, tuple[Row, list[Row]]] = {
        "Channels": (CHANNEL_HEAD, [_channel(channel) for channel in spec.channels]),
        "Metrics": (METRIC_HEAD, [_metric(metric) for metric in spec.metrics]),
        "Options": (OPTION_HEAD, [_option(option) for option in spec.options]),
        "Published baselines": (BASELINE_HEAD, [_baseline(known) for known in shown.published]),
    }
    return {title: table for title, table in found.items() if table[1]}


def _channel(channel: Channel) -> Row:
    size = "x".join(map(str, channel.size_px)) if channel.size_px else ""
    sent = "always" if channel.default else "on request"
    return (channel.name, channel.modality, size, sent, channel.doc)


def _metric(metric: Metric) -> Row:
    better = "higher" if metric.higher_is_better else "lower"
    return (metric.name, metric.unit, better, f"{metric.failed:g}", metric.doc)


def _option(option: Option) -> Row:
    bounds = ["" if bound is None else f"{bound:g}" for bound in (option.low, option.high)]
    span = "..".join(bounds) if any(bounds) else ", ".join(option.choices)
    return (option.name, str(option.default), span, option.doc)


def _baseline(known: Published) -> Row:
    mean, sd = f"{known.mean:g}", f"{known.sd:g}"
    return (known.who, known.metric, mean, sd, str(known.runs), known.source)
