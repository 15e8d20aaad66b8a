"""Random programs of operations, players that run them, and a simulation that knows no clock.

A program is `("call", ms)`, `("tool", ms)`, `("sleep", ms)`, `("compute",)`, `("seq", programs)` or
`("together", programs)`. Durations are whole milliseconds of episode time.
"""

from __future__ import annotations

import random
from contextvars import ContextVar
from typing import Any, TypeAlias

import anyio
import msgspec
from tests.runtime.support import episode, played, services
from tests.toys import beacon

from polyathlon import registry
from polyathlon.core.agents import Decision, ToolResult
from polyathlon.core.episodes import Limits, SchedulerSpec
from polyathlon.core.models import Reply, Request, Usage, say, thread
from polyathlon.core.parts import Text

Program: TypeAlias = tuple[Any, ...]
TURNS = 3
VIRTUAL = SchedulerSpec("virtual")

_tool_s: ContextVar[float] = ContextVar("tool_s", default=0.0)


def program(rng: random.Random, depth: int = 0) -> Program:
    """A program of a dozen operations or so, at most four levels deep."""
    draw = rng.random()
    if depth > 3 or (depth and draw < 0.5):
        kind = rng.choice(("call", "call", "tool", "sleep", "compute"))
        return (kind,) if kind == "compute" else (kind, rng.randrange(1, 2_000))
    parts = [program(rng, depth + 1) for _ in range(rng.randrange(1, 4))]
    return ("seq" if draw < 0.7 else "together", parts)


def duration_ms(wanted: Program) -> int:
    """How long a program takes."""
    match wanted:
        case ("seq", parts):
            return sum(map(duration_ms, parts))
        case ("together", parts):
            return max(map(duration_ms, parts))
        case (_, int(ms)):
            return ms
    return 0


def acts_ms(programs: list[Program], pause_ms: int, most_ms: int) -> list[tuple[int, bool]]:
    """When each turn's act comes, and whether its deadline cut it off."""
    now_ms, acts = 0, []
    for wanted in programs:
        needs_ms = duration_ms(wanted)
        now_ms += min(needs_ms, most_ms)
        acts.append((now_ms, needs_ms > most_ms))
        now_ms += pause_ms
    return acts


class Workshop(beacon.Beacon):
    """The beacon with a tool that takes a while."""

    spec = msgspec.structs.replace(
        beacon.SPEC, id="toys/workshop-v0", entry=f"{__name__}:Workshop", tools=("slow",)
    )


registry.register_env(Workshop.spec)


class Runner:
    """Runs one program a turn."""

    access = "plain"
    replayable = True

    def __init__(self, programs: list[Program]) -> None:
        self._programs = programs

    async def act(self, obs, last, ctx):
        await self._run(self._programs[obs.turn], ctx, f"{ctx.role}{obs.turn}")
        return Decision(obs.actions.parse("hello"))

    async def _run(self, wanted: Program, ctx: Any, name: str) -> None:
        match wanted:
            case ("call", ms):
                await ctx.complete(Request(thread(say("user", f"{name}:{ms}"))), "m")
            case ("tool", ms):
                await ctx.call("slow", {"ms": ms, "name": name})
            case ("sleep", ms):
                await ctx.sleep(ms / 1e3)
            case ("compute",):
                await ctx.compute(len, name)
            case ("seq", parts):
                for number, part in enumerate(parts):
                    await self._run(part, ctx, f"{name}.{number}")
            case ("together", parts):
                named = [(part, f"{name}|{number}") for number, part in enumerate(parts)]
                await ctx.together(*(self._strand(part, ctx, name) for part, name in named))

    def _strand(self, part: Program, ctx: Any, name: str) -> Any:
        return lambda: self._run(part, ctx, name)


class Answers:
    """A model whose latency is the number at the end of what it is asked; real time is random."""

    name, group, in_flight, price, latency = "m", "m", 1_000, None, "measured"

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self.asked: list[str] = []

    async def complete(self, request):
        self.asked.append(request.thread.hash)
        await anyio.sleep(self._rng.random() / 500)
        ms = int(request.thread.message.text.rpartition(":")[2])
        return Reply("hello", usage=Usage(3, 0, 1), latency_s=ms / 1e3, cost_usd=0.25)

    async def close(self):
        pass


class Slow(msgspec.Struct):
    """Takes a while."""

    ms: int
    name: str


class SlowTool:
    """A tool that takes as long as it is told, by the clock of `tool_clock_s`."""

    name, doc, arguments, timeout_s = "slow", "takes a while", Slow, 30.0

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self.used: list[str] = []

    async def run(self, arguments, ctx):
        self.used.append(arguments.name)
        await anyio.sleep(self._rng.random() / 500)
        _tool_s.set(_tool_s.get() + arguments.ms / 1e3)
        return ToolResult((Text(arguments.name),))


class Cast:
    """A lineup of runners in the workshop, with the model and the tool they use."""

    def __init__(self, seed: int, most_ms: int = 10**9, scheduler: SchedulerSpec = VIRTUAL) -> None:
        rng = random.Random(seed)
        roles = ("operator", "guide")
        self.programs = {r: [program(rng) for _ in range(TURNS)] for r in roles}
        limits = Limits(turns=TURNS, turn_s=most_ms / 1e3)
        self.spec = episode("toys/workshop-v0", scheduler=scheduler, limits=limits, limit_s=3_600)
        self.model = Answers(seed)
        self.tool = SlowTool(seed)

    def seats(self):
        return {role: Runner(wanted) for role, wanted in self.programs.items()}

    def services(self):
        return services(
            model=lambda name: self.model,
            tool=lambda name: self.tool,
            clock_s=tool_clock_s,
        )

    def play(self, recording=()):
        return played(self.spec, recording=recording, agents=self.seats(), use=self.services())


def tool_clock_s() -> float:
    """Seconds that the tools of this task have taken."""
    return _tool_s.get()
