"""Over hostile run directories no command executes, escapes, leaks, hangs or takes much memory."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.trust.hostile import HARMS, Victim, tree

from polyathlon.cli import main

ROOT = Path(__file__).parents[2]
ENV = "lmgame/twenty48-v0"
KEY = "tok-0123456789-of-a-server"
MOST_MB, MOST_S = 400, 10.0
EVIL = "from pathlib import Path\nPath({mark!r}).touch()\ndef act(obs):\n    return 'up'\n"
COMMANDS = {
    "list": ["list", "agents"],
    "report": ["report", "RUN"],
    "replay": ["replay", "RUN", "--verify"],
    "show": ["replay", "RUN", "ID"],
    "score": ["score", "RUN", "--scorer", "loops"],
    "resume": ["run", "--out", "RUN", "--resume"],
}
QUICK = (
    "yaml: laughs", "yaml: agent", "yaml: host", "yaml: seeds", "yaml: episodes", "link: lock",
    "link: page", "link: episode", "pipe: episode", "index: trigger", "names", "zst: cut",
    "zst: noise", "lines: surrogates", "json: deep", "json: huge time", "json: huge counts",
    "json: nobody's act", "text: escapes", "text: pieces", "spec: code", "spec: system",
    "spec: env", "media: wide", "media: path", "scores: deep",
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run of two ended episodes."""
    out = tmp_path_factory.mktemp("whole") / "run"
    words = ["--agent", "random", "--turns", "2", "--seeds", "0:2", "--out", str(out)]
    assert main(["run", ENV, *words]) == 0
    (out / "report.html").unlink()
    return out


class Scene(NamedTuple):
    """Where a command meets a hostile run: the folder it runs in has a module to be executed."""

    run: Path
    here: Path
    elsewhere: Path
    mark: Path
    id: str

    def words(self, command: str) -> list[str]:
        meant = {"RUN": str(self.run), "ID": self.id}
        return [meant.get(word, word) for word in COMMANDS[command]]


@pytest.fixture
def scene(whole, tmp_path, monkeypatch):
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    for folder in (here, elsewhere):
        folder.mkdir()
    for name in ("lock", "report.html", "index.sqlite", "experiment.yaml"):
        (elsewhere / name).write_text("precious\n")
    mark = tmp_path / "canary"
    for name in ("evil", "jinja2", "openskill"):
        (here / f"{name}.py").write_text(EVIL.format(mark=str(mark)))
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    for name in ("VLLM_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.chdir(here)
    return Scene(run, here, elsewhere, mark, Victim(run, elsewhere).id)


def harmed(scene: Scene, name: str) -> None:
    victim = Victim(scene.run, scene.elsewhere)
    (scene.elsewhere / f"{victim.id}.jsonl").write_text("precious\n")
    (scene.elsewhere / f"{victim.id}.jsonl.zst").write_text("precious\n")
    HARMS[name](victim)


def check(scene: Scene, code: int, said: str, before: list[object]) -> None:
    assert code in (0, 1, 2), said
    assert "Traceback" not in said
    assert KEY not in said
    assert "secretword" not in said
    assert all(len(line) <= 2_100 for line in said.splitlines())
    assert not any(sign in said for sign in "\x1b\x9b\u202e\u2028\x07")
    assert not scene.mark.exists()
    assert list(tree(scene.elsewhere)) == before
    assert sorted(path.name for path in scene.here.iterdir()) == [
        "evil.py", "jinja2.py", "openskill.py",
    ]  # fmt: skip


def no_key_under(folder: Path) -> bool:
    files = [p for p in folder.rglob("*") if p.is_file() and p.stat().st_size < 1 << 28]
    return not any(KEY.encode() in path.read_bytes() for path in files)


def test_there_are_enough():
    assert len(HARMS) >= 40
    assert set(QUICK) <= set(HARMS)


@pytest.mark.parametrize("name", QUICK)
def test_commands_over_a_hostile_run(scene, name, capfd):
    harmed(scene, name)
    before = list(tree(scene.elsewhere))
    for command in ("replay", "show", "score", "resume"):
        code = main(scene.words(command))
        said = capfd.readouterr()
        check(scene, code, said.out + said.err, before)
    assert no_key_under(scene.run)


@pytest.mark.slow
@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads /proc for the peak of memory"
)
@pytest.mark.parametrize("name", HARMS)
def test_bounds_of_every_command_over_every_hostile_run(scene, name):
    harmed(scene, name)
    before = list(tree(scene.elsewhere))
    told, said = child(scene)
    for command, (code, seconds, peak_mb) in told.items():
        check(scene, code, said, before)
        assert seconds < MOST_S, (command, seconds, said)
        assert peak_mb < MOST_MB, (command, peak_mb, said)
    assert list(told) == list(COMMANDS), said
    assert no_key_under(scene.run)


SCRIPT = """
import json, sys, time
from pathlib import Path
from polyathlon.cli import main
for name, words in json.loads(sys.argv[1]).items():
    start = time.process_time()
    code = main(words)
    seconds = time.process_time() - start
    status = Path("/proc/self/status").read_text()  # getrusage would tell the parent's peak
    peak_mb = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    with open(sys.argv[2], "a") as told:
        told.write(json.dumps([name, code, seconds, peak_mb]) + "\\n")
"""


def child(scene: Scene) -> tuple[dict[str, tuple[int, float, float]], str]:
    """The commands one after the other in a process of their own, and what they said.

    By command: the exit code, CPU seconds, and the peak of memory so far in MB.
    """
    folder = scene.here.parent
    script, told = folder / "commands.py", folder / "told"
    script.write_text(SCRIPT)
    words = {command: scene.words(command) for command in COMMANDS}
    done = subprocess.run(
        [sys.executable, str(script), json.dumps(words), str(told)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "HOME": str(scene.elsewhere)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60 * MOST_S,
    )  # fmt: skip
    rows = [json.loads(line) for line in told.read_text().splitlines()] if told.exists() else []
    return {row[0]: tuple(row[1:]) for row in rows}, done.stdout.decode("utf-8", "replace")
