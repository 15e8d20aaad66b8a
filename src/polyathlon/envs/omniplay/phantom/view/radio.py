"""Team communications: members with a new order say where they really go."""

from __future__ import annotations

from polyathlon.core.percepts import Percept
from polyathlon.envs.omniplay.phantom.rules import Rules
from polyathlon.envs.omniplay.phantom.rules.world import CALL_SIGNS, Member
from polyathlon.media.speech import Spoken, said, spoken

_DOING = {
    "idle": "moving to",
    "move": "moving to",
    "attack": "attacking towards",
    "defend": "going to hold",
    "recon": "scouting towards",
}


def percepts(rules: Rules) -> tuple[Percept, ...]:
    """The lines of the members whose order is of this round; nothing when there are none."""
    lines = [
        line(member)
        for member in rules.members
        if member.order and member.ordered == rules.round and member.health > 0
    ]
    if not lines:
        return ()
    words = " ".join(lines)
    heard = Spoken(words, rules.voice)
    return (Percept("radio", "audio", heard, spoken, said, {"words": words}),)


def line(member: Member) -> str:
    """A member's answer to a new order, with the destination that its error led to."""
    x, y = member.goal
    return f"{CALL_SIGNS[member.index]} {_DOING[member.action]} {x:g}, {y:g}."
