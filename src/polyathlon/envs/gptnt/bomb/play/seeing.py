"""What a player sees and hears of the bomb, and what it may do about it.

The view has no words: saying what is on it would do the player's seeing for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from polyathlon.core.hidden import Hidden
from polyathlon.core.parts import Audio, Image
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb.layout import CLOCK_DEPENDENT
from polyathlon.envs.gptnt.bomb.play.actions import Size, marks
from polyathlon.envs.gptnt.bomb.play.commands import VIEW, Commands, Hands, PartnerCommands
from polyathlon.envs.gptnt.bomb.play.game import Game
from polyathlon.envs.gptnt.bomb.simulator import MAX_FRAMES, Scene, Target

if TYPE_CHECKING:
    from polyathlon.envs.gptnt.bomb.sounds import Heard

BLINKING = frozenset({"Morse Code", "Simon Says"})
"""Types that only a sequence of pictures shows."""


class Plain(msgspec.Struct, frozen=True):
    """A scene as a player of pictures of this size sees it."""

    scene: Scene
    size_px: Size


class Marked(msgspec.Struct, frozen=True):
    """The same with a marker on every target, in their order."""

    scene: Scene
    size_px: Size
    targets: tuple[Target, ...]


def percepts(game: Game, role: Role) -> tuple[Percept, ...]:
    """The bomb before the last turn, the last seconds of a blinking module, and the bomb now."""
    if role != game.hand:
        return ()
    scene, targets = game.look().scene, game.simulator.targets()
    previous = () if game.before is None else (_plain("previous", game.before.scene, game),)
    return (*previous, *_burst(game, targets), _view(game, scene, targets))


def commands(game: Game, role: Role) -> Commands:
    """The answers of this moment."""
    kind = PartnerCommands if game.partners(role) else Commands
    return kind(_hands(game) if role == game.hand else None, game.settings.thinking)


def draw(plain: Plain) -> Image:
    """The scene without markers."""
    from polyathlon.envs.gptnt.bomb.play import painting

    return painting.plain(plain.scene, plain.size_px)


def draw_marked(marked: Marked) -> Image:
    """The scene with its markers."""
    from polyathlon.envs.gptnt.bomb.play import painting

    return painting.marked(marked.scene, marked.targets, marked.size_px)


def play(heard: Heard) -> Audio:
    """What was heard."""
    from polyathlon.envs.gptnt.bomb.sounds import played

    return played(heard)


def _burst(game: Game, targets: tuple[Target, ...]) -> tuple[Percept, ...]:
    """The last seconds, oldest first, while looking at an unsolved module that blinks."""
    if not any(target.part and target.type in BLINKING for target in targets):
        return ()
    earlier = game.simulator.past(MAX_FRAMES - 1, props=game.settings.props)
    return tuple(_plain("burst", scene, game) for scene in earlier)


def _view(game: Game, scene: Scene, targets: tuple[Target, ...]) -> Percept:
    if game.settings.interaction != "markers":
        return _plain(VIEW, scene, game, _sounds(game))
    shown = Marked(scene, game.settings.size_px, targets)
    return Percept(VIEW, "image", shown, draw_marked, aids=_sounds(game))


def _plain(channel: str, scene: Scene, game: Game, aids: tuple[Percept, ...] = ()) -> Percept:
    return Percept(channel, "image", Plain(scene, game.settings.size_px), draw, aids=aids)


def _sounds(game: Game) -> tuple[Percept, ...]:
    """What was heard since the last look, unless no time has passed."""
    since_us = game.before.time_us if game.before else 0
    if since_us == game.time_us():
        return ()
    return (Percept("sounds", "audio", game.simulator.heard(since_us), play),)


def _hands(game: Game) -> Hands:
    targets = game.simulator.targets()
    worn = marks([target.element for target in targets])
    return Hands(
        game.settings.interaction,
        game.settings.size_px,
        worn,
        tuple(
            mark
            for mark, target in zip(worn, targets, strict=True)
            if target.part and target.type in CLOCK_DEPENDENT
        ),
        game.camera().held_element is not None,
        Hidden(game.look().scene),
    )
