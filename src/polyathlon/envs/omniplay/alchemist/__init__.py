"""The Alchemist's Melody: find out which flask sounds which note, and play the scale."""

from polyathlon.core.spec import Channel, EnvSpec, Metric, Option

SPEC = EnvSpec(
    id="omniplay/alchemist-v0",
    title="The Alchemist's Melody",
    doc=(
        "Five coloured flasks sound five consecutive notes of a scale; which sounds which is "
        "drawn anew. Play them upwards from the first note of the round. A wrong flask, or no "
        "flask, starts the melody again."
    ),
    entry=__name__,
    roles=("player",),
    channels=(
        Channel("board", "image", "the flasks, the last one played lit", size_px=(640, 400)),
        Channel("note", "audio", "the note of the last flask played"),
        Channel("state", "text", "last clicks, the melody so far, recent rounds"),
        Channel("mapping", "text", "colour and note of every flask played so far", default=False),
    ),
    levels=("medium",),
    metrics=(
        Metric("raw_score", "composite score: the sum of the six parts", "points"),
        Metric("composite", "composite score: the sum of the six parts", "points"),
        Metric("completed", "the whole melody was played", event=True),
        Metric("steps", "answers given", "", False, 50.0),
        Metric("hit_rate", "share of steps that continued the melody"),
        Metric("note_belief", "share of stated notes that were the flask's own; 0 if none"),
        Metric("invalid_actions", "answers that played no flask", "", False, 50.0),
        Metric("hit_rate_points", "part A: 30 times the hit rate", "points"),
        Metric("efficiency_points", "part B: 30, less for steps above the required", "points"),
        Metric("correct_streak_points", "part C: up to 10 for runs of right steps", "points"),
        Metric("error_streak_points", "part D: 10, less for runs of wrong steps", "points"),
        Metric("colour_error_points", "part E: 15, less for wrong repeats", "points"),
        Metric("exploration_points", "part F: up to 5 for changes of colour", "points"),
    ),
    options=(
        Option("reveal_first", True, "at the start the first flask is lit and sounds"),
        Option("cap", 50, "steps after which the round ends", 1, 1_000),
    ),
    horizon=50,
    bounds=(0.0, 100.0),
    policies=("random", "oracle", "full", "board_only", "note_only", "state_only", "invalid"),
    aliases={"default": "medium"},
)
