"""Progress of a run on stderr: episodes, rate, spend and time to go."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from polyathlon.core.console import note
from polyathlon.experiments.settings import Progress

PLAIN_EVERY_S = 10.0


@contextmanager
def display(total: int) -> Iterator[Callable[[Progress], None]]:
    """A function to call with every change; draws a bar on a terminal, else a line at times."""
    with _bar(total) if sys.stderr.isatty() else _lines() as update:
        yield update


@contextmanager
def _bar(total: int) -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=total)
        yield lambda progress: bar.update(
            task, completed=progress.done + progress.stopped, description=status(progress)
        )


@contextmanager
def _lines() -> Iterator[Callable[[Progress], None]]:
    last = 0.0

    def update(progress: Progress) -> None:
        nonlocal last
        over = progress.done + progress.stopped >= progress.total
        if over or time.monotonic() - last >= PLAIN_EVERY_S:
            last = time.monotonic()
            note(status(progress))

    yield update


def status(progress: Progress) -> str:
    """One line: done of total, failures, rates, spend, time to go."""
    elapsed_s = max(time.monotonic() - progress.started_at, 1e-6)
    over = progress.done + progress.stopped
    pieces = [f"{over}/{progress.total} episodes", f"{progress.turns / elapsed_s:.1f} turns/s"]
    if progress.failed:
        pieces.append(f"{progress.failed} failed")
    if progress.stopped:
        pieces.append(f"{progress.stopped} stopped")
    if progress.calls:
        spend = f"{progress.calls} calls, {progress.spent_usd:.4f} USD"
        pieces.append(spend + " + unknown" if progress.unknown_cost else spend)
    if 0 < over < progress.total:
        pieces.append(f"{_clock(elapsed_s * (progress.total - over) / over)} to go")
    return ", ".join(pieces)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
