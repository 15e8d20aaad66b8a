"""The same door, once in this process and once over HTTP: nobody can tell the bombs apart."""

from __future__ import annotations

import gc
import json
import pickle
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import httpx2
import msgspec
import numpy as np
import pytest
from tests.serve.clients import served

from polyathlon.core.canonical import canonical
from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError
from polyathlon.envs.gptnt.bomb.bomb import Act, Click, Hold, Release, TurnBomb, ZoomOut
from polyathlon.envs.gptnt.bomb.missions import MissionSpec
from polyathlon.envs.gptnt.bomb.remote import TOKEN, SimulatorLost
from polyathlon.envs.gptnt.bomb.simulator import LocalSimulator, Simulator, connect, picture, view
from polyathlon.serve.site import Served, Site

pytestmark = pytest.mark.server

MISSION = MissionSpec(
    "twins", 7, 300, ("Wires", "Button", "Simon Says", "Complicated Wires"), needy=("Discharge",)
)
SETTLED_US = 3_000_000


def begun(where: str) -> Simulator:
    simulator = connect(where)
    simulator.start(MISSION)
    simulator.lights_on()
    return simulator


def unknown_here(kind: str) -> MissionSpec:
    """A mission with a module that the server does not know."""
    mission = MissionSpec("odd", 1, 60, ("Wires",))
    msgspec.structs.force_setattr(mission, "modules", (kind,))
    return mission


def some_acts(simulator: Simulator, count: int) -> list[Act]:
    """Random acts that let every movement of the view come to its end."""
    rng = stream(1, "acts")
    done: list[Act] = []
    for _ in range(count):
        elements = simulator.elements()
        choices: list[Act] = [ZoomOut(), TurnBomb("flip"), Release()]
        choices += [kind(name) for name in elements for kind in (Click, Click, Hold)]
        done.append(rng.choice(choices))
        simulator.act(done[-1])
        simulator.advance_to(simulator.time_us + SETTLED_US)
    return done


def same(one: Simulator, other: Simulator) -> None:
    assert canonical(one.state()) == canonical(other.state())
    assert one.elements() == other.elements()
    assert (one.time_us, one.phase, one.paused) == (other.time_us, other.phase, other.paused)
    assert one.next_event_us() == other.next_event_us()


def test_equal_acts_bring_equal_bombs_pictures_and_sounds(url: str) -> None:
    local, remote = begun(""), begun(url)
    for act in some_acts(twin := begun(""), 12):
        assert local.act(act) == remote.act(act)
        for simulator in (local, remote):
            simulator.advance_to(simulator.time_us + SETTLED_US)
        same(local, remote)
    assert local.targets() == remote.targets()
    assert local.heard(local.time_us - 1_000_000) == remote.heard(local.time_us - 1_000_000)
    here, there = view(local.shot()), view(pickle.loads(pickle.dumps(remote.shot())))
    assert np.array_equal(here.colour, there.colour)
    named = [np.array([*view.elements, ""])[view.ids - 1] for view in (here, there)]
    assert np.array_equal(*named)
    for one, other in zip(local.past(3), remote.past(3), strict=True):
        assert picture(one) == picture(other)
    assert twin.state() == local.state()


def test_a_server_tells_what_its_bomb_will_do(url: str) -> None:
    local, remote = begun(""), begun(url)
    events = 0
    while (due_us := local.next_event_us()) is not None:
        assert remote.next_event_us() == due_us > remote.time_us
        events += 1
        for simulator in (local, remote):
            simulator.advance_to(due_us)
        same(local, remote)
    assert local.phase != "lights_on"
    assert remote.next_event_us() is None
    assert events > 3


def test_the_bomb_of_a_server_that_does_not_tell_is_looked_at_every_quarter_second() -> None:
    with babbling(LIFE.replace(b'"game_time_s": 0', b'"game_time_s": 0.3')) as remote:
        assert remote.next_event_us() == 500_000
    with babbling(LIFE.replace(b"lights_on", b"solved")) as remote:
        assert remote.next_event_us() is None


def test_a_snapshot_is_come_back_to(url: str) -> None:
    remote = begun(url)
    some_acts(remote, 2)
    kept, state = remote.snapshot(), remote.state()
    some_acts(remote, 2)
    assert remote.state() != state
    remote.restore(kept)
    assert remote.state() == state


