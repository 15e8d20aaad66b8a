"""Phantom Soldiers in the Fog: rules and scoring."""

from __future__ import annotations

import math
import statistics
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import digest
from polyathlon.core.chance import stream
from polyathlon.envs.omniplay.phantom import SPEC, prompts, scoring, view
from polyathlon.envs.omniplay.phantom.rules import ROLE, Rules
from polyathlon.envs.omniplay.phantom.rules.command import STATUS, Command
from polyathlon.envs.omniplay.phantom.rules.world import (
    LEVELS,
    Member,
    Objective,
    Threat,
    optimal_rounds,
)

levels = st.sampled_from(SPEC.levels)
seeds = st.integers(0, 10_000)


def started(level: str = "easy", seed: int = 0, **options: object) -> Rules:
    game = Rules(level, **SPEC.configure(options))
    game.reset(seed)
    return game


def bare(level: str = "easy", **options: object) -> Rules:
    """A mission with the level's squad, no threat, and one objective out of everyone's way."""
    game = started(level, **options)
    game.threats = []
    game.objectives = [visible("reach", 89.0, 89.0)]
    return game


def visible(kind: str, x: float, y: float) -> Objective:
    return Objective("visible", kind, x, y, known=True)


def stand(member: Member, x: float, y: float, action: str = "idle") -> None:
    member.x, member.y = x, y
    member.goal = member.before = member.aim = (x, y)
    member.action = action


def wait(game: Rules, rounds: int = 1) -> None:
    for _ in range(rounds):
        game.act(ROLE, STATUS)


def play_randomly(game: Rules, seed: int, rounds: int = 1_000) -> list[str]:
    rng, hashes = stream(seed, "random"), []
    while game.pending() and len(hashes) < rounds:
        game.act(ROLE, view.actions(game, ROLE).sample(rng))
        hashes.append(digest(game.state()))
    return hashes


@given(levels, seeds)
def test_a_mission_starts_as_its_level_says(level: str, seed: int) -> None:
    game, what = started(level, seed), LEVELS[level]
    sorts = [target.sort for target in game.objectives]
    assert sorts.count("visible") == what.visible
    assert sorts.count("hidden") == what.hidden
    assert sorts.count("late") == what.late
    guards = [threat for threat in game.threats if threat.guards >= 0]
    assert len(game.threats) - len(guards) == what.threats
    assert sum(bool(threat.legs) for threat in game.threats) == what.patrols
    assert [t.kind for t in game.objectives].count("eliminate") == len(guards)
    for place in [*game.objectives, *game.threats]:
        assert 10 <= place.x <= 90
        assert 10 <= place.y <= 90
        assert math.dist((place.x, place.y), (12, 12)) >= 24.9
    assert all(target.known == (target.sort == "visible") for target in game.objectives)
    assert [(m.x, m.y, m.health, m.action) for m in game.members][:2] == [
        (10, 10, 100, "idle"),
        (15, 8, 100, "idle"),
    ]


def test_the_levels_have_the_squads_of_the_specification() -> None:
    squads = {name: [t.name for t in level.squad] for name, level in LEVELS.items()}
    assert squads == {
        "easy": ["Scout", "Heavy"],
        "medium": ["Scout", "Assault", "Heavy"],
        "hard": ["Scout", "Assault", "Heavy", "Medic"],
    }


@given(levels, seeds)
@settings(max_examples=20)
def test_whatever_is_played_the_world_stays_sound(level: str, seed: int) -> None:
    game, rng = started(level, seed), stream(seed, "any")
    done: set[int] = set()
    while game.pending():
        points = game.points
        step = game.act(ROLE, view.actions(game, ROLE).sample(rng))
        now = {i for i, target in enumerate(game.objectives) if target.done}
        assert done <= now
        done = now
        assert step.rewards[ROLE] == game.points - points >= 0
        assert all(0 <= m.x <= 100 and 0 <= m.y <= 100 for m in game.members)
        assert all(0 <= m.health <= 100 for m in game.members)
        metrics = scoring.metrics(game, None)
        assert 0 <= metrics["effective_share"] <= 1
        assert 0 <= metrics["normalized_score"] <= 100
        assert 0 <= metrics["raw_score"] <= 100
    assert game.round <= 100


@given(levels, seeds)
@settings(max_examples=20)
def test_the_same_commands_lead_to_the_same_states(level: str, seed: int) -> None:
    game = started(level, seed)
    first = play_randomly(game, seed, 40)
    game.reset(seed)
    assert play_randomly(game, seed, 40) == first
    assert len(set(first)) == len(first)


