"""Whispered Pathfinding: a first-person maze, a voice that knows the way, a few numbers."""

from polyathlon.core.spec import Channel, EnvSpec, Metric, Option

SPEC = EnvSpec(
    id="omniplay/pathfinding-v0",
    title="Whispered Pathfinding",
    doc=(
        "Find a hidden beacon in a maze. Each step turns by -180 to 180 degrees (right is "
        "positive) and then walks -1 to 3 metres; walls are slid along. The beacon counts as "
        "reached within 0.5 m of it and brings a reward of 1. A reply that is no action costs a "
        "step. easy, medium and hard are perfect mazes of 7x7, 9x9 and 11x11 cells of 1 m. The "
        "view shows walls and at times an arrow, the voice names the next turn, the state gives "
        "straight-line figures: none of them suffices alone."
    ),
    entry=__name__,
    roles=("player",),
    channels=(
        Channel("view", "image", "first-person view with mini-map, 640x480", size_px=(640, 480)),
        Channel("guidance", "audio", "a voice: how far, in which direction, where to turn"),
        Channel("state", "text", "position, orientation, target and walls in numbers"),
    ),
    levels=("easy", "medium", "hard"),
    samples=("medium",),
    metrics=(
        Metric("raw_score", "steps taken, the cap when the beacon is missed", "step", False, 500.0),
        Metric("steps", "decisions taken", "step", False, 500.0),
        Metric("success", "the beacon was reached", event=True),
        Metric("invalid_actions", "replies that were no action", "", False),
        Metric("blocked_steps", "steps in which a wall was touched", "", False),
        Metric("distance_m", "length of the way walked", "m", False),
        Metric(
            "path_efficiency",
            "success weighted by path length: least steps / max(least, taken), 0 on a failure",
        ),
    ),
    options=(
        Option("cap", 500, "steps after which the episode has failed", 1, 100_000),
        Option("voice", "espeak", "who speaks the guidance", choices=("espeak", "piper")),
        Option("spatial", False, "the voice comes from the side of the target"),
    ),
    horizon=500,
    bounds=(0.0, None),
    policies=(
        "random",
        "oracle",
        "full",
        "view_only",
        "guidance_only",
        "state_only",
        "view_listener",
        "guidance_listener",
        "state_listener",
    ),
)
