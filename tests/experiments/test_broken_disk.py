"""A disk that is full, bytes that rotted: one line says so, nothing is lost or made up."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import signal
import sqlite3
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.experiments.servers import ENV
from tests.experiments.test_runner import _specs
from tests.marking import first_fast
from tests.runtime.support import same

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import EpisodeSpec, Limits
from polyathlon.core.errors import RunStopped, UserError
from polyathlon.experiments.rundir import RunDir, create, open_run
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Settings

NO_SPACE = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _full_after(whole, writes):
    """A write that stops in the middle of a line and then refuses more."""
    left = [writes]

    def write(handle, data):
        left[0] -= 1
        if left[0] > 0:
            return whole(handle, data)
        if left[0] == 0:
            return whole(handle, data[: len(data) // 2])
        raise NO_SPACE

    return write


def _refuse(*arguments, **options):
    raise NO_SPACE


@pytest.mark.parametrize("writes", [1, 2, 30, 60])
def test_a_full_disk_stops_the_run_and_room_resumes_it(writes, tmp_path, monkeypatch):
    specs = _specs()
    whole, run = (create(tmp_path / name, {"experiment": {}}) for name in ("whole", "run"))
    run_plan(whole, specs, Settings())
    with monkeypatch.context() as patch:
        patch.setattr("polyathlon.runtime.sink.os.write", _full_after(os.write, writes))
        with pytest.raises(RunStopped, match=r"No space left on device.*--resume"):
            run_plan(run, specs, Settings())
    assert not [
        id for id in run.episode_ids() if run.ended(id) and run.ended(id).status == "failed"
    ]
    progress = run_plan(run, specs, Settings())
    assert (progress.done, progress.failed, progress.stopped) == (len(specs), 0, 0)
    for id in whole.episode_ids():
        assert same(run.events(id)) == same(whole.events(id))


def _picture_specs() -> list[EpisodeSpec]:
    env = registry.env_spec("lmgame/twenty48-v0")
    lineup = {"player": AgentSpec("llm", "scripted/constant:move: up", {"perception": "native"})}
    return [EpisodeSpec(env.id, "standard", env.configure({}), 0, lineup, limits=Limits(turns=3))]


@pytest.mark.parametrize("place", ["media", "seal", "sync", "index"])
def test_no_room_anywhere_stops_the_run(place, tmp_path, monkeypatch):
    run = create(tmp_path / "run", {"experiment": {}})
    specs = _picture_specs()
    with monkeypatch.context() as patch:
        match place:
            case "media":
                patch.setattr("polyathlon.experiments.packs.write_all", _refuse)
            case "seal":
                patch.setattr("polyathlon.experiments.durable.os.fsync", _refuse)
            case "sync":
                patch.setattr("polyathlon.runtime.sink.os.fsync", _refuse)
                patch.setattr("polyathlon.experiments.worker.SYNC_EVERY_S", 0.0)
            case "index":
                patch.setattr("polyathlon.experiments.rundir.sqlite3.connect", _full_index)
        with pytest.raises(RunStopped, match=r"(No space|full).*--resume"):
            run_plan(run, specs, Settings())
    assert not list(run.path.rglob("*.tmp"))
    assert run_plan(run, specs, Settings()).done == 1
    assert [run.ended(id).status for id in run.episode_ids()] == ["truncated"]


def _full_index(*arguments, **options):
    class Full(sqlite3.Connection):
        def execute(self, statement, *row):
            if statement.startswith("INSERT"):
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(statement, *row)

    return Full(":memory:", isolation_level=None)


@pytest.mark.parametrize("workers", first_fast(["2", "1"]))
def test_the_command_line_says_so_in_one_line(workers, tmp_path):
    command = [
        sys.executable, "-m", "polyathlon", "run", "lmgame/twenty48-v0", "--model",
        "scripted/constant:move: up", "--episodes", "4", "--out", str(tmp_path / "run"),
        "--resume", "--workers", workers,
    ]  # fmt: skip

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8_192, 8_192))

    small = subprocess.run(command, env=ENV, preexec_fn=small_files, capture_output=True, text=True)
    assert small.returncode == 1, small.stderr
    assert "Traceback" not in small.stderr
    assert "--resume" in small.stderr.splitlines()[-1]


def test_both_forms_of_a_trace_are_the_sealed_one(tmp_path):
    run = create(tmp_path / "run", {"experiment": {}})
    [spec] = _specs(episodes=1)
    run_plan(run, [spec], Settings())
    events = list(run.events(spec.id))
    lines = list(run.lines(spec.id))
    for kept in (len(lines), len(lines) - 1, 3):
        run.trace_path(spec.id).write_bytes(b"".join(line + b"\n" for line in lines[:kept]))
        (run.episodes / f"{spec.id}.jsonl.tmp").write_bytes(b"half")
        assert run_plan(run, [spec], Settings()).done == 1
        assert list(run.events(spec.id)) == events
        assert not run.trace_path(spec.id).exists()


def test_an_index_that_is_none_is_made_again(tmp_path):
    run = create(tmp_path / "run", {"experiment": {}})
    specs = _specs(episodes=2)
    run_plan(run, specs, Settings())
    for name in ("index.sqlite-wal", "index.sqlite-shm"):
        (run.path / name).unlink(missing_ok=True)
    (run.path / "index.sqlite").write_bytes(b"no database" * 1_000)
    run_plan(run, specs, Settings())
    with sqlite3.connect(run.path / "index.sqlite") as db:
        assert db.execute("SELECT count(*) FROM episodes").fetchone() == (2,)


@pytest.fixture(scope="module")
def sealed(tmp_path_factory) -> tuple[RunDir, str]:
    run = create(tmp_path_factory.mktemp("rot") / "run", {"experiment": {}})
    [spec] = _specs(episodes=1)
    run_plan(run, [spec], Settings())
    return run, spec.id


@given(where=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_rotten_bytes_of_a_sealed_trace_are_noticed(sealed, where, flip):
    run, id = sealed
    path = run.sealed_path(id)
    whole = path.read_bytes()
    events = list(run.events(id))
    rotten = bytearray(whole)
    rotten[int(where * len(whole))] ^= flip
    path.write_bytes(rotten)
    try:
        with contextlib.suppress(UserError):
            assert list(run.events(id)) == events
    finally:
        path.write_bytes(whole)


@given(where=st.floats(0, 1, exclude_max=True), junk=st.binary(min_size=1, max_size=20))
def test_garbage_in_an_open_trace_raises_nothing_but_a_user_error(sealed, where, junk):
    run, id = sealed
    lines = b"".join(line + b"\n" for line in run.lines(id))
    cut = int(where * len(lines))
    other = open_run(run.path)
    other.episodes = run.path / "garbage"
    other.episodes.mkdir(exist_ok=True)
    other.trace_path(id).write_bytes(lines[:cut] + junk + lines[cut + len(junk) :])
    for read in (lambda: list(other.events(id)), lambda: other.ended(id)):
        with contextlib.suppress(UserError):
            read()


def test_a_damaged_medium_is_no_fault_of_the_player(tmp_path):
    run = create(tmp_path / "run", {"experiment": {}})
    run_plan(run, _picture_specs(), Settings())
    events = run.events(run.episode_ids()[0])
    refs = [r for e in events if isinstance(e, trace.Said) for r in e.parts if r.digest]
    [pack] = run.path.glob("media/*.pack")
    whole = pack.read_bytes()
    for at in range(100, len(whole) - 200, len(whole) // 7):
        assert all(open_run(run.path).load(ref).digest == ref.digest for ref in refs)
        pack.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        rotten = open_run(run.path)
        with pytest.raises(UserError, match=r"damaged in .*0001\.pack.*--resume"):
            assert all(rotten.load(ref).digest == ref.digest for ref in refs)
        pack.write_bytes(whole)
