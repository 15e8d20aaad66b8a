"""What the choice of a prompt depends on."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb.play.actions import Interaction, Size
from polyathlon.envs.gptnt.bomb.play.catalogue import Pace, Thinking
from polyathlon.envs.gptnt.bomb.play.game import Game


class Seat(msgspec.Struct, frozen=True):
    """Who is told something: `hands` handles the bomb, `partner` has somebody to talk to,
    `manual` reads the manual."""

    hands: bool
    partner: bool
    manual: bool
    interaction: Interaction
    size_px: Size
    strike_limit: int
    pace: Pace
    thinking: Thinking
    named: bool

    @property
    def markers(self) -> bool:
        """Whether places are named by markers."""
        return self.hands and self.interaction == "markers"


class Component(msgspec.Struct, frozen=True):
    """A piece of a prompt, for the seats it fits."""

    id: str
    fits: Callable[[Seat], bool]
    text: Callable[[Seat], str]


def component(id: str, fits: Callable[[Seat], bool], text: str) -> Component:
    """A component whose text never changes."""
    return Component(id, fits, lambda seat: text)


def seat_of(rules: Game, role: Role) -> Seat:
    """The seat of a role under the options of a game."""
    settings = rules.settings
    return Seat(
        role == rules.hand,
        bool(rules.partners(role)),
        role == rules.reader(),
        settings.interaction,
        settings.size_px,
        settings.strike_limit,
        settings.pace,
        settings.thinking,
        settings.named,
    )


def anybody(seat: Seat) -> bool:
    return True


def hands(seat: Seat) -> bool:
    return seat.hands


def expert(seat: Seat) -> bool:
    return not seat.hands


def talker(seat: Seat) -> bool:
    return seat.partner


def defuser(seat: Seat) -> bool:
    return seat.hands and seat.partner


def alone(seat: Seat) -> bool:
    return not seat.partner


def marker_user(seat: Seat) -> bool:
    return seat.markers
