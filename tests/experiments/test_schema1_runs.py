"""Run directories of trace schema 1: read, reported and replayed as by the code that made them.

`tests/data/schema1/README.md` says how they were made.
"""

from __future__ import annotations

import gzip
import json
import sys
import tarfile
from collections.abc import Callable, Iterable
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import zstandard
from tests.data.schema1 import players, said

from polyathlon import registry
from polyathlon.cli.report import report
from polyathlon.core import trace
from polyathlon.core.errors import UserError
from polyathlon.core.schema1 import part_digest
from polyathlon.experiments.rundir import open_run
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.spending import spent_usd

DATA = Path(said.__file__).parent
RUNS = sorted(path.name.split(".")[0] for path in DATA.glob("*.tar.gz"))
SLOW = ("arena", "bombs", "hashed")
"""Runs that take long to show and to replay."""

EVENTS = {
    *("header", "message", "observation", "call", "attempt"),
    *("tool", "deadline", "act", "advance", "end"),
}
RECORDED_ON = (3, 11)
UNTOLD = {"/omniplay/trusts"}
"""Followed cues: a good player follows them whether or not it listens."""
ULPS = 0.0 if sys.version_info[:2] == RECORDED_ON else 1e-12
"""Sums of floats may differ in their last digits between versions of Python."""


@cache
def recorded(name: str) -> dict[str, Any]:
    """What the run said to the code that made it."""
    found: dict[str, Any] = json.loads(gzip.decompress((DATA / f"{name}.json.gz").read_bytes()))
    return found


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the runs played is known, and forgotten after each test."""
    known = {kind: {**names} for kind, names in registry._registered.items()}
    monkeypatch.setattr(registry, "_registered", known)
    monkeypatch.setattr(registry, "_registered_envs", {**registry._registered_envs})
    players.register()


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The place of a run by its name; each is unpacked once."""
    place = tmp_path_factory.mktemp("schema1")
    return cache(lambda name: unpack(name, place))


@pytest.fixture
def run(request: pytest.FixtureRequest, unpacked: Callable[[str], Path]) -> Path:
    """The named run directory."""
    return unpacked(request.param)


every_run = pytest.mark.parametrize("run", RUNS, indirect=True)
quick_runs = pytest.mark.parametrize(
    "run",
    [pytest.param(run, marks=pytest.mark.slow if run in SLOW else ()) for run in RUNS],
    indirect=True,
)


@quick_runs
def test_it_says_the_same(run: Path) -> None:
    want = recorded(run.name)
    assert open_run(run).episode_ids() == list(want["shown"])
    assert_same(want["report"], said.report(run))
    assert_same(want["spent_usd"], spent_usd(open_run(run)))
    assert_same(want["scores"], {name: said.scores(run, name) for name in said.SCORERS})
    shown = {id: said.shown(run, id) for id in want["shown"]}
    assert_same(
        {id: _without_failures(lines) for id, lines in want["shown"].items()},
        {id: _without_failures(lines) for id, lines in shown.items()},
    )


def _without_failures(lines: list[str]) -> list[str]:
    """What is shown but for the values of metrics that failed, which no longer are, and the reason,
    which is shown since.
    """
    ends = [n for n, line in enumerate(lines) if line.startswith("failed (")]
    return lines if not ends else [*lines[: ends[0]], lines[ends[0]].split("): ")[0].rstrip(")")]


@quick_runs
def test_it_replays_the_same(run: Path) -> None:
    want = recorded(run.name)
    here = said.fingerprints() if want["signals"] else {}
    comparable = {
        id: verdict
        for id, verdict in want["verified"].items()
        if all(here[kind] == want["fingerprints"][kind] for kind in want["signals"].get(id, ()))
    }
    assert comparable
    assert_same(comparable, said.verified(run))


def test_it_is_not_played_on(tmp_path: Path) -> None:
    directory = open_run(unpack("broken", tmp_path))
    specs = [directory.header(id).episode for id in directory.episode_ids()]
    with pytest.raises(UserError, match="begun by an earlier polyathlon"):
        run_plan(directory, specs, Settings())


@every_run
def test_its_media_are_there(run: Path) -> None:
    directory = open_run(run)
    kept = (run / "media").is_dir()
    for id in directory.episode_ids():
        for ref in media(directory.events(id)):
            assert (directory.media(ref.digest) is not None) == kept
            assert not kept or part_digest(directory.load(ref)) == ref.digest


@pytest.mark.slow
@pytest.mark.parametrize("run", ["grids", "senses", "broken"], indirect=True)
def test_its_page_can_be_written(run: Path, tmp_path: Path) -> None:
    report(run, html=tmp_path / "page.html")
    page = unescape((tmp_path / "page.html").read_text(encoding="utf-8"))
    for cell in recorded(run.name)["report"]["cells"]:
        assert registry.env_spec(cell["env"]).title in page


def test_what_was_changed_is_noticed(tmp_path: Path) -> None:
    run = unpack("grids", tmp_path)
    directory = open_run(run)
    verdicts = recorded("grids")["verified"]
    id = next(id for id, verdict in verdicts.items() if verdict.startswith("same"))
    lines = list(directory.lines(id))
    number = max(n for n, line in enumerate(lines) if line.startswith(b'{"event":"act"'))
    lines[number] = lines[number].replace(b'"state":"', b'"state":"0')
    changed = b"".join(line + b"\n" for line in lines)
    directory.sealed_path(id).write_bytes(zstandard.compress(changed))
    assert said.verified(run)[id].startswith("replay differs at act/player/")


def test_they_hold_every_event_and_every_scheduler(unpacked: Callable[[str], Path]) -> None:
    kinds: set[str] = set()
    schedulers: set[str] = set()
    for name in RUNS:
        directory = open_run(unpacked(name))
        for id in directory.episode_ids():
            header = directory.header(id)
            assert header.schema == 1
            schedulers.add(header.episode.scheduler.kind)
            kinds |= {json.loads(line)["event"] for line in directory.lines(id)}
    assert schedulers == {"turns", "stepped", "virtual", "realtime"}
    assert kinds == EVENTS


def unpack(name: str, place: Path) -> Path:
    """A run directory, put into a folder."""
    with tarfile.open(DATA / f"{name}.tar.gz") as archive:
        archive.extractall(place, filter="data")
    return place / name


def media(events: Iterable[trace.Event]) -> set[trace.Ref]:
    """The signals that messages and tool results name."""
    parts = (ref for event in events for ref in getattr(event, "parts", ()))
    return {ref for ref in parts if ref.type != "text"}


def assert_same(want: Any, got: Any, at: str = "") -> None:
    """Equal, but for keys that were not there, and for what is not told any more."""
    if isinstance(want, dict):
        assert isinstance(got, dict), at
        for key, value in want.items():
            if f"{at}/{key}" in UNTOLD:
                continue
            assert key in got, f"{at}/{key} is missing"
            assert_same(value, got[key], f"{at}/{key}")
    elif isinstance(want, list):
        assert isinstance(got, list), at
        assert len(got) == len(want), at
        for number, (one, other) in enumerate(zip(want, got, strict=True)):
            assert_same(one, other, f"{at}/{number}")
    elif isinstance(want, float):
        assert got == pytest.approx(want, rel=ULPS, abs=0.0), at
    else:
        assert got == want, at
