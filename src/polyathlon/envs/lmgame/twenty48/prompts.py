"""2048: what the player is told."""

from __future__ import annotations

from polyathlon.core.world import Brief, Role
from polyathlon.envs.lmgame.twenty48.rules import Rules


def brief(rules: Rules, role: Role) -> Brief:
    size = len(rules.board)
    return Brief(
        task=(
            f"You play 2048 on a {size}x{size} board. Build tiles as large as you can and keep "
            "the board from filling up."
        ),
        rules=(
            "A move slides every tile as far as it goes in one direction. Two equal tiles that "
            "meet merge into one tile of their sum, and a tile merges at most once a move. After "
            "a move that changed the board, a 2 or sometimes a 4 appears on an empty cell. A move "
            "that changes nothing adds no tile, and too many of those in a row end the game. The "
            "game also ends when no move is possible. Every merge scores the value of the new "
            "tile."
        ),
        answer=(
            "Answer with one direction. up slides towards row 0, down towards the last row, left "
            "towards column 0, right towards the last column."
        ),
        advice=(
            "Strategies that work:\n"
            "1. Keep the largest tile in one corner and do not move it away.\n"
            "2. Order the tiles next to it from large to small along the edge.\n"
            "3. Leave one direction that always merges something.\n"
            "4. Set up chains, so that one merge makes the next possible.\n"
            "5. Look two or three moves ahead before you choose.\n"
            "Pitfalls:\n"
            "1. A direction that changes nothing wastes the turn; do not repeat it.\n"
            "2. A small tile stuck behind large ones blocks a row.\n"
            "3. Do not spread large tiles over several corners."
        ),
    )


def ask(rules: Rules, role: Role) -> str:
    return "Which direction do you slide?"
