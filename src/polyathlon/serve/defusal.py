"""The defusal simulator behind HTTP: the API of the benchmark, for one bomb or for many.

Every request is answered from one instant of its bomb's game time. What takes long is drawn in
other processes, so that no client waits for another's pictures.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TypeAlias, TypeVar

import msgspec

from polyathlon import __version__
from polyathlon.core.canonical import JSON, digest
from polyathlon.core.errors import UserError
from polyathlon.core.extras import missing
from polyathlon.envs.gptnt.bomb.bomb import next_event_us
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.looks.frames import Shot, element_at
from polyathlon.envs.gptnt.bomb.simulator import MAX_FRAMES, LocalSimulator, Reply
from polyathlon.serve import messages, pictures
from polyathlon.serve.bombs import Bombs, ServedBomb, built
from polyathlon.serve.guard import SAFE_HEADERS, Guard
from polyathlon.serve.messages import Refused, decoded, queried
from polyathlon.serve.studio import Studio

try:
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from polyathlon.serve.hosting import body_of
except ImportError as error:
    raise missing("a server needs its libraries", "serve") from error

T = TypeVar("T")

MAX_BODY = 100_000

Endpoint: TypeAlias = Callable[[ServedBomb, Request], Awaitable[Response]]


class Defusal:
    """The API over some bombs; `leave` is called when a client asks the server to quit."""

    def __init__(self, bombs: Bombs, studio: Studio, leave: Callable[[], None]) -> None:
        self._bombs = bombs
        self._draw = studio
        self._leave = leave

    def routes(self) -> list[Route]:
        """All endpoints: those of a bomb stand alone for the default one, or under its path."""
        of_bombs: list[tuple[str, Endpoint, str]] = [
            ("/mission", self.mission, "POST"),
            ("/lights", self.lights, "POST"),
            ("/pause", self.pause, "POST"),
            ("/resume", self.resume, "POST"),
            ("/advance", self.advance, "POST"),
            ("/action", self.action, "POST"),
            ("/snapshot", self.snapshot, "POST"),
            ("/restore", self.restore, "POST"),
            ("/frame", self.frame, "GET"),
            ("/frames", self.frames, "GET"),
            ("/mask", self.mask, "GET"),
            ("/observation", self.observation, "GET"),
            ("/audio", self.audio, "GET"),
            ("/state", self.state, "GET"),
            ("/lifecycle", self.lifecycle, "GET"),
        ]
        return [
            *(
                Route(prefix + path, self._on_bomb(endpoint), methods=[method])
                for prefix in ("", "/bombs/{id}")
                for path, endpoint, method in of_bombs
            ),
            Route("/bombs", self.list_bombs, methods=["GET"]),
            Route("/bombs", self.new_bomb, methods=["POST"]),
            Route("/bombs/{id}", self.end_bomb, methods=["DELETE"]),
            Route("/health", self.health, methods=["GET"]),
            Route("/quit", self.quit, methods=["POST"]),
        ]

    def _on_bomb(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return await endpoint(self._bombs.find(request.path_params.get("id")), request)

        return answer

    async def mission(self, bomb: ServedBomb, request: Request) -> Response:
        """Another bomb, in the dark."""
        asked = await _body(request, messages.Mission)
        async with bomb.changing:
            simulator = await asyncio.to_thread(built, asked.spec(), asked.manual_seed)
            bomb.begin(simulator)
        if bomb.scale:
            self._draw.warm_up(pictures.frame, simulator.shot())
        return _json({"mission_id": digest(asked)[:16], "lifecycle": simulator.phase})

    async def lights(self, bomb: ServedBomb, request: Request) -> Response:
        """The game begins, paused at time 0 if so asked."""
        asked = await _body(request, messages.Lights)
        async with bomb.changing:
            bomb.look().lights_on(paused=asked.paused)
            bomb.time_changed()
        return _json(_life(bomb))

    async def pause(self, bomb: ServedBomb, request: Request) -> Response:
        """Game time stands still."""
        await _body(request, messages.Body)
        async with bomb.changing:
            bomb.look().pause()
        return _json(_life(bomb))

    async def resume(self, bomb: ServedBomb, request: Request) -> Response:
        """Game time goes on."""
        await _body(request, messages.Body)
        async with bomb.changing:
            bomb.look().resume()
            bomb.time_changed()
        return _json(_life(bomb))

    async def advance(self, bomb: ServedBomb, request: Request) -> Response:
        """Game time passes at once; the virtual driver's only way to let it pass."""
        asked = await _body(request, messages.Advance)
        async with bomb.changing:
            simulator = _lit(bomb)
            if bomb.scale:
                raise Refused(409, "here time passes by itself: wait, or use a virtual bomb")
            time_us = simulator.time_us + round(asked.seconds * SECOND_US)
            await asyncio.to_thread(simulator.advance_to, time_us)
        return _json(_life(bomb))

    async def action(self, bomb: ServedBomb, request: Request) -> Response:
        """Something is done at this moment, to whatever the point meets."""
        asked = await _body(request, messages.Action)
        async with bomb.changing:
            shot, element = _lit(bomb).shot(), None
            if asked.point is not None:
                element = await self._draw(element_at, shot, *asked.point)
            act = asked.on(element)
            reply = Reply("nothing") if act is None else bomb.look().act(act)
            bomb.changes += 1
        return _json(
            {
                "accepted": reply.verdict != "nothing",
                "hit_element": reply.element,
                "verdict": reply.verdict,
            }
        )

    async def snapshot(self, bomb: ServedBomb, request: Request) -> Response:
        """This moment is kept, to come back to."""
        await _body(request, messages.Body)
        async with bomb.changing:
            return _json({"snapshot": bomb.keep(), **_life(bomb)})

    async def restore(self, bomb: ServedBomb, request: Request) -> Response:
        """Back to a snapshot."""
        asked = await _body(request, messages.Restore)
        async with bomb.changing:
            bomb.back_to(asked.snapshot)
        return _json(_life(bomb))

    async def frame(self, bomb: ServedBomb, request: Request) -> Response:
        """What is seen now, as PNG; its moment is in the headers."""
        asked = queried(request.query_params, messages.FrameQuery)
        shot = bomb.look().shot(props=asked.props)
        headers = {"X-Game-Time-S": f"{_seconds(shot):.6f}", "X-Frame-Id": _frame_id(bomb, shot)}
        data = await self._draw(pictures.frame, shot, asked.pixels)
        return Response(data, media_type="image/png", headers={**SAFE_HEADERS, **headers})

    async def frames(self, bomb: ServedBomb, request: Request) -> Response:
        """What was seen in the last quarter seconds, and is seen now, oldest first."""
        asked = queried(request.query_params, messages.FramesQuery)
        simulator = bomb.look()
        shots = (
            *simulator.past(asked.last - 1, props=asked.props),
            simulator.shot(props=asked.props),
        )
        frame_id = _frame_id(bomb, shots[-1])
        return _json({"frame_id": frame_id, "frames": await self._drawn(shots)})

    async def mask(self, bomb: ServedBomb, request: Request) -> Response:
        """Which pixels of the frame of this moment are which element, and what those are."""
        asked = queried(request.query_params, messages.Look)
        simulator = bomb.look()
        shot, targets = simulator.shot(props=asked.props), simulator.targets()
        frame_id = _frame_id(bomb, shot)
        drawn = await self._draw(pictures.masked, shot, targets)
        return _json(
            {
                "game_time_s": _seconds(shot),
                "frame_id": frame_id,
                "mask": drawn.mask,
                "elements": drawn.entries,
            }
        )

    async def observation(self, bomb: ServedBomb, request: Request) -> Response:
        """All that is seen at this moment: frames, mask, elements, camera and time."""
        asked = queried(request.query_params, messages.ObservationQuery)
        simulator, life = bomb.look(), _life(bomb)
        shot, targets = simulator.shot(props=asked.props), simulator.targets()
        past = simulator.past(MAX_FRAMES - 1 if asked.burst else 0, props=asked.props)
        camera = simulator.state()["camera"]
        frame_id = _frame_id(bomb, shot)
        drawn = await self._draw(pictures.masked, shot, targets)
        frames = [*await self._drawn(past), _frame(shot, drawn.frame)]
        return _json(
            {
                **life,
                "frame_id": frame_id,
                "frames": frames,
                "mask": drawn.mask,
                "elements": drawn.entries,
                "camera": camera,
            }
        )

    async def audio(self, bomb: ServedBomb, request: Request) -> Response:
        """What was to be heard since a moment of the last seconds."""
        asked = queried(request.query_params, messages.AudioQuery)
        heard = bomb.look().heard(round(asked.since_s * SECOND_US))
        if asked.format == "json":
            return _json(heard)
        data = await self._draw(pictures.sound, heard)
        return Response(data, media_type="audio/wav", headers=SAFE_HEADERS)

    async def state(self, bomb: ServedBomb, request: Request) -> Response:
        """All about the bomb. Never for a player."""
        asked = queried(request.query_params, messages.StateQuery)
        return _json(bomb.look().state(asked.runtime))

    async def lifecycle(self, bomb: ServedBomb, request: Request) -> Response:
        """Where the game stands, and when the bomb will next do something by itself.

        The latter is for whoever lets its time pass, never for a player.
        """
        queried(request.query_params, messages.Body)
        life, due_us = _life(bomb), next_event_us(bomb.look().bomb)
        return _json({**life, "next_event_s": None if due_us is None else due_us / SECOND_US})

    async def list_bombs(self, request: Request) -> Response:
        """The bombs beside the default one."""
        queried(request.query_params, messages.Body)
        return _json(
            {"most": self._bombs.most, "bombs": [{"bomb": name} for name, _ in self._bombs]}
        )

    async def new_bomb(self, request: Request) -> Response:
        """Another bomb."""
        asked = await _body(request, messages.NewBomb)
        name = self._bombs.create(asked.scale)
        return _json({"bomb": name, "path": f"/bombs/{name}"}, status=201)

    async def end_bomb(self, request: Request) -> Response:
        """A bomb goes."""
        self._bombs.end(request.path_params["id"])
        return _json({"ended": request.path_params["id"]})

    async def health(self, request: Request) -> Response:
        """Whether the server lives, and what it is."""
        driver = self._bombs.default.driver
        return _json({"status": "ok", "version": __version__, "driver": driver})

    async def quit(self, request: Request) -> Response:
        """The server ends."""
        await _body(request, messages.Body)
        self._leave()
        return _json({"quitting": True})

    async def _drawn(self, shots: Sequence[Shot]) -> list[dict[str, object]]:
        pngs = await self._draw(pictures.frames, shots) if shots else []
        return [_frame(shot, data) for shot, data in zip(shots, pngs, strict=True)]


