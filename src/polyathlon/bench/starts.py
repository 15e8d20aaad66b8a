"""How a run begins: many episodes are set up at once while the event loop stays responsive."""

from __future__ import annotations

import asyncio
import math
import statistics
import time

import anyio

from polyathlon import registry
from polyathlon.agents.models.scripted import scripted
from polyathlon.bench import Benchmark
from polyathlon.bench.runtime import GAME, TEXT, play
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import EpisodeSpec, Limits
from polyathlon.core.models import Model, Reply, Request

EPISODES = 5_000
LAG_SAMPLE_S = 0.002


def benchmarks() -> list[Benchmark]:
    """`start-lag`: 5,000 episodes in one process."""
    return [Benchmark("start-lag", "ms", start_lag_ms)]


class _Gathering:
    """A model that answers nobody until `expected` calls are in flight, at `asked_s`."""

    def __init__(self, model: Model, expected: int) -> None:
        self.name, self.group, self.in_flight = "bench/gathering", "bench", expected
        self.abilities, self.price, self.latency = model.abilities, model.price, model.latency
        self.close = model.close
        self._model, self._expected = model, expected
        self._all_asked = anyio.Event()
        self.asked_s = math.inf

    async def complete(self, request: Request) -> Reply:
        self._expected -= 1
        if not self._expected:
            self.asked_s = time.perf_counter()
            self._all_asked.set()
        await self._all_asked.wait()
        return await self._model.complete(request)


def start_lag_ms(episodes: int = EPISODES) -> float:
    """99th percentile of how late a timer of every 2 ms fires until all episodes have begun.

    A late timer is late for all that were due meanwhile, so that one long stall counts in full.
    """
    model = _Gathering(scripted("constant:thought: bench\nmove: up"), episodes)
    registry.register("models", "bench", lambda name: model)
    env = registry.env_spec(GAME)
    lineup = {"player": AgentSpec("llm", model.name, TEXT)}
    options, limits = env.configure({}), Limits(turns=1)
    specs = [
        EpisodeSpec(env.id, env.levels[0], options, seed, lineup, limits=limits)
        for seed in range(episodes)
    ]
    lags_s: list[float] = []

    async def sample() -> None:
        due = time.perf_counter() + LAG_SAMPLE_S
        while due < model.asked_s:
            await anyio.sleep(max(0.0, due - time.perf_counter()))
            now = min(time.perf_counter(), model.asked_s)
            while due <= now:
                lags_s.append(now - due)
                due += LAG_SAMPLE_S

    asyncio.run(play(specs, episodes, sample))
    return statistics.quantiles(lags_s, n=100)[98] * 1e3
