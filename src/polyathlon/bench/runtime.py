"""Cost of the runtime itself: a scripted model without latency, the full trace on disk.

A turn is everything from observation to recorded act: env, harness, request, reply, trace. The
model answers at once, so CPU time is the runtime's own.
"""

from __future__ import annotations

import asyncio
import itertools
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import anyio

from polyathlon import registry
from polyathlon.agents.models.scripted import register_script
from polyathlon.bench import Benchmark
from polyathlon.core.agents import AgentSpec
from polyathlon.core.canonical import JSON
from polyathlon.core.episodes import EpisodeSpec, Limits
from polyathlon.core.models import Model, Reply, Request, say, thread
from polyathlon.experiments.coordinator import Coordinator
from polyathlon.experiments.rundir import RunDir, create
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.worker import Worker
from polyathlon.runtime.caller import Caller
from polyathlon.testing import faults

GAME, GAME_WORDS = "lmgame/twenty48-v0", ("up", "left", "down", "right")
WALK, WALK_WORDS = "lmgame/sokoban-v0", ("up", "down")
ENDLESS = {"stuck": 1_000, "horizon": 5_000, "deadlock": False}
TEXT: Mapping[str, JSON] = {"perception": "symbolic", "history": 10}
CHAT: Mapping[str, JSON] = {"perception": "symbolic", "context": "chat"}
PICTURE: Mapping[str, JSON] = {"history": 10}
EPISODES = 64
SHORT_EPISODES, SHORT_TURNS = 200, 5
MESSAGES = 400
LAG_SAMPLE_S = 0.002
HTTP_TURNS = 48
CALLS, CALL_S, CALLS_EACH = 2_000, 1.0, 4


