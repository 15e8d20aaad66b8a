"""Tetris: what the player is told."""

from __future__ import annotations

from polyathlon.core.world import Brief, Role
from polyathlon.envs.lmgame.tetris.rules import LINE_SCORE, Rules

FALLING = (
    "After every action except hard_drop the piece falls one row, and it locks when it cannot fall."
)
RESTING = "The piece does not fall by itself; only hard_drop locks it."
PREVIEWS = {
    "profile": (
        "A line such as 'rotation 1: cols 4-5, rows 0-2 1-1' gives the top and bottom row in "
        "each column after turning in place."
    ),
    "full": "The rows under 'rotation 1:' are the well after turning in place.",
    "off": "",
}


def brief(rules: Rules, role: Role) -> Brief:
    return Brief(
        task=(
            f"You play Tetris in a well of {rules.width} columns and {rules.height} rows. Place "
            "as many pieces and clear as many rows as you can before the well overflows."
        ),
        rules=(
            "A full row vanishes and the rows above move down. Every placed piece scores 1 and "
            f"every cleared row {LINE_SCORE}. The seven pieces I O T S Z J L come in shuffled "
            "bags of seven, so each appears once in a bag. A new piece appears in the middle of "
            f"the top rows. {FALLING if rules.gravity else RESTING} A shift or a rotation into a "
            "wall or a locked cell is refused. The game ends when a new piece has no room, or "
            "after too many turns in a row that change nothing. Row 0 is the top and column 0 "
            "the left edge. Where the well is given in words, rotation counts quarter turns "
            f"clockwise from the piece's first position. {PREVIEWS[rules.previews]}"
        ).rstrip(),
        answer=(
            "Answer with actions (name, n); n from 1 to 10 repeats the action. Several pairs, "
            "separated by commas, are executed in order: (left, 2), (hard_drop, 1). left and "
            "right shift the piece one column, rotate_left and rotate_right turn it a quarter "
            "counter-clockwise and clockwise, soft_drop moves it down one more row, hard_drop "
            "drops and locks it at once, no_op does nothing."
        ),
        advice=(
            "Strategies that work:\n"
            "1. Decide on a rotation and a column first, then turn, shift and hard_drop.\n"
            "2. Keep the surface low and even; fill the lowest columns.\n"
            "3. Leave no empty cell under a filled one.\n"
            "4. Look at the next pieces before you close a gap that one of them would fill.\n"
            "Pitfalls:\n"
            "1. Dropping every piece in the middle ends the game after about a dozen pieces.\n"
            "2. A piece low in the well may no longer turn or pass a tower: turn and shift early.\n"
            "3. A deep well one column wide can only be filled by the I."
        ),
    )


def ask(rules: Rules, role: Role) -> str:
    return "Where does the piece go, and which actions take it there?"
