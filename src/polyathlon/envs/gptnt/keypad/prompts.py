"""Keypad symbols: what the describer is told."""

from __future__ import annotations

from polyathlon.core.world import Brief, Role
from polyathlon.envs.gptnt.keypad.rules import Choice, Description
from polyathlon.envs.gptnt.keypad.view import MOST_CHARACTERS

_TASK = "You see one symbol, drawn in black and white."


def brief(rules: Choice | Description, role: Role) -> Brief:
    if isinstance(rules, Choice):
        return Brief(
            task=f"{_TASK} Choose the description that fits it.",
            rules="Exactly one of the five descriptions was written for this symbol.",
            answer="Answer with the letter of that description.",
        )
    return Brief(
        task=f"{_TASK} Describe it to somebody who does not see it and has to find it in a list.",
        rules=(
            "Say in words what it looks like, so that it cannot be taken for another symbol. A "
            "character that resembles it does not help: it may not reach your partner."
        ),
        answer=f"Answer with the description, at most {MOST_CHARACTERS} characters.",
    )


def ask(rules: Choice | Description, role: Role) -> str:
    if isinstance(rules, Choice):
        return "Which description fits the symbol?"
    return "What does the symbol look like?"
