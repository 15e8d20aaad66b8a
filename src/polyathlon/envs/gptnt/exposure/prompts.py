"""Prior exposure: what is asked. Nothing but the question may hint at the game."""

from __future__ import annotations

from polyathlon.core.world import Brief, Role
from polyathlon.envs.gptnt.bomb.questions import ABBREVIATION, GAME
from polyathlon.envs.gptnt.exposure.rules import Rules


def question(rules: Rules) -> str:
    """The question, with the game's name or without it."""
    place = f" in {GAME} ({ABBREVIATION})" if rules.named else ""
    return f"How do you solve the {rules.module} module{place}?"


def brief(rules: Rules, role: Role) -> Brief:
    return Brief(
        task="Answer a question from what you know.",
        rules="There is nothing to look up. Say all you remember, with every rule and value.",
        answer="Answer in plain text, a line for each rule.",
    )


def ask(rules: Rules, role: Role) -> str:
    return question(rules)
