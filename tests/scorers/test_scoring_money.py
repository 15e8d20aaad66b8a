"""A scorer has a purse: a budget that is remembered, and money that no later time forgets."""

from __future__ import annotations

import json

import pytest
from tests.experiments.servers import counts_of, server_thread
from tests.scorers.scored import run_of

from polyathlon import cli
from polyathlon.core.errors import UserError
from polyathlon.core.models import Price, Usage
from polyathlon.experiments.ledger import Ledger
from polyathlon.experiments.scoring import score_run
from polyathlon.experiments.terms import Terms, read

PRICE = Price(10.0, 10.0)
ROUNDING_USD = 1e-9


class Court:
    """A run whose judge is behind a loopback server."""

    def __init__(self, url: str, path) -> None:
        self.url = url
        self.model = f"transformers/judge@{url}"
        self.run = run_of(path)
        self.folder = self.run.path / "scores" / "judge"
        self.priced = ("--price", f"{self.model}={PRICE.input},{PRICE.output}")

    def score(self, *words: str) -> int:
        told = ("--scorer", "judge", "--model", self.model, "--concurrency", "1", "--json")
        return cli.main(["score", str(self.run.path), *told, *words])

    @property
    def served_usd(self) -> float:
        counts = counts_of(self.url)
        return PRICE.cost(Usage(input=counts.input_tokens, output=counts.output_tokens))

    def most_usd(self) -> float:
        """What one call sets aside."""
        lines = (self.run.path / "scores/judge.ledger.jsonl").read_bytes().splitlines()
        return max(json.loads(line).get("most_usd", 0.0) for line in lines[2:])


@pytest.fixture
def court(tmp_path):
    with server_thread("", "reason: stuck\ncause: repetition") as url:
        yield Court(url, tmp_path)


def test_a_scorer_stops_at_its_budget_and_remembers_it(court, capsys):
    assert court.score(*court.priced, "--budget-usd", "0.062") == 1
    captured = capsys.readouterr()
    first = json.loads(captured.out)
    assert (first["episodes"], first["left"], first["budget_usd"]) == (1, 1, 0.062)
    assert first["spent_usd"] == pytest.approx(court.served_usd)
    assert "may cost: about" in captured.err
    assert "--budget-usd none" in captured.err
    # the same again, with the budget and the price that it remembers
    assert court.score() == 1
    again = json.loads(capsys.readouterr().out)
    assert (again["reused"], again["left"]) == (1, 1)
    assert court.served_usd == pytest.approx(first["spent_usd"])
    assert court.score("--budget-usd", "none") == 0
    assert json.loads(capsys.readouterr().out)["spent_usd"] == pytest.approx(court.served_usd)
    record = read(court.run.path / "scores/judge.terms.jsonl")
    assert [(entry.terms.budget_usd, entry.spent_usd) for entry in record] == [
        (0.062, 0.0),
        (None, pytest.approx(first["spent_usd"])),
    ]


def test_scoring_again_forgets_no_money(court, capsys):
    assert court.score(*court.priced) == 0
    spent = court.served_usd
    assert court.score("--again") == 0
    assert court.served_usd == pytest.approx(2 * spent)
    capsys.readouterr()
    assert court.score("--budget-usd", str(spent)) == 0
    assert json.loads(capsys.readouterr().out)["spent_usd"] == pytest.approx(2 * spent)
    assert court.score("--again") == 1
    assert court.served_usd == pytest.approx(2 * spent)


def test_a_call_that_a_kill_cut_off_is_booked_at_its_most(court):
    assert court.score(*court.priced) == 0
    spent, most = court.served_usd, court.most_usd()
    path = court.run.path / "scores/judge.ledger.jsonl"
    whole, last = path.read_bytes().rstrip(b"\n").rsplit(b"\n", 1)
    path.write_bytes(whole + b"\n" + last[:5])
    ledger = Ledger(court.folder, 0.0)
    assert spent < ledger.spent_usd < spent + most + ROUNDING_USD
    with pytest.raises(UserError, match="being scored"):
        score_run(court.run, "judge", court.model)
    ledger.close()


def test_scores_from_before_there_was_a_ledger_count(court):
    assert court.score(*court.priced) == 0
    for name in ("ledger", "terms"):
        (court.run.path / f"scores/judge.{name}.jsonl").unlink()
    terms = Terms(9.0, {court.model: PRICE})
    scored = score_run(court.run, "judge", court.model, given=lambda remembered: terms)
    assert scored.spent_usd == pytest.approx(court.served_usd)


def test_a_budget_needs_a_price(court, capsys):
    assert court.score("--budget-usd", "1") == 2
    assert f"--price {court.model}=INPUT,OUTPUT" in capsys.readouterr().err
    assert court.served_usd == 0
