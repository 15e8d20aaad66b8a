"""Runs that are killed by SIGKILL and resumed under other terms: what was played under which.

POLYATHLON_KILLED_HISTORIES says how many.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.experiments.servers import counts_of, fault_server, polyathlon
from tests.experiments.test_kill import _in_flight_usd

from polyathlon.core import trace
from polyathlon.core.chance import stream
from polyathlon.core.models import Price, Usage
from polyathlon.experiments.rundir import begun, open_run
from polyathlon.experiments.spending import spent_usd
from polyathlon.experiments.terms import Terms, current, entries, played

HISTORIES = int(os.environ.get("POLYATHLON_KILLED_HISTORIES", "2"))
KILLS = 3
LATENCY_S = 0.02
ROUNDING_USD = 1e-9
WORDS = "move: up,move: down,move: left,move: right"
GAME = (
    "lmgame/twenty48-v0", "--episodes", "3", "--turns", "15", "--harness", "max_tokens=20",
    "--call-seconds", "60",
)  # fmt: skip


class Killed:
    """A run that is killed and resumed under other terms, and what should be known of it."""

    def __init__(self, path: Path, url: str, number: int) -> None:
        self.path, self.url = path, url
        self.model = f"vllm/any@{url}"
        self.rng = stream(0, "killed histories", number)
        self.budget: float | None = None
        self.price = 20.0
        self.served_usd = self.slack_usd = 0.0
        self.tokens = (0, 0)
        self.events: dict[str, int] = {}
        self.made: dict[int, dict[str, list[int]]] = defaultdict(dict)
        self.kills = 0

    def play(self) -> None:
        """Begin and go on, killed each time, then go on without a budget to the end."""
        begin = ("--model", self.model, "--price", f"{self.model}={self.price},{self.price}")
        self._sit([*GAME, *begin, *self._budget()], kill=True)
        for _ in range(KILLS - 1):
            words = [] if begun(self.path) else [*GAME, *begin]
            self._sit([*words, *self._changes()], kill=True)
        self.budget = None
        words = [] if begun(self.path) else [*GAME, *begin]
        self._sit([*words, "--budget-usd", "none"], kill=False)

    def _changes(self) -> list[str]:
        words = self._budget()
        if self.rng.below(2):
            self.price = float(10 + self.rng.below(40))
            words += ["--price", f"{self.model}={self.price},{self.price}"]
        return words

    def _budget(self) -> list[str]:
        self.budget = round(0.2 + 1.5 * self.rng.uniform(), 3)
        return ["--budget-usd", str(self.budget)]

    def _sit(self, words: Sequence[str], kill: bool) -> None:
        before = spent_usd(open_run(self.path)) if begun(self.path) else 0.0
        known = current(open_run(self.path)) if begun(self.path) else None
        command = ["run", *words, "--resume", "--out", str(self.path), "--json"]
        process = polyathlon(*command)
        if kill:
            until = counts_of(self.url).requests + self.rng.below(12)
            while process.poll() is None and counts_of(self.url).requests < until:
                time.sleep(0.002)
            time.sleep(LATENCY_S * self.rng.uniform())
            self.kills += process.poll() is None
            process.kill()
        _, errors = process.communicate(timeout=300)
        assert kill or process.returncode == 0, errors
        time.sleep(2 * LATENCY_S)
        if begun(self.path):
            self._check(before, known)

    def _check(self, before: float, known: Terms | None) -> None:
        run = open_run(self.path)
        record, now = entries(run), current(run)
        wanted = Terms(self.budget, {self.model: Price(self.price, self.price)}, attempt_s=60.0)
        assert now in (wanted, known)
        news = self._news(len(record))
        assert now == wanted or not news
        self.budget, self.price = now.budget_usd, now.prices[self.model].input

        spent = spent_usd(run)
        self.served_usd += self._asked_usd()
        self.slack_usd += sum(usd for _, usd in _in_flight_usd(run))
        if self.budget is not None:
            assert spent <= max(self.budget, before) + ROUNDING_USD
            assert self.served_usd <= max(self.budget, before) + self.slack_usd + ROUNDING_USD
        assert self.served_usd <= spent + self.slack_usd + ROUNDING_USD
        found = [{key: list(events) for key, events in era.items()} for era in played(run, record)]
        assert found == [
            {key: events for key, events in self.made[n].items() if events}
            for n in range(len(record) + 1)
        ]

    def _news(self, era: int) -> int:
        """How many events there are since the last sitting, all made in the `era`-th."""
        run, news = open_run(self.path), 0
        for id in run.episode_ids():
            count = sum(not isinstance(event, trace.Ended) for event in run.events(id))
            fresh = range(self.events.get(id, 0), count)
            self.made[era].setdefault(f"{id}.0", []).extend(fresh)
            self.events[id] = count
            news += len(fresh)
        return news

    def _asked_usd(self) -> float:
        """What the server asks for all that it answered since the last sitting."""
        counts = counts_of(self.url)
        tokens = (counts.input_tokens, counts.output_tokens)
        usage = Usage(input=tokens[0] - self.tokens[0], output=tokens[1] - self.tokens[1])
        self.tokens = tokens
        return Price(self.price, self.price).cost(usage)


@pytest.mark.slow
def test_killed_runs_say_what_was_played_under_which_terms(tmp_path):
    kills = records = 0
    spent = 0.0
    for number in range(HISTORIES):
        with fault_server("--latency-ms", str(LATENCY_S * 1e3), "--words", WORDS) as url:
            history = Killed(tmp_path / str(number), url, number)
            history.play()
        kills += history.kills
        records += len(entries(open_run(history.path)))
        spent += history.served_usd
    print(f"{HISTORIES} histories, {kills} kills, {records} lines of terms, ${spent:.4f} served")
    assert kills >= HISTORIES
