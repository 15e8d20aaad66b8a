"""The voice: what it says, and how a listener understands it."""

from __future__ import annotations

import math

import msgspec

from polyathlon.core.percepts import Percept
from polyathlon.envs.omniplay.pathfinding.directions import (
    QUARTERS,
    Quarter,
    opposite,
    quarter,
    sector,
    wrapped,
)
from polyathlon.envs.omniplay.pathfinding.maze import METRE, bearing_deg, cell_at, leg_end
from polyathlon.envs.omniplay.pathfinding.rules import Rules
from polyathlon.media.speech import Spoken, said, spoken

NAMES = ("Goal", "Exit")
ADVICE: dict[Quarter, str] = {
    "ahead": "Go straight on",
    "right": "Turn right",
    "behind": "Turn around",
    "left": "Turn left",
}


class Hint(msgspec.Struct, frozen=True):
    """What the voice knows: where the target lies as the crow flies, and the next turn."""

    name: str
    distance_m: float
    bearing_deg: float
    turn: Quarter

    @property
    def words(self) -> str:
        where = sector(self.bearing_deg)
        return f"{self.name} in {self.distance_m:.1f} metres, {where}. {ADVICE[self.turn]}."

    def opposed(self) -> Hint:
        """The hint that points the other way, at the same distance."""
        turned = wrapped(self.bearing_deg + 180.0)
        return msgspec.structs.replace(self, bearing_deg=turned, turn=opposite(self.turn))


def hint(rules: Rules) -> Hint:
    """What there is to say now. The turn is that of the first leg of the way to the target."""
    here, heading = rules.position, rules.heading
    away = math.dist(here, rules.target) / METRE
    return Hint(
        NAMES[rules.steps % len(NAMES)],
        away,
        bearing_deg(here, rules.target, heading),
        quarter(bearing_deg(here, leg_end(rules.rows, cell_at(here)), heading)),
    )


def percept(rules: Rules, told: Hint) -> Percept:
    """The spoken percept with its lie, `opposite`."""
    lie = _spoken(rules, told.opposed())
    return msgspec.structs.replace(_spoken(rules, told), counterfactuals={"opposite": lie})


def understood(words: str) -> Quarter | None:
    """The turn that a listener makes out in the words, None when there is none to be heard."""
    lowered = words.lower()
    heard = [each for each in QUARTERS if ADVICE[each].lower() in lowered]
    return heard[-1] if heard else None


def _spoken(rules: Rules, told: Hint) -> Percept:
    pan = math.sin(math.radians(told.bearing_deg)) if rules.spatial else 0.0
    words = told.words
    scene = Spoken(words, rules.voice, round(pan, 3))
    facts = {"words": words, "suggests": told.turn}
    return Percept("guidance", "audio", scene, spoken, said, facts)
