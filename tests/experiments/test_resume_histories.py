"""Random histories of resumed runs: the record says what was played under which terms.

POLYATHLON_HISTORIES says how many.
"""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any

import anyio
import pytest

from polyathlon import registry
from polyathlon.cli.run import run
from polyathlon.core import trace
from polyathlon.core.agents import Decision
from polyathlon.core.chance import Stream, stream
from polyathlon.core.errors import UserError
from polyathlon.core.models import Price, Reply, Request, Sampling, Usage, say, thread
from polyathlon.experiments.rundir import RunDir, open_run
from polyathlon.experiments.spending import spent_usd
from polyathlon.experiments.terms import entries, played
from polyathlon.runtime.limits import most_usd

HISTORIES = int(os.environ.get("POLYATHLON_HISTORIES", "100"))
BATCHES = 10
GAME = "lmgame/twenty48-v0"
MODEL = "toll/m"
ROUNDING_USD = 1e-9
MOST_OUT = 40


class Toll:
    """A model that takes what it is promised, and ends the process's run at a given call.

    `served_usd` is all that it was ever asked for, heard or not, and `in_flight_usd` the most that
    the calls may cost which wait now.
    """

    name, group, in_flight, latency = MODEL, "toll", 8, "measured"
    served_usd = 0.0
    cut_at = 0
    calls = 0
    in_flight_usd = 0.0
    rng: Stream

    def __init__(self) -> None:
        self.price: Price | None = None

    async def complete(self, request: Request) -> Reply:
        assert self.price is not None
        most = most_usd(self, request) or 0.0
        usage = Usage(Toll.rng.below(1_000), 0, Toll.rng.below(MOST_OUT))
        cost_usd = self.price.cost(usage)
        assert cost_usd <= most
        Toll.calls += 1
        Toll.served_usd += cost_usd
        Toll.in_flight_usd += most
        for _ in range(Toll.rng.below(4)):
            await anyio.lowlevel.checkpoint()
        if Toll.calls == Toll.cut_at:
            raise KeyboardInterrupt
        Toll.in_flight_usd -= most
        return Reply(Toll.rng.choice(("up", "left", "down")), usage=usage, cost_usd=cost_usd)

    async def close(self) -> None:
        pass


class Asking:
    """Asks the model once or twice a turn."""

    access = "plain"
    replayable = True

    async def act(self, obs, last, ctx):
        for purpose in ("think", "decide")[obs.turn % 2 :]:
            asked = Request(thread(say("user", f"{obs.turn}")), Sampling(max_tokens=MOST_OUT))
            reply = await ctx.complete(asked, MODEL, purpose)
        return Decision(obs.actions.parse(reply.text), raw=reply.text)


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setitem(registry._registered, "models", {"toll": lambda name: Toll()})
    monkeypatch.setitem(registry._registered, "agents", {"asking": lambda *given: Asking()})


