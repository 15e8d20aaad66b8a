"""What a player hears: the events since its last turn in order, then a fuse that threatens it."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from polyathlon.core.parts import Audio
from polyathlon.envs.omniplay.showdown.rules.arena import distance, xy
from polyathlon.envs.omniplay.showdown.rules.game import Rules
from polyathlon.envs.omniplay.showdown.rules.pieces import Player

NEAR, FAR = 3, 7
_WORDS = {
    "bomb": "a bomb is placed",
    "explosion": "an explosion",
    "crate": "a crate breaks",
    "pickup": "a power-up is taken",
    "out": "a player is eliminated",
}
_TICKS = {1: "very fast", 2: "fast"}


class Cue(msgspec.Struct, frozen=True):
    """One sound. Where places are heard, `right` cells to the right and `away` cells in all.

    `fuse` is the rounds to the explosion of a ticking bomb.
    """

    kind: str
    right: int = 0
    away: int = 0
    fuse: int = 0


Heard: TypeAlias = tuple[tuple[Cue, ...], bool]


def captured(rules: Rules, player: Player) -> Heard | None:
    """The cues, and whether places are heard: only with a view radius. None when it is silent."""
    placed = rules.view_radius > 0
    found: list[tuple[str, int, int]] = [(e.kind, e.cell, 0) for e in player.news]
    threats = rules.threats(player.cell)
    if threats and player.alive:
        first = min(threats, key=lambda bomb: bomb.countdown)
        found.append(("fuse", first.cell, first.countdown))
    if not found:
        return None
    return tuple(_cue(player.cell, *each, placed) for each in found), placed


def draw(heard: Heard) -> Audio:
    """The cues one after the other, overlapping; stereo where places are heard."""
    from polyathlon.envs.omniplay.showdown.view import effects

    return effects.played(*heard)


def tell(heard: Heard) -> str:
    """What is heard, in order, with side and distance where they are heard."""
    cues, placed = heard
    return "you hear: " + "; ".join(_said(cue) + (_where(cue) if placed else "") for cue in cues)


def _cue(here: int, kind: str, cell: int, fuse: int, placed: bool) -> Cue:
    if not placed:
        return Cue(kind, fuse=fuse)
    return Cue(kind, xy(cell)[0] - xy(here)[0], distance(here, cell), fuse)


def _said(cue: Cue) -> str:
    if cue.kind == "fuse":
        return f"a fuse that threatens you ticks {_TICKS.get(cue.fuse, 'slowly')}"
    return _WORDS[cue.kind]


def _where(cue: Cue) -> str:
    side = "left" if cue.right < 0 else "right" if cue.right > 0 else "middle"
    far = "near" if cue.away <= NEAR else "far" if cue.away > FAR else "some way off"
    return f" ({side}, {far})"
