"""Whole episodes of every game with a real omni model behind a real server (`make test-omni`)."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyathlon.analysis.table import tables
from polyathlon.core import trace
from polyathlon.experiments.rundir import open_run

ROOT = Path(__file__).parents[2]
PYTHON = os.environ.get("OMNI_PYTHON", str(ROOT / ".venv-omni" / "bin" / "python"))
START_S = 180.0
GAMES = {
    "pathfinding": ["--level", "easy", "--set", "cap=12"],
    "echoes": ["--level", "easy", "--set", "sequence_source=truth"],
    "alchemist": ["--set", "cap=12"],
    "phantom": ["--level", "easy", "--set", "rounds=10"],
    "showdown": [
        "--set", "cap=8", "--agent", "red=llm", "--agent", "blue=random",
        "--agent", "green=random", "--agent", "yellow=random",
    ],
}  # fmt: skip
SHOWN = {"phantom": {"video"}, "echoes": {"video", "image"}}

pytestmark = pytest.mark.omni


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a tiny omni model, built and served here."""
    folder = tmp_path_factory.mktemp("omni") / "tiny"
    tiny = [PYTHON, str(Path(__file__).parent / "tiny.py")]
    quiet = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE", "HF_HUB_OFFLINE": "1"}
    subprocess.run([*tiny, "build", str(folder)], check=True, env=quiet, capture_output=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [*tiny, "serve", str(folder), str(port)],
        env=quiet,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/health", server)
        yield f"llamacpp/{folder}@http://127.0.0.1:{port}/v1"
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=2)
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.5)
        else:
            return
    pytest.fail(f"the server did not start (exit code {server.poll()})")


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_episode(game: str, model: str, tmp_path: Path) -> None:
    command = [
        sys.executable, "-m", "polyathlon", "run", f"omniplay/{game}-v0", *GAMES[game],
        "--model", model, "--seeds", "0", "--harness", "off", "--harness", "max_tokens=16",
        "--out", str(tmp_path / "run"), "--json",
    ]  # fmt: skip
    played = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert played.returncode == 0, played.stderr
    cells = json.loads(played.stdout)["cells"]
    assert sum(cell["failed"] for cell in cells) == 0
    run = open_run(tmp_path / "run")
    found = tables(run.path)
    (episode,) = found.episodes
    assert episode.status in ("done", "truncated")
    assert not episode.cause.startswith("limit:")
    statuses = {turn.status for turn in found.turns}
    assert statuses <= {"ok", "ineffective", "illegal", "malformed"}
    events = list(run.events(episode.id))
    said = [event for event in events if isinstance(event, trace.Said)]
    sent = {part.type for event in said for part in event.parts}
    assert sent >= {"text", "audio", *SHOWN.get(game, {"image"})}
    replies = [e.reply for e in events if isinstance(e, trace.Attempted) and e.reply]
    assert replies
    assert all(reply.usage.input > 50 and reply.usage.output > 0 for reply in replies)
    if "video" in sent:
        notes = [note for reply in replies for note in reply.conversions]
        assert any(note.startswith("video of") for note in notes)
