"""Two players defuse a bomb together: one sees it, the other has the manual."""

from polyathlon.core.spec import EnvSpec
from polyathlon.envs.gptnt.bomb.play import catalogue

SPEC = EnvSpec(
    id="gptnt/defusal-v0",
    title="Defusal",
    doc=(
        "A bomb with a countdown carries one to eleven puzzle modules on its front and back. The "
        "Defuser sees and handles it but has no manual; the Expert has the manual and sees "
        "nothing. They can only write to each other. Mistakes give strikes, which speed the "
        "countdown up; the third ends the game. Nobody is told what an action brought: it has to "
        "be seen."
    ),
    entry=__name__,
    roles=("defuser", "expert"),
    channels=(*catalogue.MANUAL_CHANNELS, *catalogue.BOMB_CHANNELS, catalogue.FEEDBACK),
    levels=catalogue.LEVELS,
    metrics=catalogue.METRICS,
    options=catalogue.OPTIONS,
    clock="real",
    tick_us=catalogue.TICK_US,
    horizon=catalogue.HORIZON,
    bounds=(0.0, 1.0),
    context="chat",
    cooperative=True,
    policies=("random", "oracle", "stochastic", "talker", "manual"),
    samples=("multi",),
)
