"""The defusal API: what each endpoint brings, and what it refuses without changing anything."""

from __future__ import annotations

import json
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.serve.clients import MISSION, begin, local_game, play, post, served

from polyathlon.core.canonical import canonical
from polyathlon.core.parts import Image
from polyathlon.envs.gptnt.bomb.missions import MissionSpec
from polyathlon.envs.gptnt.bomb.simulator import picture
from polyathlon.media import png
from polyathlon.serve.bombs import IDLE_S, MAX_SNAPSHOTS, Bombs, ServedBomb, built
from polyathlon.serve.messages import Refused
from polyathlon.serve.site import Site


def image(data: str) -> Image:
    return png.decode(b64decode(data))


def test_a_game_through_the_api_is_the_game_in_this_process(client) -> None:
    play(client)
    local = local_game()
    assert client.get("/state").json() == json.loads(canonical(local.state()))
    assert png.decode(client.get("/frame").content) == picture(local.shot())


def test_lights_pause_and_advance(client) -> None:
    life = client.get("/lifecycle").json()
    assert (life["lifecycle"], life["paused"], life["game_time_s"]) == ("lights_on", False, 0.0)
    assert post(client, "/advance", {"seconds": 1.5})["timer"]["remaining_s"] == 298.5
    post(client, "/pause")
    refused = client.post("/advance", json={"seconds": 1.0})
    assert refused.status_code == 409
    assert "resume" in refused.json()["problem"]
    assert post(client, "/resume")["game_time_s"] == 1.5
    begun = post(client, "/mission", MISSION)
    assert begun["lifecycle"] == "lights_off"
    assert post(client, "/lights", {"on": True, "paused": True})["paused"] is True
    assert client.post("/lights", json={"on": True}).status_code == 409


def test_frame_mask_and_table_are_of_one_instant(client) -> None:
    seen = client.get("/observation", params={"burst": 1}).json()
    assert len(seen["frames"]) == 1
    post(client, "/advance", {"seconds": 1.1})
    seen = client.get("/observation", params={"burst": 1}).json()
    times = [frame["game_time_s"] for frame in seen["frames"]]
    assert times == [0.0, 0.25, 0.5, 0.75, 1.0, 1.1]
    assert seen["game_time_s"] == 1.1
    mask = image(seen["mask"])
    for entry in seen["elements"]:
        x, y = entry["point"]
        at = 3 * (int(y * mask.height_px) * mask.width_px + int(x * mask.width_px))
        assert list(mask.rgb[at : at + 3]) == entry["colour"]
        snapshot = post(client, "/snapshot")["snapshot"]
        hit = post(client, "/action", {"action": "click_release", "point": [x, y]})
        assert (hit["accepted"], hit["hit_element"]) == (True, entry["element"])
        post(client, "/restore", {"snapshot": snapshot})
    assert client.get("/mask").json()["elements"] == seen["elements"]
    frame = client.get("/frame")
    assert frame.headers["x-game-time-s"] == "1.100000"
    assert png.decode(frame.content) == image(seen["frames"][-1]["png"])


def test_the_ring_buffer_holds_sixteen_frames(client) -> None:
    post(client, "/advance", {"seconds": 6.0})
    frames = client.get("/frames").json()["frames"]
    assert [frame["game_time_s"] for frame in frames] == [2.25 + 0.25 * i for i in range(16)]
    assert len(client.get("/frames", params={"last": 3}).json()["frames"]) == 3


@pytest.mark.parametrize("size", ["448x448", "640x480", "900x480"])
def test_frames_come_in_the_size_asked_for(client, size: str) -> None:
    frame = png.decode(client.get("/frame", params={"size": size}).content)
    assert f"{frame.width_px}x{frame.height_px}" == size


def test_the_state_without_runtime_never_changes(client) -> None:
    before = client.get("/state", params={"runtime": 0}).json()
    play(client)
    assert client.get("/state", params={"runtime": 0}).json() == before
    assert client.get("/state").json()["game_time_s"] == 7.05


def test_sounds_are_told_and_played(client) -> None:
    post(client, "/advance", {"seconds": 2.0})
    heard = client.get("/audio", params={"since_s": 0.5}).json()
    assert {cue["cue"] for cue in heard["cues"]} == {"beep"}
    wave = client.get("/audio", params={"since_s": 0.5, "format": "wav"})
    assert wave.headers["content-type"] == "audio/wav"
    assert wave.content[:4] == b"RIFF"


def test_another_method_is_told_which_ones_there_are(client) -> None:
    refused = client.get("/mission")
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
    assert "POST" in refused.json()["problem"]


def test_a_size_is_told_how_it_looks(client) -> None:
    assert "640x480" in client.get("/frame", params={"size": "640X480"}).json()["problem"]


def test_bombs_are_apart(client) -> None:
    first, second = (post(client, "/bombs")["path"] for _ in range(2))
    begin(client, first)
    begin(client, second, seed=6)
    post(client, f"{first}/advance", {"seconds": 2.0})
    times = [client.get(f"{path}/lifecycle").json()["game_time_s"] for path in (first, second, "")]
    assert times == [2.0, 0.0, 0.0]
    assert client.get(f"{first}/state").json()["mission"]["seed"] == 5
    assert len(client.get("/bombs").json()["bombs"]) == 2
    assert client.delete(first).json() == {"ended": first.rsplit("/", 1)[1]}
    for path in ("state", "frame", "observation"):
        assert client.get(f"{first}/{path}").status_code == 404
    assert client.delete(first).status_code == 404


