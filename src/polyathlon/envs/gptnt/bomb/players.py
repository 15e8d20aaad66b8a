"""Players without a model, for every env that is played with the bomb.

`random` sees what a player sees. The others are privileged: `stochastic` presses the middle of what
the scene behind the picture holds, `TalkingDefuser` takes what is in view from there and
`ReadingExpert` the book from behind the manual's pages. These two are made anew for each game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from polyathlon.core.agents import Access, with_access
from polyathlon.core.chance import Stream
from polyathlon.core.errors import UserError
from polyathlon.core.hidden import revealed
from polyathlon.core.world import Observation
from polyathlon.envs.gptnt.bomb.bomb import (
    Act,
    Bomb,
    Click,
    Hold,
    Release,
    TurnBomb,
    ZoomOut,
)
from polyathlon.envs.gptnt.bomb.expert.reader import Reader
from polyathlon.envs.gptnt.bomb.expert.talker import Talker
from polyathlon.envs.gptnt.bomb.play.actions import (
    Command,
    Interact,
    Mark,
    Message,
    Point,
    Wait,
    marks,
    pointed,
)
from polyathlon.envs.gptnt.bomb.play.commands import VIEW, Commands, Hands
from polyathlon.envs.gptnt.bomb.play.handbook import Sheet
from polyathlon.envs.gptnt.bomb.play.seeing import Marked, Plain
from polyathlon.envs.gptnt.bomb.rulebook.variants import book
from polyathlon.envs.gptnt.bomb.simulator import Photo
from polyathlon.envs.gptnt.bomb.solver import next_act, restored

EAGERNESS = 0.75
"""How often the stochastic player presses something, where there is something to press."""


def random(observation: Observation, rng: Stream) -> Command:
    """Uniform over the plausible commands of the moment."""
    command: Command = observation.actions.sample(rng)
    return command


@with_access("privileged")
def stochastic(observation: Observation, rng: Stream) -> Command:
    """Mostly presses something, so that it makes mistakes and seldom waits for the end."""
    actions = observation.actions
    hands = actions.hands if isinstance(actions, Commands) else None
    pressable = [mark.element for mark in hands.marks if mark.element] if hands else []
    if hands and pressable and rng.uniform() < EAGERNESS:
        return Interact("click_release", _place(hands, rng.choice(pressable)))
    return random(observation, rng)


def handle(state: Mapping[str, Any]) -> Command:
    """What the solver does at an env's state, by markers."""
    worn = {mark.element: mark for mark in marks(state["elements"])}
    return _command(next_act(restored(state["bomb"])), worn.__getitem__)


class TalkingDefuser:
    """Tells the expert what there is to see and does what the expert says; waits without a view.

    Raises UserError for a view that was drawn elsewhere: it has no eyes for pictures.
    """

    access: Access = "privileged"

    def __init__(self) -> None:
        self._talker = Talker()

    def __call__(self, observation: Observation, rng: Stream) -> Command:
        bomb = _in_view(observation)
        actions, heard = observation.actions, [mail.text for mail in observation.mail]
        if bomb is None or not isinstance(actions, Commands) or actions.hands is None:
            return Wait()
        done = self._talker.turn(bomb, heard)
        if isinstance(done, str):
            return Message(done)
        return _command(done, partial(_place, actions.hands))


class ReadingExpert:
    """Answers from the rules of the manual it was given; without a manual it says nothing."""

    access: Access = "privileged"

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


def _command(act: Act | None, place: Callable[[str], Mark | Point]) -> Command:
    """The command of an act; `place` says where an element is."""
    match act:
        case None:
            return Wait()
        case TurnBomb(turn):
            return Interact(turn)
        case ZoomOut():
            return Interact("zoom_out")
        case Release():
            return Interact("release")
        case Click(element):
            return Interact("click_release", place(element))
        case Hold(element):
            return Interact("hold", place(element))


def _place(hands: Hands, element: str) -> Mark | Point:
    """The marker of an element in view or, where points are asked for, its middle."""
    if hands.interaction == "markers":
        return next(mark for mark in hands.marks if mark.element == element)
    from polyathlon.envs.gptnt.bomb.simulator import view

    x, y = view(revealed(hands.scene)).centroid(element) or (0.5, 0.5)
    return pointed(x, y, hands.interaction, hands.size_px)


def _in_view(observation: Observation) -> Bomb | None:
    """The bomb behind the picture, if there is one."""
    scenes = (percept.scene for percept in observation.percepts if percept.channel == VIEW)
    scene = next(scenes, None)
    if not isinstance(scene, Marked | Plain):
        return None
    if isinstance(scene.scene, Photo):
        raise UserError(
            "talker cannot read pictures that a server drew: take oracle or a model, or no server"
        )
    return scene.scene.bomb