def app(
    bombs: Bombs, leave: Callable[[], None], hosts: Collection[str] = (), token: str = ""
) -> Starlette:
    """The application. `hosts` are the names it may be called by (none: any), `token` what its
    clients must send (""; nothing)."""
    studio = Studio()

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        studio.close()

    application = Starlette(
        routes=Defusal(bombs, studio, leave).routes(),
        middleware=[Middleware(Guard, hosts=hosts, token=token)],
        exception_handlers={
            Refused: _refused,
            UserError: _conflict,
            HTTPException: _no_route,
            Exception: _fault,
        },
        lifespan=lifespan,
    )
    application.router.redirect_slashes = False
    return application


async def _body(request: Request, kind: type[T]) -> T:
    body = await body_of(request, MAX_BODY)
    if body is None:
        raise Refused(413, f"send at most {MAX_BODY} bytes")
    return decoded(body, kind)


def _lit(bomb: ServedBomb) -> LocalSimulator:
    simulator = bomb.look()
    if simulator.phase == "lights_off":
        raise Refused(409, "the lights are off: POST /lights first")
    return simulator


def _life(bomb: ServedBomb) -> dict[str, JSON]:
    simulator = bomb.look()
    return {
        "lifecycle": simulator.phase,
        "paused": simulator.paused,
        "game_time_s": simulator.time_us / SECOND_US,
        "driver": bomb.driver,
        "timer": simulator.state()["timer"],
    }


def _frame(shot: Shot, data: bytes) -> dict[str, object]:
    return {"game_time_s": _seconds(shot), "png": data}


def _seconds(shot: Shot) -> float:
    return shot.bomb.time_us / SECOND_US


def _frame_id(bomb: ServedBomb, shot: Shot) -> str:
    return f"{bomb.changes}-{shot.bomb.time_us}"


def _json(value: object, status: int = 200, headers: Mapping[str, str] = {}) -> Response:
    """A JSON answer, bytes in it as base64."""
    return Response(
        msgspec.json.encode(value),
        status_code=status,
        media_type="application/json",
        headers={**SAFE_HEADERS, **headers},
    )


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return _json({"problem": error.problem}, error.status)


async def _conflict(request: Request, error: Exception) -> Response:
    return _json({"problem": str(error)}, 409)


async def _no_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        return _json({"problem": f"this address takes {allowed}"}, 405, {"Allow": allowed})
    problem = "no such address: GET /health, /observation, /state; POST /mission, /action"
    return _json({"problem": problem}, error.status_code)


async def _fault(request: Request, error: Exception) -> Response:
    return _json({"problem": "a fault of the server; it is in its log"}, 500)
