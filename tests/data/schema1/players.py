"""Who plays in the recorded runs beside the built-in players: functions, a model, a world, a tool.

The traces hold what all of these did at trace schema 1: what they do may never change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import msgspec

from polyathlon import registry
from polyathlon.core.actions import FreeText, Malformed
from polyathlon.core.agents import ToolResult
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream, stream
from polyathlon.core.models import (
    Abilities,
    Price,
    Reply,
    Request,
    Sampling,
    ToolCall,
    Usage,
    say,
    thread,
)
from polyathlon.core.parts import Image, Text
from polyathlon.core.percepts import text_percept
from polyathlon.core.spec import Channel, EnvSpec, Metric
from polyathlon.core.world import Brief, Observation, Outcome, Role, Step

ADVISER = "scripted/constant:Take the first that is allowed.@0.5"
FAILING = "scripted/random@0.25"
"""Asked without a grammar, it fails."""

SLOW = "vllm/any@http://127.0.0.1:8432/v1"


def alternating(obs):
    """Up and left in turn; nothing promises that it does so again."""
    return ("up", "left")[obs.turn % 2]


def steady(obs):
    """Up and left in turn, and always so."""
    return ("up", "left")[obs.turn % 2]


async def advised(obs, last, ctx):
    """Sleeps, asks twice for advice, fails once to get some, and draws an action."""
    await ctx.sleep(0.4)
    for number in range(2):
        await ctx.complete(_question(f"Turn {obs.turn}, question {number}"), ADVISER, "advise")
    try:
        await ctx.complete(_question(f"Turn {obs.turn}"), FAILING, "doubt")
    except Exception:
        await ctx.sleep(0.1)
    return obs.actions.sample(ctx.rng)


async def dawdling(obs, last, ctx):
    """On odd turns it asks, and then waits longer than anybody lets it, by episode time."""
    if obs.turn % 2:
        await ctx.complete(_question(f"Turn {obs.turn}"), ADVISER)
        await ctx.sleep(60.0)
    return obs.actions.sample(ctx.rng)


async def absent(obs, last, ctx):
    """On odd turns it waits longer than anybody lets it, by the wall clock."""
    if obs.turn % 2:
        await anyio.sleep(60.0)
    return obs.actions.sample(ctx.rng)


async def reckoning(obs, last, ctx):
    """Uses both tools, and each of them wrongly too."""
    numbers = [int(word) for word in str(obs.percepts[0].meaning).split()]
    found = await ctx.call("calculator", {"expression": " * ".join(map(str, numbers))})
    await ctx.call("chart", {"numbers": numbers})
    await ctx.call("calculator", {"expression": "2 +"})
    await ctx.call("chart", {"figures": numbers})
    await ctx.call("abacus", {})
    return found.parts[0].text


def faulty(obs):
    """Cannot go on after two turns."""
    if obs.turn == 2:
        raise ValueError("two turns are enough")
    return "up"


async def unhurried(obs, last, ctx):
    """Asks the slow server and does as it says; nothing promises that it would again."""
    reply = await ctx.complete(_question(f"Turn {obs.turn}"), SLOW)
    return reply.text.removeprefix("move: ")


for _function in (steady, advised, dawdling, absent, reckoning, faulty):
    _function.replayable = True


def _question(text: str) -> Request:
    return Request(thread(say("user", text)), Sampling(temperature=0.5, max_tokens=20))


class Abacus:
    """A model that calls tools twice, the second time wrongly, and then answers."""

    name, group, in_flight = "abacus/any", "abacus", 8
    abilities = Abilities(frozenset({"text", "image"}), tools=True)
    price: Price | None = Price(2.0, 10.0, 0.5)
    latency = "modelled"

    async def complete(self, request: Request) -> Reply:
        round = sum(message.speaker == "assistant" for message in request.thread.messages())
        usage = Usage(input=100 + 40 * round, cached=40 * round, output=20, reasoning=8)
        cost_usd = None if self.price is None else self.price.cost(usage)
        spent: dict[str, Any] = {"usage": usage, "cost_usd": cost_usd, "latency_s": 0.75}
        if round < 2:
            calls = _RIGHT if round == 0 else _WRONG
            thought = f"Round {round} needs tools."
            return Reply(
                reasoning=thought, tool_calls=calls, finish="tool_calls", raw_id=f"{round}", **spent
            )
        return Reply("thought: that is all\nmove: 84", conversions=("chart to words",), **spent)

    async def close(self) -> None:
        pass


_RIGHT = (
    ToolCall("a", "calculator", '{"expression": "12 * 7"}'),
    ToolCall("b", "chart", '{"numbers": [3, 1, 2]}'),
)
_WRONG = (
    ToolCall("c", "calculator", '{"expression": "twelve"}'),
    ToolCall("d", "ruler", "{}"),
    ToolCall("e", "chart", "[1"),
)


class Numbers(msgspec.Struct, frozen=True):
    """The heights of the bars."""

    numbers: list[int]


class Chart:
    """The tool `chart`: a picture of bars, one column of pixels each, and words about it."""

    name = "chart"
    doc = "Draws bars of the given heights."
    arguments: type[msgspec.Struct] = Numbers
    timeout_s = 5.0

    async def run(self, arguments: Numbers, ctx: object) -> ToolResult:
        heights = arguments.numbers
        tall = max(heights)
        rows = (heights_at >= tall - row for row in range(tall) for heights_at in heights)
        picture = Image(len(heights), tall, b"".join(bytes([255 * lit] * 3) for lit in rows))
        return ToolResult((Text(f"{len(heights)} bars"), picture))


SPEC = EnvSpec(
    id="recorded/sums-v0",
    title="Sums",
    doc="Three rows of numbers, each to be multiplied.",
    entry=f"{__name__}:Sums",
    roles=("player",),
    channels=(Channel("numbers", "text", "the numbers of this turn"),),
    levels=("standard",),
    metrics=(Metric("raw_score", "right products"), Metric("turns", "answers given")),
    horizon=3,
    bounds=(0.0, 3.0),
    tools=("calculator", "chart"),
    baselines=__name__,
)


class Sums:
    """A question a turn, until three are answered."""

    spec = SPEC

    def __init__(self, level: str) -> None:
        self._turns = self._right = 0

    def reset(self, seed: int) -> None:
        rng = stream(seed, SPEC.id, "numbers")
        self._rows = [[2 + rng.below(8) for _ in range(3)] for _ in range(SPEC.horizon)]
        self._turns = self._right = 0

    def brief(self, role: Role) -> Brief:
        return Brief("Multiply.", "Every turn has its numbers.", "Answer with a whole number.")

    def pending(self) -> tuple[Role, ...]:
        return () if self.outcome() else SPEC.roles

    def observe(self, role: Role) -> Observation:
        told = text_percept("numbers", " ".join(map(str, self._row())))
        return Observation(role, self._turns, 0, (told,), "What is the product?", FreeText(40))

    def act(self, role: Role, action: str | Malformed) -> Step:
        if self.outcome():
            return Step.illegal()
        right = not isinstance(action, Malformed) and action.strip() == _product(self._row())
        self._turns += 1
        self._right += right
        if isinstance(action, Malformed):
            return Step.malformed({role: 0.0})
        return Step.ok({role: float(right)})

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def outcome(self) -> Outcome | None:
        return None if self._turns < SPEC.horizon else Outcome("answered")

    def metrics(self, role: Role | None = None) -> Mapping[str, float]:
        return {"raw_score": float(self._right), "turns": float(self._turns)}

    def state(self) -> JSON:
        return {"rows": self._rows, "turns": self._turns, "right": self._right}

    def _row(self) -> list[int]:
        return self._rows[min(self._turns, SPEC.horizon - 1)]


def _product(row: list[int]) -> str:
    found = 1
    for number in row:
        found *= number
    return str(found)


def random(observation: Observation, rng: Stream) -> str:
    """Any number."""
    return str(rng.below(512))


def oracle(state: Any, role: Role, rng: Stream) -> str:
    """The right product."""
    return _product(state["rows"][state["turns"]])


def abacus(name: str, price: Price | None = None) -> Abacus:
    """A model that calls tools, whatever its name."""
    return Abacus()


def chart() -> Chart:
    """Draws bars."""
    return Chart()


def register() -> None:
    """Make model, tool and env known in this process."""
    registry.register("models", "abacus", abacus)
    registry.register("tools", "chart", chart)
    registry.register_env(SPEC)
