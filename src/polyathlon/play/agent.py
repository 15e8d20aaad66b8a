"""The agent behind a page: shows what its role is given and waits for the person."""

from __future__ import annotations

from collections.abc import Mapping

import anyio.to_thread

from polyathlon.agents.harness.perception import render
from polyathlon.core.actions import Malformed
from polyathlon.core.agents import Context, Decision, PlayerLeft
from polyathlon.core.controls import Controlled
from polyathlon.core.parts import Audio, Image, Part, Text, Video
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Observation, Step
from polyathlon.media import png, wav
from polyathlon.play.seat import Answer, Left, Moment, Seat, Shown


class PageAgent:
    """A person at a page, who sees and hears exactly what is delivered.

    An answer that is no action is asked for again and never reaches the rules. Not replayable:
    what a person answers does not follow from what they were shown.
    """

    privileged = False
    replayable = False

    def __init__(self, seat: Seat) -> None:
        self._seat = seat

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        """Ask until an action comes. Raises PlayerLeft when the person leaves."""
        if not self._seat.left:
            self._seat.show(*await _moment(obs, last, ctx))
        while True:
            answer = await self._seat.answer()
            if isinstance(answer, Left):
                raise PlayerLeft(f"{ctx.role} left the game")
            action = _action(answer, obs)
            if not isinstance(action, Malformed):
                return Decision(action, raw=answer.text, warnings=_warnings(answer))
            self._seat.refuse(action.reason)


async def _moment(
    obs: Observation, last: Step | None, ctx: Context
) -> tuple[Moment, Mapping[str, bytes]]:
    media: dict[str, bytes] = {}
    feedback = () if last is None else last.feedback
    shown = [await _shown(percept, ctx, media) for percept in (*feedback, *obs.percepts)]
    brief = ctx.brief
    rules = (("Task", brief.task), ("Rules", brief.rules), ("Advice", brief.advice))
    moment = Moment(
        ctx.spec.title,
        obs.role,
        obs.turn,
        tuple(rule for rule in rules if rule[1]),
        tuple(shown),
        tuple(f"{mail.sender}: {mail.text}" for mail in obs.mail),
        obs.ask,
        obs.actions.describe(),
        _feedback(last, obs.role),
        obs.actions.controls() if isinstance(obs.actions, Controlled) else None,
    )
    return moment, media


async def _shown(percept: Percept, ctx: Context, media: dict[str, bytes]) -> Shown:
    part = await render(percept, ctx)
    if isinstance(part, Text):
        return Shown(percept.channel, percept.modality, part.text)
    name = f"{part.digest}{SUFFIXES[type(part)]}"
    media[name] = await anyio.to_thread.run_sync(_encoded, part)
    return Shown(percept.channel, percept.modality, media=name)


SUFFIXES = {Image: ".png", Audio: ".wav", Video: ".mp4"}


def _encoded(part: Part) -> bytes:
    match part:
        case Image():
            return png.shared(part)
        case Audio():
            return wav.encode(part)
        case Video():
            from polyathlon.media.video import mp4

            return mp4(part)
        case Text():
            return part.text.encode()


def _feedback(last: Step | None, role: str) -> str:
    if last is None:
        return ""
    reward = last.rewards.get(role, 0.0)
    return last.status if last.status != "ok" or not reward else f"{reward:+g}"


def _action(answer: Answer, obs: Observation) -> object | Malformed:
    if not answer.channel:
        return obs.actions.parse(answer.text)
    pointed = obs.actions.from_point(answer.channel, answer.x, answer.y)
    return Malformed("nothing to do at this point") if pointed is None else pointed


def _warnings(answer: Answer) -> tuple[str, ...]:
    return (f"media played again: {answer.replays}",) if answer.replays else ()
