"""Picture questions: what the observer is told."""

from __future__ import annotations

from polyathlon.core.world import Brief, Role
from polyathlon.envs.gptnt.simulator_vqa.rules import Rules


def brief(rules: Rules, role: Role) -> Brief:
    return Brief(
        task=(
            "You see one picture out of a game in which a bomb of small puzzle modules is handled. "
            "Answer one multiple-choice question about what the picture shows."
        ),
        rules=(
            "Where keys, wires, lamps, windows or a display are spoken of, those of the module in "
            "close-up are meant. The bomb's countdown is its red clock, and nothing else in the "
            "room. Left, right, top and bottom are those of the picture. Exactly one option is "
            "right: where several answers fit equally well, it is the one that says so, and where "
            "what is asked about is not there, it is the one that says that."
        ),
        answer="Answer with the letter of the right option.",
    )


def ask(rules: Rules, role: Role) -> str:
    return "Which option is right?"
