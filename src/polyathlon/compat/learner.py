"""An env of one role as a learner's Gymnasium env."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces

from polyathlon.core.actions import ActionSpace, Labels
from polyathlon.core.errors import UserError
from polyathlon.core.parts import Image
from polyathlon.core.world import Env, Observation, Status

ASCII = "".join(map(chr, range(32, 127))) + "\n\t"
ACTION_CHARS = 1_000
DEFAULT_TICK_US = 1_000

Seen: TypeAlias = dict[str, Any]


class ToGymnasium(gymnasium.Env[Seen, Any]):
    """What `to_gymnasium` makes. In a clocked world each step lets one tick pass."""

    def __init__(
        self,
        env: Env,
        images: Sequence[str],
        actions: Sequence[str],
        text_chars: int,
        render_mode: str | None,
    ) -> None:
        pictured = any(channel.modality == "image" for channel in env.spec.channels)
        self.metadata = {"render_modes": ["rgb_array"] if pictured else [], "render_fps": 4}
        self.render_mode = render_mode
        self._env = env
        self._role = env.spec.roles[0]
        self._told = {channel.name for channel in env.spec.channels if channel.default}
        self._time_us = 0
        env.reset(0)
        first = env.observe(self._role)
        offered = first.actions.labels if isinstance(first.actions, Labels) else ()
        self._labels = tuple(actions) or offered
        self.action_space = (
            spaces.Discrete(len(self._labels))
            if self._labels
            else spaces.Text(ACTION_CHARS, charset=ASCII)
        )
        pictures = {name: _picture(first, name) for name in images}
        self._blank = {name: np.zeros_like(picture) for name, picture in pictures.items()}
        self.observation_space = spaces.Dict(
            {"text": spaces.Text(text_chars, charset=ASCII)}
            | {
                name: spaces.Box(0, 255, blank.shape, np.uint8)
                for name, blank in self._blank.items()
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Start an episode; without a seed the next one is drawn from the env's generator."""
        super().reset(seed=seed)
        self._env.reset(int(self.np_random.integers(2**31)) if seed is None else seed)
        self._time_us = 0
        self._until_asked()
        return self._look("ok")

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Act, and let time pass until the world waits for an action again."""
        now = self._env.observe(self._role).actions
        text = self._labels[int(action)] if self._labels else str(action)
        step = self._env.act(self._role, text if isinstance(now, Labels) else now.parse(text))
        reward = step.rewards.get(self._role, 0.0)
        if self._env.spec.clock == "real":
            reward += self._tick()
        reward += self._until_asked()
        outcome = self._env.outcome()
        seen, info = self._look(step.status)
        truncated = outcome is not None and outcome.truncated
        return seen, reward, outcome is not None and not truncated, truncated, info

    def render(self) -> Any:
        """The first picture of this moment (uint8, height x width x 3) under `rgb_array`."""
        if self.render_mode != "rgb_array":
            return None
        seen = self._env.observe(self._role)
        shown = [percept.channel for percept in seen.percepts if percept.modality == "image"]
        if not shown:
            raise UserError(f"{self._env.spec.id} shows no picture at this moment")
        return _picture(seen, shown[0])

    def _until_asked(self) -> float:
        reward = 0.0
        while self._env.outcome() is None and not self._env.pending():
            reward += self._tick()
        return reward

    def _tick(self) -> float:
        self._time_us += self._env.spec.tick_us or DEFAULT_TICK_US
        return self._env.advance_to(self._time_us).rewards.get(self._role, 0.0)

    def _look(self, status: Status) -> tuple[Seen, dict[str, Any]]:
        seen = self._env.observe(self._role)
        told = [
            f"{percept.channel}: {percept.meaning}"
            for percept in seen.percepts
            if percept.channel in self._told and percept.tell is not None
        ]
        text = "\n".join([*told, seen.ask]).encode("ascii", "backslashreplace").decode()
        space = self.observation_space["text"]  # type: ignore[index]
        if len(text) > space.max_length:
            raise UserError(f"an observation has {len(text)} characters: raise text_chars")
        shown = {percept.channel for percept in seen.percepts}
        pictures = {
            name: _picture(seen, name) if name in shown else blank.copy()
            for name, blank in self._blank.items()
        }
        info: dict[str, Any] = {"metrics": dict(self._env.metrics()), "status": status}
        if self._labels:
            info["action_mask"] = self._mask(seen.actions)
        return {"text": text, **pictures}, info

    def _mask(self, now: ActionSpace[Any]) -> Any:
        offered = now.labels if isinstance(now, Labels) else self._labels
        beyond = sorted(set(offered) - set(self._labels))
        if beyond:
            raise UserError(f"{self._env.spec.id} also offers {beyond}: list them in actions=")
        return np.array([label in offered for label in self._labels], np.int8)


def _picture(seen: Observation, channel: str) -> Any:
    for percept in seen.percepts:
        if percept.channel == channel:
            part = percept.render()
            if isinstance(part, Image):
                flat = np.frombuffer(part.rgb, np.uint8)
                return flat.reshape(part.height_px, part.width_px, 3).copy()
    raise UserError(f"no picture on channel {channel!r}: it must show one when an episode begins")
