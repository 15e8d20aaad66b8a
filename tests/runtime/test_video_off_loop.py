"""Storing a video never holds up the event loop, and each is stored once, before it is named."""

from __future__ import annotations

import threading
from functools import partial

import anyio
from tests.runtime.support import episode, services

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.agents import Decision
from polyathlon.core.episodes import Limits
from polyathlon.core.models import Request, say, thread
from polyathlon.core.parts import Part, Video
from polyathlon.runtime.episode import play
from polyathlon.runtime.recorder import ListSink, Recorder

GAME = "lmgame/twenty48-v0"
CLIP = Video(2, 2, 10.0, bytes(range(120)))


class Watcher:
    """Shows a clip to a model at every turn."""

    access, replayable = "plain", True

    async def act(self, obs, last, ctx):
        await ctx.complete(Request(thread(say("user", CLIP))), "scripted/constant:seen")
        return Decision(obs.actions.sample(ctx.rng))


def test_videos_are_stored_off_the_loop_and_once() -> None:
    loop_is_free = threading.Event()
    stored: list[tuple[str, bool]] = []
    sink = ListSink()

    def store(part: Part) -> None:
        named = any(isinstance(event, trace.Said) for event in sink.events)
        stored.append((part.digest, loop_is_free.wait(10) and not named))

    async def main() -> None:
        spec = episode(GAME, limits=Limits(turns=3))
        env = registry.make(spec.env, spec.level, spec.options)
        use = services(store=store)
        game = partial(play, spec, env, {"player": Watcher()}, [], use, Recorder(sink))
        async with anyio.create_task_group() as group:
            group.start_soon(game)
            await anyio.sleep(0.02)
            loop_is_free.set()

    anyio.run(main)
    assert stored == [(CLIP.digest, True)]
    ended = sink.events[-1]
    assert isinstance(ended, trace.Ended)
    assert (ended.status, ended.turns) == ("truncated", 3)
