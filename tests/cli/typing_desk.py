"""Typing what a document shows: a folder, a shell's programs, and what must be there first.

Runs are cut to a turn of one seed, and servers are asked once and stopped; else a line is typed
as it stands.
"""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from polyathlon import registry

SHORT = {"--seeds": "0", "--turns": "1", "--attempts": "1"}
PORT, VLLM = "8765", "http://localhost:8000"
PATIENCE_S = 300.0


class Desk:
    """Where lines are typed. `elsewhere` is the address that stands for every provider."""

    def __init__(self, folder: Path, programs: Path, env: Mapping[str, str], elsewhere: str):
        self.folder = folder
        self._programs = programs
        self._env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self._env |= {**env, "BROWSER": "true"}
        self._elsewhere = elsewhere
        self._port = _free_port()
        self._serving: list[subprocess.Popen[str]] = []

    def type(self, words: Sequence[str]) -> None:
        """One call of `polyathlon`; AssertionError with what it said when it fails."""
        words = [self._here(word) for word in words]
        match words[0]:
            case "run" if "--resume" not in words:
                self.call("polyathlon", *short(words))
            case "play":
                self._look(words)
            case "serve":
                self._serve(words)
            case _:
                self.call("polyathlon", *words)

    def call(self, program: str, *words: str) -> str:
        """What a program of the environment says on stdout."""
        ran = subprocess.run(
            [str(self._programs / program), *words],
            cwd=self.folder,
            env=self._env,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert ran.returncode == 0, f"{shlex.join(words)}: {ran.stdout[-500:]}{ran.stderr[-2000:]}"
        return ran.stdout

    def close(self) -> None:
        for server in self._serving:
            _interrupt(server)

    def _here(self, word: str) -> str:
        return word.replace(VLLM, self._elsewhere).replace(f":{PORT}", f":{self._port}")

    def _look(self, words: Sequence[str]) -> None:
        """Open the page that a person would play on."""
        with self._started(words) as page:
            assert page.stdout is not None
            said = page.stdout.readline()
            address = said.partition(": ")[2].strip()
            assert address, f"{shlex.join(words)} opened no page: {said}"
            with urlopen(address, timeout=PATIENCE_S) as answer:
                assert answer.status == 200

    def _serve(self, words: Sequence[str]) -> None:
        server = self._begun([*words, "--port", str(self._port)])
        self._serving.append(server)
        until = time.monotonic() + PATIENCE_S
        while server.poll() is None and time.monotonic() < until:
            try:
                with urlopen(f"http://127.0.0.1:{self._port}/health", timeout=5):
                    return
            except URLError:
                time.sleep(0.1)
        raise AssertionError(f"{shlex.join(words)} does not answer")

    @contextmanager
    def _started(self, words: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
        process = self._begun(words)
        late = threading.Timer(PATIENCE_S, process.kill)
        late.start()
        try:
            yield process
        finally:
            late.cancel()
            _interrupt(process)

    def _begun(self, words: Sequence[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(self._programs / "polyathlon"), *words],
            cwd=self.folder,
            env=self._env,
            stdout=subprocess.PIPE,
            text=True,
        )


def short(words: Sequence[str]) -> list[str]:
    """A run of one turn of one seed; of an env without a level, its first."""
    kept = list(words)
    for option in SHORT:
        if option in kept:
            place = kept.index(option)
            del kept[place : place + 2]
    specs = registry.env_specs()
    levels = [specs[word].levels[0] for word in kept if word in specs and "--level" not in kept]
    cut = [word for pair in SHORT.items() for word in pair]
    return [*kept, *cut, *(word for level in levels for word in ("--level", level))]


def _interrupt(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(PATIENCE_S / 10)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    finally:
        if process.stdout is not None:
            process.stdout.close()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
