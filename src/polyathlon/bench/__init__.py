"""Benchmarks: named measurements of throughput on this machine."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence

import msgspec

from polyathlon.core.errors import unknown
from polyathlon.runtime.memory import keep_freed_memory, search_rarely


class Benchmark(msgspec.Struct, frozen=True):
    """A measurement: `measure()` takes a few seconds and returns a value in `unit`."""

    name: str
    unit: str
    measure: Callable[[], float]


def benchmarks() -> dict[str, Benchmark]:
    """Every benchmark by name."""
    from polyathlon.bench import envs, gptnt, leases, media, omniplay, runtime, starts

    rooms = (envs, media, runtime, starts, leases, omniplay, gptnt)
    return {benchmark.name: benchmark for room in rooms for benchmark in room.benchmarks()}


def chosen(patterns: Sequence[str]) -> list[Benchmark]:
    """The benchmarks that match any of the names or globs; all for none.

    Raises UserError for a pattern that matches nothing.
    """
    keep_freed_memory()
    search_rarely()
    known = benchmarks()
    for pattern in patterns:
        if not fnmatch.filter(known, pattern):
            raise unknown("benchmark", pattern, known)
    wanted = patterns or ("*",)
    return [
        benchmark
        for name, benchmark in known.items()
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in wanted)
    ]
