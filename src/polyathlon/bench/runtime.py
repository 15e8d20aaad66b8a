"""Cost of the runtime itself: a scripted model without latency, the full trace on disk.

A turn is everything from observation to recorded act: env, harness, request, reply, trace. The
model answers at once, so CPU time is the runtime's own.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import anyio

from polyathlon import registry
from polyathlon.agents.models.scripted import register_script
from polyathlon.bench import Benchmark
from polyathlon.core.agents import AgentSpec
from polyathlon.core.canonical import JSON
from polyathlon.core.episodes import EpisodeSpec, Limits
from polyathlon.core.models import Request
from polyathlon.experiments.coordinator import Coordinator
from polyathlon.experiments.rundir import create
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.worker import Worker

ENV = "lmgame/twenty48-v0"
WORDS = ("up", "left", "down", "right")
TEXT: Mapping[str, JSON] = {"perception": "symbolic", "history": 10}
CHAT: Mapping[str, JSON] = {"perception": "symbolic", "context": "chat"}
PICTURE: Mapping[str, JSON] = {"history": 10}
LARGE = {"size": 8, "horizon": 2_000}
EPISODES = 64
MESSAGES = 400
LAG_SAMPLE_S = 0.002


class _Stamps:
    """A scripted model that notes the CPU time of every call."""

    def __init__(self) -> None:
        self.taken_s: list[float] = []

    def __call__(self, request: Request) -> str:
        self.taken_s.append(time.process_time())
        return f"thought: bench\nmove: {WORDS[len(self.taken_s) % len(WORDS)]}"


def benchmarks() -> list[Benchmark]:
    """`turn/text`, `turn/picture`, `turn/late` and `loop-lag`."""
    return [
        Benchmark("turn/text", "ms", lambda: _turn_ms(TEXT)),
        Benchmark("turn/picture", "ms", lambda: _turn_ms(PICTURE)),
        Benchmark("turn/late", "ratio", lambda: max(_late(TEXT), _late(CHAT))),
        Benchmark("loop-lag", "ms", _loop_lag_ms),
    ]


def _turn_ms(harness: Mapping[str, JSON]) -> float:
    """Median CPU milliseconds a turn over whole games."""
    stamps = _played(harness, [{} for _ in range(8)])
    gaps = [b - a for a, b in itertools.pairwise(stamps)]
    return statistics.median(gaps) * 1e3


def _late(harness: Mapping[str, JSON], window: int = 40) -> float:
    """CPU of turns around the 1,000th over CPU of turns around the 30th of one episode."""
    stamps = _played(harness, [LARGE], turns=1_000 + window)
    gaps = [b - a for a, b in itertools.pairwise(stamps)]
    if len(gaps) < 1_000 + window // 2:
        raise RuntimeError(f"the game ended after {len(gaps)} turns")
    return statistics.median(gaps[-window:]) / statistics.median(gaps[10 : 10 + window])


def _loop_lag_ms() -> float:
    """99th percentile of how late a timer fires while 64 long chats are played."""
    lags: list[float] = []
    stamps = _Stamps()
    turns = MESSAGES // 2 + 20
    long_chats = EPISODES * MESSAGES // 2

    async def sample() -> None:
        while True:
            due = time.perf_counter() + LAG_SAMPLE_S
            await anyio.sleep(LAG_SAMPLE_S)
            if len(stamps.taken_s) > long_chats:
                lags.append(time.perf_counter() - due)

    register_script("bench", stamps)
    specs = _specs(CHAT, [LARGE] * EPISODES, turns)
    asyncio.run(_play(specs, EPISODES, sample))
    return statistics.quantiles(lags, n=100)[98] * 1e3


def _played(
    harness: Mapping[str, JSON], options: list[dict[str, int]], turns: int | None = None
) -> list[float]:
    """CPU times of all calls, the episodes one after the other."""
    stamps = _Stamps()
    register_script("bench", stamps)
    asyncio.run(_play(_specs(harness, options, turns), 1))
    return stamps.taken_s


def _specs(
    harness: Mapping[str, JSON], options: list[dict[str, int]], turns: int | None
) -> list[EpisodeSpec]:
    env = registry.env_spec(ENV)
    lineup = {"player": AgentSpec("llm", "scripted/bench", harness)}
    limits = Limits(turns=turns)
    return [
        EpisodeSpec(ENV, env.levels[0], env.configure(chosen), seed, lineup, limits=limits)
        for seed, chosen in enumerate(options)
    ]


async def _play(specs: list[EpisodeSpec], concurrency: int, beside: object = None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = create(Path(folder) / "bench", {"experiment": {}})
        settings = Settings(concurrency)
        coordinator = Coordinator(run, specs, settings)
        async with anyio.create_task_group() as group:
            if callable(beside):
                group.start_soon(beside)
            await Worker(run, settings, coordinator, concurrency).go()
            group.cancel_scope.cancel()
        coordinator.close()
