"""A run keeps its terms and its plan; what changes them is explicit and written down."""

from __future__ import annotations

import json

import pytest
from tests.experiments.servers import server_thread

from polyathlon.cli import main
from polyathlon.core.errors import UserError
from polyathlon.core.models import Price
from polyathlon.experiments.rundir import RunDir, create, open_run
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.spending import spent_usd
from polyathlon.experiments.terms import (
    RECORD,
    Terms,
    begin,
    changed,
    current,
    entries,
    episodes,
    played,
)
from polyathlon.runtime.ratelimit import RateLimits

GAME = "lmgame/twenty48-v0"
WORDS = "move: up,move: down,move: left,move: right"
RANDOM = ("run", GAME, "--agent", "random", "--turns", "3", "--json")


class Lab:
    """Command lines against one model of a loopback server, in one run directory."""

    def __init__(self, url: str, out) -> None:
        self.model = f"vllm/any@{url}"
        self.out = out
        self.begun = (
            "run", GAME, "--model", self.model, "--episodes", "4", "--turns", "8", "--harness",
            "max_tokens=20", "--concurrency", "2",
        )  # fmt: skip
        self.priced = ("--price", f"{self.model}=100,100")

    def run(self, *words: str) -> int:
        return main([*words, "--out", str(self.out), "--json"])

    def resume(self, *words: str) -> int:
        return self.run("run", "--resume", *words)

    @property
    def directory(self) -> RunDir:
        return open_run(self.out)


@pytest.fixture
def lab(tmp_path):
    with server_thread("", WORDS) as url:
        yield Lab(url, tmp_path / "run")


def _error(capsys) -> str:
    return " ".join(capsys.readouterr().err.split())


def test_a_resumed_run_keeps_its_budget_and_prices(lab, capsys):
    rated = ("--rate", "vllm=3", "--call-seconds", "20")
    assert lab.run(*lab.begun, *lab.priced, "--budget-usd", "1", *rated) == 1
    first = spent_usd(lab.directory)
    assert 0 < first <= 1
    assert lab.resume() == 1
    assert spent_usd(lab.directory) == pytest.approx(first)
    kept = Terms(1.0, {lab.model: Price(100, 100)}, {"vllm": RateLimits(3)}, 20.0)
    assert current(lab.directory) == kept
    assert len(entries(lab.directory)) == 1

    assert lab.resume("--budget-usd", "1.5") == 1
    assert first < spent_usd(lab.directory) <= 1.5
    second = spent_usd(lab.directory)
    assert lab.resume("--budget-usd", "none") == 0
    assert spent_usd(lab.directory) > 1.5
    spent = [(entry.terms.budget_usd, entry.spent_usd) for entry in entries(lab.directory)]
    assert spent == [(1.0, 0.0), (1.5, pytest.approx(first)), (None, pytest.approx(second))]
    assert entries(lab.directory)[2].changes == ("budget: 1.5 -> none",)
    assert all(entry.at.endswith("+00:00") for entry in entries(lab.directory))
    made = played(lab.directory, entries(lab.directory))
    assert not made[0]
    assert all(made[1:])
    assert episodes({**made[1], **made[2], **made[3]}) == lab.directory.episode_ids()


def test_a_budget_is_there_even_if_a_run_was_killed_before_it_played(lab):
    assert lab.run(*lab.begun, *lab.priced, "--budget-usd", "1") == 1
    (lab.out / RECORD).unlink()
    for path in lab.directory.episodes.iterdir():
        path.unlink()
    assert lab.resume() == 1
    assert 0 < spent_usd(lab.directory) <= 1


@pytest.mark.parametrize("budget", ["nan", "inf", "-1", "much"])
def test_a_budget_is_money(budget, tmp_path, capsys):
    out = ("--out", str(tmp_path / "run"))
    assert main([*RANDOM, *out, "--budget-usd", budget]) == 2
    assert "budget-usd" in _error(capsys)
    assert not (tmp_path / "run").exists()


