"""Losses of power: what was forced to the disk is there, and a resumed run equals an unbroken one.
Or it is refused with the files that are damaged, and resumes without those.

A run is recorded on a disk that knows what was forced to it. From any moment on, any part of the
rest may be gone. POLYATHLON_POWER_LOSSES says how many losses the slow test imitates.
"""

from __future__ import annotations

import asyncio
import os
import re
import threading
from pathlib import Path

import pytest
from tests.experiments.disks import Harm, Recording, left
from tests.runtime.support import same

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec
from polyathlon.core.chance import Stream, stream
from polyathlon.core.episodes import EpisodeSpec, Limits
from polyathlon.core.errors import UserError
from polyathlon.core.models import Message
from polyathlon.core.parts import Image
from polyathlon.experiments.coordinator import Coordinator
from polyathlon.experiments.replaying import check_media
from polyathlon.experiments.rundir import RunDir, begun, create, open_run
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.scoring import score_run
from polyathlon.experiments.settings import Settings

REQUEST = {"experiment": {}}
WORDS = "scripted/random:move: up,move: left,move: down"
SYNCS_S = (0.0, 0.02, 10.0)
LOSSES = int(os.environ.get("POLYATHLON_POWER_LOSSES", "500"))


def _specs() -> list[EpisodeSpec]:
    env = registry.env_spec("lmgame/twenty48-v0")
    lineup = {"player": AgentSpec("llm", WORDS, {"perception": "native", "max_tokens": 20})}
    return [
        EpisodeSpec(env.id, "standard", env.configure({}), seed, lineup, limits=Limits(turns=6))
        for seed in range(3)
    ]


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> list[Recording]:
    """Three unbroken runs, forced to the disk all the time, now and then, and when they end."""
    made = []
    for every_s in SYNCS_S:
        recording = Recording(tmp_path_factory.mktemp("power") / "run")
        with recording.recorded(), pytest.MonkeyPatch.context() as patch:
            patch.setattr("polyathlon.experiments.worker.SYNC_EVERY_S", every_s)
            run_plan(create(recording.root, REQUEST), _specs(), Settings(2))
        made.append(recording)
    return made


def test_the_recording_misses_no_change(recordings: list[Recording], tmp_path: Path) -> None:
    for number, recording in enumerate(recordings):
        ops = [op._replace(offset=10**9) if "fsync" in op.kind else op for op in recording.ops]
        forced = Recording(recording.root)
        forced.ops = ops
        left(forced, len(ops), stream(0), "cut", tmp_path / str(number))
        assert _files(tmp_path / str(number)) == _files(recording.root)


def _files(root: Path) -> dict[str, bytes]:
    paths = [path for path in root.rglob("*") if path.is_file()]
    derived = ("lock", "index")
    return {
        str(p.relative_to(root)): p.read_bytes() for p in paths if not p.name.startswith(derived)
    }


