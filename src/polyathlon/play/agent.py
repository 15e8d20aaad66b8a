"""The agent behind a page: shows what its role is given and waits for the person."""

from __future__ import annotations

from collections.abc import Sequence

import anyio.to_thread

from polyathlon.agents.harness.perception import render
from polyathlon.core.actions import Malformed
from polyathlon.core.agents import Access, Context, Decision, PlayerLeft
from polyathlon.core.controls import Controlled, Controls, Speaking
from polyathlon.core.parts import Audio, Image, Part, Text, Video
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Observation, Step
from polyathlon.media import png, wav
from polyathlon.play.seat import Answer, Left, Moment, Seat, Shown

IDLE_S = 0.05
"""How long a living world waits for its person before it lets a tick pass, to show what is new."""


class PageAgent:
    """A person at a page, who sees and hears exactly what is delivered.

    An answer that is no action is asked for again and never reaches the rules. Not replayable:
    what a person answers does not follow from what they were shown.
    """

    access: Access = "plain"
    replayable = False

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._papers: dict[str, tuple[Shown, ...]] = {}
        self._paper_media: dict[str, bytes] = {}
        self._mail: list[str] = []

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        """Ask until an action comes. Raises PlayerLeft when the person leaves."""
        controls = obs.actions.controls() if isinstance(obs.actions, Controlled) else None
        if not self._seat.left:
            await self._show(obs, last, ctx, controls)
        idle = controls.idle if controls is not None and self._seat.live else ""
        while True:
            answer = await self._seat.answer(IDLE_S if idle else None)
            if isinstance(answer, Left):
                raise PlayerLeft(f"{ctx.role} left the game")
            if answer is None:
                return Decision(obs.actions.parse(idle), raw=idle)
            action = _action(answer, obs)
            if not isinstance(action, Malformed):
                return Decision(action, raw=_said(answer), warnings=_warnings(answer))
            self._seat.refuse(action.reason)

    async def _show(
        self, obs: Observation, last: Step | None, ctx: Context, controls: Controls | None
    ) -> None:
        await self._keep([percept for percept in obs.percepts if percept.keep == "episode"], ctx)
        media = dict(self._paper_media)
        feedback = () if last is None else last.feedback
        passing = [percept for percept in obs.percepts if percept.keep != "episode"]
        shown = [await _shown(percept, ctx, media) for percept in (*feedback, *passing)]
        brief = ctx.brief
        self._mail += [f"{mail.sender}: {mail.text}" for mail in obs.mail]
        rules = (("Task", brief.task), ("Rules", brief.rules), ("Advice", brief.advice))
        moment = Moment(
            ctx.spec.title,
            obs.role,
            obs.turn,
            tuple(rule for rule in rules if rule[1]),
            tuple(shown),
            tuple(self._mail),
            obs.ask,
            obs.actions.describe(),
            _feedback(last, obs.role),
            controls,
            tuple(paper for papers in self._papers.values() for paper in papers),
            isinstance(obs.actions, Speaking),
        )
        self._seat.show(moment, media)

    async def _keep(self, papers: Sequence[Percept], ctx: Context) -> None:
        """Papers in the order in which they came; channels that come together stay together."""
        if papers:
            shown = tuple([await _shown(paper, ctx, self._paper_media) for paper in papers])
            self._papers[" ".join(dict.fromkeys(paper.channel for paper in papers))] = shown


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
    if answer.message and isinstance(obs.actions, Speaking):
        said: object | Malformed = obs.actions.say(answer.message)
        return said
    if not answer.channel:
        return obs.actions.parse(answer.text)
    pointed = obs.actions.from_point(answer.channel, answer.x, answer.y)
    return Malformed("nothing to do at this point") if pointed is None else pointed


def _said(answer: Answer) -> str:
    return answer.message or answer.text


def _warnings(answer: Answer) -> tuple[str, ...]:
    return (f"media played again: {answer.replays}",) if answer.replays else ()