def test_prices_and_rates_are_changed_one_by_one(tmp_path):
    out = ("--out", str(tmp_path / "run"))
    assert main([*RANDOM, *out, "--price", "a=1,2", "--price", "b=3,4", "--rate", "g=5,60"]) == 0
    more = ("run", "--resume", "--json", *out)
    assert main([*more, "--price", "a=none", "--price", "c=5,6", "--rate", "none"]) == 0
    assert current(open_run(tmp_path / "run")).prices == {"b": Price(3, 4), "c": Price(5, 6)}
    assert entries(open_run(tmp_path / "run"))[1].changes == (
        "price of a: input 1.0 output 2.0 -> none",
        "price of c: none -> input 5.0 output 6.0",
        "rate of g: in_flight 5 requests_per_minute 60.0 -> none",
    )


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--turns", "4"), "limit turns 3 -> 4"),
        (("--seeds", "0:2"), "seed 0 -> 0, 1"),
        (("--set", "size=5"), "option size 4 -> 5"),
        (("--agent", "oracle"), "player's agent random -> oracle"),
        (("--agent", "llm", "--model", "scripted/constant:up"), "player's agent random -> llm"),
        (("--attempts", "2"), "attempt 0 -> 0, 1"),
        (("--intervene", "ablate:board"), "interventions none -> ablate:board"),
        (("--scheduler", "virtual:2"), "scheduler kind turns -> virtual"),
        (("--limit", "calls=9"), "limit calls none -> 9"),
    ],
)
def test_another_plan_is_refused_or_amends_the_run(flags, says, tmp_path, capsys):
    out = ("--out", str(tmp_path / "run"))
    assert main([*RANDOM, *out]) == 0
    before = sorted(path.name for path in (tmp_path / "run").rglob("*"))
    capsys.readouterr()
    assert main(["run", *flags, *out, "--resume"]) == 2
    error = _error(capsys)
    assert says in error
    assert "--amend" in error
    assert sorted(path.name for path in (tmp_path / "run").rglob("*")) == before

    assert main(["run", "--json", *flags, *out, "--resume", "--amend"]) == 0
    run = open_run(tmp_path / "run")
    assert len(run.episode_ids()) == 2
    [_, amended] = entries(run)
    assert says in "; ".join(amended.changes)
    [_, first, second] = played(run, entries(run))
    assert sorted([*episodes(first), *episodes(second)]) == run.episode_ids()
    # from now on that is the plan: it goes on without its flags, and the old one is refused
    assert main(["run", "--json", *out, "--resume"]) == 0
    assert len(entries(run)) == 2
    capsys.readouterr()
    assert main([*RANDOM, *out, "--resume"]) == 2
    assert "--amend" in _error(capsys)


def test_another_model_is_noticed_where_all_seats_are_taken(tmp_path, capsys):
    out = ("--out", str(tmp_path / "run"))
    one, other = ("--model", "scripted/constant:move: up"), ("--model", "scripted/random:up,left")
    words = ("run", GAME, "--turns", "2", "--json", *out)
    assert main([*words, *one]) == 0
    assert main(["run", "--resume", *out, "--json", *one]) == 0
    capsys.readouterr()
    assert main(["run", "--resume", *out, *other]) == 2
    assert "scripted/constant:move: up -> scripted/random:up,left" in _error(capsys)


def test_the_same_words_again_are_no_change(tmp_path):
    out = ("--out", str(tmp_path / "run"), "--resume")
    assert main([*RANDOM, *out]) == 0
    assert main([*RANDOM, *out]) == 0
    assert len(entries(open_run(tmp_path / "run"))) == 1


def test_code_is_asked_for_and_never_run_because_a_file_names_it(tmp_path, capsys):
    out = ("--out", str(tmp_path / "run"))
    assert main([*RANDOM, *out, "--import", "tests.experiments.players"]) == 0
    capsys.readouterr()
    assert main(["run", "--resume", *out]) == 2
    assert "--import tests.experiments.players" in _error(capsys)
    assert main(["run", "--resume", "--json", *out, "--amend"]) == 0


def test_a_run_without_a_record_goes_on_and_says_what_was_there_before(tmp_path):
    out = tmp_path / "run"
    assert main([*RANDOM, "--out", str(out)]) == 0
    run = open_run(out)
    [id] = run.episode_ids()
    lines = list(run.lines(id))
    run.sealed_path(id).unlink()
    run.trace_path(id).write_bytes(b"".join(line + b"\n" for line in lines[:4]))
    (out / RECORD).unlink()
    assert main(["run", "--resume", "--json", "--out", str(out)]) == 0
    [before, since] = played(run, entries(run))
    assert (before, since) == ({f"{id}.0": range(4)}, {f"{id}.0": range(4, len(lines) - 1)})


def test_what_a_loss_of_power_took_was_played_under_the_later_terms(tmp_path):
    out = tmp_path / "run"
    assert main([*RANDOM, "--out", str(out)]) == 0
    run = open_run(out)
    [id] = run.episode_ids()
    lines = list(run.lines(id))
    run.sealed_path(id).unlink()
    for kept, budget in ((7, 1.0), (4, 2.0), (3, 2.0)):
        run.trace_path(id).write_bytes(b"".join(line + b"\n" for line in lines[:kept]))
        begin(run, Terms(budget))
    assert [entry.terms.budget_usd for entry in entries(run)] == [None, 1.0, 2.0, 2.0]
    run_plan(run, [run.header(id).episode], Settings(budget_usd=2.0))
    made = [found.get(f"{id}.0") for found in played(run, entries(run))]
    assert made == [None, range(3), None, None, range(3, len(lines) - 1)]


