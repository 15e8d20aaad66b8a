"""The server as a process of its own: the acceptance tests of the API, and its end."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import httpx2
import pytest
from tests.serve.clients import MISSION, SCRIPT, begin, client, do, lit_here, local_game, play, post

from polyathlon.core.canonical import canonical
from polyathlon.envs.gptnt.bomb.remote import SimulatorLost
from polyathlon.envs.gptnt.bomb.simulator import connect, picture
from polyathlon.media import png

pytestmark = pytest.mark.server

CLI = [sys.executable, "-m", "polyathlon.cli", "serve", "defusal", "--port", "0", "--json"]


@contextmanager
def process(*flags: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server and its URL."""
    pipe = subprocess.PIPE
    with subprocess.Popen([*CLI, *flags], stdout=pipe, stderr=pipe, text=True) as server:
        try:
            assert server.stdout is not None
            lines = iter(server.stdout.readline, "}\n")
            yield server, json.loads("".join([*lines, "}"]))["url"]
        finally:
            server.kill()


def test_two_processes_make_the_same_bomb_and_the_same_first_frame() -> None:
    """Acceptance test 22.1 of the specification."""
    local = local_game()
    with process() as (_, url), client(url) as one:
        begin(one)
        first = one.get("/frame").content
        play(one)
        assert canonical(one.get("/state").json()) == canonical(local.state())
        assert png.decode(one.get("/frame").content) == picture(local.shot())
        with process() as (_, other_url), client(other_url) as other:
            begin(other)
            assert other.get("/frame").content == first
            play(other)
            assert other.get("/state").content == one.get("/state").content


def test_the_wall_driver_agrees_with_the_virtual_one() -> None:
    """Acceptance test 22.1: what the wall decided, done again at the same game times."""
    with process("--driver", "wall", "--scale", "20") as (_, url), client(url) as wall:
        post(wall, "/mission", MISSION)
        assert post(wall, "/lights", {"on": True, "paused": True})["game_time_s"] == 0.0
        virtual = lit_here()
        for path, body in SCRIPT:
            if path == "advance":
                post(wall, "/resume")
                time.sleep(body["seconds"] / 20)
                assert wall.post("/advance", json=body).status_code == 409
                virtual.advance_to(round(post(wall, "/pause")["game_time_s"] * 1e6))
            else:
                post(wall, "/action", body)
                do(virtual, body)
        virtual.pause()
        assert canonical(wall.get("/state").json()) == canonical(virtual.state())
        frames = [b64decode(frame["png"]) for frame in wall.get("/frames").json()["frames"]]
        scenes = (*virtual.past(), virtual.shot())
        assert list(map(png.decode, frames)) == list(map(picture, scenes))


def test_pauses_remove_nothing_from_the_clock() -> None:
    """Acceptance test 22.4: however often and long the game stands still."""
    with process("--driver", "wall") as (_, url), client(url) as wall:
        post(wall, "/mission", MISSION)
        begun_s = time.monotonic()
        post(wall, "/lights", {"on": True})
        for _ in range(5):
            before = post(wall, "/pause")
            time.sleep(0.2)
            still = wall.get("/lifecycle").json()
            assert {name: still[name] for name in before} == before
            assert post(wall, "/resume")["game_time_s"] - before["game_time_s"] < 0.1
        ended = post(wall, "/pause")
        assert ended["game_time_s"] <= time.monotonic() - begun_s - 5 * 0.2
        assert ended["timer"]["remaining_s"] == pytest.approx(300 - ended["game_time_s"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly_with_its_processes(number: signal.Signals) -> None:
    with process() as (server, url), client(url) as made:
        begin(made)
        made.get("/frame")
        server.send_signal(number)
        assert server.wait(15) == (0 if number == signal.SIGINT else -number)
        assert "Traceback" not in str(server.stderr and server.stderr.read())


def test_a_client_can_end_it() -> None:
    with process() as (server, url), client(url) as made:
        assert post(made, "/quit") == {"quitting": True}
        assert server.wait(15) == 0


def test_a_killed_server_ends_the_game_with_its_cause() -> None:
    with process() as (server, url):
        remote = connect(url)
        begun = lit_here()
        remote.start(begun.bomb.plan.mission)
        remote.lights_on()
        server.kill()
        server.wait(5)
        with pytest.raises(SimulatorLost, match="does not answer"):
            remote.advance_to(3_000_000)


def test_many_clients_on_bombs_of_their_own() -> None:
    """100 bombs in one process, all played and looked at together; each is the one played here."""

    async def game(made: httpx2.AsyncClient) -> bytes:
        path = (await made.post("/bombs")).json()["path"]
        await made.post(f"{path}/mission", json=MISSION)
        await made.post(f"{path}/lights", json={"on": True})
        for name, body in SCRIPT:
            reply = await made.post(f"{path}/{name}", json=body)
            assert reply.is_success, reply.text
        state = await made.get(f"{path}/state")
        return canonical(state.json())

    async def all_games(url: str) -> list[bytes]:
        limits = httpx2.Limits(max_connections=100)
        async with httpx2.AsyncClient(
            base_url=url, trust_env=False, timeout=120, limits=limits
        ) as made:
            return await asyncio.gather(*(game(made) for _ in range(100)))

    with process("--bombs", "100") as (_, url):
        states = asyncio.run(all_games(url))
    assert set(states) == {canonical(local_game().state())}


def test_the_server_answers_while_it_draws() -> None:
    """Bursts are drawn elsewhere: the event loop is never held up for long."""
    with process() as (_, url), client(url) as drawing, client(url) as asking:
        begin(drawing)
        drawing.get("/frame")
        post(drawing, "/advance", {"seconds": 5.0})
        bursts = Thread(target=lambda: [drawing.get("/frames") for _ in range(5)])
        bursts.start()
        waits_s = []
        while bursts.is_alive():
            asked_s = time.monotonic()
            asking.get("/health")
            waits_s.append(time.monotonic() - asked_s)
        assert len(waits_s) > 10
        assert sorted(waits_s)[len(waits_s) // 2] < 0.05
