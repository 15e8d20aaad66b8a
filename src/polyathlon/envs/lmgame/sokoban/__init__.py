"""Push the boxes onto the docks: Sokoban."""

from polyathlon.core.spec import Channel, EnvSpec, Metric, Option

SPEC = EnvSpec(
    id="lmgame/sokoban-v0",
    title="Sokoban",
    doc=(
        "A worker pushes boxes, one at a time and never pulling, until every box stands on a "
        "dock. Walking and pushing are different actions: walking into a box changes nothing. "
        "The campaign goes through six levels of rising length (8 to 15 pushes at least); level-1 "
        "to level-6 play one of them, generated makes one from the seed. The episode ends at the "
        "first position that is proven unsolvable, when all levels are solved, after five turns "
        "in a row that changed nothing, or after 200 turns. A turn costs 0.1; a box that comes "
        "onto a dock earns 1, one that leaves it loses 1, a solved level earns 10."
    ),
    entry=__name__,
    roles=("player",),
    channels=(Channel("board", "image", "the level from above, 400x400", size_px=(400, 400)),),
    levels=("campaign", *(f"level-{number}" for number in range(1, 7)), "generated"),
    samples=("campaign", "generated"),
    metrics=(
        Metric(
            "raw_score",
            "boxes of solved levels + most boxes on docks at once in the current level, without "
            "boxes that started on docks",
            "box",
        ),
        Metric(
            "progress",
            "number of the highest level reached, counted from 1 within the episode, + share of "
            "its boxes on docks at once; levels + 1 when all are solved",
        ),
        Metric("levels_solved", "levels solved", "level"),
        Metric("solved", "every level of the episode is solved", event=True),
        Metric("boxes_total", "boxes to be scored in the episode: the greatest raw_score", "box"),
        Metric("deadlocked", "the episode ended in a proven deadlock", "", False, 1.0, event=True),
        Metric("invalid_rate", "share of turns that changed nothing", "", False, 1.0),
        Metric("turns", "decisions taken"),
    ),
    options=(
        Option("text", "table", "how the level is told in words", choices=("table", "map", "both")),
        Option("auto_push", False, "walking into a box pushes it"),
        Option("deadlock", True, "a proven deadlock ends the episode"),
        Option("search", 5_000, "positions a deadlock proof may search; 0 searches none", 0, 10**6),
        Option("stuck", 5, "unchanged turns in a row that end the episode", 1, 1_000),
        Option("horizon", 200, "decisions after which the episode is cut", 1, 100_000),
        Option("rows", 10, "rows of a generated level, walls included", 6, 32),
        Option("cols", 10, "columns of a generated level, walls included", 6, 32),
        Option("boxes", 3, "boxes of a generated level", 1, 8),
        Option("file", "", "XSB level file to play instead of the built-in levels"),
    ),
    horizon=200,
    bounds=(0.0, None),
)
