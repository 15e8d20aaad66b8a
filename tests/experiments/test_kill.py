"""SIGKILL at random moments: nothing is lost, nothing is asked twice, and all money is counted.

POLYATHLON_KILLS says how often each run is killed, and makes the runs as long as that needs.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from subprocess import Popen
from typing import Any, NamedTuple, TypeAlias

import pytest
from tests.experiments import crowd
from tests.experiments.servers import ROOT, Counts, counts_of, fault_server, polyathlon
from tests.runtime.support import same

from polyathlon.cli import main
from polyathlon.core import trace
from polyathlon.core.chance import Stream, stream
from polyathlon.core.models import Price, Usage
from polyathlon.experiments.replaying import named_media
from polyathlon.experiments.rundir import RunDir, begun, open_run
from polyathlon.experiments.spending import spent_usd
from polyathlon.runtime.recorder import Operation, operation

KILLS = int(os.environ.get("POLYATHLON_KILLS", "4"))
EPISODES = max(4, KILLS // 2)
LATENCY_S = 0.02
PRICE = Price(2.0, 8.0)
ROUNDING_USD = 1e-9
MOVES = "move: up,move: down,move: left,move: right"


class Workload(NamedTuple):
    """What is run and killed. `faults` are what the server does to it."""

    arguments: tuple[str, ...]
    words: str = MOVES
    faults: str = ""

    def command(self, model: str, out: Path) -> list[str]:
        return [
            "run", *self.arguments, "--episodes", str(EPISODES), "--concurrency", "4",
            "--price", f"{model}={PRICE.input},{PRICE.output}", "--out", str(out), "--resume",
            "--json",
        ]  # fmt: skip


GAME = ("lmgame/twenty48-v0", "--model", "{model}", "--turns", "30")
SEEING = ("--harness", "perception=native", "--harness", "max_tokens=300", "--harness", "seed=1")
CROWD = (
    crowd.SPEC.id, "--import", crowd.__name__, "--agent", f"{crowd.__name__}:asking_around",
    "--set", "limit_s=3600", "--turns", "8",
)  # fmt: skip
WORKLOADS = {
    "text": Workload((*GAME, "--harness", "both")),
    "pictures": Workload((*GAME, *SEEING)),
    "tools": Workload(CROWD, "amber white,white dark,amber amber", "new:9=429,new:11=500"),
}


Start: TypeAlias = tuple[str, Operation, int]
"""An attempt at a call: its episode, its operation, and how many were started by then."""


class Run(NamedTuple):
    """A run directory, the model that it asks, and what the server of that has counted."""

    path: Path
    counts: Counts
    kills: int = 0
    in_flight_usd: Mapping[Start, float] = {}


@pytest.mark.slow
@pytest.mark.parametrize("name", WORKLOADS)
def test_killed_and_resumed_runs_equal_an_unbroken_one(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    workload = WORKLOADS[name]
    with fault_server() as free:
        port = free.rpartition(":")[2].removesuffix("/v1")
    model = f"vllm/any@http://127.0.0.1:{port}/v1"
    monkeypatch.setenv(crowd.MODEL, model)  # for the replay, which is played here
    unbroken = _run(workload, model, tmp_path / "unbroken", 0, 0)
    requests = unbroken.counts.requests
    broken = _run(workload, model, tmp_path / "broken", KILLS, 1 + 2 * requests // (KILLS + 1))

    one, other = open_run(unbroken.path), open_run(broken.path)
    assert one.episode_ids() == other.episode_ids()
    assert len(one.episode_ids()) == EPISODES
    for id in one.episode_ids():
        assert _decided(other.events(id)) == _decided(one.events(id))
        assert bool(named_media(one.events(id))) == (name == "pictures")
    assert main(["replay", str(broken.path), "--verify", "--trust"]) == 0
    assert capsys.readouterr().out.count("  same: ") == EPISODES

    extra, in_flight = broken.counts.requests - requests, len(broken.in_flight_usd)
    spent, served = spent_usd(other), _usd(broken.counts)
    booked = sum(broken.in_flight_usd.values())
    print(
        f"{name}: {broken.kills} kills, {requests} requests unbroken, {extra} more with {in_flight}"
        f" in flight; the server asks for ${served:.6f}, booked is ${spent:.6f}, of which at most"
        f" ${booked:.6f} for what was in flight"
    )
    assert broken.kills > KILLS // 2
    assert 0 <= extra <= in_flight
    assert spent_usd(one) == pytest.approx(_usd(unbroken.counts))
    assert -ROUNDING_USD <= spent - served <= booked + ROUNDING_USD
    ends = [ended for id in other.episode_ids() if (ended := other.ended(id)) is not None]
    assert sum(end.cost_usd + end.booked_usd for end in ends) == pytest.approx(spent)


def _run(workload: Workload, model: str, out: Path, kills: int, every: int) -> Run:
    """Killed after random numbers of further requests, `every` / 2 in the mean, then finished."""
    port = model.rpartition(":")[2].removesuffix("/v1")
    given = ("--port", port, "--latency-ms", str(LATENCY_S * 1e3), "--words", workload.words)
    command = [argument.replace("{model}", model) for argument in workload.command(model, out)]
    in_flight: dict[Start, float] = {}
    killed = 0
    environ = {crowd.MODEL: model}
    with fault_server(*given, "--faults", workload.faults) as url:
        for number in range(kills):
            rng = stream(0, "kills", number)
            process = polyathlon(*command, environ=environ)
            killed += _kill(process, url, number, rng, every)
            if begun(out):
                in_flight |= _in_flight_usd(open_run(out))
                spent = spent_usd(open_run(out))
                time.sleep(2 * LATENCY_S)
                assert spent >= _usd(counts_of(url)) - ROUNDING_USD
        process = polyathlon(*command, environ=environ)
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        return Run(out, counts_of(url), killed, in_flight)


def _kill(process: Popen[str], url: str, number: int, rng: Stream, every: int) -> bool:
    """Kill what has just begun, every fifth while it still starts; whether it was alive."""
    if number % 5 == 4:
        time.sleep(1.5 * rng.uniform())
    else:
        until = counts_of(url).requests + 1 + rng.below(every)
        while process.poll() is None and counts_of(url).requests < until:
            time.sleep(0.002)
        time.sleep(LATENCY_S * rng.uniform())
    alive = process.poll() is None
    process.kill()
    process.communicate()
    return alive


def _in_flight_usd(run: RunDir) -> Iterator[tuple[Start, float]]:
    """The most that each attempt may cost which was started and has not ended."""
    for id in run.episode_ids():
        most: dict[Operation, float] = {}
        started: Counter[Operation] = Counter()
        open_calls: set[Operation] = set()
        for event in run.events(id):
            match event:
                case trace.Called() | trace.Retried():
                    open_calls.add(operation(event))
                    started[operation(event)] += 1
                    if isinstance(event, trace.Called):
                        assert event.most_usd is not None
                        most[operation(event)] = event.most_usd
                case trace.Interrupted():
                    started[operation(event)] += 1
                case trace.Attempted():
                    open_calls.remove(operation(event))
        yield from (((id, op, started[op]), most[op]) for op in open_calls)


def _decided(events: Iterable[trace.Event]) -> list[dict[str, Any]]:
    """What happened, without the attempts at a call that failed before the one that decided it.

    A fault that a kill kept from being heard does not come again.
    """
    decisive = []
    for event in same(events):
        match event["event"]:
            case "retry":
                continue
            case "attempt" if not event.get("final"):
                assert event["cause"] in ("rate_limited", "server_error")
                continue
            case "attempt":
                event.pop("number")
            case "end":
                event.pop("attempts", None)
        decisive.append(event)
    return sorted(decisive, key=repr)


def _usd(counts: Counts) -> float:
    return PRICE.cost(Usage(input=counts.input_tokens, output=counts.output_tokens))
