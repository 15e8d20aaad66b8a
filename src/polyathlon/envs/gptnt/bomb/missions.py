"""Missions: what a bomb is made from, the published ones, and generators of more.

Facts of the paper's mission, level and turn-cost tables (B.1 to B.3); its seeds belong to the
commercial game, so the seeds here are drawn (see `diversity` for how a good set is found).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, TypeAlias, TypeVar

import msgspec

from polyathlon.core.chance import Stream, stream
from polyathlon.core.errors import UserError, unknown
from polyathlon.envs.gptnt.bomb.casing import check_widgets
from polyathlon.envs.gptnt.bomb.layout import (
    CLOCK_DEPENDENT,
    FREE_SLOTS,
    FRONT_SLOTS,
    check_room,
)
from polyathlon.envs.gptnt.bomb.rulebook.generate import Kind

T = TypeVar("T")

Tier: TypeAlias = Literal["easier", "intermediate", "challenging"]
NeedyKind: TypeAlias = Literal["vent", "discharge", "knob"]

TURN_S = 3
OUTER_SEED = 24
"""Of the default child seeds: the first of 1 to 50 by `diversity.ranked_seeds`."""
CHILDREN = 10
CHILD_RANGE = 1_000


class ModuleFacts(msgspec.Struct, frozen=True):
    """What a module type costs (tables B.2 and B.3): kinds of side information it needs, stages,
    the most actions a right solution takes, and the total of turns as the paper prints it. `kind`
    is what the rule book calls it."""

    kind: Kind
    tier: Tier
    side_info: int
    stages: int
    max_actions: int
    printed_turns: int


MODULES = {
    "Wires": ModuleFacts("wires", "easier", 1, 1, 1, 25),
    "Button": ModuleFacts("button", "easier", 2, 1, 14, 48),
    "Keypad": ModuleFacts("keypad", "easier", 0, 1, 4, 18),
    "Simon Says": ModuleFacts("simon", "intermediate", 1, 5, 15, 43),
    "Who's On First": ModuleFacts("words", "intermediate", 0, 3, 3, 19),
    "Memory": ModuleFacts("memory", "intermediate", 0, 5, 5, 23),
    "Maze": ModuleFacts("maze", "intermediate", 0, 1, 35, 49),
    "Morse Code": ModuleFacts("morse", "challenging", 0, 1, 22, 36),
    "Complicated Wires": ModuleFacts("complicated", "challenging", 2, 1, 6, 40),
    "Wire Sequence": ModuleFacts("sequence", "challenging", 0, 4, 16, 33),
    "Passwords": ModuleFacts("password", "challenging", 0, 1, 51, 65),
}


NEEDY: Mapping[str, NeedyKind] = MappingProxyType(
    {"Vent": "vent", "Discharge": "discharge", "Knob": "knob"}
)
"""Needy module types, which the paper leaves out, and their kinds."""


class MissionSpec(msgspec.Struct, frozen=True):
    """All that makes a bomb: equal specs make identical bombs.

    `modules` are puzzle module types, `needy` those that are never solved and need attention now
    and then; together 1 to 5 on the front alone, up to 11 with `back_placement`, at least one of
    them a puzzle. `widgets` (0 to 11) come beside the serial number. Raises UserError for what
    cannot be built.
    """

    name: str
    seed: int
    time_limit_s: int
    modules: tuple[str, ...]
    strike_limit: int = 3
    widgets: int = 5
    back_placement: bool = False
    needy: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for kind in self.modules:
            module_facts(kind)
        for kind in self.needy:
            needy_kind(kind)
        if not self.modules:
            raise UserError("a mission needs at least one puzzle module in `modules`")
        check_room((*self.modules, *self.needy), back=self.back_placement)
        check_widgets(self.widgets)
        if self.time_limit_s < 1 or self.strike_limit < 1:
            raise UserError("a mission needs a time limit and a strike limit of at least 1")


def module_facts(kind: str) -> ModuleFacts:
    """The facts of a module type; an unknown one raises UserError."""
    if kind not in MODULES:
        raise unknown("module type", kind, MODULES)
    return MODULES[kind]


def needy_kind(kind: str) -> NeedyKind:
    """What a needy module type is called in code; an unknown one raises UserError."""
    if kind not in NEEDY:
        raise unknown("needy module type", kind, NEEDY)
    return NEEDY[kind]


def formula_limit_s(modules: Sequence[str], *, back: bool) -> int:
    """The time limit in seconds by the turn costs of table B.2: most actions, stages, 8 turns a
    side check (R, 1 to 4 over all modules), 8 for a back, 2 (M + R) zooms, 3 for a strike, 10
    of dialogue; 3 s a turn."""
    facts = [module_facts(kind) for kind in modules]
    checks = min(4, max(1, sum(fact.side_info for fact in facts)))
    work = sum(fact.max_actions + fact.stages for fact in facts)
    return TURN_S * (work + 8 * checks + 8 * back + 2 * (len(facts) + checks) + 3 + 10)


def printed_limit_s(kind: str) -> int:
    """The time limit in seconds that table B.3 prints for a single module on the front.

    It lacks what table B.2 adds for zooming and for modules without side checks.
    """
    return TURN_S * module_facts(kind).printed_turns


def single_limit_s(kind: str) -> int:
    """The time limit in seconds of a single module on the front by `formula_limit_s`."""
    return formula_limit_s((kind,), back=False)


LIMIT_RULES: Mapping[str, Callable[[str], int]] = MappingProxyType(
    {"formula": single_limit_s, "table": printed_limit_s}
)
"""Limits of single-module missions. The paper's own tables disagree; the clock readings that it
quotes fit only the formula."""


def child_seeds(outer_seed: int = OUTER_SEED) -> tuple[int, ...]:
    """Ten distinct seeds below 1,000; child seed k gives every type's k-th instance."""
    rng = stream(outer_seed, "gptnt/defusal", "children")
    return tuple(_sample(rng, range(CHILD_RANGE), CHILDREN))