def test_a_member_walks_at_the_speed_of_its_role() -> None:
    game = bare("hard")
    game.act(ROLE, Command((), "move", 90.0, 90.0))
    walked = [math.dist(member.before, (member.x, member.y)) for member in game.members]
    assert walked == pytest.approx([10, 7, 5, 7], abs=0.02)


def test_an_order_goes_on_at_its_destination_and_a_move_ends_there() -> None:
    game = bare()
    game.act(ROLE, Command((0,), "defend", 12.0, 12.0))
    game.act(ROLE, Command((1,), "move", 14.0, 9.0))
    wait(game, 3)
    scout, heavy = game.members
    assert (scout.action, heavy.action) == ("defend", "idle")
    assert (scout.x, scout.y) == scout.goal
    assert math.dist(scout.goal, (12, 12)) < 1


@pytest.mark.parametrize(
    ("index", "health", "share"), [(0, 100, 0.01), (1, 100, 0.02), (2, 100, 0.04), (2, 50, 0.06)]
)
def test_movement_errors_grow_with_role_wounds_and_distance(
    index: int, health: int, share: float
) -> None:
    game = bare("medium", rounds=1_000)
    misses = []
    for _ in range(500):
        member = game.members[index]
        stand(member, 20.0, 50.0)
        member.health = health
        game.act(ROLE, Command((index,), "move", 60.0, 50.0))
        misses += [member.goal[0] - 60.0, member.goal[1] - 50.0]
    assert statistics.fmean(misses) == pytest.approx(0, abs=40 * share * 0.15)
    assert statistics.stdev(misses) == pytest.approx(40 * share, rel=0.1)


@pytest.mark.parametrize(("index", "rate"), [(0, 0.8), (1, 0.4)])
def test_hidden_objectives_are_found_at_the_published_rates(index: int, rate: float) -> None:
    found = 0
    for seed in range(600):
        game = started("easy", seed)
        game.threats = []
        game.objectives = [Objective("hidden", "secure", 60.0, 60.0, known=False)]
        stand(game.members[index], 55.0, 55.0)
        wait(game)
        found += game.objectives[0].known
    assert found / 600 == pytest.approx(rate, abs=0.06)


def test_nothing_is_found_out_of_sight_and_recon_sees_farther() -> None:
    game = bare()
    hidden = Objective("hidden", "secure", 50.0, 50.0, known=False)
    game.objectives = [hidden]
    stand(game.members[0], 50.0, 30.0)
    wait(game, 30)
    assert not hidden.known
    stand(game.members[0], 50.0, 30.0, "recon")
    wait(game, 30)
    assert hidden.known


def test_reach_takes_presence_within_its_radius() -> None:
    for level, radius in {"easy": 10.0, "medium": 12.0}.items():
        game = bare(level)
        game.objectives.append(visible("reach", 50.0, 50.0))
        stand(game.members[0], 50.0, 50.0 + radius + 0.1)
        wait(game)
        assert not game.objectives[1].done
        stand(game.members[0], 50.0, 50.0 + radius)
        wait(game)
        assert game.objectives[1].done
        assert game.points == 20


def test_secure_takes_three_rounds_of_defence_in_all() -> None:
    game = bare()
    target = visible("secure", 50.0, 50.0)
    game.objectives.append(target)
    stand(game.members[0], 50.0, 54.0, "defend")
    wait(game, 2)
    stand(game.members[0], 50.0, 54.0, "attack")
    wait(game, 2)
    assert (target.progress, target.done) == (2, False)
    stand(game.members[0], 50.0, 54.0, "defend")
    wait(game)
    assert (target.progress, target.done, game.last_completion) == (3, True, 5)


def test_survey_takes_recon() -> None:
    game = bare("hard")
    game.objectives.append(visible("survey", 50.0, 50.0))
    stand(game.members[3], 50.0, 62.9, "defend")
    wait(game)
    assert not game.objectives[1].done
    stand(game.members[3], 50.0, 62.9, "recon")
    wait(game)
    assert game.objectives[1].done


def test_eliminate_takes_two_hits_on_its_threat() -> None:
    game = bare("hard")
    game.objectives.append(visible("eliminate", 50.0, 50.0))
    game.threats = [Threat(50.0, 50.0, guards=1)]
    stand(game.members[0], 50.0, 61.0, "attack")
    wait(game)
    assert (game.threats[0].health, game.objectives[1].done) == (50, False)
    wait(game)
    assert (game.threats[0].health, game.objectives[1].done) == (0, True)