@pytest.mark.parametrize("harm", ["cut", "holes"])
def test_a_few_losses(harm: Harm, recordings: list[Recording], tmp_path: Path) -> None:
    _lose(6, harm, recordings, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("harm", ["cut", "holes"])
def test_many_losses(harm: Harm, recordings: list[Recording], tmp_path: Path) -> None:
    _lose(-(-LOSSES // 2), harm, recordings, tmp_path)


def _lose(times: int, harm: Harm, recordings: list[Recording], tmp_path: Path) -> None:
    refused = []
    for number in range(times):
        rng = stream(0, "power", harm, number)
        recording = recordings[rng.below(len(recordings))]
        path = tmp_path / f"{number}"
        left(recording, rng.below(len(recording.ops) + 1), rng, harm, path)
        _damage_index(path, rng)
        refusals = _resumed_without_what_is_refused(RunDir(recording.root), path)
        refused += refusals[:1]
    print(f"{times} losses ({harm}), {len(refused)} refused at first: {refused[:2]}")
    assert not refused or harm == "holes"


def _resumed_without_what_is_refused(unbroken: RunDir, path: Path) -> list[str]:
    """Resume, each time without the damaged files that the refusal before named; the refusals."""
    refusals: list[str] = []
    for _ in _specs():
        try:
            _resumed_equals(unbroken, path)
        except UserError as refusal:
            refusals.append(str(refusal))
            damaged = re.findall(r"\S+\.jsonl(?:\.zst)?(?= cannot be read)", str(refusal))
            if not damaged:
                raise
            for file in damaged:
                Path(file).unlink()
        else:
            return refusals
    _resumed_equals(unbroken, path)
    return refusals


def _resumed_equals(unbroken: RunDir, path: Path) -> None:
    run = open_run(path) if begun(path) else create(path, REQUEST)
    for id in run.episode_ids():
        if run.sealed_path(id).exists():
            check_media(open_run(path), run.events(id))
    progress = run_plan(run, _specs(), Settings(2))
    if progress.problems:
        raise UserError("; ".join(progress.problems))
    assert progress.done == len(_specs())
    assert run.episode_ids() == unbroken.episode_ids()
    for id in unbroken.episode_ids():
        assert same(run.events(id)) == same(unbroken.events(id))
        check_media(open_run(path), run.events(id))


def test_scores_that_were_told_are_there(tmp_path: Path) -> None:
    """A judge was paid for them."""
    recording = Recording(tmp_path / "run")
    with recording.recorded():
        run = create(recording.root, REQUEST)
        run_plan(run, _specs()[:1], Settings())
        score_run(run, "loops")
    scores = {name: data for name, data in _files(run.path).items() if "scores" in name}
    assert len(scores) == 1
    for number in range(20):
        lost = tmp_path / f"{number}"
        left(recording, len(recording.ops), stream(number), "cut", lost)
        assert scores.items() <= _files(lost).items()


def test_what_is_put_aside_is_there_whole(tmp_path: Path) -> None:
    """What an episode cost stays known when it starts afresh after a kill."""
    line = b'{"event":"act"}\n'
    recording = Recording(tmp_path / "run")
    with recording.recorded():
        run = create(recording.root, REQUEST)
        _append(run.trace_path("e"), line)
        run.set_aside("e")
    for number in range(20):
        lost = tmp_path / f"{number}"
        left(recording, len(recording.ops), stream(number), "cut", lost)
        assert (lost / "abandoned" / "e.0.jsonl").read_bytes() == line


def test_a_failed_trace_does_not_come_back_over_the_one_that_goes_on(tmp_path: Path) -> None:
    """It would hide what was played, and paid for, since."""
    recording = Recording(tmp_path / "run")
    with recording.recorded():
        run = create(recording.root, REQUEST)
        _append(run.trace_path("e"), trace.encode(trace.Ended("failed", "client")) + b"\n")
        run.seal("e")
        run.reopen_failed("e")
    for number in range(20):
        lost = tmp_path / f"{number}"
        left(recording, len(recording.ops), stream(number), "cut", lost)
        assert [path.name for path in (lost / "episodes").iterdir()] == ["e.jsonl"]


def test_an_episode_whose_worker_died_at_its_end_is_sealed_after_its_media(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it is read beside the event loop, on which other workers wait for answers."""
    spec, picture, read_by = _specs()[0], Image(1, 1, b"abc"), []
    real = RunDir.ended

    def ended(run: RunDir, id: str) -> trace.Ended | None:
        read_by.append(threading.current_thread())
        return real(run, id)

    recording = Recording(tmp_path / "run")
    with recording.recorded():
        run = create(recording.root, REQUEST)
        coordinator = Coordinator(run, [spec], Settings())
        monkeypatch.setattr(RunDir, "ended", ended)
        worker = open_run(run.path)
        worker.store(picture)
        said = trace.said(Message("user", (picture,)), "hash", "")
        for event in (said, trace.Ended("done", "over")):
            _append(run.trace_path(spec.id), trace.encode(event) + b"\n")
        asyncio.run(coordinator.died(spec))
        coordinator.close()
    assert threading.main_thread() not in read_by
    assert coordinator.progress.done == 1
    for number in range(20):
        lost = tmp_path / f"{number}"
        left(recording, len(recording.ops), stream(number), "cut", lost)
        [event, _] = RunDir(lost).events(spec.id)
        check_media(RunDir(lost), [event])


def _append(path: Path, line: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(handle, line)
    os.close(handle)


def _damage_index(path: Path, rng: Stream) -> None:
    """The index is derived: whatever is left of it must not matter."""
    if begun(path) and rng.below(3):
        (path / "index.sqlite").write_bytes(bytes(rng.below(256) for _ in range(rng.below(200))))
