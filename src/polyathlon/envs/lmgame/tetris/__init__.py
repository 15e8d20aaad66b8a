"""Falling tetrominoes: Tetris as a turn-based game."""

from polyathlon.core.spec import Channel, EnvSpec, Metric, Option

SPEC = EnvSpec(
    id="lmgame/tetris-v0",
    title="Tetris",
    doc=(
        "Turn, shift and drop tetrominoes so that they fill whole rows, which then vanish. The "
        "seven pieces come in shuffled bags. The piece falls one row after every executed action "
        "except a hard drop and locks when it cannot fall. A rotation that would collide is "
        "refused. The game ends when a new piece has no room, or after 30 turns in a row that "
        "changed nothing."
    ),
    entry=__name__,
    roles=("player",),
    channels=(Channel("board", "image", "the well and the next pieces", size_px=(400, 440)),),
    levels=("standard", "narrow", "wide", "low"),
    metrics=(
        Metric("raw_score", "pieces placed + 10 x rows cleared"),
        Metric("progress", "rows cleared", "row"),
        Metric("pieces", "pieces locked, the one that ended the game included", "piece"),
        Metric("lines", "rows cleared", "row"),
        Metric("invalid_rate", "share of turns that changed nothing", "", False, 1.0),
        Metric("turns", "decisions taken", "", True),
    ),
    options=(
        Option("width", 0, "columns, 4 or more; 0 takes the level's", 0, 20),
        Option("height", 0, "rows, 6 or more; 0 takes the level's", 0, 30),
        Option("preview", 4, "next pieces shown", 0, 6),
        Option("previews", "profile", "rotations in words", choices=("profile", "full", "off")),
        Option("gravity", True, "fall a row after every action; false: lock by hard drop only"),
        Option("count_final_piece", True, "whether the piece that ends the game scores"),
        Option("stuck", 30, "unchanged turns in a row that end the game", 1, 1_000),
        Option("horizon", 2_000, "decisions after which the game is cut", 1, 100_000),
    ),
    horizon=2_000,
    bounds=(0.0, None),
)
