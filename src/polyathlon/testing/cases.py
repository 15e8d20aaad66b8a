"""What the conformance checks are run on, and how they look at an env."""

from __future__ import annotations

import json
import pickle
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from types import FrameType
from typing import Any, TypeAlias

import msgspec

from polyathlon import registry
from polyathlon.core.canonical import canonical
from polyathlon.core.chance import stream
from polyathlon.core.parts import Audio, Image, Video
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Env, Observation
from polyathlon.testing.drive import Choose, Turn, play, state_hash

Factory: TypeAlias = Callable[[str | None], Env]

SEEDS = (0, 1)
SHORT = 24


class Case(msgspec.Struct, frozen=True):
    """One level of one env under one seed. `factory(level)` makes a fresh env."""

    factory: Factory
    spec: EnvSpec
    level: str
    seed: int

    def __str__(self) -> str:
        return f"{self.spec.id} level {self.level} seed {self.seed}"

    def env(self) -> Env:
        """A fresh env, not reset."""
        return self.factory(self.level)

    def started(self) -> Env:
        """A fresh env at the start of its episode."""
        env = self.env()
        env.reset(self.seed)
        return env

    def require(self, holds: bool, text: str) -> None:
        """Raise AssertionError with `text` unless it holds."""
        if not holds:
            raise AssertionError(f"{self}: {text}")

    def policy(self, name: str) -> Callable[..., Any] | None:
        """A declared policy, or None. Raises AssertionError when it is declared and missing."""
        if self.spec.id not in registry.env_specs():
            return None
        try:
            return registry.policy(self.spec.id, name)
        except (ImportError, AttributeError) as error:
            raise AssertionError(
                f"{self}: policy {name} is declared and missing: {error}"
            ) from error

    def random(self) -> Choose:
        """The env's random policy, or sampling where it has none."""
        rng = stream(self.seed, "conformance", "random")
        policy = self.policy("random")
        if policy is None:
            return lambda seen: seen.actions.sample(rng)
        return lambda seen: policy(seen, rng)

    def turns(self, count: int = SHORT) -> list[Turn]:
        """The first turns of a random game."""
        return list(islice(play(self.env(), self.seed, self.random()), count))

    def whole_game(self, env: Env, choose: Choose) -> Iterator[Turn]:
        """A game to its end; raises AssertionError when a role decides beyond the horizon."""
        decided: Counter[str | None] = Counter()
        for turn in play(env, self.seed, choose):
            decided[turn.role] += 1
            within = turn.role is None or decided[turn.role] <= self.spec.horizon
            self.require(within, f"{turn.role} decides beyond the horizon of {self.spec.horizon}")
            yield turn


def cases(
    env: str | Factory, levels: Sequence[str] | None = None, seeds: Sequence[int] = SEEDS
) -> list[Case]:
    """Every level (or the named ones) under every seed, of a registered id or a factory.

    A factory is called with a level name, or with None for its first level.
    """
    factory = partial(registry.make, env) if isinstance(env, str) else env
    spec = factory(None).spec
    return [Case(factory, spec, level, seed) for level in levels or spec.levels for seed in seeds]


def observations(turns: Iterable[Turn]) -> list[Observation]:
    """What was seen before each act."""
    return [turn.observation for turn in turns if turn.observation is not None]


def with_hidden(percept: Percept) -> Iterator[Percept]:
    """A percept, its counterfactuals and its aids."""
    yield percept
    for hidden in (*percept.counterfactuals.values(), *percept.aids):
        yield from with_hidden(hidden)


def percepts(seen: Iterable[Observation]) -> list[Percept]:
    """Every percept of some observations, counterfactuals and aids included."""
    return [each for one in seen for percept in one.percepts for each in with_hidden(percept)]


def fingerprint(seen: Observation) -> list[object]:
    """What an observation says, without rendering it."""
    moment = [seen.role, seen.turn, seen.time_us, seen.ask, seen.actions.describe()]
    return [
        *moment,
        [
            [p.channel, p.modality, p.keep, p.meaning, p.facts, list(p.counterfactuals)]
            for p in percepts([seen])
        ],
    ]


def ending(env: Env) -> list[object]:
    """How an episode ended, if it did, and its metrics so far."""
    return [env.outcome(), *(dict(env.metrics(role)) for role in (None, *env.spec.roles))]


def transcript(case: Case, env: Env, rendered: int) -> list[object]:
    """Everything a short random game promises: states, scenes, and pixels of its first looks."""
    env.reset(case.seed)
    lines: list[object] = [state_hash(env)]
    turns = list(islice(play(env, case.seed, case.random()), SHORT))
    lines += [turn.state for turn in turns]
    if "scenes" in case.spec.promises:
        lines += [fingerprint(seen) for seen in observations(turns)]
    if "pixels" in case.spec.promises:
        lines += [p.render().digest for p in percepts(observations(turns)[:rendered])]
    return lines


@contextmanager
def signals_built() -> Iterator[list[str]]:
    """The names of the signal parts that are built inside the block."""
    names = {kind.__post_init__.__code__: kind.__name__ for kind in (Image, Audio, Video)}
    built: list[str] = []

    def watch(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code in names:
            built.append(names[frame.f_code])

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield built
    finally:
        sys.setprofile(before)


def global_randomness() -> bytes:
    """The state of the generators that a whole process shares."""
    import random

    import numpy

    return pickle.dumps((random.getstate(), numpy.random.get_state()))


def pickles(value: Any) -> bool:
    """Whether a value can be sent to another process."""
    try:
        pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


def is_json(state: Any) -> bool:
    """Whether a state is plain JSON of finite numbers: decoding and encoding changes nothing."""
    try:
        written = canonical(state)
    except (TypeError, ValueError):
        return False
    return canonical(json.loads(written)) == written
