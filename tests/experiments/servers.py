"""A fault server in a process of its own, and command lines against it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from anyio.from_thread import start_blocking_portal

from polyathlon.testing.faults import FaultServer, parse_plan, word_answer

ROOT = Path(__file__).parents[2]
ENV = {**os.environ, "PYTHONPATH": str(ROOT / "src")}


@contextmanager
def fault_server(*arguments: str) -> Iterator[str]:
    """The URL of a running fault server."""
    command = [sys.executable, "-m", "polyathlon.testing.faults", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENV)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


@contextmanager
def server_thread(plan: str, words: str, latency_s: float = 0.0) -> Iterator[str]:
    """The URL of a fault server in a thread of this process."""
    answer = word_answer(tuple(words.split(",")))
    with start_blocking_portal() as portal:
        server = FaultServer(answer, parse_plan(plan), latency_s)
        with portal.wrap_async_context_manager(server):
            yield server.url


class Counts(NamedTuple):
    """What a fault server counted; tokens are those of answers, heard or not."""

    requests: int
    answered: int
    input_tokens: int
    output_tokens: int


def counts_of(url: str) -> Counts:
    """What the server counted by now."""
    stats = url.removesuffix("/v1") + "/stats"
    with urllib.request.urlopen(stats) as answer:
        return Counts(**json.load(answer))


def requests_of(url: str) -> int:
    """How many completions the server was asked for."""
    return counts_of(url).requests


def polyathlon(
    *arguments: str, start_new_session: bool = False, environ: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """A started command line, if asked for in a process group of its own.

    It hears SIGINT even where this process was started in the background and ignores it.
    """
    command = [sys.executable, "-m", "polyathlon", *arguments]
    return subprocess.Popen(
        command, env={**ENV, **(environ or {})}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=start_new_session, preexec_fn=_hear_interrupts,
    )  # fmt: skip


def _hear_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
