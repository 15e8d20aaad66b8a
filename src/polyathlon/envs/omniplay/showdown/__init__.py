"""Four players, bombs, crates and pillars: the last one standing wins."""

from polyathlon.core.spec import Channel, EnvSpec, Metric, Option

SIZE_PX = (536, 568)

SPEC = EnvSpec(
    id="omniplay/showdown-v0",
    title="Blasting Showdown",
    doc=(
        "Four players in an arena of 15x15 cells place bombs whose flames form a cross. Flames "
        "break crates, set off other bombs and eliminate players; crates may drop power-ups. "
        "Every living player acts once a round; the last one standing wins. Nobody wins when the "
        "last ones fall together or the round cap is reached."
    ),
    entry=__name__,
    roles=("red", "blue", "green", "yellow"),
    channels=(
        Channel("arena", "image", "the arena from above", size_px=SIZE_PX),
        Channel("sounds", "audio", "what was heard since the player's last turn, if anything"),
        Channel("state", "text", "own status, other players, bombs, changes, events, history"),
    ),
    levels=("standard",),
    metrics=(
        Metric("raw_score", "1 for a win, else 0; of an episode, 1 when somebody won"),
        Metric("win", "the player was the last one standing", event=True),
        Metric("kills", "other players eliminated by own flames"),
        Metric("deaths", "eliminations of the player", "", False, 1.0),
        Metric("flame_hits", "flames of single bombs that reached the player", "", False),
        Metric("bombs", "bombs placed"),
        Metric("bombs_per_round", "bombs placed a round lived through"),
        Metric("evasions", "moves from a cell in the blast of a live bomb to one that is not"),
        Metric("nearest_opponent", "mean distance to the nearest living opponent", "cells", False),
        Metric("power_ups", "power-ups taken"),
        Metric("invalid_actions", "answers that were no action, or forbidden", "", False),
        Metric("moves", "turns on which the player changed cell"),
        Metric("turns", "decisions taken"),
        Metric(
            "death_direct", "eliminated by another's bomb on its own fuse", "", False, 0.0, True
        ),
        Metric(
            "death_chain", "eliminated by another's bomb that a flame set off", "", False, 0.0, True
        ),
        Metric("death_self", "eliminated by nobody's flames but own ones", "", False, 0.0, True),
        Metric("death_crossfire", "eliminated by flames of several owners", "", False, 0.0, True),
    ),
    options=(
        Option("view_radius", 0, "cells seen around the player; 0 shows the whole arena", 0, 14),
        Option("cap", 100, "rounds after which nobody wins", 1, 1_000),
        Option("fuse", 3, "rounds until a bomb explodes, that of placing included", 2, 9),
        Option("crates", 0.6, "share of the free cells that hold a crate", 0.0, 1.0),
        Option("drops", 0.3, "share of the crates that hide a power-up", 0.0, 1.0),
        Option("observers", False, "waiting players are told by mail what those in view do"),
    ),
    horizon=100,
    bounds=(0.0, 1.0),
    policies=(
        "random",
        "oracle",
        "full",
        "arena_only",
        "state_only",
        "sounds_only",
        "passive",
        "invalid",
    ),
)
