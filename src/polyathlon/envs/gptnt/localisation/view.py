"""Localisation: a picture of a bomb, with markers where they name places, and the instruction."""

from __future__ import annotations

import msgspec

from polyathlon.core.hidden import Hidden
from polyathlon.core.parts import Image, Text
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb.bomb import Bomb
from polyathlon.envs.gptnt.bomb.play.actions import Size
from polyathlon.envs.gptnt.localisation.answers import CHANNEL, Coordinates, Letters
from polyathlon.envs.gptnt.localisation.rules import Rules


class Sight(msgspec.Struct, frozen=True):
    """A bomb, the size of its picture, whether there are props on the table and markers on it."""

    bomb: Bomb
    size_px: Size
    props: bool
    marked: bool


def percepts(rules: Rules, role: Role) -> tuple[Percept, ...]:
    """The picture, then the instruction."""
    sight = Sight(rules.bomb, rules.size_px, rules.props, rules.paradigm == "markers")
    facts = {"category": rules.item.category, "module": rules.item.module}
    told = Percept("instruction", "text", rules.item.text, Text, str, facts)
    return Percept(CHANNEL, "image", sight, draw), told


def actions(rules: Rules, role: Role) -> Letters | Coordinates:
    """Letters or coordinates."""
    if rules.paradigm == "markers":
        return Letters(Hidden(rules.bomb), rules.marks)
    return Coordinates(rules.paradigm, rules.size_px)


def draw(sight: Sight) -> Image:
    """The picture as a player of the game would get it."""
    from polyathlon.envs.gptnt.bomb.looks.frames import Shot
    from polyathlon.envs.gptnt.bomb.play.painting import marked, plain
    from polyathlon.envs.gptnt.bomb.simulator import LocalSimulator, Snapshot

    shot = Shot(sight.bomb, props=sight.props)
    if not sight.marked:
        return plain(shot, sight.size_px)
    simulator = LocalSimulator()
    simulator.restore(Snapshot(sight.bomb, (sight.bomb,)))
    return marked(shot, simulator.targets(), sight.size_px)