def test_a_torn_line_is_cut_and_a_broken_one_is_named(tmp_path):
    run = create(tmp_path / "run", {"experiment": {}})
    begin(run, Terms(1.0))
    with (run.path / RECORD).open("ab") as file:
        file.write(b'{"at":"20')
    assert current(run) == Terms(1.0)
    begin(run, Terms(2.0))
    assert [entry.terms for entry in entries(run)] == [Terms(1.0), Terms(2.0)]
    with (run.path / RECORD).open("ab") as file:
        file.write(b"{}\n")
    with pytest.raises(UserError, match="line 3"):
        entries(run)


def test_a_call_that_is_made_again_is_reserved_at_the_price_of_today(lab):
    cheap, dear = (f"{lab.model}={price},{price}" for price in (1, 100))
    assert lab.run(*lab.begun, "--price", cheap) == 0
    run = lab.directory
    id = run.episode_ids()[0]
    lines = list(run.lines(id))
    called = next(n for n, line in enumerate(lines) if line.startswith(b'{"event":"call"'))
    run.sealed_path(id).unlink()
    run.trace_path(id).write_bytes(b"".join(line + b"\n" for line in lines[: called + 1]))
    spent = spent_usd(run)
    assert lab.resume("--price", dear, "--budget-usd", str(spent + 0.02)) == 1
    assert spent_usd(run) == spent


def test_reports_show_budgets_and_amendments_and_who_was_played_under_which(lab, capsys):
    assert lab.run(*lab.begun, *lab.priced, "--budget-usd", "1") == 1
    assert lab.resume("--budget-usd", "none", "--seeds", "0:5", "--amend") == 0
    capsys.readouterr()
    assert main(["report", str(lab.out), "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["history"][str(lab.out)]
    assert (first["terms"]["budget_usd"], second["terms"]["budget_usd"]) == (1.0, None)
    assert second["changes"][0] == "budget: 1 -> none"
    assert second["changes"][1].startswith("seed 0, 1, 2, 3 -> ")
    assert second["spent_usd"] > 0
    assert sorted({*first["episodes"], *second["episodes"]}) == lab.directory.episode_ids()
    assert main(["report", str(lab.out), "--md"]) == 0
    assert main(["report", str(lab.out)]) == 0
    page = (lab.out / "report.html").read_text()
    for shown in (capsys.readouterr().out, page):
        assert "What run was played under" in shown
        assert "1 more episodes" in shown


def test_resume_without_a_run_lists_those_that_can_go_on(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main([*RANDOM, "--out", "runs/whole"]) == 0
    assert main([*RANDOM, "--seeds", "0:3", "--out", "runs/half", "--budget-usd", "2"]) == 0
    half = open_run(tmp_path / "runs/half")
    half.sealed_path(half.episode_ids()[0]).unlink()
    assert main([*RANDOM, "--out", "elsewhere"]) == 0
    (tmp_path / "elsewhere/experiment.yaml").write_text("schema: 2\nexperiment: {}\n")
    capsys.readouterr()
    there = sorted(tmp_path.rglob("*"))

    assert main(["run", "--resume"]) == 0
    captured = capsys.readouterr()
    lines = sorted(captured.out.splitlines())
    assert [line.split(":")[0] for line in lines] == ["elsewhere", "runs/half"]
    assert "groups" in lines[0]
    assert "2 of 3 episodes ended, budget 2 USD" in lines[1]
    assert "run --out runs/half --resume" in lines[1]

    assert main(["run", GAME, "--agent", "random", "--resume", "--json"]) == 2
    captured = capsys.readouterr()
    assert {run["run"] for run in json.loads(captured.out)["runs"]} == {"elsewhere", "runs/half"}
    assert "nothing was started" in captured.err
    assert sorted(tmp_path.rglob("*")) == there


def test_amend_is_for_runs_that_go_on(tmp_path, capsys):
    assert main([*RANDOM, "--amend", "--out", str(tmp_path / "run")]) == 2
    assert "--resume" in _error(capsys)


def test_every_term_is_said_when_it_changes():
    after = Terms(1.0, {"m": Price(1, 2)}, {"g": RateLimits(3)}, 10.0, "hash", ("mod",))
    assert len(changed(Terms(), after)) == len(json.loads(json.dumps(Terms.__struct_fields__)))
    assert changed(after, after) == ()