def test_threats_wound_all_around_and_cover_halves_it() -> None:
    game = bare()
    game.threats = [Threat(50.0, 50.0), Threat(52.0, 50.0)]
    stand(game.members[0], 50.0, 55.0)
    stand(game.members[1], 50.0, 45.0, "defend")
    wait(game)
    assert [member.health for member in game.members] == [84, 92]
    assert game.health_lost == 24
    wait(game, 20)
    assert game.outcome() is not None
    assert game.health_lost == 200


def test_who_is_out_takes_no_order_and_the_squad_can_be_lost() -> None:
    game = bare()
    game.threats = [Threat(50.0, 50.0)]
    stand(game.members[0], 50.0, 55.0)
    wait(game, 13)
    assert game.members[0].health == 0
    assert view.actions(game, ROLE).members == (1,)
    assert game.act(ROLE, Command((0,), "move", 1.0, 1.0)).status == "illegal"
    assert game.errors == 1
    game.act(ROLE, Command((), "defend", 40.0, 40.0))
    assert [member.action for member in game.members] == ["idle", "defend"]
    stand(game.members[1], 50.0, 50.0)
    wait(game, 13)
    ending = game.outcome()
    assert ending is not None
    assert ending.reason == "squad_lost"


def test_an_idle_medic_heals_the_others_beside_it() -> None:
    game = bare("hard")
    for place, member in enumerate(game.members):
        stand(member, 20.0 + 3 * place, 20.0)
        member.health = 60
    wait(game)
    assert [member.health for member in game.members] == [60, 60, 65, 60]
    game.members[3].action = "defend"
    wait(game)
    assert [member.health for member in game.members] == [60, 60, 65, 60]


def test_a_late_objective_appears_in_round_40() -> None:
    game = started("hard")
    late = game.objectives[-1]
    game.threats = []
    assert late.sort == "late"
    wait(game, 39)
    assert not late.known
    wait(game)
    assert late.known


def test_patrols_walk_between_two_places() -> None:
    game = started("hard", 3)
    patrol = next(threat for threat in game.threats if threat.legs)
    home = (patrol.x, patrol.y)
    places = []
    for _ in range(30):
        patrol.patrol()
        places.append((patrol.x, patrol.y))
    assert home in places
    assert patrol.legs[1] in places


@pytest.mark.parametrize(
    ("action", "status"),
    [
        (Malformed("no COMMAND:"), "malformed"),
        (Command((7,), "move", 1.0, 1.0), "illegal"),
        (Command((), "fly", 1.0, 1.0), "illegal"),
        (Command((), "move", 101.0, 1.0), "illegal"),
        (Command((), "move", float("nan"), 1.0), "illegal"),
    ],
)
def test_an_error_costs_a_round_and_changes_no_order(action: Any, status: str) -> None:
    game, other = bare(), bare()
    for each in (game, other):
        each.act(ROLE, Command((), "move", 60.0, 60.0))
    step = game.act(ROLE, action)
    other.act(ROLE, STATUS)
    assert step.status == status
    assert step.feedback[0].meaning.startswith("Command error: ")
    assert (game.round, game.errors, game.orders) == (2, 1, 1)
    assert [(m.x, m.y, m.goal) for m in game.members] == [(m.x, m.y, m.goal) for m in other.members]


def test_commands_fail_at_the_rate_of_the_option_and_the_prompt_says_so() -> None:
    game = bare("easy", command_failure_p=0.3, rounds=1_000)
    statuses = [game.act(ROLE, Command((0,), "move", 12.0, 12.0)).status for _ in range(600)]
    assert statuses.count("ineffective") / 600 == pytest.approx(0.3, abs=0.06)
    assert game.orders == statuses.count("ok")
    assert "30 %" in prompts.brief(game, ROLE).rules
    assert "none fails by chance" in prompts.brief(bare(), ROLE).rules


def test_failures_discoveries_and_movement_shift_each_other_not() -> None:
    steady, shaky = started("hard", 5), started("hard", 5, command_failure_p=1e-9)
    commands = [Command((0,), "recon", 40.0, 40.0), Command((), "move", 70.0, 70.0)] * 20
    for command in commands:
        steady.act(ROLE, command)
        shaky.act(ROLE, command)
    places = [[(m.x, m.y) for m in game.members] for game in (steady, shaky)]
    assert places[0] == places[1]
    assert steady.explored == shaky.explored


