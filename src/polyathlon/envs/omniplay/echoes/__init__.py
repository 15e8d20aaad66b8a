"""Myriad Echoes: watch and hear a sequence of icons, write it down, click it."""

from polyathlon.core.spec import Channel, EnvSpec, Metric, Option

SPEC = EnvSpec(
    id="omniplay/echoes-v0",
    title="Myriad Echoes",
    doc=(
        "The icons of a grid light up one after the other, each with its sound, every icon once. "
        "First the player writes the sequence down, as coordinates and as names; then it repeats "
        "the sequence, one click a turn, until a click is wrong or all are right. Levels have "
        "2x3, 2x5 and 3x5 icons; on the last, five kinds of icon appear twice."
    ),
    entry=__name__,
    roles=("player",),
    channels=(
        Channel("clip", "video", "icons light up in turn, 10 frames a second", size_px=(480, 288)),
        Channel("sounds", "audio", "the sound of each icon while it is lit"),
        Channel("layout", "text", "how many icons, rows and columns there are"),
        Channel("screen", "image", "the grid; the last click is marked", size_px=(480, 288)),
        Channel("click", "audio", "the sound of the icon clicked last; absent before that"),
        Channel("sequence", "text", "the coordinates to click, in order"),
        Channel("step", "text", "which step of the sequence comes next", default=False),
    ),
    levels=("easy", "medium", "hard"),
    samples=("medium",),
    metrics=(
        Metric(
            "raw_score",
            "half the score and a quarter of each accuracy; with phases=1 half of each accuracy",
        ),
        Metric("score", "correct clicks before the first wrong one", "clicks"),
        Metric("coordinate_accuracy", "coordinates written down correctly", "items"),
        Metric("icon_accuracy", "names written down correctly", "items"),
        Metric(
            "success",
            "all clicks were right; with phases=1 the whole written sequence was",
            event=True,
        ),
        Metric("parse_failure", "the written sequence was unreadable", "", False, 1.0, event=True),
        Metric("steps", "decisions taken", "", True),
    ),
    options=(
        Option("phases", 2, "1 ends the game after the written sequence", 1, 2),
        Option(
            "sequence_source",
            "own",
            "what phase 2 shows: the player's own written sequence, or the truth",
            choices=("own", "truth"),
        ),
        Option(
            "match",
            "leading",
            "accuracies count the entries before the first wrong one, or all right positions",
            choices=("leading", "positional"),
        ),
    ),
    horizon=16,
    bounds=(0.0, 15.0),
    policies=(
        "random",
        "oracle",
        "full",
        "clip_only",
        "sounds_only",
        "layout_only",
        "screen_only",
        "shifted",
        "invalid",
        "recall7",
    ),
)
