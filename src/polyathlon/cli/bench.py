"""polyathlon bench: throughput on this machine."""

from __future__ import annotations

import sys

import msgspec

from polyathlon.bench import Benchmark, chosen
from polyathlon.cli.output import columns, print_json


def bench(*names: str, json: bool = False) -> None:
    """Measure how fast envs and runtime are here, each on one core.

    Parameters
    ----------
    names
        Benchmarks, or globs such as sokoban/*; all of them by default.
    json
        Print one JSON object.
    """
    results = [_measured(benchmark) for benchmark in chosen(names)]
    if json:
        print_json({"benchmarks": results})
    else:
        print(columns([(r.name, _written(r.value), r.unit) for r in results]))


class Result(msgspec.Struct, frozen=True):
    """A benchmark's value on this machine, in `unit`."""

    name: str
    value: float
    unit: str


def _measured(benchmark: Benchmark) -> Result:
    print(f"measuring {benchmark.name} ...", file=sys.stderr)
    return Result(benchmark.name, benchmark.measure(), benchmark.unit)


def _written(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
