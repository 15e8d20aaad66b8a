"""An evening of play: several games at one page, and requests refused before anybody sits down."""

from __future__ import annotations

import asyncio
import io
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from polyathlon import registry
from polyathlon.cli.play import play
from polyathlon.core.agents import PlayerLeft
from polyathlon.core.errors import UserError
from polyathlon.core.trace import Called
from polyathlon.experiments import plan as planning
from polyathlon.experiments.rundir import open_run
from polyathlon.play.agent import PageAgent
from polyathlon.play.evening import people, together
from polyathlon.play.seat import Answer, Moment, Table

pytest.importorskip("polyathlon.play.server")


def _moment(role: str) -> Moment:
    return Moment("Game", role, 0, (), (), (), "Now?", "anything")


def _asked(table: Table, role: str) -> threading.Thread:
    """A game that asks a role, in a thread of its own."""
    table.seats[role].show(_moment(role), {})
    waiting = threading.Thread(target=lambda: asyncio.run(table.seats[role].answer()), daemon=True)
    waiting.start()
    while not table.seats[role].now().waiting:
        pass
    return waiting


def test_a_page_without_a_role_follows_whose_turn_it_is() -> None:
    table = Table("Evening", ("player", "commander"), {})
    assert table.status(None)["role"] == "player"
    table.start({})
    seen = []
    for role in ("player", "commander", "player"):
        game = _asked(table, role)
        status = table.status(None)
        assert (status["role"], status["moment"]["role"]) == (role, role)
        seen.append(status["number"])
        assert table.seats[role].give(Answer(status["number"], "a"))
        game.join(5)
    assert seen == sorted(set(seen)), "a number never means two moments"


def test_a_seat_that_is_asked_comes_before_one_that_has_answered() -> None:
    table = Table("Game", ("red", "blue"), {})
    table.start({})
    _asked(table, "red")
    later = _asked(table, "blue")
    assert table.turn() == "blue"
    table.seats["blue"].give(Answer(table.status("blue")["number"], "a"))
    later.join(5)
    assert table.turn() == "red"


def test_only_people_in_one_game_need_pages_of_their_own() -> None:
    def plan(*targets: str):
        from polyathlon.experiments.request import Overrides, override

        return planning.episodes(override(planning.resolve(targets), Overrides(agents=("human",))))

    evening = plan("omniplay/alchemist-v0", "omniplay/phantom-v0")
    assert people(evening) == ("player", "commander")
    assert not together(evening)
    assert together(plan("omniplay/showdown-v0"))


def test_nothing_is_drawn_for_who_has_left() -> None:
    env = registry.make("omniplay/alchemist-v0")
    env.reset(0)
    table = Table("Game", ("player",), {})
    table.leave()
    context = SimpleNamespace(role="player", spec=env.spec, brief=env.brief("player"))
    with pytest.raises(PlayerLeft):
        asyncio.run(PageAgent(table.seats["player"]).act(env.observe("player"), None, context))


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_port_that_cannot_be_is_refused_in_words(tmp_path: Path, port: int) -> None:
    with pytest.raises(UserError, match="0 to 65535"):
        play("omniplay/alchemist-v0", port=port, no_browser=True, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_taken_directory_is_refused_before_the_page_opens(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(UserError, match="exists already"):
        play("omniplay/alchemist-v0", no_browser=True, out=tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_a_model_may_be_the_partner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = '<action>{"result": {"kind": "do_nothing"}}</action>'
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{waits}\nquit\n"))
    play(
        "gptnt/defusal-v0",
        agent=("defuser=human", "expert=llm"),
        model=("expert=scripted/constant:hello",),
        scheduler="stepped:3",
        terminal=True,
        out=tmp_path / "run",
    )
    run = open_run(tmp_path / "run")
    (game,) = run.episode_ids()
    asked = [event for event in run.events(game) if isinstance(event, Called)]
    assert {(call.role, call.model) for call in asked} == {("expert", "scripted/constant:hello")}


def test_the_terminal_records_who_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    out = tmp_path / "run"
    play("lmgame/twenty48-v0", terminal=True, warm_up=True, participant="p\udcff\x1b <7>", out=out)
    request = yaml.safe_load((out / "experiment.yaml").read_text())
    (lineup,) = request["experiment"]["groups"][0]["lineups"]
    assert lineup["*"]["profile"]["warm_up"] == "yes"
    assert lineup["*"]["profile"]["participant"] == "p <7>"
