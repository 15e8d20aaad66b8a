"""A bomb behind a server: the simulator's API over HTTP, such as `polyathlon serve defusal`.

What it cannot promise: that equal games give equal pictures or states (the server may be another
simulator); that time is exact where the server's time passes by itself (it stops a little late);
that an element is met, for elements are pressed by their points and may be out of sight. Pictures
are fetched when a scene is captured, and only decoded late. Each request blocks who makes it.

Of another simulator it asks for mission, lights, pause, resume, advance or its own passing time,
action, observation, frames, state and lifecycle; for sounds, snapshots, many bombs and the time of
the bomb's next event only if it has them.
"""

from __future__ import annotations

import gc
import os
import time
import weakref
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec.structs import asdict

from polyathlon.core.canonical import JSON
from polyathlon.core.errors import UserError
from polyathlon.core.extras import missing
from polyathlon.envs.gptnt.bomb.bomb import Act, Click, Hold, Phase, TurnBomb
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.missions import MissionSpec
from polyathlon.envs.gptnt.bomb.modules.base import Verdict
from polyathlon.envs.gptnt.bomb.simulator import MAX_FRAMES, Photo, PointAct, Reply, Target
from polyathlon.envs.gptnt.bomb.sounds import Heard

try:
    import httpx2
except ImportError as error:
    raise missing("a simulator behind HTTP needs its client", "serve") from error

if TYPE_CHECKING:
    from polyathlon.envs.gptnt.bomb.looks.frames import View

T = TypeVar("T")

TOKEN = "POLYATHLON_SIMULATOR_TOKEN"
"""The environment variable with the token of a server that asks for one."""

TIMEOUT_S = 30.0
LOOK_S = 0.02
NEWS_US = 250_000
BOMBS = "/bombs/"
MISSING = (404, 405)

Byte: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=255)]
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class SimulatorLost(Exception):
    """A simulator does not answer, or not as agreed: the game cannot go on."""


class _Life(msgspec.Struct, frozen=True):
    lifecycle: Phase
    paused: bool
    game_time_s: float
    driver: Literal["virtual", "wall"] = "virtual"
    next_event_s: float | msgspec.UnsetType | None = msgspec.UNSET


class _Acted(msgspec.Struct, frozen=True):
    accepted: bool
    hit_element: str | None = None
    verdict: Verdict | None = None


class _Frame(msgspec.Struct, frozen=True):
    game_time_s: float
    png: bytes


class _Frames(msgspec.Struct, frozen=True):
    frames: list[_Frame]


class _Entry(msgspec.Struct, frozen=True):
    """An element that can be pressed now, without colour and point while it is out of sight."""

    element: str
    type: str
    part: str = ""
    colours: tuple[str, ...] = ()
    colour: tuple[Byte, Byte, Byte] | None = None
    point: tuple[Share, Share] | None = None


class _Observation(msgspec.Struct, frozen=True):
    frames: Annotated[list[_Frame], msgspec.Meta(min_length=1)]
    mask: bytes
    elements: list[_Entry]

    @property
    def photo(self) -> Photo:
        """The newest frame with its mask."""
        elements = tuple((entry.element, entry.colour) for entry in self.elements if entry.colour)
        return Photo(self.frames[-1].png, self.mask, elements)


class _Made(msgspec.Struct, frozen=True):
    path: str


class _Kept(msgspec.Struct, frozen=True):
    snapshot: str


