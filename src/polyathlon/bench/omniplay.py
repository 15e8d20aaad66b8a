"""The OmniPlay games through the whole runtime: loop lag and scaling with all their media.

Every picture, sound and video is drawn, kept in a run directory and sent to a scripted model that
answers at once, so that the time is the runtime's own.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import anyio

from polyathlon import registry
from polyathlon.bench import Benchmark
from polyathlon.bench.runtime import play
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import EpisodeSpec, Limits
from polyathlon.core.errors import UserError
from polyathlon.experiments.rundir import create
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Settings

GRID = [(row, column) for row in range(1, 4) for column in range(1, 6)]
ICONS = "dog, cat, bird, cow, sheep, chicken, piano, trumpet, drum, flute, dog, cat, bird, cow, cow"
REPLIES: Mapping[str, str] = {
    "pathfinding": "Suggested action: 1.0 45",
    "echoes": (
        f"Sequence analysis: [{' '.join(map(str, GRID))}]\nSequence icons: [{ICONS}]\n"
        "Suggested click: (1,1)"
    ),
    "alchemist": "BLUE, DO",
    "phantom": "COMMAND: all recon 50 50",
    "showdown": '{"action_type": 0, "target_x": 7, "target_y": 7}',
}
TURNS = 6
EPISODES, TOGETHER = 50, 16
LAG_SAMPLE_S = 0.002
WITNESS = """
import time
while True:
    due = time.perf_counter() + {0}
    time.sleep({0})
    now = time.perf_counter()
    if now - due > {0}:
        print(due, now, flush=True)
"""

Span: TypeAlias = tuple[float, float]


def benchmarks() -> list[Benchmark]:
    """`omniplay/loop-lag` and `omniplay/scaling`."""
    return [
        Benchmark("omniplay/loop-lag", "ms", loop_lag_ms),
        Benchmark("omniplay/scaling", "ratio", scaling),
    ]


def episodes(count: int) -> list[EpisodeSpec]:
    """So many episodes of at most `TURNS` turns, of all five games in turn at their hardest."""
    games = [registry.env_spec(f"omniplay/{name}-v0") for name in REPLIES]
    return [_episode(games[number % len(games)].id, number) for number in range(count)]


def loop_lag_ms() -> float:
    """How late a timer fires at worst, once modules are imported.

    Time in which an idle process was not run either is the machine's and does not count.
    """
    asyncio.run(play(episodes(len(REPLIES)), len(REPLIES)))
    late: list[Span] = []

    async def sample() -> None:
        while True:
            due = time.perf_counter() + LAG_SAMPLE_S
            await anyio.sleep(LAG_SAMPLE_S)
            late.append((due, time.perf_counter()))

    with _stalls() as stalls:
        asyncio.run(play(episodes(EPISODES), TOGETHER, sample))
        stolen = stalls()
    return max(end - start - shared((start, end), stolen) for start, end in late) * 1e3


@contextmanager
def _stalls() -> Iterator[Callable[[], list[Span]]]:
    """Lists when a process that only sleeps was not woken in time."""
    command = [sys.executable, "-c", WITNESS.format(LAG_SAMPLE_S)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as witness:

        def stop() -> list[Span]:
            witness.terminate()
            written = witness.communicate()[0].split("\n")[:-1]
            return [(float(line.split()[0]), float(line.split()[1])) for line in written]

        try:
            yield stop
        finally:
            witness.kill()


def shared(span: Span, others: Sequence[Span]) -> float:
    """How long other spans, which are apart, overlap with one."""
    start, end = span
    return sum(max(0.0, min(end, last) - max(start, first)) for first, last in others)


def scaling() -> float:
    """Episodes a second with two worker processes on two cores, over those of one on one core.

    Raises UserError where only one core may be used, or a process cannot be held to one.
    """
    if not hasattr(os, "sched_getaffinity"):
        raise UserError("scaling needs Linux, where a process can be held to a core")
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        raise UserError("scaling needs two cores")
    return _suite_s(cores[:1]) / _suite_s(cores[:2])


def _suite_s(cores: Sequence[int]) -> float:
    """Seconds that a suite takes on some cores, with a worker process on each."""
    code = f"from polyathlon.bench import omniplay; print(omniplay.suite_s({list(cores)}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(run.stdout)


def suite_s(cores: Sequence[int]) -> float:
    """Seconds that this process and its workers, held to `cores`, take for the suite."""
    os.sched_setaffinity(0, cores)
    settings = Settings(TOGETHER, workers=len(cores))
    with tempfile.TemporaryDirectory() as folder:
        run = create(Path(folder) / "bench", {"experiment": {}})
        start = time.perf_counter()
        run_plan(run, episodes(EPISODES), settings)
        return time.perf_counter() - start


def _episode(env: str, seed: int) -> EpisodeSpec:
    spec = registry.env_spec(env)
    name = env.split("/")[1].removesuffix("-v0")
    player = AgentSpec("llm", f"scripted/constant:{REPLIES[name]}")
    lineup = dict.fromkeys(spec.roles, player)
    return EpisodeSpec(
        env, spec.levels[-1], spec.configure({}), seed, lineup, limits=Limits(turns=TURNS)
    )
