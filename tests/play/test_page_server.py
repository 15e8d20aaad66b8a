"""The page's server: only for who knows the token, and unharmed by whatever is sent."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyathlon.play.seat import Answer, Left, Moment, Table

httpx = pytest.importorskip("httpx2")
server_module = pytest.importorskip("polyathlon.play.server")

MOMENT = Moment("Game", "player", 0, (("Task", "Win."),), (), (), "Now?", "one of: a, b")


@pytest.fixture
def table() -> Table:
    return Table("Game", ("player", "partner"), {"participant": "p1"})


@pytest.fixture
def client(table: Table) -> Iterator[httpx.Client]:
    with (
        server_module.Server(table) as server,
        httpx.Client(base_url=server.url, trust_env=False, timeout=10) as client,
    ):
        yield client


class Game(threading.Thread):
    """An episode in a thread of its own that waits for one answer."""

    def __init__(self, table: Table) -> None:
        super().__init__(daemon=True)
        self.table = table
        self.got: Answer | Left | None = None

    def run(self) -> None:
        self.got = asyncio.run(self.table.seats["player"].answer())


def begun(table: Table) -> Game:
    table.start({})
    table.seats["player"].show(MOMENT, {"ab.png": b"\x89PNG"})
    game = Game(table)
    game.start()
    while table.seats["player"]._waiting is None:
        pass
    return game


def test_addresses_are_random_and_nothing_answers_without_the_token(table, client) -> None:
    with server_module.Server(table) as other:
        assert other.url.split("/")[3] != str(client.base_url).split("/")[3]
    root = str(client.base_url).rsplit("/", 2)[0]
    for path in ("/", "/status", "/guess/status", "/guess/media/ab.png", "/guess/act"):
        assert httpx.get(root + path, trust_env=False).status_code == 404


def test_other_host_names_are_refused(client) -> None:
    assert client.get("status", headers={"Host": "evil.example"}).status_code == 400


def test_the_page_is_served_whole_and_loads_nothing_from_elsewhere(client) -> None:
    page = client.get("")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    for name in ("page.js", "page.css"):
        assert name in page.text
        text = client.get(name).text
        assert len(text) > 1_000
        assert "http" not in text.replace("http-equiv", "")


@pytest.mark.parametrize("path", ["..%2fserver.py", "media/..%2f..%2fserver.py", "seat.py", "%00"])
def test_no_other_file_can_be_read(client, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_game_from_lobby_to_end(table, client) -> None:
    assert client.get("status").json()["phase"] == "lobby"
    form = {"participant": " p2 " + "x" * 200, "warm_up": True}
    assert client.post("start", json=form).json() == {"accepted": True}
    assert client.post("start", json=form).json() == {"accepted": False}
    assert table.form["participant"] == ("p2 " + "x" * 200)[:80]
    assert table.form["warm_up"] == "yes"
    game = begun(table)
    status = client.get("status", params={"phase": "lobby", "number": -1}).json()
    assert status["moment"]["ask"] == "Now?"
    assert client.get("media/ab.png").content == b"\x89PNG"
    stale = {"moment": status["number"] - 1, "text": "a"}
    assert client.post("act", json=stale).json() == {"accepted": False}
    answer = {"moment": status["number"], "text": "a", "replays": 2}
    assert client.post("act", json=answer).json() == {"accepted": True}
    assert client.post("act", json=answer).json() == {"accepted": False}
    game.join(5)
    assert game.got == Answer(status["number"], "a", replays=2)
    table.finish("runs/x")
    assert client.get("status", params={"phase": "playing"}).json()["where"] == "runs/x"
    assert table.seen_end.is_set()


def test_leaving_stops_the_asked_and_every_later_question(table, client) -> None:
    game = begun(table)
    client.post("leave", json={})
    game.join(5)
    assert isinstance(game.got, Left)
    assert isinstance(asyncio.run(table.seats["player"].answer()), Left)


def test_unknown_seats_are_refused(client) -> None:
    assert client.get("status", params={"role": "nobody"}).status_code == 404
    assert client.post("act", params={"role": "nobody"}, json={"moment": 0}).status_code == 404


@pytest.mark.parametrize("wrong", ['"x": 1e308', '"x": -0.1', '"y": 1.5', '"replays": -1'])
def test_points_outside_a_picture_never_reach_the_game(table, client, wrong: str) -> None:
    game = begun(table)
    number = table.status("player")["number"]
    body = f'{{"moment": {number}, "channel": "board", {wrong}}}'
    assert client.post("act", content=body).status_code == 400
    assert game.got is None


def test_long_bodies_are_refused(client) -> None:
    assert client.post("act", content=b" " * 200_000).status_code == 413


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
def test_no_body_breaks_the_server_or_acts(table, client, body: bytes) -> None:
    for path in ("act", "start"):
        reply = client.post(path, content=body)
        assert reply.status_code in (200, 400)
        assert reply.json().keys() <= {"problem", "accepted"}
