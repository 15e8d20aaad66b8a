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

GAME, GAME_WORDS = "lmgame/twenty48-v0", ("up", "left", "down", "right")
WALK, WALK_WORDS = "lmgame/sokoban-v0", ("up", "down")
ENDLESS = {"stuck": 1_000, "horizon": 5_000, "deadlock": False}
TEXT: Mapping[str, JSON] = {"perception": "symbolic", "history": 10}
CHAT: Mapping[str, JSON] = {"perception": "symbolic", "context": "chat"}
PICTURE: Mapping[str, JSON] = {"history": 10}
EPISODES = 64
MESSAGES = 400
LAG_SAMPLE_S = 0.002


class _Stamps:
    """A scripted model that notes the CPU time of every call and says its words in turn."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self._words = words
        self.taken_s: list[float] = []

    def __call__(self, request: Request) -> str:
        self.taken_s.append(time.process_time())
        return f"thought: bench\nmove: {self._words[len(self.taken_s) % len(self._words)]}"


def benchmarks() -> list[Benchmark]:
    """`turn/text`, `turn/picture`, `turn/late` and `loop-lag`."""
    return [
        Benchmark("turn/text", "ms", lambda: _turn_ms(TEXT)),
        Benchmark("turn/picture", "ms", lambda: _turn_ms(PICTURE)),
        Benchmark("turn/late", "ratio", lambda: max(_late(TEXT), _late(CHAT))),
        Benchmark("loop-lag", "ms", _loop_lag_ms),
    ]


def _turn_ms(harness: Mapping[str, JSON]) -> float:
    """Median CPU milliseconds a turn over whole games of 2048."""
    env = registry.env_spec(GAME)
    lineup = {"player": AgentSpec("llm", "scripted/bench", harness)}
    options = env.configure({})
    specs = [EpisodeSpec(env.id, env.levels[0], options, seed, lineup) for seed in range(8)]
    return statistics.median(_gaps_s(specs, GAME_WORDS)) * 1e3


def _late(harness: Mapping[str, JSON], window: int = 50) -> float:
    """CPU of the turns around the 1,000th over CPU of those around the 30th of one episode.

    The episode is a walk to and fro, so that the world itself costs the same at every turn.
    """
    gaps_s = _gaps_s(_walks(harness, 1, 1_000 + window), WALK_WORDS)
    return statistics.median(gaps_s[-window:]) / statistics.median(gaps_s[5 : 5 + window])


def _loop_lag_ms() -> float:
    """99th percentile of how late a timer fires while 64 long chats are played."""
    lags_s: list[float] = []
    stamps = _Stamps(WALK_WORDS)
    long_chats = EPISODES * MESSAGES // 2

    async def sample() -> None:
        while True:
            due = time.perf_counter() + LAG_SAMPLE_S
            await anyio.sleep(LAG_SAMPLE_S)
            if len(stamps.taken_s) > long_chats:
                lags_s.append(time.perf_counter() - due)

    register_script("bench", stamps)
    specs = _walks(CHAT, EPISODES, MESSAGES // 2 + 20)
    asyncio.run(_play(specs, EPISODES, sample))
    return statistics.quantiles(lags_s, n=100)[98] * 1e3


def _gaps_s(specs: list[EpisodeSpec], words: tuple[str, ...]) -> list[float]:
    """CPU seconds between the calls of episodes that are played one after the other."""
    stamps = _Stamps(words)
    register_script("bench", stamps)
    asyncio.run(_play(specs, 1))
    return [b - a for a, b in itertools.pairwise(stamps.taken_s)]


def _walks(harness: Mapping[str, JSON], episodes: int, turns: int) -> list[EpisodeSpec]:
    env = registry.env_spec(WALK)
    lineup = {"player": AgentSpec("llm", "scripted/bench", harness)}
    options, limits = env.configure(ENDLESS), Limits(turns=turns)
    return [
        EpisodeSpec(env.id, "level-1", options, seed, lineup, limits=limits)
        for seed in range(episodes)
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
