"""polyathlon bench: throughput on this machine."""

from __future__ import annotations

import msgspec

from polyathlon.bench import Benchmark, chosen
from polyathlon.cli.output import columns, print_json
from polyathlon.core.console import note, say
from polyathlon.core.errors import UserError


def bench(*names: str, json: bool = False) -> None:
    """Measure how fast envs and runtime are here, each on one core.

    Parameters
    ----------
    names
        Benchmarks, or globs such as sokoban/*; all of them by default.
    json
        Print one JSON object.
    """
    measured = [_measured(benchmark) for benchmark in chosen(names)]
    results = [result for result in measured if result is not None]
    if json:
        print_json({"benchmarks": results})
    else:
        say(columns([(r.name, _written(r.value), r.unit) for r in results]))


class Result(msgspec.Struct, frozen=True):
    """A benchmark's value on this machine, in `unit`."""

    name: str
    value: float
    unit: str


def _measured(benchmark: Benchmark) -> Result | None:
    note(f"measuring {benchmark.name} ...")
    try:
        return Result(benchmark.name, benchmark.measure(), benchmark.unit)
    except UserError as missing:
        note(f"left out: {missing}")
        return None


def _written(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
