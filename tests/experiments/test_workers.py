"""Worker processes that are killed: others go on where they were, and nobody waits for the dead."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from tests.experiments.servers import ENV
from tests.experiments.test_runner import WORDS, _specs
from tests.runtime.support import same

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import EpisodeSpec, Limits
from polyathlon.core.errors import RunStopped
from polyathlon.core.models import Abilities, ModelError, Price, Reply, Request
from polyathlon.experiments import runner, worker
from polyathlon.experiments.coordinator import Coordinator
from polyathlon.experiments.descriptors import SPARE, within_descriptors
from polyathlon.experiments.rundir import RunDir, create
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.spending import spent_usd
from polyathlon.runtime.ratelimit import RateLimits
from polyathlon.testing.faults import FaultServer, word_answer


def _games(agent: str, episodes: int = 6, turns: int = 8) -> list[EpisodeSpec]:
    env = registry.env_spec("lmgame/twenty48-v0")
    lineup = {"player": AgentSpec(f"tests.experiments.players:{agent}")}
    return [
        EpisodeSpec(env.id, "standard", env.configure({}), s, lineup, limits=Limits(turns=turns))
        for s in range(episodes)
    ]


@pytest.mark.parametrize("times", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_killed_workers_are_replaced_and_the_traces_are_the_same(
    times, tmp_path, monkeypatch, capfd
):
    specs = _games("killing_once")
    whole, broken = (create(tmp_path / name, {"experiment": {}}) for name in ("whole", "broken"))
    run_plan(whole, specs, Settings())
    kills = tmp_path / "kills"
    kills.mkdir()
    for number in range(times):
        (kills / str(number)).touch()
    monkeypatch.setenv("POLYATHLON_TEST_KILLS", str(kills))
    progress = run_plan(broken, specs, Settings(4, workers=2))
    assert not list(kills.iterdir())
    assert (progress.done, progress.failed, progress.stopped) == (6, 0, 0)
    told = capfd.readouterr().err
    assert told.count("was killed by SIGKILL: a new process takes over its") == times
    assert broken.episode_ids() == whole.episode_ids()
    for id in whole.episode_ids():
        assert same(broken.events(id)) == same(whole.events(id))


def _events(run: RunDir) -> Iterator[trace.Event]:
    for events in run.traces():
        yield from events


def _attempts(run: RunDir) -> int:
    return sum(isinstance(event, trace.Attempted) for event in _events(run))


@pytest.mark.slow
def test_an_episode_that_always_kills_is_stopped_and_the_others_end(tmp_path):
    run = create(tmp_path / "run", {"experiment": {}})
    deadly = _games("always_killing", episodes=1)
    specs = [*_games("alternating"), *deadly]
    progress = run_plan(run, specs, Settings(4, workers=2))
    assert (progress.done, progress.failed, progress.stopped) == (6, 0, 1)
    assert progress.problems == [f"episode {deadly[0].id} ended its worker process 4 times"]


@pytest.mark.slow
def test_workers_that_only_die_end_the_run_in_one_line(tmp_path):
    run = create(tmp_path / "run", {"experiment": {}})
    with pytest.raises(
        RunStopped, match=r"ended early with exit code 0.*no episode ended.*--resume"
    ):
        run_plan(run, _games("leaving"), Settings(2, workers=2))


class _Counting(FaultServer):
    """Knows how many requests it ever had at once."""

    most = now = 0

    async def _complete(
        self, path: str, body: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            return await super()._complete(path, body, reader, writer)
        finally:
            self.now -= 1


@contextmanager
def _counting_server(latency_s: float) -> Iterator[_Counting]:
    with start_blocking_portal() as portal:
        server = _Counting(word_answer(tuple(WORDS.split(","))), latency_s=latency_s)
        with portal.wrap_async_context_manager(server):
            yield server


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [1, 3])
def test_a_rate_is_one_for_all_workers(at_once, tmp_path):
    run = create(tmp_path / "run", {"experiment": {}})
    with _counting_server(latency_s=0.01) as server:
        specs = _specs(f"vllm/any@{server.url}", episodes=8, turns=5)
        rates = {f"vllm@{server.url}": RateLimits(at_once)}
        progress = run_plan(run, specs, Settings(8, workers=4, rates=rates))
    assert (progress.done, progress.failed) == (8, 0)
    assert server.most == at_once
    assert server.requests == 40


@pytest.mark.slow
def test_a_killed_worker_gives_back_slots_episodes_and_money(tmp_path, monkeypatch, capfd):
    """Three workers share one slot; each is killed while calls are in flight."""
    coordinators: list[Coordinator] = []

    def kept(*given: Any) -> Coordinator:
        coordinators.append(Coordinator(*given))
        return coordinators[-1]

    monkeypatch.setattr(runner, "Coordinator", kept)
    whole, broken = (create(tmp_path / name, {"experiment": {}}) for name in ("whole", "broken"))
    with _counting_server(latency_s=0.05) as server:
        model, group = f"vllm/any@{server.url}", f"vllm@{server.url}"
        specs = _specs(model, episodes=9, turns=30)
        prices = {model: Price(100.0, 100.0)}
        run_plan(whole, specs, Settings(9, prices=prices))
        unbroken, server.most = server.requests, 0
        killer = threading.Thread(target=_kill_each_worker, args=(broken,))
        killer.start()
        settings = Settings(9, 3, 1_000.0, prices=prices, rates={group: RateLimits(1)})
        progress = run_plan(broken, specs, settings)
        killer.join()
        extra = server.requests - 2 * unbroken
    assert (progress.done, progress.failed, progress.stopped) == (9, 0, 0)
    assert capfd.readouterr().err.count("was killed by SIGKILL") == 3
    assert broken.episode_ids() == whole.episode_ids()
    for id in whole.episode_ids():
        assert same(broken.events(id)) == same(whole.events(id))
    limiter = coordinators[-1].slots.limiter(group, 1)
    assert limiter.active == limiter.waiting == 0
    assert 0 <= extra <= 3
    assert server.most <= 2  # the server may still be at a dead worker's request
    booked, recorded = coordinators[-1].purse.spent_usd, spent_usd(broken)
    most_usd = max(e.most_usd or 0.0 for e in _events(broken) if isinstance(e, trace.Called))
    assert recorded < booked <= recorded + 9 * most_usd  # three workers died, with three games each


def _kill_each_worker(run: RunDir) -> None:
    """Kill the first process of each worker, one after the other, in the middle of play."""
    for number in range(3):
        before = _attempts(run) + 20
        while _attempts(run) < before:
            time.sleep(0.05)
        [worker] = [p for p in multiprocessing.active_children() if p.name == f"worker-{number}"]
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)


def _run(soft: int, hard: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command line that may open so many files."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    command = [sys.executable, "-m", "polyathlon", "run", "lmgame/twenty48-v0", *arguments]
    return subprocess.run(command, env=ENV, preexec_fn=limit, capture_output=True, text=True)


MANY = ("--model", "scripted/constant:move: up", "--episodes", "60", "--turns", "2",
        "--concurrency", "60", "--json")  # fmt: skip


def test_as_many_files_may_be_opened_as_episodes_at_once_need():
    before, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    settings, specs = Settings(60), _specs("scripted/constant:move: up", episodes=60)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
    try:
        assert within_descriptors(settings, specs) == settings
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (SPARE + 60 * 2, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before, hard))


@pytest.mark.slow
def test_the_limit_of_open_files_is_raised(tmp_path):
    done = _run(100, 4_096, *MANY, "--out", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    assert "may open" not in done.stderr


def test_fewer_episodes_are_played_at_once_where_files_are_few(tmp_path):
    done = _run(100, 100, *MANY, "--out", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    [line] = [line for line in done.stderr.splitlines() if "may open" in line]
    assert line.startswith(
        "a process may open 100 files and 60 episodes at once need 184: playing 18 at once"
    )


def test_few_episodes_are_set_up_between_two_turns_of_the_loop(tmp_path, monkeypatch):
    """All 40 wait for a model together, but a task that only yields gets its turn in between."""
    turn, begun = 0, []
    real = worker.cast

    def cast(spec: EpisodeSpec) -> Any:
        begun.append(turn)
        return real(spec)

    async def play() -> None:
        nonlocal turn
        run = create(tmp_path / "run", {"experiment": {}})
        settings, specs = Settings(40), _specs("scripted/constant:move: up", episodes=40, turns=2)
        coordinator = Coordinator(run, specs, settings)
        playing = asyncio.create_task(worker.Worker(run, settings, coordinator, 40).go())
        while not playing.done():
            turn += 1
            await asyncio.sleep(0)
        await playing
        coordinator.close()
        assert coordinator.progress.done == 40

    monkeypatch.setattr(worker, "cast", cast)
    asyncio.run(play())
    assert max(Counter(begun[1:]).values()) <= worker.STARTS


class _Gathering:
    """A model that answers nobody until so many calls are in flight."""

    name, group, in_flight, latency = "gathering/all", "gathering", 100, "modelled"
    abilities, price = Abilities(), None

    def __init__(self, expected: int) -> None:
        self._missing = expected
        self._all = asyncio.Event()

    async def complete(self, request: Request) -> Reply:
        self._missing -= 1
        if not self._missing:
            self._all.set()
        try:
            await asyncio.wait_for(self._all.wait(), 20)
        except TimeoutError:
            raise ModelError("too_few", retryable=False) from None
        return Reply("move: up")

    async def close(self) -> None:
        pass


def test_calls_that_a_kill_cut_off_are_made_again_together(tmp_path, monkeypatch):
    run = create(tmp_path / "run", {"experiment": {}})
    specs = _specs("gathering/all", episodes=20, turns=1)
    monkeypatch.setattr(worker, "START_S", 600.0)

    def gathering(rest: str) -> _Gathering:
        """Answers when 20 ask."""
        return _Gathering(20)

    registry.register("models", "gathering", gathering)
    for _ in range(2):
        progress = run_plan(run, specs, Settings(20))
        assert (progress.done, progress.failed) == (20, 0)
        for spec in specs:
            lines = list(run.lines(spec.id))
            called = next(n for n, line in enumerate(lines) if line.startswith(b'{"event":"call"'))
            run.sealed_path(spec.id).unlink()
            whole = b"".join(line + b"\n" for line in lines[: called + 1])
            run.trace_path(spec.id).write_bytes(whole)
