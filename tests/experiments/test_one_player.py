"""Processes of a run: one at a time plays a directory, each may be killed, none is left over."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from multiprocessing import get_context
from pathlib import Path

import pytest
from tests.experiments.servers import polyathlon, server_thread
from tests.experiments.test_runner import WORDS, _specs

from polyathlon.core.errors import UserError
from polyathlon.core.models import Price
from polyathlon.experiments import lock
from polyathlon.experiments.lock import locked
from polyathlon.experiments.rundir import create, open_run
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.spending import spent_usd

WAIT_S = 30.0
NOBODY = 2**22 + 1
"""No process has this number: Linux gives none above 2**22."""


def _command(url: str, out: Path, workers: int) -> list[str]:
    return [
        "run", "lmgame/twenty48-v0", "--model", f"vllm/any@{url}", "--harness", "off",
        "--episodes", "8", "--turns", "30", "--concurrency", "4",
        "--workers", str(workers), "--out", str(out), "--resume", "--json",
    ]  # fmt: skip


def _started(url: str, out: Path, workers: int, **options) -> subprocess.Popen[str]:
    """A run in a process group of its own that has begun to play."""
    process = polyathlon(*_command(url, out, workers), start_new_session=True, **options)
    _until(lambda: list(out.glob("episodes/*.jsonl")))
    time.sleep(0.2)
    return process


def _until(condition) -> None:
    end = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def _group(process: subprocess.Popen[str]) -> list[int]:
    """Living processes of the group that `process` leads."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, group = path.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(group) == process.pid and state != "Z":
            found.append(int(path.parent.name))
    return found


def _workers(process: subprocess.Popen[str]) -> list[int]:
    """The worker processes, not the tracker that multiprocessing keeps."""

    def command(pid: int) -> bytes:
        return Path(f"/proc/{pid}/cmdline").read_bytes()

    return [pid for pid in _group(process) if b"spawn_main" in command(pid)]


def test_a_directory_in_use_is_refused_in_one_line(tmp_path):
    run = create(tmp_path / "run", {"experiment": {}})
    with locked(run), pytest.raises(UserError, match=rf"by process {os.getpid()}: .*--resume"):
        run_plan(run, _specs(), Settings())
    assert not run.episode_ids()
    assert run_plan(run, _specs(), Settings()).done == 4


def test_a_worker_holds_what_its_coordinator_held(tmp_path, monkeypatch):
    run, context = create(tmp_path / "run", {"experiment": {}}), get_context("spawn")
    with locked(run) as held:
        ready = context.Event()
        worker = context.Process(target=_hold, args=(held, ready))
        worker.start()
        assert ready.wait(WAIT_S)
    (run.path / "lock").write_text(str(NOBODY))
    monkeypatch.setattr(lock, "ENDING_S", 0.1)
    message = rf"worker processes of process {NOBODY}, which is gone: .*--resume"
    with pytest.raises(UserError, match=message):
        run_plan(run, _specs(), Settings())
    monkeypatch.setattr(lock, "ENDING_S", WAIT_S)
    worker.kill()
    assert run_plan(run, _specs(), Settings()).done == 4
    worker.join()


def _hold(held, ready):
    ready.set()
    time.sleep(2 * WAIT_S)


@pytest.mark.slow
def test_a_run_is_not_resumed_beside_workers_that_a_killed_coordinator_left(tmp_path):
    """Workers that the machine held up while their coordinator was killed can still write."""
    out = tmp_path / "run"
    with server_thread("", WORDS, latency_s=0.05) as url:
        process = _started(url, out, 2)
        workers = _workers(process)
        for worker in workers:
            os.kill(worker, signal.SIGSTOP)
        process.kill()
        process.wait()
        early = polyathlon(*_command(url, out, 2))
        _, errors = early.communicate(timeout=WAIT_S)
        assert early.returncode == 2, errors
        assert f"worker processes of process {process.pid}, which is gone" in errors
        for worker in workers:
            os.kill(worker, signal.SIGCONT)
        again = polyathlon(*_command(url, out, 2))
        _, errors = again.communicate(timeout=120)
        assert again.returncode == 0, errors
    for pipe in (process.stdout, process.stderr):
        pipe.close()


@pytest.mark.slow
def test_workers_share_one_budget(tmp_path):
    run = create(tmp_path / "run", {"experiment": {}})
    with server_thread("", WORDS) as url:
        model = f"vllm/any@{url}"
        specs, prices = _specs(model, episodes=6), {model: Price(100.0, 100.0)}
        poor = run_plan(run, specs, Settings(4, 2, budget_usd=1.0, prices=prices))
        assert poor.problems == ["budget_usd"]
        assert 0.5 < spent_usd(run) <= 1.0
        rich = run_plan(run, specs, Settings(4, 2, budget_usd=100.0, prices=prices))
    assert (rich.done, rich.stopped) == (6, 0)
    assert spent_usd(run) == pytest.approx(rich.spent_usd)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("whole_group", [True, False])
def test_interruption_leaves_no_process_and_no_noise(stop, workers, whole_group, tmp_path):
    out = tmp_path / "run"
    with server_thread("", WORDS, latency_s=0.05) as url:
        process = _started(url, out, workers)
        send = os.killpg if whole_group else os.kill
        send(process.pid, stop)
        _, errors = process.communicate(timeout=WAIT_S)
        assert process.returncode == 130, errors
        assert "Traceback" not in errors
        assert f"--out {out} --resume" in errors
        _until(lambda: not _group(process))
        again = polyathlon(*_command(url, out, workers))
        _, errors = again.communicate(timeout=120)
        assert again.returncode == 0, errors


@pytest.mark.slow
def test_interruption_while_workers_start_makes_no_noise(tmp_path):
    out = tmp_path / "run"
    with server_thread("", WORDS, latency_s=0.05) as url:
        process = polyathlon(*_command(url, out, 2), start_new_session=True)
        _until(lambda: _workers(process))
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    _until(lambda: not _group(process))


@pytest.mark.slow
def test_a_worker_that_dies_is_reported_and_replaced(tmp_path):
    out = tmp_path / "run"
    with server_thread("", WORDS, latency_s=0.05) as url:
        process = _started(url, out, 2)
        os.kill(_workers(process)[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert "worker-0 was killed by SIGKILL: a new process takes over its" in errors
    _until(lambda: not _group(process))
    assert len(open_run(out).episode_ids()) == 8


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_second_player_is_refused_until_the_first_is_killed(workers, tmp_path):
    out = tmp_path / "run"
    with server_thread("", WORDS, latency_s=0.2) as url:
        process = _started(url, out, workers)
        second = polyathlon(*_command(url, out, workers))
        _, errors = second.communicate(timeout=WAIT_S)
        assert second.returncode == 2, errors
        *_, refused = errors.splitlines()
        assert f"by process {process.pid}" in refused
        process.kill()
        process.communicate()
        _until(lambda: not _group(process))
        again = polyathlon(*_command(url, out, workers))
        _, errors = again.communicate(timeout=120)
        assert again.returncode == 0, errors
