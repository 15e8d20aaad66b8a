"""Missions against the published tables, and structural diversity against its definition."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core.canonical import JSON
from polyathlon.core.errors import UserError
from polyathlon.envs.gptnt.bomb import diversity as measure
from polyathlon.envs.gptnt.bomb.diversity import difference, ranked_seeds, seed_diversity
from polyathlon.envs.gptnt.bomb.layout import arrange, module_stream
from polyathlon.envs.gptnt.bomb.missions import (
    LEVELS,
    MODULES,
    MissionSpec,
    child_seeds,
    formula_limit_s,
    level_mission,
    multi_missions,
    printed_limit_s,
    random_mission,
    single_missions,
)

SEED = st.integers(0, 1 << 40)
SEEDS = child_seeds()

# Tables B.2 and B.3: formula in seconds on the front, the same with a back, and as printed.
LIMITS = {
    "Wires": (81, 105, 75),
    "Button": (150, 174, 144),
    "Keypad": (90, 114, 54),
    "Simon Says": (135, 159, 129),
    "Who's On First": (93, 117, 57),
    "Memory": (105, 129, 69),
    "Maze": (183, 207, 147),
    "Morse Code": (144, 168, 108),
    "Complicated Wires": (126, 150, 120),
    "Wire Sequence": (135, 159, 99),
    "Passwords": (231, 255, 195),
}

# Table B.1.
MULTI = {
    1: (300, {"Wires", "Keypad", "Maze"}),
    2: (300, {"Wires", "Button", "Keypad", "Memory"}),
    3: (300, {"Wires", "Keypad", "Simon Says", "Who's On First"}),
    4: (180, {"Keypad", "Simon Says", "Who's On First"}),
    5: (180, {"Wires", "Memory", "Maze"}),
    6: (180, {"Button", "Who's On First", "Memory"}),
    7: (300, {"Who's On First", "Memory", "Passwords"}),
    8: (300, {"Button", "Simon Says", "Complicated Wires"}),
    9: (300, {"Wires", "Who's On First", "Morse Code", "Complicated Wires"}),
    10: (300, {"Keypad", "Wire Sequence", "Maze", "Passwords"}),
}


def test_ten_multi_module_missions() -> None:
    missions = multi_missions(SEEDS)
    assert [mission.name for mission in missions] == [f"multi-{n}" for n in MULTI]
    assert [(m.time_limit_s, set(m.modules)) for m in missions] == list(MULTI.values())
    assert sum(len(mission.modules) for mission in missions) == 34
    assert {mission.strike_limit for mission in missions} == {3}
    assert [n for n, m in enumerate(missions, 1) if not m.back_placement] == [5]
    assert tuple(mission.seed for mission in missions) == SEEDS


@pytest.mark.parametrize("rule", ["formula", "table"])
def test_110_single_module_missions(rule: str) -> None:
    missions = single_missions(SEEDS, rule)
    assert len({mission.name for mission in missions}) == 110
    assert Counter(m.modules for m in missions) == {(kind,): 10 for kind in LIMITS}
    for mission in missions:
        front, _, printed = LIMITS[mission.modules[0]]
        assert mission.time_limit_s == (front if rule == "formula" else printed)
        assert not mission.back_placement
    of_a_type = [mission.seed for mission in missions if mission.modules == ("Maze",)]
    assert tuple(of_a_type) == SEEDS


@pytest.mark.parametrize("kind", LIMITS)
def test_time_limits(kind: str) -> None:
    assert (
        formula_limit_s([kind], back=False),
        formula_limit_s([kind], back=True),
        printed_limit_s(kind),
    ) == LIMITS[kind]


def test_side_checks_of_many_modules_are_counted_four_times_at_most() -> None:
    types = ["Button", "Complicated Wires", "Simon Says", "Wires"]  # 2 + 2 + 1 + 1 checks
    turns = (14 + 6 + 15 + 1) + (1 + 1 + 5 + 1) + 8 * 4 + 2 * (4 + 4) + 3 + 10
    assert formula_limit_s(types, back=False) == 3 * turns


def test_tiers_are_the_published_pools() -> None:
    tiers: dict[str, list[str]] = {}
    for kind, facts in MODULES.items():
        tiers.setdefault(facts.tier, []).append(kind)
    assert tiers == {
        "easier": ["Wires", "Button", "Keypad"],
        "intermediate": ["Simon Says", "Who's On First", "Memory", "Maze"],
        "challenging": ["Morse Code", "Complicated Wires", "Wire Sequence", "Passwords"],
    }


@given(st.integers(1, 50))
def test_child_seeds_are_ten_different_ones(outer: int) -> None:
    seeds = child_seeds(outer)
    assert len(set(seeds)) == len(seeds) == 10
    assert all(0 <= seed < 1_000 for seed in seeds)
    assert seeds == child_seeds(outer)
    assert seeds != child_seeds(outer + 1)


def test_child_seeds_cover_their_range() -> None:
    drawn = [seed for outer in range(1, 51) for seed in child_seeds(outer)]
    assert min(drawn) < 20
    assert max(drawn) >= 980


@given(SEED)
def test_random_missions_can_be_built(seed: int) -> None:
    mission = random_mission(seed)
    assert 1 <= len(mission.modules) <= 11
    assert mission.time_limit_s == formula_limit_s(mission.modules, back=True)
    assert len(arrange(mission.seed, mission.modules, back=True).modules) == len(mission.modules)
    assert mission == random_mission(seed)


def test_random_missions_have_every_size_and_type() -> None:
    drawn = [random_mission(seed).modules for seed in range(400)]
    assert {len(modules) for modules in drawn} == set(range(1, 12))
    kinds = Counter(kind for modules in drawn for kind in modules)
    assert set(kinds) == set(LIMITS)
    assert max(kinds.values()) < 1.5 * min(kinds.values())


@given(st.sampled_from(sorted(LEVELS)), SEED)
def test_a_level_draws_from_its_pools(level: str, seed: int) -> None:
    mission = level_mission(level, seed)
    assert len(set(mission.modules)) == len(mission.modules)
    assert mission.time_limit_s == (180 if level == "2.4" else 300)
    for count, pool in LEVELS[level].pools:
        assert len(set(mission.modules) & set(pool)) >= count


def test_a_mission_is_plain_data() -> None:
    mission = multi_missions(SEEDS)[1]
    assert msgspec.json.decode(msgspec.json.encode(mission), type=MissionSpec) == mission


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"modules": ("Wirez",)}, "did you mean"),
        ({"modules": ("Wires",) * 6}, "permit the back"),
        ({"widgets": 12}, "0 to 11 widgets"),
        ({"time_limit_s": 0}, "time limit"),
        ({"strike_limit": 0}, "strike limit"),
    ],
)
def test_what_cannot_be_built_is_refused(change: dict[str, object], words: str) -> None:
    fields = {"name": "x", "seed": 1, "time_limit_s": 90, "modules": ("Wires",)}
    with pytest.raises(UserError, match=words):
        MissionSpec(**(fields | change))  # type: ignore[arg-type]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UserError, match="did you mean formula"):
        single_missions(SEEDS, "formular")
    with pytest.raises(UserError, match="unknown level"):
        level_mission("9.9", 1)


SCALAR = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["a", "b"])
VALUE = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner),
    max_leaves=8,
)


@given(VALUE, VALUE)
def test_difference_is_a_share_and_symmetric(one: JSON, other: JSON) -> None:
    assert difference(one, one) == 0
    assert difference(one, other) == difference(other, one)
    assert 0 <= difference(one, other) <= 1
    assert difference({"p": one}, {"q": other}) == 1


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, 1 / 2),  # a value changed
        ({"a": 1}, {"a": 1, "b": 3}, 1 / 2),  # a key added
        ({"a": [1, 2, 3]}, {"a": [1, 2]}, 1 / 3),  # an element removed
        ({"a": 1, "b": 1}, {"a": True, "b": 1}, 1 / 2),  # a type changed
        ({"a": 1}, {"a": 1.0}, 0),  # one JSON number
        ({"a": "1"}, {"a": 1}, 1),
        ({"a": []}, {"a": {}}, 1),
        ({"a": [], "b": 0}, {"a": [5], "b": 0}, 2 / 3),
        ([1, 2], [2, 1], 1),  # lists by position
    ],
)
def test_difference_counts_leaves(one: JSON, other: JSON, expected: float) -> None:
    assert difference(one, other) == pytest.approx(expected)


def varied(seed: int, kind: str, instance: int) -> JSON:
    rng = module_stream(seed, kind, instance, "config")
    return {"kind": kind, "digits": [rng.below(4) for _ in range(6)]}


def test_six_conditions() -> None:
    sizes = {name: {len(kinds) for kinds in lists} for name, lists in measure.CONDITIONS.items()}
    assert sizes == {
        "single": {1},
        "repeated-2": {2},
        "repeated-5": {5},
        "mixed-2": {2},
        "mixed-4": {4},
        "mixed-5": {5},
    }
    assert len(measure.CONDITIONS["single"]) == 11
    assert Counter(kind for kinds in measure.MIXED for kind in kinds) == Counter(list(MODULES))


def test_diversity_on_three_levels() -> None:
    same = seed_diversity(1, lambda *_: {"all": "alike"})
    assert (same.within_type, same.within_bomb, same.across_bombs, same.mean) == (0, 0, 0, 0)
    by_seed = seed_diversity(1, lambda seed, *_: {"seed": seed})
    assert (by_seed.within_type, by_seed.within_bomb) == (1, 0)
    assert by_seed.mean == pytest.approx((by_seed.within_type + by_seed.across_bombs) / 3)
    by_type = seed_diversity(1, lambda _seed, kind, _instance: {"kind": kind})
    assert by_type.within_type == 0 < by_type.within_bomb < by_type.across_bombs


def test_bombs_with_more_copies_count_as_one_bomb_each() -> None:
    """By halves of the instance, two copies are alike and 8 of the 10 pairs of five differ."""
    found = seed_diversity(1, lambda _seed, _kind, instance: {"half": instance // 2})
    assert found.within_bomb == pytest.approx(0.8 * 110 / (110 + 110 + 30))
    assert found.within_type == found.across_bombs == 0


def test_the_expected_share_of_four_digits() -> None:
    """Three of four equal draws differ; of seven attributes the kind is the same."""
    found = seed_diversity(1, varied)
    assert found.within_type == pytest.approx(6 / 7 * 3 / 4, abs=0.03)


def test_ranking_is_reproducible_and_descending() -> None:
    ranked = ranked_seeds(varied, (1, 2))
    (best, most), (_, least) = ranked
    assert most == seed_diversity(best, varied)
    assert least != most
    means = [found.mean for _, found in ranked]
    assert means == sorted(means, reverse=True)
