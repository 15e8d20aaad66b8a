"""Myriad Echoes: what the player is told."""

from __future__ import annotations

from polyathlon.core.world import Brief, Role
from polyathlon.envs.omniplay.echoes.answers import KINDS
from polyathlon.envs.omniplay.echoes.rules import Rules

_TASK = "You help to win a memory game of sounds and lights."
_WATCH = (
    "A grid of icons is shown. The icons light up one after the other, each with its own sound "
    "and each exactly once. Perceive and remember which icons light up, where, and in what order."
)
_REPEAT = (
    "Afterwards the sequence is repeated by clicks: on a picture of the grid, name one icon a "
    "turn, in the order in which the icons lit up. The picture marks the icon clicked last, and "
    "its sound is played. The game ends at the first wrong click."
)
_GRID = (
    f"There are ten kinds of icon: {', '.join(KINDS)}. A position is (row,col), both counted "
    "from 1: (1,1) is the icon at the top left, (2,3) the third icon of the second row."
)
_WRITE = (
    "To write the sequence down, answer with both lists, one after the other; each has as many "
    "entries as the grid has icons:\n"
    "Sequence analysis: [(row1,col1) (row2,col2) ... (rowN,colN)]\n"
    "Sequence icons: [icon1, icon2, ..., iconN]"
)
_CLICK = "To click, answer with:\nSuggested click: (row,col)"


def brief(rules: Rules, role: Role) -> Brief:
    phases = rules.phases == 2
    return Brief(
        task=f"{_TASK} Write the sequence down{', then repeat it' if phases else ''}.",
        rules=" ".join([_WATCH, *[_REPEAT] * phases, _GRID]),
        answer="\n".join([_WRITE, *[_CLICK] * phases]),
    )


def ask(rules: Rules, role: Role) -> str:
    if rules.transcribing:
        return "In which order did the icons light up? Write down their coordinates and names."
    return "It is time to repeat the sequence. Which icon do you click next?"