class _Stamps:
    """A scripted model that notes the CPU time of every call and says its words in turn."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self._words = words
        self.taken_s: list[float] = []

    def __call__(self, request: Request) -> str:
        self.taken_s.append(time.process_time())
        return f"thought: bench\nmove: {self._words[len(self.taken_s) % len(self._words)]}"


def benchmarks() -> list[Benchmark]:
    """Turns and how they hold up the event loop, with a scripted model and over HTTP."""
    return [
        Benchmark("turn/text", "ms", lambda: _turn_ms(TEXT)),
        Benchmark("turn/picture", "ms", lambda: _turn_ms(PICTURE)),
        Benchmark("bytes/picture", "KB", _picture_kb),
        Benchmark("bytes/text", "KB", _text_kb),
        Benchmark("episode", "ms", _episode_ms),
        Benchmark("turn/late", "ratio", lambda: max(_late(TEXT), _late(CHAT))),
        Benchmark("turn/http", "ms", _http_turn_ms),
        Benchmark("loop-lag", "ms", _scripted_lag_ms),
        Benchmark("loop-lag-http", "ms", _http_lag_ms),
        Benchmark("calls/in-flight", "ms", _in_flight_lag_ms),
    ]


def _turn_ms(harness: Mapping[str, JSON]) -> float:
    """Median CPU milliseconds a turn over whole games of 2048."""
    return statistics.median(_gaps_s(_games(harness), GAME_WORDS)) * 1e3


def _picture_kb() -> float:
    """Kilobytes on the disk a turn of 2048 that shows a picture, traces and media together."""
    return _kb_a_turn(PICTURE, lambda run: (p.stat().st_size for p in run.path.rglob("*")))


def _text_kb() -> float:
    """Kilobytes a turn of 2048 in words in its trace, before that is compressed."""
    return _kb_a_turn(
        TEXT, lambda run: (len(line) + 1 for id in run.episode_ids() for line in run.lines(id))
    )


def _kb_a_turn(harness: Mapping[str, JSON], sizes: Callable[[RunDir], Iterable[int]]) -> float:
    stamps = _Stamps(GAME_WORDS)
    register_script("bench", stamps)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play_in(Path(folder), _games(harness), 1))
        return sum(sizes(RunDir(Path(folder) / "bench"))) / len(stamps.taken_s) / 1e3


def _games(harness: Mapping[str, JSON]) -> list[EpisodeSpec]:
    env = registry.env_spec(GAME)
    lineup = {"player": AgentSpec("llm", "scripted/bench", harness)}
    options = env.configure({})
    return [EpisodeSpec(env.id, env.levels[0], options, seed, lineup) for seed in range(8)]


def _episode_ms() -> float:
    """CPU milliseconds of an episode besides its turns: from the cast to the sealed trace."""
    _play_short(1)
    one_s, some_s = _play_short(1), _play_short(SHORT_TURNS)
    return (one_s - (some_s - one_s) / (SHORT_TURNS - 1)) / SHORT_EPISODES * 1e3


def _play_short(turns: int) -> float:
    """CPU seconds of short episodes, one after the other."""
    env = registry.env_spec(GAME)
    options, limits = env.configure({}), Limits(turns=turns)
    lineup = {"player": AgentSpec("llm", "scripted/bench", TEXT)}
    register_script("bench", _Stamps(GAME_WORDS))
    specs = [
        EpisodeSpec(env.id, env.levels[0], options, seed, lineup, limits=limits)
        for seed in range(SHORT_EPISODES)
    ]
    with tempfile.TemporaryDirectory() as folder:
        began_s = time.process_time()
        asyncio.run(play_in(Path(folder), specs, 1))
        return time.process_time() - began_s


def _late(harness: Mapping[str, JSON], window: int = 50) -> float:
    """CPU of the turns around the 1,000th over CPU of those around the 30th of one episode.

    The episode is a walk to and fro, so that the world itself costs the same at every turn.
    """
    gaps_s = _gaps_s(_walks(harness, 1, 1_000 + window), WALK_WORDS)
    return statistics.median(gaps_s[-window:]) / statistics.median(gaps_s[5 : 5 + window])


def _scripted_lag_ms() -> float:
    stamps = _Stamps(WALK_WORDS)
    register_script("bench", stamps)
    return _loop_lag_ms("scripted/bench", stamps)


def _http_lag_ms() -> float:
    """The same with a model server of another process; needs the extra `models`."""
    stamps = _Stamps(WALK_WORDS)
    with _served(WALK_WORDS, stamps) as url:
        return _loop_lag_ms(f"bench/any@{url}", stamps)


def _http_turn_ms() -> float:
    """CPU milliseconds of this process a turn, 64 games of 2048 at once over loopback HTTP."""
    env = registry.env_spec(GAME)
    options, limits = env.configure({}), Limits(turns=HTTP_TURNS)
    stamps = _Stamps(GAME_WORDS)
    with _served(GAME_WORDS, stamps) as url:
        lineup = {"player": AgentSpec("llm", f"bench/any@{url}", TEXT)}
        specs = [
            EpisodeSpec(env.id, env.levels[0], options, seed, lineup, limits=limits)
            for seed in range(EPISODES)
        ]
        asyncio.run(play(specs, EPISODES))
    warm = stamps.taken_s[2 * EPISODES :]
    return (warm[-1] - warm[0]) / (len(warm) - 1) * 1e3


def _in_flight_lag_ms() -> float:
    """99th percentile of how late a timer fires while 2,000 calls of a second each are open.

    Their starts are spread over a second. Needs twice as many descriptors as calls.
    """
    from polyathlon.agents.models.openai import vllm

    lags_s: list[float] = []

    async def measure(url: str) -> None:
        model, caller, done = vllm(f"any@{url}"), Caller(), anyio.Event()
        request = Request(thread(say("user", "Which way?")))

        async def sample() -> None:
            await anyio.sleep(CALL_S)
            while not done.is_set():
                due = time.perf_counter() + LAG_SAMPLE_S
                await anyio.sleep(LAG_SAMPLE_S)
                lags_s.append(time.perf_counter() - due)

        async def ask(wait_s: float) -> None:
            await anyio.sleep(wait_s)
            for _ in range(CALLS_EACH):
                await caller.call(model, request, lambda attempt: None)

        async with anyio.create_task_group() as samplers:
            samplers.start_soon(sample)
            async with anyio.create_task_group() as callers:
                for number in range(CALLS):
                    callers.start_soon(ask, CALL_S * number / CALLS)
            done.set()
        await model.close()

    with _descriptors(CALLS + 500), faults.served(GAME_WORDS, CALL_S) as url:
        asyncio.run(measure(url))
    return statistics.quantiles(lags_s, n=100)[98] * 1e3


@contextmanager
def _descriptors(count: int) -> Iterator[None]:
    """As many open files as `count`, also in processes started meanwhile."""
    before, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before, count), most))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (before, most))


@contextmanager
def _served(words: tuple[str, ...], stamps: _Stamps) -> Iterator[str]:
    """The address of a model server of another process; calls to models `bench/` are noted."""
    from polyathlon.agents.models.openai import vllm

    registry.register("models", "bench", lambda name: _Counted(vllm(name), stamps))
    with faults.served(tuple(f"move: {word}" for word in words)) as url:
        yield url


class _Counted:
    """A model that notes every call made to it."""

    def __init__(self, model: Model, stamps: _Stamps) -> None:
        self.name, self.group, self.in_flight = model.name, model.group, model.in_flight
        self.abilities, self.price, self.latency = model.abilities, model.price, model.latency
        self.close = model.close
        self._model, self._stamps = model, stamps

    async def complete(self, request: Request) -> Reply:
        self._stamps(request)
        return await self._model.complete(request)


def _loop_lag_ms(model: str, stamps: _Stamps) -> float:
    """99th percentile of how late a timer fires once 64 chats are 400 messages long."""
    lags_s: list[float] = []
    long_chats = EPISODES * MESSAGES // 2

    async def sample() -> None:
        while True:
            due = time.perf_counter() + LAG_SAMPLE_S
            await anyio.sleep(LAG_SAMPLE_S)
            if len(stamps.taken_s) > long_chats:
                lags_s.append(time.perf_counter() - due)

    specs = _walks(CHAT, EPISODES, MESSAGES // 2 + 20, model)
    asyncio.run(play(specs, EPISODES, sample))
    return statistics.quantiles(lags_s, n=100)[98] * 1e3


def _gaps_s(specs: list[EpisodeSpec], words: tuple[str, ...]) -> list[float]:
    """CPU seconds between the calls of episodes that are played one after the other."""
    stamps = _Stamps(words)
    register_script("bench", stamps)
    asyncio.run(play(specs, 1))
    return [b - a for a, b in itertools.pairwise(stamps.taken_s)]


def _walks(
    harness: Mapping[str, JSON], episodes: int, turns: int, model: str = "scripted/bench"
) -> list[EpisodeSpec]:
    env = registry.env_spec(WALK)
    lineup = {"player": AgentSpec("llm", model, harness)}
    options, limits = env.configure(ENDLESS), Limits(turns=turns)
    return [
        EpisodeSpec(env.id, "level-1", options, seed, lineup, limits=limits)
        for seed in range(episodes)
    ]


async def play(specs: list[EpisodeSpec], concurrency: int, beside: object = None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        await play_in(Path(folder), specs, concurrency, beside)


async def play_in(
    folder: Path, specs: list[EpisodeSpec], concurrency: int, beside: object = None
) -> None:
    run = create(folder / "bench", {"experiment": {}})
    settings = Settings(concurrency)
    coordinator = Coordinator(run, specs, settings)
    async with anyio.create_task_group() as group:
        if callable(beside):
            group.start_soon(beside)
        await Worker(run, settings, coordinator, concurrency).go()
        group.cancel_scope.cancel()
    coordinator.close()
