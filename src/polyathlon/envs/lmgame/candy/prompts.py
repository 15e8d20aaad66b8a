"""Candy: what the player is told."""

from __future__ import annotations

from polyathlon.core.world import Brief, Role
from polyathlon.envs.lmgame.candy.rules import Rules


def brief(rules: Rules, role: Role) -> Brief:
    rows, cols = rules.grid.rows, rules.grid.cols
    return Brief(
        task=(
            f"You play a match-three game on a board of {rows} rows and {cols} columns. Remove as "
            f"many candies as you can in {rules.moves} moves."
        ),
        rules=(
            "A move swaps two candies that are next to each other in a row or a column. If that "
            "puts three or more of the same kind in a straight line, all such candies vanish, the "
            "ones above fall down and random new ones come in at the top; lines that form by "
            "falling vanish too and count as well. If it makes no line, the candies stay where "
            "they were and the move is lost. An answer that is not a swap of two neighbours also "
            "loses a move. Every vanished candy counts one. No candy has special powers. When no "
            "swap could make a line, the board is shuffled for you, which counts nothing."
        ),
        answer=(
            "Answer with the two cells to swap as ((row,column),(row,column)). Row 0 is the top "
            "row, column 0 the leftmost column, and the cells must share a side."
        ),
        advice=(
            "Strategies that work:\n"
            "1. Look for two of a kind in line with a third one cell off; one swap joins them.\n"
            "2. Name the three cells of the line before you answer, and check their letters.\n"
            "3. Prefer swaps that join four or five, or make two lines at once.\n"
            "4. Otherwise prefer a line low on the board: more candies move and may match again.\n"
            "Pitfalls:\n"
            "1. A swap that made no line before makes none now unless the board changed.\n"
            "2. Rows come first in a cell, columns second.\n"
            "3. Two candies that touch only at a corner cannot be swapped."
        ),
    )


def ask(rules: Rules, role: Role) -> str:
    return "Which two candies do you swap?"
