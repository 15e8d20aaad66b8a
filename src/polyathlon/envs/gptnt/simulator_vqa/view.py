"""Picture questions: a picture of a bomb, then the question."""

from __future__ import annotations

import msgspec

from polyathlon.core.parts import Image
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb import questions
from polyathlon.envs.gptnt.bomb.bomb import Bomb
from polyathlon.envs.gptnt.bomb.play.catalogue import SIZES
from polyathlon.envs.gptnt.simulator_vqa.rules import Rules


class Sight(msgspec.Struct, frozen=True):
    """A bomb, the size of its picture, and whether there are props on the table."""

    bomb: Bomb
    size_px: tuple[int, int]
    props: bool


def percepts(rules: Rules, role: Role) -> tuple[Percept, ...]:
    """The picture, then the question."""
    sight = Sight(rules.item.moment.bomb, SIZES[rules.size], rules.props)
    return Percept("view", "image", sight, draw), questions.percept(rules.question)


def actions(rules: Rules, role: Role) -> questions.Choices:
    """The letters of the options."""
    return questions.Choices(rules.question.options)


def draw(sight: Sight) -> Image:
    """The picture as a player of the game would get it, without markers."""
    from polyathlon.envs.gptnt.bomb.looks.frames import Shot
    from polyathlon.envs.gptnt.bomb.play.painting import plain

    return plain(Shot(sight.bomb, props=sight.props), sight.size_px)
