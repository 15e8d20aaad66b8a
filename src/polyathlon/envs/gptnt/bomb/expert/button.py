"""The button in words."""

from __future__ import annotations

import re

from polyathlon.envs.gptnt.bomb.expert.notes import Notes, Sight
from polyathlon.envs.gptnt.bomb.expert.phrases import UNCLEAR, found
from polyathlon.envs.gptnt.bomb.rulebook.button import COLOURS, LABELS, Button, release_digit, to_do

_CAP, _STRIP = "big round button", "strip beside the button"
_TAP = "Press the button and let go of it at once."
_HOLD = "Press the button and keep it pressed. Then tell me the colour of the strip that lights up."
_DIGIT = re.compile(r"Let go when the countdown shows a (\d) in any place\.")


def describe(sight: Sight) -> str:
    """The cap, or the strip while the button is held."""
    module = sight.module
    if module.strip is not None:
        return f"I hold it, and the {_STRIP} shines {module.strip}."
    return f'There is one {_CAP}, {module.puzzle.colour}, that says "{module.puzzle.label}".'


def advice(text: str, notes: Notes) -> str | None:
    """To tap or to hold it, and when to let go."""
    if _CAP not in text and _STRIP not in text:
        return None
    colours, labels = found(COLOURS, text), found(LABELS, text.rpartition("says")[2])
    if not colours:
        return UNCLEAR
    rules = notes.book.button
    if _STRIP in text:
        digit = release_digit(rules, colours[-1])
        return f"Let go when the countdown shows a {digit} in any place."
    if not labels:
        return UNCLEAR
    return _HOLD if to_do(rules, Button(colours[0], labels[0]), notes.facts) == "hold" else _TAP


def steps(reply: str, sight: Sight) -> tuple[str, ...]:
    """The button, if it is to be tapped."""
    return ("button",) if _TAP in reply else ()


def to_hold(reply: str) -> bool:
    """Whether the reply asks to keep the button pressed."""
    return _HOLD in reply


def digit(reply: str) -> str | None:
    """The digit to wait for before letting go."""
    match = _DIGIT.search(reply)
    return match[1] if match else None
