"""The oracle of the bomb: what a perfect player does, and the bomb out of an exported state."""

from polyathlon.envs.gptnt.bomb.solver.acts import (
    approach,
    changing,
    next_act,
    spelling,
    target,
    towards,
    tuning,
)
from polyathlon.envs.gptnt.bomb.solver.restoring import restored

__all__ = [
    "approach",
    "changing",
    "next_act",
    "restored",
    "spelling",
    "target",
    "towards",
    "tuning",
]
