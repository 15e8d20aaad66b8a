"""What the server's tests share: a server in a thread, a mission, a script of a game."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from polyathlon.envs.gptnt.bomb.bomb import Release, TurnBomb, ZoomOut
from polyathlon.envs.gptnt.bomb.missions import MissionSpec
from polyathlon.envs.gptnt.bomb.simulator import LocalSimulator
from polyathlon.serve.site import Served, Site

MISSION: dict[str, Any] = {
    "name": "served",
    "seed": 5,
    "time_limit_s": 300,
    "modules": ["Wires", "Simon Says", "Keypad", "Maze"],
    "needy": ["Vent"],
}
SCRIPT: list[tuple[str, dict[str, Any]]] = [
    ("action", {"action": "click_release", "point": [0.25, 0.35]}),
    ("advance", {"seconds": 1.3}),
    ("action", {"action": "click_release", "point": [0.25, 0.35]}),
    ("advance", {"seconds": 3.0}),
    ("action", {"action": "zoom_out"}),
    ("action", {"action": "flip"}),
    ("advance", {"seconds": 0.1}),
    ("action", {"action": "hold", "point": [0.7, 0.6]}),
    ("action", {"action": "release"}),
    ("advance", {"seconds": 2.65}),
]

ACTS = {"zoom_out": ZoomOut(), "flip": TurnBomb("flip"), "release": Release()}


@contextmanager
def client(url: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=url, trust_env=False, timeout=60) as made:
        yield made


@contextmanager
def served(site: Site | None = None) -> Iterator[httpx2.Client]:
    """A client of a new server in a thread."""
    with Served(site or Site()) as url, client(url) as made:
        yield made


def post(client: httpx2.Client, path: str, body: dict[str, Any] | None = None) -> Any:
    reply = client.post(path, json=body or {})
    assert reply.is_success, reply.text
    return reply.json()


def begin(client: httpx2.Client, prefix: str = "", **changes: Any) -> None:
    """A lit bomb."""
    post(client, f"{prefix}/mission", {**MISSION, **changes})
    post(client, f"{prefix}/lights", {"on": True})


def play(client: httpx2.Client, prefix: str = "") -> list[Any]:
    """Follow the script; what every request brought."""
    return [post(client, f"{prefix}/{path}", body) for path, body in SCRIPT]


def lit_here() -> LocalSimulator:
    """The mission's bomb in this process."""
    fields = {name: tuple(v) if isinstance(v, list) else v for name, v in MISSION.items()}
    simulator = LocalSimulator()
    simulator.start(MissionSpec(**fields))
    simulator.lights_on()
    return simulator


def do(simulator: LocalSimulator, body: dict[str, Any]) -> None:
    """Do what the body of an action asks for."""
    if "point" in body:
        simulator.act_at(body["action"], *body["point"])
    else:
        simulator.act(ACTS[body["action"]])


def local_game() -> LocalSimulator:
    """The script played in this process."""
    simulator = lit_here()
    for path, body in SCRIPT:
        if path == "advance":
            simulator.advance_to(simulator.time_us + round(body["seconds"] * 1e6))
        else:
            do(simulator, body)
    return simulator
