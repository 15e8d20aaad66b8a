"""Localisation: what the one who points is told."""

from __future__ import annotations

from polyathlon.core.world import Brief, Role
from polyathlon.envs.gptnt.bomb.play.actions import SCALE
from polyathlon.envs.gptnt.localisation.rules import Rules

_NAMING = {
    "markers": "Everything that can be pressed has an outline and a letter in a box beside it.",
    "absolute": "A place is named by its pixel: from the left and from the top, both from 0.",
    "scaled": (
        f"A place is named by two whole numbers from 0 to {SCALE}: its share of the picture's "
        f"width from the left and of its height from the top, in parts of {SCALE}."
    ),
    "relative": (
        "A place is named by two numbers from 0 to 1: its share of the picture's width from the "
        "left and of its height from the top."
    ),
}


def brief(rules: Rules, role: Role) -> Brief:
    return Brief(
        task=(
            "You see one picture out of a game in which a bomb of small puzzle modules is handled, "
            "and one instruction. Say where to press."
        ),
        rules=(
            f"{_naming(rules)} What can be pressed are wires, keys and buttons of the module in "
            "close-up. Exactly one of them may fit the instruction. If several fit equally well, "
            "or nothing fits, nothing is to be pressed: answer none."
        ),
        answer=_ANSWERS.get(rules.paradigm, "Answer with x, y, or with none."),
    )


_ANSWERS = {"markers": "Answer with the letter of its marker, or with none."}


def ask(rules: Rules, role: Role) -> str:
    return "Where is it? Or is there no one such thing?"


def _naming(rules: Rules) -> str:
    naming = _NAMING[rules.paradigm]
    if rules.paradigm != "absolute":
        return naming
    width, height = rules.size_px
    return f"{naming} The picture is {width} pixels wide and {height} high."