class RemoteSimulator:
    """The bomb at an address: `http://host:port`, or one of many, `http://host:port/bombs/b1`.

    At the address of a server of many bombs it asks for one of its own, and ends it when the
    simulator is dropped. Raises UserError when no game can begin, SimulatorLost when one that did
    cannot go on.
    """

    def __init__(self, where: str) -> None:
        if not where.startswith(("http://", "https://")):
            raise UserError(f"a simulator's address looks like http://127.0.0.1:8765, not {where}")
        token = os.environ.get(TOKEN, "")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            self._client = httpx2.Client(
                base_url=where, headers=headers, timeout=TIMEOUT_S, trust_env=False
            )
        except httpx2.InvalidURL as error:
            raise UserError(f"{where} is no address of a simulator: {error}") from None
        self._where = where
        self._bomb = "" if BOMBS not in where else None
        self._seen: dict[bool, _Observation] = {}
        self._now: _Life | None = None

    @property
    def time_us(self) -> int:
        return round(self._life.game_time_s * SECOND_US)

    @property
    def phase(self) -> Phase:
        return self._life.lifecycle

    @property
    def paused(self) -> bool:
        return self._life.paused

    def start(self, mission: MissionSpec, rule_seed: int = 0) -> None:
        try:
            if self._bomb == "":
                self._bomb = self._own_bomb()
            self._change("mission", {**asdict(mission), "manual_seed": rule_seed}, dict)
        except SimulatorLost as error:
            raise UserError(str(error)) from None

    def lights_on(self, *, paused: bool = False) -> None:
        wall = self._life.driver == "wall"
        self._change("lights", {"on": True, "paused": paused or wall}, dict)

    def pause(self) -> None:
        self._change("pause", {}, dict)

    def resume(self) -> None:
        self._change("resume", {}, dict)

    def advance_to(self, time_us: int) -> None:
        """Let time pass. Where it passes by itself, the game is paused before and after."""
        missing_s = (time_us - self.time_us) / SECOND_US
        if missing_s <= 0 or self.phase != "lights_on":
            return
        if self._life.driver == "virtual":
            self._change("advance", {"seconds": missing_s}, dict)
            return
        self.resume()
        while self.time_us < time_us and self.phase == "lights_on":
            time.sleep(LOOK_S)
            self._now = None
        self.pause()

    def next_event_us(self) -> int | None:
        """What the server says; of one that does not, the next quarter second.

        A bomb whose time passes by itself is paused between our steps, and goes on with them.
        """
        life = self._life
        if life.lifecycle != "lights_on" or (life.paused and life.driver == "virtual"):
            return None
        match life.next_event_s:
            case msgspec.UNSET:
                return (self.time_us // NEWS_US + 1) * NEWS_US
            case None:
                return None
            case told_s:
                return round(told_s * SECOND_US)

    def act(self, act: Act) -> Reply:
        if not isinstance(act, Click | Hold):
            name = act.turn if isinstance(act, TurnBomb) else act.__struct_config__.tag
            return self._acted({"action": name})
        point = next((e.point for e in self._observed().elements if e.element == act.element), None)
        if point is None:
            return Reply("nothing")
        return self.act_at("click_release" if isinstance(act, Click) else "hold", *point)

    def act_at(self, name: PointAct, x: float, y: float) -> Reply:
        return self._acted({"action": name, "point": [x, y]})

    def targets(self) -> tuple[Target, ...]:
        return tuple(
            Target(entry.element, entry.type, entry.part, entry.colours)
            for entry in self._observed().elements
        )

    def elements(self) -> tuple[str, ...]:
        return tuple(target.element for target in self.targets())

    def shot(self, *, props: bool = True) -> Photo:
        return self._observed(props).photo

    def past(self, count: int = MAX_FRAMES - 1, *, props: bool = True) -> tuple[Photo, ...]:
        look = f"?last={min(count + 1, MAX_FRAMES)}{'' if props else '&props=0'}"
        frames = self._call("GET", f"frames{look}", None, _Frames).frames
        return tuple(Photo(frame.png) for frame in frames[:-1])

    def heard(self, since_us: int) -> Heard:
        """What was to be heard; nothing from a simulator that has no sounds."""
        reply = self._send("GET", self._path(f"audio?since_s={since_us / SECOND_US:.6f}"), None)
        if reply.status_code in MISSING:
            return Heard(since_us, max(since_us, self.time_us))
        return self._read(reply, Heard)

    def state(self, runtime: bool = True) -> dict[str, JSON]:
        return self._call("GET", f"state?runtime={runtime:d}", None, dict)

    def snapshot(self) -> str:
        return self._change("snapshot", {}, _Kept).snapshot

    def restore(self, snapshot: object) -> None:
        self._change("restore", {"snapshot": snapshot}, dict)

    @property
    def _life(self) -> _Life:
        if self._now is None:
            self._now = self._call("GET", "lifecycle", None, _Life)
        return self._now

    def _observed(self, props: bool = True) -> _Observation:
        """What is seen at this moment, fetched once."""
        if props not in self._seen:
            look = "" if props else "?props=0"
            self._seen[props] = self._call("GET", f"observation{look}", None, _Observation)
        return self._seen[props]

    def _acted(self, action: dict[str, Any]) -> Reply:
        reply = self._change("action", action, _Acted)
        verdict = reply.verdict or ("done" if reply.accepted else "nothing")
        return Reply(verdict, reply.hit_element)

    def _change(self, path: str, body: dict[str, Any], kind: type[T]) -> T:
        """Ask for what may change the bomb, so that what was known of it is void."""
        self._seen.clear()
        self._now = None
        return self._call("POST", path, body, kind)

    def _own_bomb(self) -> str | None:
        """A bomb of our own where a server has many; None where it has but one.

        Those of dropped simulators end first, lest games that are over take up the server's room.
        """
        gc.collect()
        reply = self._send("POST", BOMBS.strip("/"), {})
        if reply.status_code in MISSING:
            return None
        path = self._read(reply, _Made).path
        weakref.finalize(self, _end, self._client, path)
        return path

    def _call(self, method: str, path: str, body: dict[str, Any] | None, kind: type[T]) -> T:
        return self._read(self._send(method, self._path(path), body), kind)

    def _path(self, path: str) -> str:
        return f"{self._bomb}/{path}" if self._bomb else path

    def _send(self, method: str, path: str, body: dict[str, Any] | None) -> httpx2.Response:
        try:
            return self._client.request(method, path, json=body)
        except httpx2.TransportError as error:
            cause = str(error) or type(error).__name__
            raise SimulatorLost(
                f"the simulator at {self._where} does not answer ({cause}): see that it runs, "
                "or start one with polyathlon serve defusal"
            ) from None

    def _read(self, reply: httpx2.Response, kind: type[T]) -> T:
        if reply.status_code == 401:
            raise SimulatorLost(f"{self._where} asks for its token: put it into {TOKEN}")
        if not reply.is_success:
            problem = reply.text[:300]
            raise SimulatorLost(f"{self._where} refuses ({reply.status_code}): {problem}")
        try:
            return msgspec.json.decode(reply.content, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise SimulatorLost(
                f"{self._where} does not speak the simulator's API: {error}"
            ) from None


def developed(photo: Photo) -> View:
    """A photo with its mask as a view. Raises ValueError where they do not fit."""
    import numpy as np

    from polyathlon.envs.gptnt.bomb.looks.frames import View
    from polyathlon.media import png

    frame, mask = png.decode(photo.frame), png.decode(photo.mask)
    if (mask.width_px, mask.height_px) != (frame.width_px, frame.height_px):
        raise ValueError("a mask needs as many pixels as its frame")
    shape = (frame.height_px, frame.width_px, 3)
    flat = np.frombuffer(mask.rgb, np.uint8).reshape(shape)
    ids = np.zeros(shape[:2], np.int32)
    for number, (_, colour) in enumerate(photo.elements, 1):
        ids[(flat == colour).all(axis=2)] = number
    names = tuple(name for name, _ in photo.elements)
    return View(np.frombuffer(frame.rgb, np.uint8).reshape(shape), ids, names)


def _end(client: httpx2.Client, path: str) -> None:
    try:
        client.delete(path, timeout=1.0)
    except httpx2.HTTPError:
        pass
    finally:
        client.close()
