"""Slide and merge: 2048 on a square board."""

from polyathlon.core.spec import Channel, EnvSpec, Metric, Option

SPEC = EnvSpec(
    id="lmgame/twenty48-v0",
    title="2048",
    doc=(
        "Slide all tiles of a square board in one direction; equal neighbours merge into their "
        "sum, each tile once a move. A 2 (90 %) or a 4 appears after every move that changed "
        "the board. The game ends when no move is legal, or after ten turns in a row that "
        "changed nothing."
    ),
    entry=__name__,
    roles=("player",),
    channels=(Channel("board", "image", "the board, 400x400", size_px=(400, 400)),),
    levels=("standard",),
    metrics=(
        Metric("raw_score", "10 log2 of the sum of merged values; 0 without a merge"),
        Metric("progress", "value of the highest tile", "tile"),
        Metric("merged_sum", "sum of the values of all merged tiles"),
        Metric("reached_2048", "a tile of 2048 or more was made", event=True),
        Metric("invalid_rate", "share of turns that changed nothing", "", False, 1.0),
        Metric("turns", "decisions taken", "", True),
    ),
    options=(
        Option("size", 4, "rows and columns", 3, 8),
        Option("four_rate", 0.1, "probability that a new tile is a 4", 0.0, 1.0),
        Option("stuck", 10, "unchanged turns in a row that end the game", 1, 1_000),
        Option("horizon", 1_000, "decisions after which the game is cut", 1, 100_000),
    ),
    horizon=1_000,
    bounds=(0.0, None),
)
