"""Make run directories of trace schema 1 again, and write down what they say.

python scripts/schema1_runs.py CHECKOUT OUT          play them with a checkout of commit 2510f83
python scripts/schema1_runs.py CHECKOUT OUT --keep   put what lies in OUT into tests/data/schema1
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parents[1]
DATA = HERE / "tests" / "data" / "schema1"
PLAYERS = "tests.data.schema1.registered"
KEPT = ("grids", "paid", "tools", "senses", "hashed", "bombs", "arena", "clocks", "broken")
RUNS = (*KEPT, "screens")
SPECIAL = ("paid", "hashed", "broken")
NOT_KEPT = ("report.html", "scores")

WORDS = "move: up,move: left,move: down"
FAULTS = "3=429,6=500,13=400,21=hang,24=400"
PRICED, SLOW = (f"vllm/any@http://127.0.0.1:{port}/v1" for port in (8431, 8432))
PERSON = "up\nleft\n?\nsideways\ndown\nleft\nquit\n"


class Maker:
    """Runs the command line of a checkout inside the folder that the runs go to."""

    def __init__(self, checkout: Path, out: Path) -> None:
        self.out = out
        path = os.pathsep.join(map(str, (checkout / "src", checkout, HERE)))
        self._env = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}

    def start(self, *words: str, module: str = "polyathlon", **given: object) -> subprocess.Popen:
        """A started module."""
        command = [sys.executable, "-m", module, *words]
        return subprocess.Popen(command, cwd=self.out, env=self._env, text=True, **given)

    def polyathlon(self, *words: str, typed: str = "") -> None:
        """Run a command line to its end; failed episodes are no fault here."""
        self.start(*words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL).communicate(typed)

    def run(self, name: str, *words: str, out: str = "", typed: str = "") -> None:
        """Play an experiment file."""
        self.polyathlon(*_run(name, *words, out=out), typed=typed)

    def killed(self, name: str, *words: str, when: Callable[[], bool]) -> None:
        """Play an experiment file until `when`, and kill it then."""
        process = self.start(*_run(name, *words), stdout=subprocess.DEVNULL)
        while not when() and process.poll() is None:
            time.sleep(0.02)
        process.kill()
        process.wait()

    @contextmanager
    def server(self, port: int, *words: str) -> Iterator[None]:
        """A model server while the block runs."""
        given = ("--port", str(port), "--words", WORDS, *words)
        process = self.start(*given, module="polyathlon.testing.faults", stdout=subprocess.PIPE)
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield
        finally:
            process.kill()
            process.wait()


def _run(name: str, *words: str, out: str = "") -> tuple[str, ...]:
    return ("run", f"{name}.yaml", "--import", PLAYERS, "--out", out or name, "--json", *words)


def play(maker: Maker) -> None:
    """Play everything."""
    for name in RUNS:
        if name not in SPECIAL:
            maker.run(name)
    maker.run("hashed", "--media", "hash")
    _play_paid(maker)
    _play_broken(maker)


def _play_paid(maker: Maker) -> None:
    """One game fails, is tried again and fails once more; another stops for want of money."""
    alone = ("--concurrency", "1", "--price", f"{PRICED}=200,200")
    with maker.server(8431, "--faults", FAULTS):
        maker.run("paid", *alone)
        maker.run("paid", "--resume", "--retry-failed", *alone)
        game = ("lmgame/twenty48-v0", "--model", PRICED, "--harness", "perception,max_tokens=20")
        more = ("--seeds", "9", "--turns", "90", "--budget-usd", "1.6", "--out", "paid", "--resume")
        maker.polyathlon("run", *game, *more, *alone, "--json")


def _play_broken(maker: Maker) -> None:
    """Killed three times amid calls: two games end, two stay open, one of which began anew.

    One open trace gets a torn last line. Then a person plays, and leaves the second game.
    """
    episodes, abandoned = maker.out / "broken" / "episodes", maker.out / "broken" / "abandoned"
    words = ("--resume", "--concurrency", "2", "--price", f"{SLOW}=50,50")

    def ended() -> bool:
        return len(list(episodes.glob("*.zst"))) == 2

    with maker.server(8432, "--latency-ms", "60"):
        maker.killed("broken", *words, when=lambda: _calling(episodes, 30))
        maker.killed("broken", *words, when=lambda: ended() and _calling(episodes, 9))
        maker.killed("broken", *words, when=lambda: abandoned.exists() and _calling(episodes, 13))
    longest = max(episodes.glob("*.jsonl"), key=lambda path: path.stat().st_size)
    with longest.open("r+b") as file:
        file.truncate(longest.stat().st_size - 7)
    maker.run("person", "--resume", "--concurrency", "1", out="broken", typed=PERSON)


def _calling(episodes: Path, least: int) -> bool:
    """Whether two games are open, each with `least` events and the last of them a call."""
    traces = [path.read_bytes().splitlines() for path in episodes.glob("*.jsonl")]
    calling = [len(t) >= least and t[-1].startswith(b'{"event":"call"') for t in traces]
    return calling == [True, True]


def record(maker: Maker, name: str) -> None:
    """Write what a run says beside it."""
    with (maker.out / f"{name}.json").open("w", encoding="utf-8") as file:
        maker.start(name, module="tests.data.schema1.said", stdout=file).wait()


def keep(out: Path, name: str) -> None:
    """Put a run and what it says into the tests, as files that hold neither owners nor times."""
    said = (out / f"{name}.json").read_bytes()
    (DATA / f"{name}.json.gz").write_bytes(gzip.compress(said, 9, mtime=0))
    with (
        (DATA / f"{name}.tar.gz").open("wb") as file,
        gzip.GzipFile("", "wb", 9, file, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for path in sorted((out / name).rglob("*")):
            inside = path.relative_to(out)
            if path.is_file() and inside.parts[1] not in NOT_KEPT:
                entry = tarfile.TarInfo(inside.as_posix())
                entry.size = path.stat().st_size
                with path.open("rb") as content:
                    archive.addfile(entry, content)


def main(words: list[str]) -> None:
    checkout, out = Path(words[0]).resolve(), Path(words[1]).resolve()
    if "--keep" in words:
        for name in KEPT:
            keep(out, name)
        return
    out.mkdir(parents=True, exist_ok=True)
    for path in DATA.glob("*.yaml"):
        shutil.copy(path, out)
    maker = Maker(checkout, out)
    play(maker)
    for name in RUNS:
        record(maker, name)


if __name__ == "__main__":
    main(sys.argv[1:])
