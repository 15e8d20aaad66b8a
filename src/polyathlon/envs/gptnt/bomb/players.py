"""Players without a model, for every env that is played with the bomb.

`random` and `stochastic` see what a player sees. `TalkingDefuser` and `ReadingExpert` are made anew
for each game; the first takes what is in view from the scene behind the picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation
from polyathlon.envs.gptnt.bomb.bomb import (
    Act,
    Bomb,
    Click,
    Hold,
    Release,
    TurnBomb,
    ZoomOut,
    elements,
)
from polyathlon.envs.gptnt.bomb.expert.reader import Reader
from polyathlon.envs.gptnt.bomb.expert.talker import Talker
from polyathlon.envs.gptnt.bomb.play.actions import Command, Interact, Message, Wait, marks
from polyathlon.envs.gptnt.bomb.play.commands import VIEW, Commands
from polyathlon.envs.gptnt.bomb.play.handbook import Sheet
from polyathlon.envs.gptnt.bomb.rulebook.variants import book
from polyathlon.envs.gptnt.bomb.solver import next_act, restored

EAGERNESS = 0.75
"""How often the stochastic player presses something, where there is something to press."""


def random(observation: Observation, rng: Stream) -> Command:
    """Uniform over the plausible commands of the moment."""
    command: Command = observation.actions.sample(rng)
    return command


def stochastic(observation: Observation, rng: Stream) -> Command:
    """Mostly presses something, so that it makes mistakes and seldom waits for the end."""
    actions = observation.actions
    hands = actions.hands if isinstance(actions, Commands) else None
    if hands is not None and hands.marks and rng.uniform() < EAGERNESS:
        return Interact("click_release", rng.choice(hands.marks))
    return random(observation, rng)


def handle(state: Mapping[str, Any]) -> Command:
    """What the solver does at an env's state, by markers."""
    return command(next_act(restored(state["bomb"])), state["elements"])


def command(act: Act | None, in_reach: Sequence[str]) -> Command:
    """The command of an act; `in_reach` are the elements to press now, in reading order."""
    match act:
        case None:
            return Wait()
        case TurnBomb(turn):
            return Interact(turn)
        case ZoomOut():
            return Interact("zoom_out")
        case Release():
            return Interact("release")
        case Click(element) | Hold(element):
            mark = next(mark for mark in marks(in_reach) if mark.element == element)
            return Interact("click_release" if isinstance(act, Click) else "hold", mark)


class TalkingDefuser:
    """Tells the expert what there is to see and does what the expert says; waits without a view."""

    def __init__(self) -> None:
        self._talker = Talker()

    def __call__(self, observation: Observation, rng: Stream) -> Command:
        bomb = _in_view(observation)
        if bomb is None:
            return Wait()
        done = self._talker.turn(bomb, [mail.text for mail in observation.mail])
        if isinstance(done, str):
            return Message(done)
        return command(done, elements(bomb))


class ReadingExpert:
    """Answers from the rules of the manual it was given; without a manual it says nothing."""

    def __init__(self) -> None:
        self._reader: Reader | None = None

    def __call__(self, observation: Observation, rng: Stream) -> Command:
        for percept in observation.percepts:
            if self._reader is None and isinstance(percept.scene, Sheet):
                self._reader = Reader(book(percept.scene.rule_seed))
        if self._reader is None:
            return Wait()
        reply = self._reader.reply([mail.text for mail in observation.mail])
        return Wait() if reply is None else Message(reply)


def _in_view(observation: Observation) -> Bomb | None:
    """The bomb behind the picture, if it was drawn in this process."""
    views = (percept.scene for percept in observation.percepts if percept.channel == VIEW)
    marked = next(views, None)
    bomb = getattr(getattr(marked, "scene", None), "bomb", None)
    return bomb if isinstance(bomb, Bomb) else None
