"""A third-party Gymnasium env whose observations are numpy arrays."""

from polyathlon.compat.gymnasium import from_gymnasium

SPEC = from_gymnasium(
    "CartPole-v1",
    id="toys/cartpole-v0",
    doc="Keep a pole upright by pushing its cart to the left or to the right.",
    actions=("left", "right"),
)
