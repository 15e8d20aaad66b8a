"""What players are told: components, chosen by seat and options, in the order of the paper.

A component has an id; `chosen` gives the ids of a prompt, so that runs can be told apart by what
they said (section 10 of the specification, whose numbers the ids carry).
"""

from __future__ import annotations

from polyathlon.core.world import Brief, Role
from polyathlon.envs.gptnt.bomb.play.game import Game
from polyathlon.envs.gptnt.bomb.play.prompts import answering, conduct, scene
from polyathlon.envs.gptnt.bomb.play.prompts.seat import Component, Seat, seat_of

TASK = scene.COMPONENTS
RULES = scene.MECHANICS
ANSWER = answering.COMPONENTS
ADVICE = conduct.COMPONENTS


def brief(rules: Game, role: Role) -> Brief:
    """Everything a player is told once."""
    seat = seat_of(rules, role)
    return Brief(_told(TASK, seat), _told(RULES, seat), _told(ANSWER, seat), _told(ADVICE, seat))


def ask(rules: Game, role: Role) -> str:
    """A short line a turn; nothing is asked that the rules do not."""
    if role == rules.hand:
        return "Give exactly one command."
    return "Give exactly one command; without a new message there may be nothing to say."


def chosen(rules: Game, role: Role) -> tuple[str, ...]:
    """The ids of the components of a player's prompt, in their order."""
    seat = seat_of(rules, role)
    parts = (TASK, RULES, ANSWER, ADVICE)
    return tuple(part.id for listed in parts for part in listed if part.fits(seat))


def _told(components: tuple[Component, ...], seat: Seat) -> str:
    return "\n\n".join(part.text(seat) for part in components if part.fits(seat))
