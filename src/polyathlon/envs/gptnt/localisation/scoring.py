"""Localisation: the numbers of an answer."""

from __future__ import annotations

import math
from collections.abc import Mapping

from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb.play.actions import Mark, Point
from polyathlon.envs.gptnt.localisation.answers import NONE
from polyathlon.envs.gptnt.localisation.rules import Rules


def metrics(rules: Rules, role: Role | None) -> Mapping[str, float]:
    answer = rules.answer
    named = isinstance(answer, Mark | Point)
    return {
        "raw_score": float(rules.correct),
        "correct": float(rules.correct),
        "answered": float(answer is not None),
        "said_none": float(answer == NONE),
        "unknown_label": float(isinstance(answer, Mark) and answer.element is None),
        "beside": float(named and rules.met is None),
        "distance": distance(rules),
        "elements": float(len(rules.marks)),
    }


def distance(rules: Rules) -> float:
    """How far a point is from the middle of the right element, as a share of the picture's
    diagonal; 0 for what is right, 1 where there is no point or no right element."""
    if rules.correct:
        return 0.0
    if not isinstance(rules.answer, Point) or rules.item.target is None:
        return 1.0
    from polyathlon.envs.gptnt.bomb.looks.frames import Shot, centroid

    place = rules.place(rules.answer)
    middle = centroid(Shot(rules.bomb), rules.item.target)
    if place is None or middle is None:
        return 1.0
    width, height = rules.size_px
    across, along = (a - b for a, b in zip(place, middle, strict=True))
    return math.hypot(across * width, along * height) / math.hypot(width, height)
