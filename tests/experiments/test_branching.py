"""Branches of a recorded episode: begun by a command, played on and read like any other run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.experiments.servers import requests_of, server_thread
from tests.runtime.support import same

from polyathlon import cli
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.models import Sampling
from polyathlon.experiments.replaying import check_media, named_media
from polyathlon.experiments.rundir import RunDir, open_run
from polyathlon.experiments.spending import costs_usd, spent_usd

WORDS = "move: up,move: down,move: left,move: right"
TURNS, AT, TIMES = 6, 4, 2


class Game:
    """A run of one episode that was asked of a server."""

    def __init__(self, url: str, path: Path) -> None:
        self.url, self.path = url, path
        self.money = ("--budget-usd", "5", "--price", f"vllm/any@{url}=100,100")
        model = (
            "--model",
            f"vllm/any@{url}",
            "--harness",
            "perception=native",
            "--harness",
            "seed=3",
            "--harness",
            "max_tokens=100",
        )
        limits = ("--turns", str(TURNS), "--json", "--out", str(path))
        assert cli.main(["run", "lmgame/twenty48-v0", *model, *limits, *self.money]) == 0
        [self.id] = open_run(path).episode_ids()

    def branch(self, out: Path, *words: str) -> int:
        turn = () if "--turn" in words else ("--turn", str(AT))
        return cli.main(["branch", str(self.path), self.id[:6], *turn, "--out", str(out), *words])


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Game]:
    with server_thread("", WORDS) as url:
        yield Game(url, tmp_path_factory.mktemp("game") / "run")


def _acts(run: RunDir, id: str) -> list[trace.Event]:
    return [event for event in run.events(id) if isinstance(event, trace.Acted)]


def test_they_play_on_and_pay_for_nothing_twice(
    game: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, asked = tmp_path / "out", requests_of(game.url)
    assert game.branch(out, "--times", str(TIMES)) == 0
    *ids, advice = capsys.readouterr().out.splitlines()
    assert advice == f"play on with: polyathlon run --out {out} --resume"
    made, parent = open_run(out), open_run(game.path)
    assert ids == made.episode_ids()
    assert (len(ids), spent_usd(made)) == (TIMES, 0)
    for id in ids:
        shared = list(made.events(id))
        assert named_media(shared)
        check_media(made, shared)
    assert cli.main(["replay", str(out), "--verify"]) == 0
    assert capsys.readouterr().out.count("unfinished: the same for its") == TIMES

    assert cli.main(["run", "--out", str(out), "--resume", "--json", *game.money]) == 0
    [cell] = json.loads(capsys.readouterr().out)["cells"]
    assert (cell["episodes"], cell["failed"]) == (TIMES, 0)
    assert requests_of(game.url) - asked == TIMES * (TURNS - AT)
    assert cli.main(["replay", str(out), "--verify"]) == 0
    assert capsys.readouterr().out.count("same: ") == TIMES
    seeds = set()
    for id in ids:
        assert same(_acts(made, id)[:AT]) == same(_acts(parent, game.id)[:AT])
        assert len(_acts(made, id)) == TURNS
        seeds |= {e.sampling.seed for e in made.events(id) if isinstance(e, trace.Called)}
    assert len(seeds) == AT + TIMES * (TURNS - AT)
    dearest = max(e.most_usd or 0 for e in parent.events(game.id) if isinstance(e, trace.Called))
    assert 0 < spent_usd(made) < TIMES * (TURNS - AT) * dearest


def test_one_that_lost_what_it_shares_is_not_played_afresh(
    game: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, asked = tmp_path / "out", requests_of(game.url)
    assert game.branch(out, "--times", "3") == 0
    made = open_run(out)
    gone, cut, _ = made.episode_ids()
    made.trace_path(gone).unlink()
    made.trace_path(cut).write_bytes(b"".join(line + b"\n" for line in list(made.lines(cut))[:-1]))
    assert cli.main(["run", "--out", str(out), "--resume", "--json"]) == 1
    errors = capsys.readouterr().err
    for id in (gone, cut):
        assert f"{id}.jsonl lacks what this branch shares with episode {game.id}" in errors
    assert requests_of(game.url) - asked == TURNS - AT


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--turn", str(TURNS)), f"no decision {TURNS} .*from 0 to {TURNS - 1}"),
        (("--role", "expert"), "unknown role .*player"),
        (("--times", "0"), "--times counts from 1"),
    ],
)
def test_what_cannot_be_branched_is_refused(
    words: tuple[str, ...],
    message: str,
    game: Game,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert game.branch(tmp_path / "out", *words) == 2
    assert re.search(message, capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--agent", "tests.experiments.players:alternating"), "cannot be repeated"),
        (("--agent", "random", "--episodes", "2"), "which episode?"),
    ],
)
def test_episodes_that_cannot_be_meant_are_refused(
    words: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, out = str(tmp_path / "run"), str(tmp_path / "out")
    assert (
        cli.main(["run", "lmgame/twenty48-v0", *words, "--turns", "2", "--json", "--out", run]) == 0
    )
    capsys.readouterr()
    assert cli.main(["branch", run, "", "--turn", "1", "--out", out, "--trust"]) == 2
    assert message in capsys.readouterr().err


def test_what_its_parent_had_in_flight_is_booked_there() -> None:
    spec = EpisodeSpec("e", "l", {}, 0, {"player": AgentSpec("llm")})
    name = ("player", 0, "decide", 0)
    called = trace.Called(*name, "m", "r", "h", Sampling(), most_usd=0.5)
    again = trace.Interrupted(*name, 1, booked_usd=0.5)
    parent = trace.Header(2, spec.id, spec)
    assert sum(costs_usd([parent, called])) == 0.5
    assert sum(costs_usd([parent, called, again])) == 1.0
    child = trace.Header(2, spec.id, spec, copied=1)
    assert sum(costs_usd([child, called])) == 0
    assert sum(costs_usd([child, called, again])) == 0.5