_MULTI: tuple[tuple[int, tuple[str, ...]], ...] = (
    (300, ("Wires", "Keypad", "Maze")),
    (300, ("Wires", "Button", "Keypad", "Memory")),
    (300, ("Wires", "Keypad", "Simon Says", "Who's On First")),
    (180, ("Keypad", "Simon Says", "Who's On First")),
    (180, ("Wires", "Memory", "Maze")),
    (180, ("Button", "Who's On First", "Memory")),
    (300, ("Who's On First", "Memory", "Passwords")),
    (300, ("Button", "Simon Says", "Complicated Wires")),
    (300, ("Wires", "Who's On First", "Morse Code", "Complicated Wires")),
    (300, ("Keypad", "Wire Sequence", "Maze", "Passwords")),
)
_FRONT_ONLY = frozenset({5})


def multi_missions(seeds: Sequence[int]) -> tuple[MissionSpec, ...]:
    """The ten multi-module missions by rising difficulty (table B.1), a seed each.

    All but the fifth use both faces.
    """
    return tuple(
        MissionSpec(
            f"multi-{number}", seed, limit_s, modules, back_placement=number not in _FRONT_ONLY
        )
        for number, (seed, (limit_s, modules)) in enumerate(zip(seeds, _MULTI, strict=True), 1)
    )


def single_missions(seeds: Sequence[int], limit_rule: str = "formula") -> tuple[MissionSpec, ...]:
    """A mission for each of the eleven types and each seed, on the front.

    `limit_rule` is a key of `LIMIT_RULES`; another raises UserError.
    """
    if limit_rule not in LIMIT_RULES:
        raise unknown("time limit rule", limit_rule, LIMIT_RULES)
    limit_s = LIMIT_RULES[limit_rule]
    return tuple(
        MissionSpec(f"{slug(kind)}-{number}", seed, limit_s(kind), (kind,))
        for kind in MODULES
        for number, seed in enumerate(seeds, 1)
    )


def slug(kind: str) -> str:
    """A module type as part of a name: `whos-on-first`."""
    return kind.lower().replace("'", "").replace(" ", "-")


class Level(msgspec.Struct, frozen=True):
    """A level of the game: so many different types from each pool, and a time limit."""

    time_limit_s: int
    pools: tuple[tuple[int, tuple[str, ...]], ...]


_MID = ("Maze", "Simon Says", "Memory", "Who's On First")
_HARD = ("Morse Code", "Passwords", "Complicated Wires", "Wire Sequence")

LEVELS = {
    "2.1": Level(300, ((2, ("Keypad", "Button", "Wires")), (1, ("Maze", "Simon Says", "Memory")))),
    "2.3": Level(
        300,
        (
            (2, ("Keypad", "Button", "Wires")),
            (1, ("Maze", "Simon Says")),
            (1, ("Memory", "Who's On First")),
        ),
    ),
    "2.4": Level(180, ((1, ("Keypad", "Button", "Wires")), (2, _MID))),
    "3.1": Level(
        300,
        (
            (1, ("Morse Code", "Passwords")),
            (1, ("Simon Says", "Who's On First", "Memory")),
            (1, ("Button", "Wires")),
        ),
    ),
    "3.2": Level(
        300,
        (
            (1, ("Wires",)),
            (1, ("Complicated Wires", "Wire Sequence")),
            (1, ("Simon Says", "Memory")),
        ),
    ),
    "3.3": Level(300, ((1, ("Keypad", "Button")), (1, _MID), (2, _HARD))),
}
"""The game's levels that the missions come from, before the paper's deviations (table B.1)."""


def level_mission(level: str, seed: int) -> MissionSpec:
    """A mission like those of a level, on both faces."""
    if level not in LEVELS:
        raise unknown("level", level, LEVELS)
    rng = stream(seed, "gptnt/defusal", "level", level)
    modules = [kind for count, pool in LEVELS[level].pools for kind in _sample(rng, pool, count)]
    return MissionSpec(
        f"level-{level}-{seed}",
        seed,
        LEVELS[level].time_limit_s,
        tuple(modules),
        back_placement=True,
    )


def random_mission(seed: int) -> MissionSpec:
    """A mission of 1 to 11 modules of any types, on both faces, with its limit by formula.

    The number is uniform and so is each type, as long as the timer's face has room for it.
    """
    rng = stream(seed, "gptnt/defusal", "random mission")
    modules: list[str] = []
    for _ in range(1 + rng.below(len(FREE_SLOTS))):
        beside = sum(kind in CLOCK_DEPENDENT for kind in modules)
        open_ = [kind for kind in MODULES if kind not in CLOCK_DEPENDENT]
        modules.append(rng.choice(list(MODULES) if beside < len(FRONT_SLOTS) else open_))
    limit_s = formula_limit_s(modules, back=True)
    return MissionSpec(f"random-{seed}", seed, limit_s, tuple(modules), back_placement=True)


def _sample(rng: Stream, items: Sequence[T], count: int) -> list[T]:
    pool = list(items)
    rng.shuffle(pool)
    return pool[:count]
