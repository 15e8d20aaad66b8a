"""A dead server stops a run before its first episode; one that dies later is its cause."""

from __future__ import annotations

import socket
import time

import pytest
from tests.experiments.servers import fault_server, polyathlon, server_thread
from tests.runtime.support import episode

from polyathlon.cli import main
from polyathlon.core.agents import AgentSpec
from polyathlon.experiments.answering import check_servers
from polyathlon.experiments.rundir import open_run

GAME = ["run", "lmgame/twenty48-v0", "--seeds", "0", "--turns", "4"]


def _free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def _run(url, out, *more):
    return main([*GAME, "--model", f"vllm/any@{url}", "--out", str(out), *more])


@pytest.mark.parametrize("host", ["127.0.0.1", "no-such-host.invalid"])
def test_a_dead_server_stops_the_run_with_what_to_do(host, tmp_path, capsys):
    out = tmp_path / "run"
    start = time.monotonic()
    assert _run(f"http://{host}:{_free_port()}/v1", out) == 2
    assert time.monotonic() - start < 10
    *_, line = capsys.readouterr().err.splitlines()
    assert f"vllm@http://{host}:" in line
    assert "cannot be reached" in line
    assert "vllm serve MODEL" in line
    assert line.endswith(f"polyathlon run --out {out} --resume")
    assert not open_run(out).episode_ids()


def test_the_run_goes_on_when_the_server_is_there(tmp_path, capsys):
    out, port = tmp_path / "run", _free_port()
    assert _run(f"http://127.0.0.1:{port}/v1", out) == 2
    with fault_server("--port", str(port)):
        code = main(["run", "--out", str(out), "--resume", "--json"])
    assert code in (0, 1)
    assert len(open_run(out).episode_ids()) == 1


def test_a_run_that_has_ended_asks_nobody(tmp_path):
    out = tmp_path / "run"
    with server_thread("", "move: up,move: left") as url:
        assert _run(url, out) == 0
    assert _run(url, out, "--resume") == 0  # its server is gone by now


def test_a_server_that_says_nothing_may_be_busy():
    said = []
    with socket.create_server(("127.0.0.1", 0)) as silent:
        model = f"vllm/any@http://127.0.0.1:{silent.getsockname()[1]}/v1"
        check_servers(
            [episode("lmgame/twenty48-v0", {"player": AgentSpec("llm", model)})], {}, said.append
        )
    [server] = said
    assert server in model.replace("vllm/any@", "vllm@")


@pytest.mark.slow
def test_a_server_that_dies_later_is_no_hang(tmp_path):
    out = tmp_path / "run"
    with fault_server("--latency-ms", "150", "--words", "move: up,move: left,move: right") as url:
        process = polyathlon(
            "run", "lmgame/twenty48-v0", "--episodes", "2", "--model", f"vllm/any@{url}",
            "--out", str(out),
        )  # fmt: skip
        while not list(out.glob("episodes/*")):
            time.sleep(0.05)
        time.sleep(0.3)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 1, errors
    assert "failed: model:connection" in errors
    assert "polyathlon replay" in errors.splitlines()[-1]
