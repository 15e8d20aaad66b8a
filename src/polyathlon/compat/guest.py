"""A third-party Gymnasium env as a guest among ours: one role, one level of keyword arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces

from polyathlon.compat.vectors import Vector
from polyathlon.core.actions import ActionSpace, Labels, Malformed
from polyathlon.core.canonical import JSON, digest
from polyathlon.core.chance import Stream
from polyathlon.core.errors import UserError
from polyathlon.core.parts import Image
from polyathlon.core.percepts import Percept, text_percept
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Brief, Observation, Outcome, Role, Step

PLAYER: Role = "player"

Native: TypeAlias = gymnasium.Env[Any, Any]
Frame: TypeAlias = tuple[int, int, bytes]


class FromGymnasium:
    """What `from_gymnasium` registers. A malformed or illegal action does not step the env."""

    def __init__(
        self,
        spec: EnvSpec,
        native: Native,
        names: Sequence[str],
        text: Callable[[Any], str],
        picture: bool,
    ) -> None:
        self.spec = spec
        self._native = native
        self._text = text
        self._picture = picture
        self._space, self._decode = codec(native.action_space, names)

    def reset(self, seed: int) -> None:
        self._seed = seed
        self._seen, _ = self._native.reset(seed=seed)
        self._outcome: Outcome | None = None
        self._score = 0.0
        self._turns = self._invalid = 0
        self._log = ""

    def brief(self, role: Role) -> Brief:
        return Brief(
            task=self.spec.doc,
            rules=f"It ends by its own rules or after {self.spec.horizon} turns.",
            answer=f"Answer with {self._space.describe()}.",
        )

    def pending(self) -> tuple[Role, ...]:
        return () if self._outcome else (PLAYER,)

    def observe(self, role: Role) -> Observation:
        percepts = [text_percept("observation", self._text(self._seen))]
        if self._picture:
            pixels: Any = self._native.render()
            height_px, width_px, _ = pixels.shape
            scene: Frame = (width_px, height_px, np.asarray(pixels, np.uint8).tobytes())
            percepts.append(Percept("frame", "image", scene, draw))
        ask = "What do you do?"
        return Observation(PLAYER, self._turns, 0, tuple(percepts), ask, self._space)

    def act(self, role: Role, action: Any, answers_us: int = 0) -> Step:
        if self._outcome:
            return Step.illegal()
        self._turns += 1
        step = self._take(action)
        if self._outcome is None and self._turns >= self.spec.horizon:
            self._outcome = Outcome("horizon", truncated=True)
        return step

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def next_event_us(self) -> int | None:
        return None

    def outcome(self) -> Outcome | None:
        return self._outcome

    def metrics(self, role: Role | None = None) -> Mapping[str, float]:
        return {
            "raw_score": self._score,
            "invalid_rate": self._invalid / self._turns if self._turns else 0.0,
            "turns": float(self._turns),
        }

    def state(self) -> JSON:
        return {
            "seed": self._seed,
            "actions": self._log,
            "observation": words(self._seen),
            "score": self._score,
            "turns": self._turns,
            "invalid": self._invalid,
            "outcome": self._outcome.reason if self._outcome else "",
        }

    def _take(self, action: Any) -> Step:
        if isinstance(action, Malformed):
            self._invalid += 1
            return Step.malformed()
        written = self._space.write(action)
        if self._space.parse(written) != action:
            self._invalid += 1
            return Step.illegal()
        self._log = digest([self._log, written])
        seen, reward, terminated, truncated, _ = self._native.step(self._decode(action))
        self._seen = seen
        self._score += float(reward)
        if terminated or truncated:
            self._outcome = Outcome("terminated" if terminated else "truncated", not terminated)
        return Step.ok({PLAYER: float(reward)})


def random(observation: Observation, rng: Stream) -> Any:
    """Any action."""
    return observation.actions.sample(rng)


def words(value: Any) -> str:
    """A Gymnasium observation in words: arrays as nested lists, floats to 6 digits."""
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {words(item)}" for key, item in value.items())
    plain = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    if isinstance(plain, list | tuple):
        return f"[{', '.join(map(words, plain))}]"
    return f"{plain:.6g}" if isinstance(plain, float) else str(plain)


def draw(frame: Frame) -> Image:
    """A captured frame as a picture."""
    return Image(*frame)


def codec(space: Any, names: Sequence[str]) -> tuple[ActionSpace[Any], Callable[[Any], Any]]:
    """Our action space for a Gymnasium one, and the way from our actions to its."""
    if isinstance(space, spaces.Discrete):
        count, start = int(space.n), int(space.start)
        labels = tuple(names) or tuple(str(start + i) for i in range(count))
        if len(set(labels)) != count:
            raise UserError(f"the action space has {count} actions: name each of them once")
        return Labels(labels), lambda label: start + labels.index(label)
    if isinstance(space, spaces.MultiBinary):
        low, high, whole = np.zeros(space.shape), np.ones(space.shape), True
    elif isinstance(space, spaces.MultiDiscrete):
        low, high, whole = space.start, space.start + space.nvec - 1, True
    elif isinstance(space, spaces.Box):
        low, high, whole = space.low, space.high, bool(np.issubdtype(space.dtype, np.integer))
    else:
        raise UserError(f"cannot write actions of {space}: wrap it into Discrete or Box first")
    numbers = Vector(_flat(low), _flat(high), whole)
    return numbers, lambda action: np.array(action, space.dtype).reshape(space.shape)


def _flat(side: Any) -> tuple[float, ...]:
    return tuple(float(bound) for bound in side.flat)
