"""A role of an env as learners see it: spaces, observations as arrays, actions as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from gymnasium import spaces

from polyathlon.core.actions import ActionSpace, Labels
from polyathlon.core.errors import UserError
from polyathlon.core.parts import Image
from polyathlon.core.world import Env, Mail, Observation, Role, Step

ASCII = "".join(map(chr, range(32, 127))) + "\n\t"
ACTION_CHARS = 1_000
DEFAULT_TICK_US = 1_000

Seen: TypeAlias = dict[str, Any]


@runtime_checkable
class Enumerated(Protocol):
    """An action space whose actions can be listed as texts."""

    @property
    def everything(self) -> tuple[str, ...]:
        """The actions of every moment, always the same."""
        ...

    @property
    def offered(self) -> tuple[str, ...]:
        """Those that `sample` draws from at this moment."""
        ...


class Seat:
    """One role of an env that has been reset; `images` are channels that show it a picture now.

    `labels` are the texts of its actions: those of `actions`, else those the space lists; () for
    a space that lists none, whose actions are text.
    """

    def __init__(
        self,
        env: Env,
        role: Role,
        images: Sequence[str],
        actions: Sequence[str],
        text_chars: int,
    ) -> None:
        self._env = env
        self._role = role
        self._told = {channel.name for channel in env.spec.channels if channel.default}
        self._text_chars = text_chars
        first = env.observe(role)
        self.labels = tuple(actions) or _listed(first.actions)
        self.action_space: spaces.Space[Any] = (
            spaces.Discrete(len(self.labels))
            if self.labels
            else spaces.Text(ACTION_CHARS, charset=ASCII)
        )
        self._blank = {name: np.zeros_like(_picture(first, name)) for name in images}
        self.spaces: dict[str, spaces.Space[Any]] = {
            "text": spaces.Text(text_chars, charset=ASCII),
            **{
                name: spaces.Box(0, 255, blank.shape, np.uint8)
                for name, blank in self._blank.items()
            },
        }

    def look(self, seen: Observation, mail: Sequence[Mail] = ()) -> Seen:
        """An observation as a value of `spaces`; mail comes first in the text.

        Raises UserError for text that outgrows its space.
        """
        told = [
            f"{percept.channel}: {percept.meaning}"
            for percept in seen.percepts
            if percept.channel in self._told and percept.tell is not None
        ]
        heard = [f"{item.sender} says: {item.text}" for item in mail]
        lines = "\n".join([*heard, *told, seen.ask])
        text = lines.encode("ascii", "backslashreplace").decode()
        if len(text) > self._text_chars:
            raise UserError(f"an observation has {len(text)} characters: raise text_chars")
        shown = {percept.channel for percept in seen.percepts}
        pictures = {
            name: _picture(seen, name) if name in shown else blank.copy()
            for name, blank in self._blank.items()
        }
        return {"text": text, **pictures}

    def mask(self, now: ActionSpace[Any]) -> Any:
        """1 for each label that may be chosen now, int8. Raises UserError for unlisted labels."""
        offered = _offered(now) or self.labels
        beyond = sorted(set(offered) - set(self.labels))
        if beyond:
            raise UserError(f"{self._env.spec.id} also offers {beyond}: list them in actions=")
        return np.array([label in offered for label in self.labels], np.int8)

    def act(self, action: Any) -> Step:
        """Take a value of `action_space`."""
        now = self._env.observe(self._role).actions
        text = self.labels[int(action)] if self.labels else str(action)
        return self._env.act(self._role, text if isinstance(now, Labels) else now.parse(text))

    def picture(self) -> Any:
        """The first picture of this moment, uint8, height x width x 3."""
        seen = self._env.observe(self._role)
        shown = [percept.channel for percept in seen.percepts if percept.modality == "image"]
        if not shown:
            raise UserError(f"{self._env.spec.id} shows no picture at this moment")
        return _picture(seen, shown[0])


class Ticker:
    """Lets the time of an env pass."""

    def __init__(self, env: Env) -> None:
        self._env = env
        self._time_us = 0

    def tick(self) -> Step:
        """One tick."""
        return self._pass(self._ticked_us)

    def until_asked(self) -> Iterator[Step]:
        """From one event of the world to its next until it waits for an action, or is over.

        A world without a clock is ticked. Raises RuntimeError for one that waits for nobody and
        announces nothing.
        """
        env = self._env
        while env.outcome() is None and not env.pending():
            clocked = env.spec.clock == "real"
            due_us = env.next_event_us() if clocked else self._ticked_us
            if due_us is None or due_us <= self._time_us:
                raise RuntimeError(
                    f"{env.spec.id} waits for nobody and announces nothing: "
                    "next_event_us() must name a later time"
                )
            yield self._pass(due_us)

    @property
    def _ticked_us(self) -> int:
        return self._time_us + (self._env.spec.tick_us or DEFAULT_TICK_US)

    def _pass(self, time_us: int) -> Step:
        self._time_us = time_us
        return self._env.advance_to(time_us)


def metadata(env: Env) -> dict[str, Any]:
    """What both libraries want to know about rendering."""
    pictured = any(channel.modality == "image" for channel in env.spec.channels)
    return {"render_modes": ["rgb_array"] if pictured else [], "render_fps": 4}


def _listed(space: ActionSpace[Any]) -> tuple[str, ...]:
    match space:
        case Labels():
            return space.labels
        case Enumerated():
            return space.everything
    return ()


def _offered(space: ActionSpace[Any]) -> tuple[str, ...]:
    match space:
        case Labels():
            return space.labels
        case Enumerated():
            return space.offered
    return ()


def _picture(seen: Observation, channel: str) -> Any:
    for percept in seen.percepts:
        if percept.channel == channel:
            part = percept.render()
            if isinstance(part, Image):
                flat = np.frombuffer(part.rgb, np.uint8)
                return flat.reshape(part.height_px, part.width_px, 3).copy()
    raise UserError(f"no picture on channel {channel!r}: it must show one when an episode begins")
