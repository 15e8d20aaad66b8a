"""Unusual activity: which hidden objective the squad is close to."""

from __future__ import annotations

from polyathlon.envs.omniplay.phantom.rules import Rules
from polyathlon.envs.omniplay.phantom.rules.fog import sector

HINT_RADIUS = 25.0


def near_hidden(rules: Rules) -> int | None:
    """The sector of the hidden objective nearest to a member, if one lies within 25 of any."""
    place, least = None, HINT_RADIUS * HINT_RADIUS
    for target in rules.objectives:
        if target.known or target.sort != "hidden":
            continue
        for member in rules.members:
            if member.health > 0:
                apart = (member.x - target.x) ** 2 + (member.y - target.y) ** 2
                if apart <= least:
                    place, least = sector(target.x, target.y), apart
    return place
