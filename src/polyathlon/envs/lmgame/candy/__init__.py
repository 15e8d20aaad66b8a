"""Swap and match: a match-three board without special candies."""

from polyathlon.core.spec import Channel, EnvSpec, Metric, Option

SPEC = EnvSpec(
    id="lmgame/candy-v0",
    title="Candy",
    doc=(
        "Swap two neighbouring candies so that three or more of a kind stand in a line. All "
        "lines are removed at once, candies fall, new ones follow from above, and lines that "
        "form on the way count too. A swap that makes no line is lost. The game ends after "
        "fifty moves; a board on which no swap makes a line is shuffled, which scores nothing."
    ),
    entry=__name__,
    roles=("player",),
    channels=(Channel("board", "image", "the board, 400x400", size_px=(400, 400)),),
    levels=("standard",),
    metrics=(
        Metric("raw_score", "candies eliminated", "candy"),
        Metric("progress", "candies eliminated", "candy"),
        Metric("effective_rate", "share of turns whose swap made a line"),
        Metric("invalid_rate", "share of turns without a swap of two neighbours", "", False, 1.0),
        Metric("turns", "decisions taken", "", True),
    ),
    options=(
        Option("rows", 8, "rows of the board", 4, 10),
        Option("cols", 8, "columns of the board", 4, 10),
        Option("colours", 4, "kinds of candy", 3, 6),
        Option("moves", 50, "decisions until the game ends, lost ones included", 1, 10_000),
        Option("stuck", 50, "unchanged turns in a row that end the game", 1, 10_000),
    ),
    horizon=50,
    bounds=(0.0, None),
)
