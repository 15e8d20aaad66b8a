"""Lead a squad through the fog of war: one command a round, objectives seen and hidden."""

from polyathlon.core.spec import Channel, EnvSpec, Metric, Option

SPEC = EnvSpec(
    id="omniplay/phantom-v0",
    title="Phantom Soldiers in the Fog",
    doc=(
        "Command a squad on a map of 100 by 100 under fog of war, one command a round. Some "
        "objectives are marked from the start, others have to be found, and on the hard level "
        "one appears late. Movement is imprecise, threats wound whoever comes near. The map "
        "shows places, the spoken guidance says what is wanted where, the state tells numbers."
    ),
    entry=__name__,
    roles=("commander",),
    channels=(
        Channel("map", "video", "the tactical map: movement of the last round", size_px=(640, 480)),
        Channel("guidance", "audio", "spoken tactical guidance"),
        Channel("radio", "audio", "members confirm new orders; absent when there are none"),
        Channel("state", "text", "health, status and position of the members, rounds, score"),
    ),
    levels=("easy", "medium", "hard"),
    samples=("hard",),
    metrics=(
        Metric("raw_score", "half the success rate in per cent, half the normalized score"),
        Metric("success_rate", "completed objectives of all objectives"),
        Metric("normalized_score", "points with bonuses for pace and effective orders", "/100"),
        Metric(
            "error_commands", "replies that were no command, and illegal ones", "", False, 100.0
        ),
        Metric("discoveries", "hidden objectives that were found"),
        Metric("health_lost", "damage the members took, in sum", "% health", False, 400.0),
        Metric("effective_share", "effective orders of all orders and error commands"),
        Metric("rounds", "rounds played", "", False, 100.0),
    ),
    options=(
        Option("rounds", 100, "rounds in which the mission must be done", 10, 1_000),
        Option(
            "rounds_credit",
            "complete",
            "whether saved rounds count for complete missions only or by share of points",
            choices=("complete", "proportional"),
        ),
        Option("command_failure_p", 0.0, "probability that a valid command fails", 0.0, 1.0),
        Option("voice", "espeak", "who speaks", choices=("espeak", "piper")),
    ),
    horizon=100,
    bounds=(0.0, 100.0),
    policies=(
        "random",
        "oracle",
        "full",
        "map_only",
        "guidance_only",
        "state_only",
        "passive",
        "invalid",
    ),
)
