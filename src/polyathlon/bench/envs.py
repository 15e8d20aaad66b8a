"""Throughput of envs: random play on one core, as text and with an encoded picture.

A step is: observe, perceive, sample a uniformly random action, act; resets are included. Time is
CPU time, so that other work on the machine counts as little as possible.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from functools import partial

from polyathlon import registry
from polyathlon.bench import Benchmark
from polyathlon.core.chance import stream
from polyathlon.core.parts import Image
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Env, Observation

UNIT = "steps/s"
WARM_UP_S = 0.2
INTERVAL_S = 0.5
INTERVALS = 3
CHUNK = 10


def benchmarks() -> list[Benchmark]:
    """`NAME/text` for every env without a clock, `NAME/picture` for those that show one."""
    found: list[Benchmark] = []
    for spec in registry.env_specs().values():
        if spec.clock != "none":
            continue
        name = short_name(spec)
        found.append(Benchmark(f"{name}/text", UNIT, partial(steps_per_s, spec.id, in_words)))
        if any(channel.modality == "image" for channel in spec.channels):
            measure = partial(steps_per_s, spec.id, in_pictures)
            found.append(Benchmark(f"{name}/picture", UNIT, measure))
    return found


def short_name(spec: EnvSpec) -> str:
    """`lmgame/sokoban-v0` is `sokoban`."""
    return spec.id.rsplit("/", 1)[-1].rsplit("-v", 1)[0]


def steps_per_s(id: str, perceive: Callable[[Observation], object]) -> float:
    """Steps a CPU second of random play on the first level: the best of a few intervals."""
    steps = _random_play(registry.make(id), perceive)
    _rate(steps, WARM_UP_S)
    return max(_rate(steps, INTERVAL_S) for _ in range(INTERVALS))


def in_words(observation: Observation) -> list[str | None]:
    """The meaning of every percept."""
    return [percept.meaning for percept in observation.percepts]


def in_pictures(observation: Observation) -> list[bytes]:
    """Every picture, rendered and encoded as PNG."""
    from polyathlon.media import png

    rendered = (percept.render() for percept in observation.percepts)
    return [png.encode(part) for part in rendered if isinstance(part, Image)]


def played(env: Env) -> Iterator[Observation]:
    """What is observed in uniformly random play, game after game; the act follows each."""
    rng = stream(0, "bench", env.spec.id)
    for seed in itertools.count():
        env.reset(seed)
        while roles := env.pending():
            for role in roles:
                observation = env.observe(role)
                yield observation
                env.act(role, observation.actions.sample(rng))


def _random_play(env: Env, perceive: Callable[[Observation], object]) -> Iterator[None]:
    for observation in played(env):
        perceive(observation)
        yield


def _rate(steps: Iterator[None], seconds: float) -> float:
    start, taken, spent = time.process_time(), 0, 0.0
    while spent < seconds:
        for _ in itertools.islice(steps, CHUNK):
            taken += 1
        spent = time.process_time() - start
    return taken / spent