def test_there_is_room_for_so_many_bombs() -> None:
    with served(Site(bombs=3)) as client:
        for _ in range(3):
            post(client, "/bombs")
        refused = client.post("/bombs")
    assert refused.status_code == 429
    assert "--bombs" in refused.json()["problem"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/mission", b'{"seed": 1}', 400),
        ("POST", "/mission", b'{"seed": 1, "time_limit_s": 60, "modules": ["Wirez"]}', 400),
        ("POST", "/mission", b'{"seed": 1, "time_limit_s": 60, "modules": []}', 400),
        ("POST", "/mission", b'{"seed": -1, "time_limit_s": 60, "modules": ["Wires"]}', 400),
        ("POST", "/mission", b'{"seed":1,"time_limit_s":60,"modules":["Wires"],"x":1}', 400),
        ("POST", "/mission", b" " * 200_000, 413),
        ("POST", "/lights", b'{"on": false}', 400),
        ("POST", "/advance", b'{"seconds": 0}', 400),
        ("POST", "/advance", b'{"seconds": 1e999}', 400),
        ("POST", "/action", b'{"action": "click_release"}', 400),
        ("POST", "/action", b'{"action": "flip", "point": [0, 0]}', 400),
        ("POST", "/action", b'{"action": "click_release", "point": [0, 1.5]}', 400),
        ("POST", "/action", b'{"action": "put_down"}', 400),
        ("POST", "/restore", b'{"snapshot": "s9"}', 404),
        ("POST", "/state", b"{}", 405),
        ("GET", "/frame?size=10x10", b"", 400),
        ("GET", "/frame?size=9999x9999", b"", 400),
        ("GET", "/frame?colour=red", b"", 400),
        ("GET", "/frames?last=17", b"", 400),
        ("GET", "/state?runtime=maybe", b"", 400),
        ("GET", "/audio?since_s=nan", b"", 400),
        ("GET", "/nowhere", b"", 404),
        ("GET", "/health/", b"", 404),
        ("GET", "/bombs/b99/state", b"", 404),
        ("DELETE", "/bombs/b99", b"", 404),
    ],
)
def test_wrong_requests_change_nothing_and_say_why(client, method, path, body, status) -> None:
    before = client.get("/state").json()
    reply = client.request(method, path, content=body)
    assert reply.status_code == status
    assert reply.json().keys() == {"problem"}
    assert "Traceback" not in reply.text
    assert client.get("/state").json() == before


def test_what_a_bomb_cannot_do_yet_says_what_to_do_first(client) -> None:
    path = post(client, "/bombs")["path"]
    for name in ("state", "frame", "frames", "mask", "observation", "audio"):
        reply = client.get(f"{path}/{name}")
        assert (reply.status_code, "mission" in reply.json()["problem"]) == (409, True)
    post(client, f"{path}/mission", MISSION)
    click = {"action": "click_release", "point": [0.3, 0.3]}
    flip = {"action": "flip"}
    for name, body in (("advance", {"seconds": 1}), ("action", flip), ("action", click)):
        reply = client.post(f"{path}/{name}", json=body)
        assert (reply.status_code, "lights" in reply.json()["problem"]) == (409, True)
    assert client.get(f"{path}/frame").is_success


class Wall:
    """A wall clock that a test moves."""

    now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


def test_wall_time_passes_only_while_the_game_runs() -> None:
    wall = Wall()
    bomb = ServedBomb(2.0, wall)
    bomb.begin(built(MissionSpec("wall", 1, 300, ("Wires",)), 0))
    wall.now_s += 5
    bomb.look().lights_on()
    bomb.time_changed()
    wall.now_s += 1.5
    assert bomb.look().time_us == 3_000_000
    bomb.look().pause()
    wall.now_s += 100
    assert bomb.look().time_us == 3_000_000
    bomb.look().resume()
    bomb.time_changed()
    name = bomb.keep()
    wall.now_s += 1
    assert bomb.look().time_us == 5_000_000
    bomb.back_to(name)
    assert bomb.look().time_us == 3_000_000
    wall.now_s += 1_000
    assert bomb.look().phase == "exploded_time"


def test_a_bomb_that_nobody_uses_makes_room() -> None:
    wall = Wall()
    bombs = Bombs(2, 0.0, wall)
    old, _ = bombs.create(None), bombs.create(None)
    wall.now_s += IDLE_S / 2
    with pytest.raises(Refused):
        bombs.create(None)
    bombs.find("b2")
    wall.now_s += IDLE_S / 2 + 1
    assert bombs.create(None) == "b3"
    with pytest.raises(Refused):
        bombs.find(old)
    assert {name for name, _ in bombs} == {"b2", "b3"}


def test_old_snapshots_are_forgotten() -> None:
    bomb = ServedBomb(0.0)
    bomb.begin(built(MissionSpec("many", 1, 300, ("Wires",)), 0))
    bomb.look().lights_on()
    first = bomb.keep()
    for second in range(1, MAX_SNAPSHOTS + 1):
        bomb.look().advance_to(second * 1_000_000)
        last = bomb.keep()
    bomb.back_to(last)
    with pytest.raises(Refused):
        bomb.back_to(first)


def test_many_clients_of_one_bomb_are_answered_one_after_another(client) -> None:
    def hurry(_: int) -> None:
        for _ in range(10):
            post(client, "/advance", {"seconds": 0.1})
            post(client, "/action", {"action": "rotate_left"})

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(hurry, range(8)))
    state = client.get("/state").json()
    assert state["game_time_s"] == 8.0
    assert state["camera"]["pose"] == "front"