def test_pausing_stops_the_game(url: str) -> None:
    remote = connect(url)
    remote.start(MISSION, rule_seed=2)
    remote.lights_on(paused=True)
    assert remote.paused
    assert remote.next_event_us() is None
    with pytest.raises(SimulatorLost, match="resume"):
        remote.advance_to(1)
    remote.resume()
    remote.advance_to(1_500_000)
    remote.pause()
    assert (remote.time_us, remote.paused) == (1_500_000, True)
    assert remote.state(runtime=False)["manual_seed"] == 2


def test_a_bomb_of_its_own_ends_with_it(url: str) -> None:
    with httpx2.Client(base_url=url, trust_env=False) as client:
        gc.collect()
        before = len(client.get("/bombs").json()["bombs"])
        remote = begun(url)
        remote.start(MISSION)
        assert len(client.get("/bombs").json()["bombs"]) == before + 1
        del remote
        gc.collect()
        assert len(client.get("/bombs").json()["bombs"]) == before
        path = client.post("/bombs").json()["path"]
        begun(url + path).advance_to(SETTLED_US)
        assert client.get(f"{path}/lifecycle").json()["game_time_s"] == 3.0


def test_a_game_that_is_over_makes_room_for_the_next() -> None:
    with Served(Site(bombs=1)) as url:
        for _ in range(3):
            kept_by_itself = [begun(url)]
            kept_by_itself.append(kept_by_itself)
            del kept_by_itself


def test_a_wall_bomb_is_stopped_between_the_steps() -> None:
    with Served(Site(driver="wall", scale=20.0)) as url:
        remote = begun(url)
        remote.advance_to(1_000_000)
        stopped_us = remote.time_us
        due_us = remote.next_event_us()
        assert remote.paused
        assert due_us is not None
        assert due_us > stopped_us
        assert 1_000_000 <= stopped_us < 10_000_000
        time.sleep(0.05)
        remote._now = None
        assert remote.time_us == stopped_us


def test_a_token_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with Served(Site(token="secret")) as url:
        with pytest.raises(UserError, match=TOKEN):
            begun(url)
        monkeypatch.setenv(TOKEN, "secret")
        assert begun(url).phase == "lights_on"


def test_what_is_no_simulator_is_a_wrong_request() -> None:
    with pytest.raises(UserError, match="polyathlon serve defusal"):
        begun("http://127.0.0.1:9")
    with pytest.raises(UserError, match="looks like"):
        connect("ftp://127.0.0.1")
    with served() as client:
        url = str(client.base_url).rstrip("/")
        with pytest.raises(UserError, match="404"):
            begun(f"{url}/bombs/b77")
        with pytest.raises(UserError, match="Wirez"):
            connect(url).start(unknown_here("Wirez"))


def test_a_server_that_goes_away_ends_the_game_with_its_cause() -> None:
    with Served(Site()) as url:
        remote = begun(url)
    with pytest.raises(SimulatorLost, match="does not answer"):
        remote.advance_to(SETTLED_US)


class Babbler(BaseHTTPRequestHandler):
    """A simulator of one bomb that then answers otherwise than agreed."""

    reply: bytes = b"[]"

    def do_POST(self) -> None:
        known = self.path in ("/mission", "/lights")
        self._answer(200 if known else 404, b"{}" if known else b"nothing here")

    def do_GET(self) -> None:
        known = not self.path.startswith("/audio")
        self._answer(200 if known else 404, self.reply)

    def _answer(self, status: int, body: bytes) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


LIFE = json.dumps({"lifecycle": "lights_on", "paused": False, "game_time_s": 0}).encode()


@contextmanager
def babbling(reply: bytes) -> Iterator[Simulator]:
    server = HTTPServer(("127.0.0.1", 0), type("Once", (Babbler,), {"reply": reply}))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        remote = connect(f"http://127.0.0.1:{server.server_port}")
        remote.start(MISSION)
        yield remote
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("reply", [b"", b"[]", b"\xff", b'{"lifecycle": "on fire"}', LIFE])
def test_strange_answers_are_told_as_such(reply: bytes) -> None:
    with babbling(reply) as remote:
        with pytest.raises(SimulatorLost, match="simulator's API"):
            remote.targets()
        with pytest.raises(SimulatorLost, match=r"API|refuses \(404\)"):
            remote.advance_to(1)


def test_a_simulator_without_sounds_is_silent() -> None:
    with babbling(LIFE) as remote:
        assert remote.heard(0).cues == ()
        assert remote.phase == "lights_on"


def test_the_local_simulator_is_the_default() -> None:
    assert isinstance(connect(), LocalSimulator)
