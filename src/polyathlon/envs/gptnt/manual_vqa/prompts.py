"""Manual questions: what the reader is told."""

from __future__ import annotations

from polyathlon.core.world import Brief, Role
from polyathlon.envs.gptnt.bomb.questions import ABBREVIATION, GAME
from polyathlon.envs.gptnt.manual_vqa.rules import Rules

_GIVEN = (
    "You have its manual: each page as text, as a picture, or as both. Answer by the manual, not "
    "by what you may remember of the game: its rules can differ."
)
_NOT_GIVEN = "You have no manual. Answer by what you know of the game's rules."


def brief(rules: Rules, role: Role) -> Brief:
    return Brief(
        task=(
            f"In {GAME} ({ABBREVIATION}) a Defuser handles a bomb and an Expert has the manual; "
            "neither sees what the other sees. You are the Expert. Answer one multiple-choice "
            "question."
        ),
        rules=(
            f"{_NOT_GIVEN if rules.manual == 'none' else _GIVEN} Exactly one option is right. "
            "Take what the Defuser says as it is. Where it leaves open what is to be done, the "
            "right option asks for what is missing; where it cannot be, or stands in no rule, "
            "the right option says so."
        ),
        answer="Answer with the letter of the right option.",
    )


def ask(rules: Rules, role: Role) -> str:
    return "Which option is right?"
