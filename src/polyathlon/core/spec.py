"""EnvSpec: what an env is, as data that can be read without importing its rules."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from polyathlon.core.errors import UserError, unknown
from polyathlon.core.parts import Modality

Clock: TypeAlias = Literal["none", "real"]


class Channel(msgspec.Struct, frozen=True):
    """One way a role senses. Channels that are not `default` must be asked for."""

    name: str
    modality: Modality
    doc: str
    default: bool = True
    size_px: tuple[int, int] | None = None


class Metric(msgspec.Struct, frozen=True):
    """A number of an episode; `failed` is the value a failed episode scores.

    `event` says that it is 1 when something happened and else 0, so that its mean is a rate.
    """

    name: str
    doc: str
    unit: str = ""
    higher_is_better: bool = True
    failed: float = 0.0
    event: bool = False


class Option(msgspec.Struct, frozen=True):
    """A parameter of the rules, with its default and bounds."""

    name: str
    default: bool | int | float | str
    doc: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    def check(self, value: object) -> bool | int | float | str:
        """`value` as this option's type, or a UserError that says what is allowed."""
        try:
            parsed = self._convert(value)
        except (ValueError, KeyError):
            kind = type(self.default).__name__
            raise UserError(f"option {self.name} takes a {kind}, not {value!r}") from None
        if self.choices and parsed not in self.choices:
            raise unknown(f"value for option {self.name}", str(value), self.choices)
        if isinstance(parsed, int | float) and not isinstance(parsed, bool):
            low = -math.inf if self.low is None else self.low
            high = math.inf if self.high is None else self.high
            if not low <= parsed <= high:
                raise UserError(f"option {self.name} must lie in {low}..{high}, not {value!r}")
        return parsed

    def _convert(self, value: object) -> bool | int | float | str:
        if isinstance(self.default, bool):
            return _BOOLEAN[str(value).lower()]
        if isinstance(self.default, int):
            return int(str(value))
        if isinstance(self.default, float):
            return float(str(value))
        return str(value)


_BOOLEAN = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}


class EnvSpec(msgspec.Struct, frozen=True):
    """What an env is. `entry` is the package that holds its six modules, or `module:factory`.

    `baselines` is the module of its policies; "" means `entry` + `.baselines` for a package.
    `horizon` is the number of decisions per role after which the env truncates itself.
    `tick_us` is how far `turns` and `stepped` let time pass where the experiment does not say;
    `pause_us` how long a player in real time rests after each act, 0 for a tick. Each act of the
    role that `buys_time` lets time pass under `stepped`; "" is the first role.
    `aliases` are other names of levels. `bounds` are the least and greatest `raw_score`; None
    where there is no bound. The roles of a `cooperative` env win or lose together. `samples` are
    the levels that golden playthroughs and quick tests look at; () means all.
    """

    id: str
    title: str
    doc: str
    entry: str
    roles: tuple[str, ...]
    channels: tuple[Channel, ...]
    levels: tuple[str, ...]
    metrics: tuple[Metric, ...]
    options: tuple[Option, ...] = ()
    clock: Clock = "none"
    tick_us: int = 0
    pause_us: int = 0
    buys_time: str = ""
    horizon: int = 1_000
    bounds: tuple[float | None, float | None] = (None, None)
    context: Literal["canonical", "chat"] = "canonical"
    tools: tuple[str, ...] = ()
    promises: tuple[str, ...] = ("states", "scenes", "pixels")
    policies: tuple[str, ...] = ("random", "oracle")
    baselines: str = ""
    aliases: Mapping[str, str] = {}
    cooperative: bool = False
    samples: tuple[str, ...] = ()

    @property
    def buyer(self) -> str:
        """The role whose acts let time pass under `stepped`."""
        return self.buys_time or self.roles[0]

    @property
    def sampled(self) -> tuple[str, ...]:
        """The levels that stand for all of them."""
        return self.samples or self.levels

    def level(self, name: str | None) -> str:
        """A level by its name or alias, checked; None means the first."""
        if name is None:
            return self.levels[0]
        name = self.aliases.get(name, name)
        if name not in self.levels:
            raise unknown(f"level of {self.id}", name, self.levels)
        return name

    def configure(self, options: Mapping[str, object]) -> dict[str, bool | int | float | str]:
        """Every option with its value, defaults filled in; a UserError for a wrong one."""
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                raise unknown(f"option of {self.id}", name, known)
        return {
            name: option.check(options.get(name, option.default)) for name, option in known.items()
        }

    def channel(self, name: str) -> Channel:
        """A channel by its name, or a UserError with the names there are."""
        for channel in self.channels:
            if channel.name == name:
                return channel
        raise unknown(f"channel of {self.id}", name, [c.name for c in self.channels])

    def metric(self, name: str) -> Metric:
        """A metric by its name, or a UserError with the names there are."""
        for metric in self.metrics:
            if metric.name == name:
                return metric
        raise unknown(f"metric of {self.id}", name, [m.name for m in self.metrics])
