"""Players and a tool that block for good. Importing registers an env with that tool."""

from __future__ import annotations

import time

import msgspec
from tests.toys import beacon

from polyathlon import registry

BLOCKED_S = 120.0

SPEC = msgspec.structs.replace(
    beacon.SPEC, id="toys/blocked-v0", entry=f"{__name__}:Blocked", tools=("blocking",)
)
registry.register_env(SPEC)


class Blocked(beacon.Beacon):
    """The beacon with a tool that blocks."""

    spec = SPEC


class Nothing(msgspec.Struct, frozen=True):
    """No arguments."""


class Blocking:
    """A tool that lets nothing else run."""

    name, doc, arguments, timeout_s = "blocking", "blocks", Nothing, 600.0

    async def run(self, arguments, ctx):
        time.sleep(BLOCKED_S)  # noqa: ASYNC251 -- this is what it is for


registry.register("tools", Blocking.name, Blocking)


def function(obs):
    """Blocks a thread from its third turn on."""
    if obs.turn == 2:
        time.sleep(BLOCKED_S)
    return "up"


async def coroutine(obs):
    """Blocks the event loop from its third turn on."""
    return function(obs)


def busy(obs):
    """Computes and never gives up its thread."""
    while obs.turn == 2:
        pass
    return "up"


async def user(obs, last, ctx):
    """Uses the tool that blocks."""
    await ctx.call("blocking", {})
