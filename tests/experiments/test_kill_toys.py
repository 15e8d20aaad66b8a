"""Five toy worlds on every exact scheduler: killed, resumed, and replayed without a live call."""

from __future__ import annotations

import time

import pytest
from tests.experiments.servers import ROOT, fault_server, polyathlon
from tests.runtime.support import same
from tests.toys import FACTORIES

from polyathlon.cli import main
from polyathlon.core.chance import stream
from polyathlon.experiments.rundir import open_run

KILLS = 4
WORDS = "move: press red,move: press blue,move: left,move: a,move: 1"


def _command(url: str, scheduler: str, out) -> list[str]:
    return [
        "run", "toys/*", "--import", "tests.toys", "--model", f"vllm/any@{url}",
        "--harness", "memory", "--harness", "context=chat", "--scheduler", scheduler,
        "--episodes", "2", "--turns", "12", "--out", str(out), "--resume", "--json",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["turns", "stepped:1.5", "virtual:0.8"])
def test_toys_survive_kills(scheduler, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    rng = stream(0, "toy kills", scheduler)
    with fault_server("--latency-ms", "40", "--words", WORDS) as url:
        for name, kills in (("unbroken", 0), ("broken", KILLS)):
            out = tmp_path / name
            for _ in range(kills):
                process = polyathlon(*_command(url, scheduler, out))
                time.sleep(1.5 + rng.uniform())
                process.kill()
                process.communicate()
            process = polyathlon(*_command(url, scheduler, out))
            _, errors = process.communicate(timeout=120)
            assert process.returncode == 0, errors
    one, other = open_run(tmp_path / "unbroken"), open_run(tmp_path / "broken")
    assert one.episode_ids() == other.episode_ids()
    assert {one.header(id).episode.env for id in one.episode_ids()} == {
        make().spec.id for make in FACTORIES
    }
    for id in one.episode_ids():
        assert same(other.events(id)) == same(one.events(id))
    assert main(["replay", str(tmp_path / "broken"), "--verify"]) == 0