def test_r_opt_by_hand() -> None:
    # two visible ones 28 and 35 units from the nearest start, one hidden, one scout, team of 2
    targets = [
        visible("reach", 38.0, 10.0),
        visible("secure", 10.0, 45.0),
        Objective("hidden", "secure", 80.0, 80.0, known=False),
    ]
    nearest = math.dist((38, 10), (15, 8))
    by_hand = math.ceil((nearest / 7 + 1 + 35 / 7 + 3) / 2 + 8 / 1.5 + 10)
    assert optimal_rounds(LEVELS["easy"], targets, 100) == by_hand == 22


def test_r_opt_has_bounds() -> None:
    targets = [visible("reach", 90.0, 90.0)] * 2
    assert optimal_rounds(LEVELS["easy"], targets, 10) == 9
    assert optimal_rounds(LEVELS["hard"], targets, 100) == 42


def scored(level: str, done: int, **facts: Any) -> Rules:
    """A mission with set facts; R_opt is 30."""
    game = started(level)
    game.optimal_rounds = 30
    points = {"visible": 20, "hidden": 40, "late": 30}
    for target in game.objectives[:done]:
        target.done = True
        game.points += points[target.sort]
        game.completed += 1
    for name, value in facts.items():
        setattr(game, name, value)
    return game


def test_scores_by_hand() -> None:
    # medium: S_base = 3*20 + 2*40 = 140, B_rounds = 140*0.7*0.5 = 49, B_eff = 42, S_max = 231
    part = scored("medium", 3, round=100, last_completion=60, orders=8, errors=2, effective={1, 4})
    assert scoring.success_rate(part) == pytest.approx(0.6)
    assert scoring.effective_share(part) == pytest.approx(0.2)
    expected = 100 * (60 + 42 * 0.2 * 0.6) / 231
    assert scoring.normalized_score(part) == pytest.approx(expected)
    assert scoring.metrics(part, None)["raw_score"] == pytest.approx(30 + expected / 2)
    # complete in round 65: half of the bonus for pace
    slow = scored("medium", 5, round=65, last_completion=65, orders=4, effective={1, 2, 3, 4})
    assert scoring.normalized_score(slow) == pytest.approx(100 * (140 + 42 + 24.5) / 231)
    # hard: S_base = 4*20 + 2*40 = 160, 30 late points: S_max = 160 + 56 + 48 + 30 = 294
    hard = scored("hard", 6, round=100, last_completion=50, orders=2, effective={2})
    assert scoring.normalized_score(hard) == pytest.approx(100 * (160 + 48 * 0.5 * 6 / 7) / 294)


@given(levels, st.integers(1, 30))
def test_a_flawless_mission_has_exactly_100(level: str, used: int) -> None:
    game = scored(level, 7, round=used, last_completion=used, orders=3, effective={1, 2, 3})
    assert scoring.normalized_score(game) == pytest.approx(100)
    assert scoring.metrics(game, None)["raw_score"] == pytest.approx(100)


def test_proportional_credit_counts_up_to_the_last_completion() -> None:
    facts = {"round": 100, "last_completion": 65, "orders": 1}
    strict = scored("medium", 3, **facts)
    kind = scored("medium", 3, rounds_credit="proportional", **facts)
    assert scoring.normalized_score(strict) == pytest.approx(100 * 60 / 231)
    expected = 100 * (60 + 49 * 60 / 140 * 0.5) / 231
    assert scoring.normalized_score(kind) == pytest.approx(expected)


def test_an_order_counts_once_and_only_while_it_stands() -> None:
    game = bare()
    game.objectives += [visible("reach", 20.0, 20.0), visible("reach", 80.0, 20.0)]
    game.act(ROLE, Command((), "move", 20.0, 20.0))
    assert game.effective == {1}
    game.act(ROLE, Command((0,), "move", 80.0, 20.0))
    game.act(ROLE, Command((0,), "move", 80.0, 21.0))
    wait(game, 10)
    assert game.effective == {1, 3}
    assert (game.orders, scoring.effective_share(game)) == (3, pytest.approx(2 / 3))


def test_status_is_no_order() -> None:
    game = bare()
    wait(game, 5)
    assert (game.orders, game.errors, game.round) == (0, 0, 5)


def test_the_mission_ends_when_rounds_run_out_or_all_is_done() -> None:
    game = bare("easy", rounds=10)
    wait(game, 10)
    ending = game.outcome()
    assert ending is not None
    assert ending.reason == "out_of_rounds"
    game = bare()
    stand(game.members[0], 89.0, 89.0)
    wait(game)
    ending = game.outcome()
    assert ending is not None
    assert ending.winners == (ROLE,)
    assert game.act(ROLE, STATUS).status == "illegal"
    assert game.round == 1
