"""What agents are handed of observations and steps: as much as their access gives them.

A plain agent gets percepts that can be rendered, and told where they have words, and that lead to
nothing else: their scene is `Hidden`, without facts, counterfactuals and aids. An informed one gets
the facts too, without the marks that interventions leave on them. A privileged one gets all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from polyathlon.core.agents import Access
from polyathlon.core.canonical import JSON
from polyathlon.core.hidden import Hidden, revealed
from polyathlon.core.interventions import MARKS
from polyathlon.core.parts import Part
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Observation, Role, Step


class Behind(NamedTuple):
    """What a percept is drawn from, and told of."""

    scene: Any
    draw: Callable[[Any], Part]
    tell: Callable[[Any], str] | None


Veil: TypeAlias = Hidden[Behind]


def draw(veil: Veil) -> Part:
    """The signal of what is hidden."""
    behind = revealed(veil)
    return behind.draw(behind.scene)


def tell(veil: Veil) -> str:
    """The same in words. Raises ValueError where it has none."""
    behind = revealed(veil)
    if behind.tell is None:
        raise ValueError("this percept has no meaning in words")
    return behind.tell(behind.scene)


def observation(seen: Observation, access: Access) -> Observation:
    """An observation as an agent of this access is handed it."""
    if access == "privileged":
        return seen
    return Observation(
        seen.role,
        seen.turn,
        seen.time_us,
        percepts(seen.percepts, access),
        seen.ask,
        seen.actions,
        seen.mail,
    )


def step(brought: Step, role: Role, access: Access) -> Step:
    """A step as its role's agent is handed it: without what it brought or told to others."""
    if access == "privileged":
        return brought
    rewards = {role: brought.rewards[role]} if role in brought.rewards else {}
    if not brought.feedback and not brought.mail:
        return Step(brought.status, rewards)
    mail = tuple([mail for mail in brought.mail if role in mail.to])
    return Step(brought.status, rewards, percepts(brought.feedback, access), mail)


def percepts(given: tuple[Percept, ...], access: Access) -> tuple[Percept, ...]:
    """Percepts of which the delivered signal, its words and perhaps its facts are left."""
    return tuple([_veiled(percept, access) for percept in given])


def _veiled(percept: Percept, access: Access) -> Percept:
    return Percept(
        percept.channel,
        percept.modality,
        Hidden(Behind(percept.scene, percept.draw, percept.tell)),
        draw,
        None if percept.tell is None else tell,
        _facts(percept) if access == "informed" else {},
        keep=percept.keep,
    )


def _facts(percept: Percept) -> Mapping[str, JSON]:
    return {name: fact for name, fact in percept.facts.items() if name not in MARKS}
