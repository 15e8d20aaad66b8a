"""The OmniPlay games through the whole runtime: loop lag and scaling with all their media.

Every picture, sound and video is drawn, kept in a run directory and sent to a scripted model that
answers at once, so that the time is the runtime's own.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

import anyio

from polyathlon import registry
from polyathlon.bench import Benchmark
from polyathlon.bench.runtime import play
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import EpisodeSpec, Limits

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
    """How late a timer fires at worst, once modules and processes are warm."""
    asyncio.run(play(episodes(len(REPLIES)), len(REPLIES)))
    lags_s: list[float] = []

    async def sample() -> None:
        while True:
            due = time.perf_counter() + LAG_SAMPLE_S
            await anyio.sleep(LAG_SAMPLE_S)
            lags_s.append(time.perf_counter() - due)

    asyncio.run(play(episodes(EPISODES), TOGETHER, sample))
    return max(lags_s) * 1e3


def scaling() -> float:
    """Episodes a second on two cores, with a worker process each, over those on one core."""
    one, two = _seconds(1), _seconds(2)
    return one / two


def _episode(env: str, seed: int) -> EpisodeSpec:
    spec = registry.env_spec(env)
    name = env.split("/")[1].removesuffix("-v0")
    player = AgentSpec("llm", f"scripted/constant:{REPLIES[name]}")
    lineup = dict.fromkeys(spec.roles, player)
    return EpisodeSpec(
        env, spec.levels[-1], spec.configure({}), seed, lineup, limits=Limits(turns=TURNS)
    )
