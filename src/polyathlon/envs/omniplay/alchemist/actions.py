"""The Alchemist's Melody: `<COLOUR>, <NOTE>` and what a person clicks instead."""

from __future__ import annotations

import re
from functools import cached_property
from typing import ClassVar, Literal

import msgspec

from polyathlon.core.actions import Malformed, gbnf_literal, tidy
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.core.controls import Controls, Region
from polyathlon.envs.omniplay.alchemist.rules import NOTES, Play

BOARD = "board"
_ANSWER = re.compile(r"([A-Z]+)(?:, ([A-Z]+))?")


class Plays(msgspec.Struct, frozen=True, dict=True):
    """A colour in upper case, then a comma, a blank and the note it is believed to sound.

    The answer stands alone, though the marks that `tidy` takes off may surround it. A bare colour
    is a play without a belief. `edges` are the left and right edge of every flask's place on the
    picture, `top` and `bottom` those of all, in [0, 1].
    """

    colours: tuple[str, ...]
    edges: tuple[tuple[float, float], ...]
    top: float
    bottom: float
    whole_reply: ClassVar[Literal["first", "only"]] = "first"

    def parse(self, text: str) -> Play | Malformed:
        match = _ANSWER.fullmatch(tidy(text))
        if match is None:
            return Malformed("write only COLOUR, NOTE in upper case", text)
        colour, note = match.groups()
        if colour not in self.colours:
            return Malformed(f"no {colour} flask here; {self.describe()}", text)
        if note is not None and note not in NOTES:
            return Malformed(f"no note {note}; {self.describe()}", text)
        return Play(colour, note)

    def write(self, action: Play) -> str:
        return action.colour if action.note is None else f"{action.colour}, {action.note}"

    def sample(self, rng: Stream) -> Play:
        return Play(rng.choice(self.colours), rng.choice(NOTES))

    def describe(self) -> str:
        return self._description

    def schema(self) -> JSON:
        colours, notes = "|".join(self.colours), "|".join(NOTES)
        return {"type": "string", "pattern": f"^({colours})(, ({notes}))?$"}

    def gbnf(self) -> str:
        colours, notes = (" | ".join(map(gbnf_literal, names)) for names in (self.colours, NOTES))
        return f'({colours}) (", " ({notes}))?'

    def from_point(self, channel: str, x: float, y: float) -> Play | None:
        if channel != BOARD or not self.top <= y <= self.bottom:
            return None
        for colour, (left, right) in zip(self.colours, self.edges, strict=True):
            if left <= x < right:
                return Play(colour)
        return None

    def controls(self) -> Controls:
        """A click on a flask, a key from 1 to 5, or a button plays it without a belief."""
        regions = tuple(
            Region(BOARD, left, self.top, right, self.bottom, colour)
            for colour, (left, right) in zip(self.colours, self.edges, strict=True)
        )
        keys = {str(number): colour for number, colour in enumerate(self.colours, 1)}
        buttons = {f"{number} {colour.title()}": colour for number, colour in keys.items()}
        return Controls(buttons=buttons, keys=keys, regions=regions)

    @cached_property
    def _description(self) -> str:
        return (
            f"COLOUR, NOTE with a colour of {', '.join(self.colours)} and a note of "
            + ", ".join(NOTES)
        )
