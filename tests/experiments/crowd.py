"""Players that run model calls and tools at once. Importing registers their env and their tool."""

from __future__ import annotations

import os

import anyio
import msgspec
from tests.toys import beacon

from polyathlon import registry
from polyathlon.core.agents import ToolResult
from polyathlon.core.models import Request, Sampling, say, thread
from polyathlon.core.parts import Text

MODEL = "POLYATHLON_TEST_MODEL"
"""The environment variable that names the model."""

SAMPLING = Sampling(temperature=0.5, max_tokens=300, seed=1)
RESEARCH_S = 0.03

SPEC = msgspec.structs.replace(
    beacon.SPEC,
    id="toys/crowd-v0",
    entry=f"{__name__}:Crowd",
    tools=("calculator", "second_opinion"),
)
registry.register_env(SPEC)


class Crowd(beacon.Beacon):
    """The beacon with two tools."""

    spec = SPEC


class Question(msgspec.Struct, frozen=True):
    """What somebody else shall say."""

    question: str


class SecondOpinion:
    """A tool that thinks for a while and asks a model itself."""

    name, doc, arguments, timeout_s = "second_opinion", "asks somebody else", Question, 120.0

    async def run(self, arguments, ctx):
        await anyio.sleep(RESEARCH_S)
        reply = await ctx.complete(_request(arguments.question), os.environ[MODEL], "opinion")
        await anyio.sleep(RESEARCH_S)
        return ToolResult((Text(reply.text),))


registry.register("tools", SecondOpinion.name, SecondOpinion)


async def asking_around(obs, last, ctx):
    """Asks a model and uses tools, all at once, and says what came of it."""
    moment = f"{ctx.brief.task}\n{ctx.role}, decision {obs.turn}"

    async def ask(what):
        return (await ctx.complete(_request(f"{moment}: {what}"), os.environ[MODEL])).text

    async def use(tool, **arguments):
        return (await ctx.call(tool, arguments)).parts[0].text

    async def in_two_steps():
        first = await ask("and at first?")
        second = [lambda: ask(f"what after {first}?"), lambda: ask(f"what before {first}?")]
        return " ".join(await ctx.together(*second))

    said = await ctx.together(
        lambda: ask("what now?"),
        in_two_steps,
        lambda: use("second_opinion", question=f"{moment}: really?"),
        lambda: use("calculator", expression=f"{obs.turn} * 7"),
    )
    return " ".join(said)


asking_around.replayable = True


def _request(text):
    return Request(thread(say("user", text)), SAMPLING)
