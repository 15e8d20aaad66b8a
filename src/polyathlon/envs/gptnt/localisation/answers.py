"""Answers that name a place: by a marker's letter or by two numbers; or that name none."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

import msgspec

from polyathlon.core.actions import Malformed, gbnf_literal, tidy
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.core.controls import Controls, Field, Pointer
from polyathlon.core.hidden import Hidden, revealed
from polyathlon.envs.gptnt.bomb.bomb import Bomb
from polyathlon.envs.gptnt.bomb.play.actions import (
    LETTERS,
    Interaction,
    Mark,
    Point,
    Size,
    bounds,
    pointed,
    relative,
)

Nothing: TypeAlias = Literal["none"]
Answer: TypeAlias = Mark | Point | Nothing

NONE: Nothing = "none"
CHANNEL = "view"

_LEAD = re.compile(
    r"(?:the )?(?:answer|label|letter|marker|mark|location|position|point|coordinates?)\b"
    r"[ :=]*(?:is )?[ :=]*"
)
_LETTER = re.compile(r"[(\[{<\"']*([a-z])[)\]}>\"']*")
_NUMBER = r"([-+]?\d{1,9}(?:\.\d{0,12})?|\.\d{1,12})"
_PAIR = re.compile(
    rf"[(\[{{<]*\s*[\"']?x?[\"']?\s*[:=]?\s*{_NUMBER}\s*[,;\s]\s*[\"']?y?[\"']?\s*[:=]?\s*{_NUMBER}"
    r"\s*[)\]}>]*"
)
_NONE_SHARE = 0.1


class Letters(msgspec.Struct, frozen=True):
    """The letter of one of the markers; other letters are answers too, of markers that are not."""

    bomb: Hidden[Bomb]
    marks: tuple[Mark, ...]

    def parse(self, text: str) -> Mark | Nothing | Malformed:
        answer = _spoken(text)
        if answer == NONE:
            return NONE
        found = _LETTER.fullmatch(answer)
        if found is None:
            return Malformed("neither one marker's letter nor none", text[:200])
        letter = found[1].upper()
        return next((mark for mark in self.marks if mark.label == letter), Mark(letter))

    def write(self, action: Mark | Nothing) -> str:
        return action if isinstance(action, str) else action.label

    def sample(self, rng: Stream) -> Mark | Nothing:
        return rng.choice((*self.marks, NONE))

    def describe(self) -> str:
        return "the letter of one marker, or none"

    def schema(self) -> JSON:
        return {"type": "string", "enum": [*(mark.label for mark in self.marks), NONE]}

    def gbnf(self) -> str:
        return " | ".join(map(gbnf_literal, [*LETTERS, NONE]))

    def from_point(self, channel: str, x: float, y: float) -> Mark | None:
        element = element_at(revealed(self.bomb), x, y) if channel == CHANNEL else None
        return next((mark for mark in self.marks if mark.element == element), None)

    def controls(self) -> Controls:
        """A button for each marker, and one for none."""
        return Controls(buttons={name: name for name in (*(m.label for m in self.marks), NONE)})


class Coordinates(msgspec.Struct, frozen=True):
    """Two numbers from the left and from the top, in the units of an interaction."""

    interaction: Interaction
    size_px: Size

    def parse(self, text: str) -> Point | Nothing | Malformed:
        answer = _spoken(text)
        if answer == NONE:
            return NONE
        found = _PAIR.fullmatch(answer)
        if found is None:
            return Malformed("neither two numbers nor none", text[:200])
        point = Point(float(found[1]), float(found[2]))
        if relative(point, self.interaction, self.size_px) is None:
            return Malformed("the place lies outside the picture", text[:200])
        return point

    def write(self, action: Point | Nothing) -> str:
        return action if isinstance(action, str) else f"{action.x:g}, {action.y:g}"

    def sample(self, rng: Stream) -> Point | Nothing:
        if rng.uniform() < _NONE_SHARE:
            return NONE
        return pointed(rng.uniform(), rng.uniform(), self.interaction, self.size_px)

    def describe(self) -> str:
        most_x, most_y = bounds(self.interaction, self.size_px)
        return f"x, y: from the left in 0..{most_x:g} and from the top in 0..{most_y:g}; or none"

    def schema(self) -> JSON:
        return {"type": "string"}

    def gbnf(self) -> str:
        number = r'[0-9]{1,4} ("." [0-9]{1,4})?'
        return f'{gbnf_literal(NONE)} | {number} ", " {number}'

    def from_point(self, channel: str, x: float, y: float) -> Point | None:
        if channel != CHANNEL:
            return None
        return pointed(x, y, self.interaction, self.size_px)

    def controls(self) -> Controls:
        """A click, two numbers, or a button for none."""
        most = bounds(self.interaction, self.size_px)
        step = 0.01 if self.interaction == "relative" else 1.0
        x, y = (
            Field(name, label, f"{high / 2:g}", high=high, step=step)
            for name, label, high in zip("xy", ("from the left", "from the top"), most, strict=True)
        )
        pointer = Pointer(CHANNEL, "x", "y", (0.0, most[0]), (0.0, most[1]))
        return Controls("{x}, {y}", (x, y), (pointer,), {NONE: NONE})


def element_at(bomb: Bomb, x: float, y: float) -> str | None:
    """The element at (x, y) in [0, 1]² of a bomb's picture, which is drawn for it."""
    from polyathlon.envs.gptnt.bomb.looks.frames import Shot
    from polyathlon.envs.gptnt.bomb.play.commands import element_under

    return element_under(Shot(bomb), x, y)


def _spoken(text: str) -> str:
    return _LEAD.sub("", tidy(text).lower(), count=1).strip(" *`")
