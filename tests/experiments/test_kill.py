"""SIGKILL at random moments: nothing is lost, nothing is asked twice."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.experiments.servers import fault_server, polyathlon, requests_of
from tests.runtime.support import same

from polyathlon.core import trace
from polyathlon.core.chance import stream
from polyathlon.experiments.rundir import RunDir, open_run

KILLS = 20
EPISODES = 16
CONCURRENCY = 4
WORDS = "move: up,move: down,move: left,move: right"


def _command(url: str, out: Path) -> list[str]:
    return [
        "run", "lmgame/twenty48-v0", "--model", f"vllm/any@{url}", "--harness", "both",
        "--episodes", str(EPISODES), "--turns", "60", "--concurrency", str(CONCURRENCY),
        "--out", str(out), "--resume", "--json",
    ]  # fmt: skip


def _in_flight(run: RunDir) -> int:
    """Calls that were started and have no attempt that ended."""
    count = 0
    for id in run.episode_ids():
        calls, ended = set(), set()
        for event in run.events(id):
            if isinstance(event, trace.Called | trace.Attempted):
                key = (event.role, event.turn, event.purpose, event.ordinal)
                (calls if isinstance(event, trace.Called) else ended).add(key)
        count += len(calls - ended)
    return count


def _finish(url: str, out: Path) -> None:
    process = polyathlon(*_command(url, out))
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors


@pytest.mark.slow
def test_killed_and_resumed_runs_equal_an_unbroken_one(tmp_path):
    with fault_server("--latency-ms", "10", "--words", WORDS) as url:
        started = time.monotonic()
        _finish(url, tmp_path / "unbroken")
        whole_s = time.monotonic() - started
        unbroken = requests_of(url)

        broken = tmp_path / "broken"
        rng = stream(0, "kills")
        in_flight = kills = 0
        for _ in range(KILLS):
            process = polyathlon(*_command(url, broken))
            time.sleep(1.0 + rng.uniform() * max(0.5, whole_s / KILLS))
            kills += process.poll() is None
            process.kill()
            process.communicate()
            if (broken / "experiment.yaml").exists():
                in_flight += _in_flight(open_run(broken))
        _finish(url, broken)
        extra = requests_of(url) - 2 * unbroken

    one, other = open_run(tmp_path / "unbroken"), open_run(broken)
    assert one.episode_ids() == other.episode_ids()
    assert len(one.episode_ids()) == EPISODES
    for id in one.episode_ids():
        assert same(other.events(id)) == same(one.events(id))
    print(f"{kills} kills, {unbroken} requests unbroken, {extra} more, {in_flight} in flight")
    assert kills >= KILLS // 2
    assert 0 <= extra <= in_flight
