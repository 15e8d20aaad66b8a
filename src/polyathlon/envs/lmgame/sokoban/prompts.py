"""Sokoban: what the player is told."""

from __future__ import annotations

from polyathlon.core.world import Brief, Role
from polyathlon.envs.lmgame.sokoban.rules import Rules

_GOAL = "Move the worker so that every box ends up on a dock."
_BOXES = (
    "The worker walks on free cells and pushes one box at a time; boxes cannot be pulled, and two "
    "boxes in line cannot be pushed."
)
_STRICT = (
    "up, down, left and right walk one cell and do nothing when a box is in the way. push up, "
    "push down, push left and push right move the box next to the worker in that direction, with "
    "the worker following, and do nothing when there is no box or no free cell behind it."
)
_AUTO = (
    "up, down, left and right walk one cell and push a box that is in the way; push up, push down, "
    "push left and push right do nothing unless there is a box to push. A box moves only when the "
    "cell behind it is free."
)
_PICTURE = (
    "In a picture, a dock is a red ring, a box is a brown crate, and a box on a dock is a green "
    "crate with a tick."
)
_MAP = (
    "In a map of symbols, # is a wall, ? a dock, $ a box, * a box on a dock, @ the worker and + "
    "the worker on a dock; rows count from the top and columns from the left, both from 0."
)


def brief(rules: Rules, role: Role) -> Brief:
    count = len(rules.levels)
    game = f"{count} levels of Sokoban, one after another" if count > 1 else "a level of Sokoban"
    said = [_BOXES, _AUTO if rules.auto_push else _STRICT]
    if count > 1:
        said.append("When all boxes are on docks, the next level begins.")
    if rules.deadlock:
        said.append("The game ends when the level can no longer be solved.")
    said.append(
        f"The game ends after {rules.stuck} turns in a row that changed nothing, and after "
        f"{rules.horizon} turns in all."
    )
    said.append(_PICTURE if rules.text == "table" else f"{_PICTURE} {_MAP}")
    return Brief(
        task=f"You play {game}. {_GOAL}",
        rules=" ".join(said),
        answer=(
            "Answer with one action: up, down, left, right, push up, push down, push left, push "
            "right or no_op. up leads towards row 0, left towards column 0."
        ),
        advice=(
            "Strategies that work:\n"
            "1. Decide which box goes to which dock before the first push.\n"
            "2. For each push, find the cell behind the box and a walk to it.\n"
            "3. Fill the docks that are hardest to reach first.\n"
            "4. Keep the cells that the worker needs to walk through free.\n"
            "5. Think through the whole line of pushes, not only the next.\n"
            "Pitfalls:\n"
            "1. A box in a corner without a dock is lost.\n"
            "2. A box along a wall stays along it; there must be a dock on that wall.\n"
            "3. Two boxes side by side at a wall block each other for good."
        ),
    )


def ask(rules: Rules, role: Role) -> str:
    return "What does the worker do next?"
