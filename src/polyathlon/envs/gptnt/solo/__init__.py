"""One player defuses a bomb alone, with the manual or without."""

from polyathlon.core.spec import EnvSpec, Option
from polyathlon.envs.gptnt.bomb.play import catalogue

SPEC = EnvSpec(
    id="gptnt/solo-v0",
    title="Defusal alone",
    doc=(
        "The bomb of Defusal, and one player who sees and handles it and reads the manual too, so "
        "that nothing is lost in talk. Without the manual the player has to know the rules: what "
        "is solved then, beyond chance, was remembered."
    ),
    entry=__name__,
    roles=("player",),
    channels=(*catalogue.MANUAL_CHANNELS, *catalogue.BOMB_CHANNELS, catalogue.FEEDBACK),
    levels=catalogue.LEVELS,
    metrics=catalogue.METRICS,
    options=(*catalogue.OPTIONS, Option("manual", True, "whether the player has the manual")),
    clock="real",
    tick_us=catalogue.TICK_US,
    horizon=catalogue.HORIZON,
    bounds=(0.0, 1.0),
    context="chat",
    policies=("random", "oracle", "stochastic"),
    samples=("simon-says",),
)
