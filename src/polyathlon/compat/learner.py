"""An env of one role as a learner's Gymnasium env."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
from gymnasium import spaces

from polyathlon.compat.seat import Seat, Seen, Ticker, metadata
from polyathlon.core.world import Env, Status, Step


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
        self.metadata = metadata(env)
        self.render_mode = render_mode
        self._env = env
        self._role = env.spec.roles[0]
        env.reset(0)
        self._ticker = Ticker(env)
        self._seat = Seat(env, self._role, images, actions, text_chars)
        self.action_space = self._seat.action_space
        self.observation_space = spaces.Dict(self._seat.spaces)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Start an episode; without a seed the next one is drawn from the env's generator."""
        super().reset(seed=seed)
        self._env.reset(int(self.np_random.integers(2**31)) if seed is None else seed)
        self._ticker = Ticker(self._env)
        for _ in self._ticker.until_asked():
            pass
        return self._look("ok")

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Act, and let time pass until the world waits for an action again."""
        step = self._seat.act(action)
        reward = self._reward(step)
        if self._env.spec.clock == "real":
            reward += self._reward(self._ticker.tick())
        reward += sum(map(self._reward, self._ticker.until_asked()))
        outcome = self._env.outcome()
        seen, info = self._look(step.status)
        truncated = outcome is not None and outcome.truncated
        return seen, reward, outcome is not None and not truncated, truncated, info

    def render(self) -> Any:
        """The first picture of this moment (uint8, height x width x 3) under `rgb_array`."""
        return self._seat.picture() if self.render_mode == "rgb_array" else None

    def _reward(self, step: Step) -> float:
        return step.rewards.get(self._role, 0.0)

    def _look(self, status: Status) -> tuple[Seen, dict[str, Any]]:
        seen = self._env.observe(self._role)
        info: dict[str, Any] = {"metrics": dict(self._env.metrics()), "status": status}
        if self._seat.labels:
            info["action_mask"] = self._seat.mask(seen.actions)
        return self._seat.look(seen), info
