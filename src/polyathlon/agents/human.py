"""A person at the terminal, logged like any agent."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Callable, Iterator

from polyathlon.core.actions import Malformed
from polyathlon.core.agents import Access, AgentSpec, Context, Decision, PlayerLeft
from polyathlon.core.console import note
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Observation, Role, Step

HELP = ("?", "help")
LEAVE = ("q", "quit", "exit")


def human_agent(spec: AgentSpec, env: EnvSpec, role: Role) -> HumanAgent:
    """A person who reads stderr and types on stdin."""
    return HumanAgent(sys.stdin.readline, note)


class HumanAgent:
    """Shows the game in words and reads one line a turn, off the event loop.

    A line that is no action is asked for again and never reaches the rules. `?` shows the rules,
    `quit` or the end of input raises PlayerLeft. Not replayable: what a person types does not
    follow from what they were shown.
    """

    access: Access = "plain"
    replayable = False

    def __init__(self, read: Callable[[], str], write: Callable[[str], object]) -> None:
        self._read = read
        self._write = write

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        """Ask until an action is typed. Raises PlayerLeft when the person leaves."""
        if last is None:
            self._show(_rules(obs, ctx))
        self._show(_moment(obs, last, ctx))
        while True:
            line = await _typed(self._read)
            typed = line.strip()
            if not line or typed.lower() in LEAVE:
                raise PlayerLeft(f"{ctx.role} left the game")
            if typed.lower() in HELP:
                self._show(_rules(obs, ctx))
                continue
            action = obs.actions.parse(typed)
            if not isinstance(action, Malformed):
                return Decision(action, raw=typed)
            self._show(f"Not an action: {action.reason}. Try again, ? for the rules, quit to stop.")

    def _show(self, text: str) -> None:
        """Print; control characters, which could steer a terminal, are replaced."""
        safe = (c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)
        self._write("".join(safe))


async def _typed(read: Callable[[], str]) -> str:
    """One line; a daemon thread waits for it, so that an interrupted program can end."""
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def deliver(text: str) -> None:
        if not line.done():
            line.set_result(text)

    def wait() -> None:
        text = read()
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(deliver, text)

    threading.Thread(target=wait, daemon=True).start()
    return await line


def _rules(obs: Observation, ctx: Context) -> str:
    brief = ctx.brief
    return "\n\n".join(
        [
            f"{ctx.spec.title}: you are {ctx.role}.",
            brief.task,
            brief.rules,
            brief.answer,
            f"Type {obs.actions.describe()}. ? shows this again, quit stops.",
        ]
    )


def _moment(obs: Observation, last: Step | None, ctx: Context) -> str:
    lines = [f"\nTurn {obs.turn}"]
    if last is not None:
        reward = last.rewards.get(ctx.role, 0.0)
        lines.append(f"Last action: {last.status}, reward {reward:g}")
        lines += _told(last.feedback)
    lines += _told(obs.percepts)
    lines += [f"{mail.sender} says: {mail.text}" for mail in obs.mail]
    return "\n".join([*lines, f"{obs.ask} ({obs.actions.describe()})"])


def _told(percepts: tuple[Percept, ...]) -> Iterator[str]:
    for percept in percepts:
        words = percept.meaning
        yield f"{percept.channel}:"
        yield f"({percept.modality} without words)" if words is None else words
