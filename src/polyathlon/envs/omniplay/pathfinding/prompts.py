"""Whispered Pathfinding: what the player is told."""

from __future__ import annotations

from polyathlon.core.world import Brief, Role
from polyathlon.envs.omniplay.pathfinding.moves import LABEL
from polyathlon.envs.omniplay.pathfinding.rules import Rules

FINAL_LINE = f"{LABEL} <distance> <rotation>"


def brief(rules: Rules, role: Role) -> Brief:
    return Brief(
        task=(
            "You are a professional navigation agent who crosses mazes. Somewhere in this maze "
            "stands a beacon that does not move. Reach it in as few steps as you can."
        ),
        rules=(
            "What you may observe on a turn:\n"
            "- view: a picture of what lies before you in 3D. A mini-map in its upper right "
            "corner shows the walls you have seen nearby, yourself and your heading; an arrow in "
            "it, when there is one, points towards the beacon.\n"
            "- guidance: a voice that says how far away the beacon is, on which side of you, and "
            "where your way turns next.\n"
            "- state: your position in metres, your orientation in degrees (0 looks along x, 90 "
            "along y), the distance and direction of the beacon in a straight line, and how far "
            "the walls are. A negative direction lies to your left, a positive one to your "
            "right.\n"
            "An action has two numbers. The distance you walk lies between -1.0 and 3.0 metres; "
            "negative walks backwards. The rotation lies between -180.0 and 180.0 degrees, "
            "relative to where you look now; negative turns left, positive turns right. You turn "
            "first and walk afterwards. You cannot pass walls: you slide along them or stop. "
            "Standing within half a metre of the beacon is enough. An answer that cannot be "
            "read, or a number out of range, costs a step and moves nothing."
        ),
        answer=(
            "First describe briefly where you are and what surrounds you. Then name the distance "
            "and rotation you choose, and then the reason: which wall you avoid, what you turn "
            "to face. Close with exactly one line of this form, two bare numbers without units "
            f"or words:\n{FINAL_LINE}\n"
            f"Good: {LABEL} 2.0 -90\n"
            f"Bad: {LABEL} two metres, 90° to the left"
        ),
        advice=(
            "The straight direction of the beacon may lead into a wall; what matters is the way "
            "through the corridors. Combine everything you observe before you choose."
        ),
    )


def ask(rules: Rules, role: Role) -> str:
    return (
        "Study your surroundings and choose a move. Give your analysis of the surroundings, the "
        f"action you suggest and why, and end with the line\n{FINAL_LINE}"
    )