class History:
    """One run that is begun and resumed at random, and what should be known of it."""

    def __init__(self, path: Path, number: int) -> None:
        self.path = path
        self.rng = stream(0, "histories", number)
        Toll.rng, Toll.served_usd = self.rng, 0.0
        self.budget: float | None = None
        self.price = 0.0
        self.plan = (2, 3)
        self.slack_usd = 0.0
        self.events: dict[str, int] = {}
        self.made: dict[int, dict[str, list[int]]] = defaultdict(dict)
        self.cuts = self.stops = self.refused = 0

    def play(self) -> None:
        """Begin, go on a few times, then without a budget to the end; all along what holds."""
        self._sit(GAME, agent=("asking",), **self._money(begins=True), **self._episodes())
        for _ in range(1 + self.rng.below(4)):
            if self.rng.below(4) == 0:
                self._refuse()
            self._sit(resume=True, **self._money(), **self._amended())
        self.budget = None
        Toll.cut_at = 0
        assert self._run(resume=True, budget_usd="none") == 0

    def _sit(self, *targets: str, **flags: Any) -> None:
        Toll.cut_at = 1 + self.rng.below(12) if self.rng.below(2) else 0
        code = self._run(*targets, **flags)
        self.cuts += code == 130
        self.stops += code == 1

    def _run(self, *targets: str, **flags: Any) -> int:
        """One sitting, and what must hold after it."""
        before = spent_usd(open_run(self.path)) if self.path.exists() else 0.0
        Toll.calls, Toll.in_flight_usd = 0, 0.0
        code = run(*targets, **flags, json=True, out=self.path, concurrency=3)
        assert code in (0, 1, 130), code
        _await_threads()
        directory = open_run(self.path)
        self.slack_usd += Toll.in_flight_usd if code == 130 else 0.0
        spent = spent_usd(directory)
        if self.budget is not None:
            assert spent <= max(self.budget, before) + ROUNDING_USD
            assert Toll.served_usd <= max(self.budget, before) + self.slack_usd + ROUNDING_USD
        assert Toll.served_usd <= spent + self.slack_usd + ROUNDING_USD
        self._check_record(directory, before)
        return code

    def _check_record(self, directory: RunDir, before: float) -> None:
        record = entries(directory)
        now = record[-1]
        assert (now.terms.budget_usd, now.terms.prices) == (
            self.budget,
            {MODEL: Price(self.price, self.price)},
        )
        if len(record) not in self.made:
            assert now.spent_usd == pytest.approx(before)
        made = self.made[len(record)]
        for id in directory.episode_ids():
            count = sum(not isinstance(event, trace.Ended) for event in directory.events(id))
            made.setdefault(f"{id}.0", []).extend(range(self.events.get(id, 0), count))
            self.events[id] = count
        eras = played(directory, record)
        found = [{key: list(events) for key, events in era.items()} for era in eras]
        wanted = [
            {key: events for key, events in self.made[n].items() if events}
            for n in range(len(record) + 1)
        ]
        assert found == wanted

    def _money(self, begins: bool = False) -> dict[str, Any]:
        flags: dict[str, Any] = {}
        if begins or self.rng.below(3) == 0:
            self.price = float(1 + self.rng.below(50))
            flags["price"] = (f"{MODEL}={self.price},{self.price}",)
        match self.rng.below(4):
            case 0:
                self.budget, flags["budget_usd"] = None, "none"
            case 1 | 2:
                self.budget = flags["budget_usd"] = round(0.15 * self.rng.uniform(), 4)
        return flags

    def _episodes(self) -> dict[str, Any]:
        episodes, turns = self.plan
        return {"episodes": episodes, "turns": turns}

    def _amended(self) -> dict[str, Any]:
        if self.rng.below(4):
            return {}
        self.plan = (1 + self.rng.below(3), 2 + self.rng.below(3))
        return {**self._episodes(), "amend": True}

    def _refuse(self) -> None:
        """Other flags without --amend change nothing."""
        files = {path: path.stat().st_mtime_ns for path in self.path.rglob("*")}
        with pytest.raises(UserError, match="--amend"):
            run(resume=True, out=self.path, turns=self.plan[1] + 1)
        assert {path: path.stat().st_mtime_ns for path in self.path.rglob("*")} == files
        self.refused += 1


def _await_threads() -> None:
    """Wait for what a cut run left at work, such as a trace being sealed; a kill ends that too."""
    for thread_ in threading.enumerate():
        if thread_.name.startswith("AnyIO worker"):
            thread_.join(10)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_the_record_says_what_was_played_under_which_terms(batch, tmp_path, capsys):
    told = defaultdict(int)
    for number in range(batch, HISTORIES, BATCHES):
        history = History(tmp_path / str(number), number)
        history.play()
        capsys.readouterr()
        for name in ("cuts", "stops", "refused"):
            told[name] += getattr(history, name)
        told["histories"] += 1
    print(dict(told))
    assert min(told[name] for name in ("cuts", "stops", "refused")) > 0
