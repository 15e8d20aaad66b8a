"""Structural diversity of module configurations, and the outer seeds ranked by it.

Configurations are JSON values without what changes in play. An attribute is the path of a leaf,
lists indexed by position; an empty list or object is a leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from statistics import fmean
from typing import TypeAlias

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.envs.gptnt.bomb.layout import instances
from polyathlon.envs.gptnt.bomb.missions import MODULES, child_seeds

Configure: TypeAlias = Callable[[int, str, int], JSON]
"""The configuration of a module from the bomb's seed, its type and its instance."""

Path: TypeAlias = tuple[str | int, ...]
Leaf: TypeAlias = tuple[str, JSON]
Leaves: TypeAlias = Mapping[Path, Leaf]
Bomb: TypeAlias = tuple[Leaves, ...]

MIXED = (
    ("Wires", "Maze"),
    ("Button", "Who's On First", "Memory", "Passwords"),
    ("Keypad", "Simon Says", "Morse Code", "Complicated Wires", "Wire Sequence"),
)
"""The bombs of the three mixed conditions; between them they hold every type once."""

CONDITIONS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "single": tuple((kind,) for kind in MODULES),
    "repeated-2": tuple((kind,) * 2 for kind in MODULES),
    "repeated-5": tuple((kind,) * 5 for kind in MODULES),
    **{f"mixed-{len(kinds)}": (kinds,) for kinds in MIXED},
}
"""The module lists of each condition; every one is built from each child seed."""


class Diversity(msgspec.Struct, frozen=True):
    """Mean differences, each 0 to 1: between the instances of a type, between the modules of a
    bomb, and between the bombs of a condition."""

    within_type: float
    within_bomb: float
    across_bombs: float

    @property
    def mean(self) -> float:
        """What outer seeds are ranked by."""
        return fmean((self.within_type, self.within_bomb, self.across_bombs))


def difference(one: JSON, other: JSON) -> float:
    """The share of attributes in which two JSON values differ, 0 to 1.

    Counted are changed values, changed types, added and removed attributes, over the unique
    attributes of both.
    """
    return _bomb_difference((leaves(one),), (leaves(other),))


def leaves(value: JSON) -> Leaves:
    """Every leaf of a JSON value by its path, with its JSON type."""
    return dict(_leaves(value, ()))


def seed_diversity(outer_seed: int, configure: Configure) -> Diversity:
    """How diverse the bombs of the six conditions are with the ten seeds of an outer seed."""

    @cache
    def module(seed: int, kind: str, instance: int) -> Leaves:
        return leaves(configure(seed, kind, instance))

    def bombs(kinds: Sequence[str]) -> list[Bomb]:
        return [tuple(module(seed, *known) for known in instances(kinds)) for seed in seeds]

    seeds = child_seeds(outer_seed)
    conditions = [
        [bomb for kinds in lists for bomb in bombs(kinds)] for lists in CONDITIONS.values()
    ]
    together = [bomb for found in conditions for bomb in found if len(bomb) > 1]
    return Diversity(
        within_type=fmean(_mean_difference(bombs((kind,))) for kind in MODULES),
        within_bomb=fmean(_mean_difference([(part,) for part in bomb]) for bomb in together),
        across_bombs=fmean(_mean_difference(found) for found in conditions),
    )


def ranked_seeds(
    configure: Configure, outer_seeds: Sequence[int] = range(1, 51)
) -> list[tuple[int, Diversity]]:
    """Outer seeds with their diversity, the most diverse first, equal ones in their order."""
    scored = [(seed, seed_diversity(seed, configure)) for seed in outer_seeds]
    return sorted(scored, key=lambda pair: -pair[1].mean)


def _leaves(value: JSON, path: Path) -> Iterator[tuple[Path, Leaf]]:
    items = _items(value)
    for key, item in items:
        yield from _leaves(item, (*path, key))
    if not items:
        yield path, (_kind(value), value if isinstance(value, str | int | float) else None)


def _items(value: JSON) -> Collection[tuple[str | int, JSON]]:
    if isinstance(value, Mapping):
        return value.items()
    if isinstance(value, list | tuple):
        return list(enumerate(value))
    return ()


def _kind(value: JSON) -> str:
    """The JSON type: 1 and 1.0 are of one, 1 and true are not."""
    if isinstance(value, Mapping):
        return "object"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number"
    return "array" if isinstance(value, list | tuple) else type(value).__name__


def _mean_difference(bombs: Sequence[Bomb]) -> float:
    return fmean(_bomb_difference(one, other) for one, other in combinations(bombs, 2))


def _bomb_difference(one: Bomb, other: Bomb) -> float:
    """Modules are compared by position; bombs of a condition have equally many."""
    counts = [_counts(a, b) for a, b in zip(one, other, strict=True)]
    return sum(differ for differ, _ in counts) / sum(unique for _, unique in counts)


def _counts(one: Leaves, other: Leaves) -> tuple[int, int]:
    """Attributes that differ, and unique attributes."""
    unique = len(one.keys() | other.keys())
    return unique - len(one.items() & other.items()), unique
