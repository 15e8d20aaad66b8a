"""PettingZoo: our envs of several roles for its learners.

Needs the extra `pettingzoo`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from gymnasium.utils.seeding import np_random
from pettingzoo import AECEnv  # type: ignore[import-untyped]

from polyathlon import registry
from polyathlon.compat.seat import Seat, Seen, Ticker, metadata
from polyathlon.core.errors import unknown
from polyathlon.core.world import Env, Mail, Role, Step

Space: TypeAlias = spaces.Space[Any]


def to_pettingzoo(
    id: str,
    level: str | None = None,
    options: Mapping[str, object] | None = None,
    *,
    images: Sequence[str] = (),
    actions: Sequence[str] = (),
    text_chars: int = 20_000,
    render_mode: str | None = None,
) -> ToPettingZoo:
    """A registered env as a PettingZoo AEC env whose agents are its roles.

    An observation is a dict: `text`, the mail since the agent's last act, the meanings of the
    default channels and the question, in ASCII with other characters escaped; for each channel of
    `images` that the role has when an episode begins its picture (uint8, height x width x 3;
    black at moments without one); and for `Discrete` actions `action_mask` (int8, 1 where the
    action may be chosen now, all 0 while the world waits for others). Actions are `Discrete` over
    `actions`, or over those that the role's action space lists; roles whose actions cannot be
    listed take `Text`. `infos` hold `metrics` and the `status` of the agent's last act.

    All agents terminate when the game is over; one that is out earlier is not asked any more.
    Where all roles act at once and no clock runs, `pettingzoo.utils.aec_to_parallel` makes a
    parallel env of it.

    Raises UserError for a channel that shows no role a picture, and for text that outgrows
    `text_chars`.
    """
    env = registry.make(id, level, options)
    return ToPettingZoo(env, images, actions, text_chars, render_mode)


class ToPettingZoo(AECEnv):  # type: ignore[misc]
    """What `to_pettingzoo` makes.

    Each role that the world waits for acts once; then, in a clocked world, one tick passes.
    """

    def __init__(
        self,
        env: Env,
        images: Sequence[str],
        actions: Sequence[str],
        text_chars: int,
        render_mode: str | None,
    ) -> None:
        env.reset(0)
        roles = env.spec.roles
        self.metadata = {
            **metadata(env),
            "name": env.spec.id.replace("/", "_").replace("-", "_"),
            "is_parallelizable": env.spec.clock == "none" and env.pending() == roles,
        }
        self.render_mode = render_mode
        self.possible_agents = list(roles)
        self._env = env
        self._random = np_random()[0]
        shown = {role: _shown(env, role, images) for role in roles}
        for name in set(images) - {name for names in shown.values() for name in names}:
            raise unknown("channel with a picture at the start", name, _pictured(env))
        self._seats = {role: Seat(env, role, shown[role], actions, text_chars) for role in roles}
        self._spaces = {role: _observations(seat) for role, seat in self._seats.items()}

    def observation_space(self, agent: Role) -> Space:
        """What `observe` gives an agent."""
        return self._spaces[agent]

    def action_space(self, agent: Role) -> Space:
        """What `step` takes from an agent."""
        return self._seats[agent].action_space

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode; without a seed the next one is drawn from the env's generator."""
        if seed is not None:
            self._random = np_random(seed)[0]
        self._env.reset(int(self._random.integers(2**31)) if seed is None else seed)
        self._ticker = Ticker(self._env)
        self._mail: dict[Role, list[Mail]] = {role: [] for role in self.possible_agents}
        self._status = dict.fromkeys(self.possible_agents, "ok")
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._queue: list[Role] = []
        self._go_on()

    def observe(self, agent: Role) -> Seen:
        """What an agent senses now, whether or not it is asked."""
        seat = self._seats[agent]
        seen = self._env.observe(agent)
        observation = seat.look(seen, self._mail[agent])
        if seat.labels:
            asked = agent in self._env.pending()
            mask = seat.mask(seen.actions)
            observation["action_mask"] = mask if asked else np.zeros_like(mask)
        return observation

    def step(self, action: Any) -> None:
        """Act for `agent_selection`, and let time pass until somebody is asked."""
        role = self.agent_selection
        if self.terminations[role] or self.truncations[role]:
            self._was_dead_step(action)
            return
        self._clear_rewards()
        self._cumulative_rewards[role] = 0.0
        step = self._seats[role].act(action)
        self._status[role] = step.status
        self._mail[role] = []
        self._bring(step)
        if not self._queue and self._env.spec.clock == "real":
            self._bring(self._ticker.tick())
        self._go_on()
        self._accumulate_rewards()

    def render(self) -> Any:
        """The first picture `agent_selection` is shown (uint8, height x width x 3)."""
        if self.render_mode != "rgb_array":
            return None
        return self._seats[self.agent_selection].picture()

    def close(self) -> None:
        """Nothing is held open."""

    def _go_on(self) -> None:
        """Select who acts next, or end the episode for all."""
        for step in self._ticker.until_asked():
            self._bring(step)
        outcome = self._env.outcome()
        if outcome is None:
            pending = self._env.pending()
            self._queue = [role for role in self._queue if role in pending] or list(pending)
            self.agent_selection = self._queue.pop(0)
        else:
            self.agent_selection = self.agents[0]
            ended = self.truncations if outcome.truncated else self.terminations
            ended.update(dict.fromkeys(self.agents, True))
        self.infos = {
            role: {"metrics": dict(self._env.metrics(role)), "status": self._status[role]}
            for role in self.agents
        }

    def _bring(self, step: Step) -> None:
        for role, reward in step.rewards.items():
            self.rewards[role] += reward
        for mail in step.mail:
            for role in mail.to:
                self._mail[role].append(mail)


def _shown(env: Env, role: Role, images: Sequence[str]) -> tuple[str, ...]:
    pictures = {p.channel for p in env.observe(role).percepts if p.modality == "image"}
    return tuple(name for name in images if name in pictures)


def _pictured(env: Env) -> list[str]:
    return [channel.name for channel in env.spec.channels if channel.modality == "image"]


def _observations(seat: Seat) -> Space:
    if not seat.labels:
        return spaces.Dict(seat.spaces)
    return spaces.Dict({**seat.spaces, "action_mask": spaces.MultiBinary(len(seat.labels))})
