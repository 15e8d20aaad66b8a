"""polyathlon show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyathlon import cli, registry
from polyathlon.media import png

GAME = "lmgame/twenty48-v0"


def test_a_page_says_everything_of_the_spec(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", GAME]) == 0
    page = capsys.readouterr().out
    spec = registry.env_spec(GAME)
    for named in (*spec.roles, *spec.levels, *spec.policies):
        assert named in page
    for item in (*spec.channels, *spec.metrics, *spec.options):
        assert item.name in page
        assert item.doc in page


def test_the_example_is_the_seeded_start(capsys: pytest.CaptureFixture[str]) -> None:
    env = registry.make(GAME)
    env.reset(7)
    observation = env.observe("player")
    assert cli.main(["show", GAME, "--seed", "7", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["seed"] == 7
    (seat,) = shown["seats"]
    assert seat["percepts"][0]["meaning"] == observation.percepts[0].meaning
    assert seat["ask"] == observation.ask
    assert seat["actions"] == observation.actions.describe()
    assert shown["requests"] == []


def test_published_random_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", GAME, "--json"]) == 0
    published = json.loads(capsys.readouterr().out)["published"]
    random = next(row for row in published if row["who"] == "random")
    assert (random["metric"], random["mean"], random["sd"]) == ("raw_score", 100.4, 7.8)
    assert "LMGame" in random["source"]


def test_the_picture_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "first.png"
    assert cli.main(["show", GAME, "--image", str(file)]) == 0
    env = registry.make(GAME)
    env.reset(0)
    assert png.decode(file.read_bytes()) == env.observe("player").percepts[0].render()


def test_the_first_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", GAME, "--prompt", "--harness", "perception=symbolic"]) == 0
    words = capsys.readouterr().out
    env = registry.make(GAME)
    env.reset(0)
    request = words.split("first request of player, exactly:")[1]
    assert env.brief("player").rules in request
    assert str(env.observe("player").percepts[0].meaning) in request


def test_the_first_request_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", GAME, "--prompt", "--json"]) == 0
    (request,) = json.loads(capsys.readouterr().out)["requests"]
    assert request["role"] == "player"
    assert [message["speaker"] for message in request["messages"]] == ["system", "user"]
    parts = request["messages"][1]["parts"]
    assert {"image", "text"} == {part["type"] for part in parts}


@pytest.mark.parametrize(
    "tokens",
    [
        ("lmgame/twenty48-v9",),
        (GAME, "--level", "stanard"),
        (GAME, "--seed", "one"),
        (GAME, "--prompt", "--harness", "histroy=3"),
    ],
)
def test_wrong_requests(tokens: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", *tokens]) == 2
    assert capsys.readouterr().err.count("\n") == 1
