"""Whispered Pathfinding: rules, actions, numbers, prompts."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon import registry
from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import digest
from polyathlon.core.chance import stream
from polyathlon.core.controls import Controlled
from polyathlon.envs.omniplay.pathfinding import SPEC, prompts, scoring
from polyathlon.envs.omniplay.pathfinding.maze import (
    METRE,
    START,
    cell_at,
    centre,
    corridor_moves,
    free,
)
from polyathlon.envs.omniplay.pathfinding.moves import MOVES, Move
from polyathlon.envs.omniplay.pathfinding.rules import HEADINGS, ROLE, SIZES, Rules

HUNDREDTHS = st.integers(-100, 300).map(lambda value: value / 100)
MICRO = st.integers(-1_000_000, 3_000_000).map(lambda value: value / 1_000_000)
DEGREES = st.integers(-180_000_000, 180_000_000).map(lambda value: value / 1_000_000)
MOVE = st.builds(Move, st.one_of(HUNDREDTHS, MICRO), DEGREES)


def game(level: str = "easy", seed: int = 0, **options: object) -> Rules:
    rules = Rules(level, **SPEC.configure(options))
    rules.reset(seed)
    return rules


def facing(heading: float, seed: int = 0) -> Rules:
    rules = game(seed=seed)
    rules.heading = heading
    return rules


@pytest.mark.parametrize("level", SPEC.levels)
def test_an_episode_starts_in_the_first_room_along_an_axis(level: str) -> None:
    games = [game(level, seed) for seed in range(40)]
    assert {rules.position for rules in games} == {centre(START)}
    assert {rules.heading for rules in games} == set(HEADINGS)
    assert {len(rules.rows) for rules in games} == {SIZES[level]}
    last = SIZES[level] - 2
    assert {rules.target for rules in games} == {centre((last, last))}


def test_a_move_turns_first_and_walks_then() -> None:
    rules = next(r for r in map(game, ["easy"] * 50, range(50)) if r.rows[1][2] == ".")
    rules.heading = 270.0
    step = rules.act(ROLE, Move(1.0, 90.0))
    assert step.status == "ok"
    assert (rules.position, rules.heading) == (centre((2, 1)), 0.0)
    assert rules.walked == METRE


def test_headings_stay_within_a_turn() -> None:
    rules = facing(270.0)
    rules.act(ROLE, Move(0.0, 180.0))
    assert rules.heading == 90.0
    rules.act(ROLE, Move(0.0, -90.0000001))
    assert 0.0 <= rules.heading < 360.0


def test_blocked_steps_and_invalid_actions_are_told_apart() -> None:
    rules = facing(180.0)
    assert rules.act(ROLE, Move(1.0, 0.0)).status == "ok"
    assert (rules.blocked, rules.invalid) == (1, 0)
    assert rules.act(ROLE, Move(1.0, 0.0)).status == "ineffective"
    assert (rules.blocked, rules.invalid) == (2, 0)
    pose = rules.position, rules.heading
    assert rules.act(ROLE, Malformed("nothing")).status == "malformed"
    for move in (Move(3.1, 0.0), Move(0.0, 181.0), Move(math.nan, 0.0), Move(1.0, -math.inf)):
        assert rules.act(ROLE, move).status == "illegal"
    assert (rules.position, rules.heading) == pose
    assert (rules.blocked, rules.invalid, rules.steps) == (2, 5, 7)


def test_reaching_the_beacon_ends_the_episode() -> None:
    rules = game()
    rules.position = rules.target[0], rules.target[1] - 510_000
    rules.rows = (*rules.rows[:4], rules.rows[4][:5] + ".#", *rules.rows[5:])
    rules.heading = 90.0
    step = rules.act(ROLE, Move(3.0, 0.0))
    assert step.rewards == {ROLE: 1.0}
    outcome = rules.outcome()
    assert outcome is not None
    assert (outcome.reason, outcome.winners) == ("reached", (ROLE,))
    assert rules.pending() == ()
    assert rules.walked == 50_000
    assert rules.act(ROLE, Move(1.0, 0.0)).status == "illegal"
    assert rules.steps == 1


@pytest.mark.parametrize("cap", [1, 7, 500])
def test_the_cap_ends_the_episode(cap: int) -> None:
    rules = game(cap=cap)
    while rules.pending():
        rules.act(ROLE, Malformed("nothing"))
    outcome = rules.outcome()
    assert outcome is not None
    assert outcome.truncated
    numbers = scoring.metrics(rules, None)
    assert numbers["raw_score"] == numbers["steps"] == numbers["invalid_actions"] == cap
    assert numbers["raw_score"] == scoring.metrics(game(cap=cap), None)["raw_score"]
    assert numbers["success"] == numbers["path_efficiency"] == 0.0


@given(st.sampled_from(SPEC.levels), st.integers(0, 99), st.lists(MOVE, max_size=15))
@settings(max_examples=60)
def test_poses_stay_free_and_replay_gives_equal_states(
    level: str, seed: int, moves: list[Move]
) -> None:
    rules, again = game(level, seed), game(level, seed)
    for move in moves:
        rules.act(ROLE, move)
        again.act(ROLE, MOVES.parse(MOVES.write(move)))
        assert free(rules.rows, *rules.position)
        assert 0.0 <= rules.heading < 360.0
        assert digest(rules.state()) == digest(again.state())
        x, y = cell_at(rules.position)
        assert rules.known[y][x] == "."
    assert all(
        mark in ("?", truth)
        for known, row in zip(rules.known, rules.rows, strict=True)
        for mark, truth in zip(known, row, strict=True)
    )


def test_what_has_been_seen_stays_known() -> None:
    rules, rng = game("hard"), stream(0, "test")
    before = 0
    while rules.pending() and rules.steps < 60:
        rules.act(ROLE, MOVES.sample(rng))
        now = sum(mark != "?" for row in rules.known for mark in row)
        assert now >= before
        before = now
    assert before > 20


def test_path_efficiency_is_one_for_the_oracle() -> None:
    oracle = registry.policy(SPEC.id, "oracle")
    assert oracle is not None
    for level in SPEC.levels:
        rules = game(level, 1)
        while rules.pending():
            rules.act(ROLE, oracle(rules.state(), ROLE, stream(0, "test")))
        numbers = scoring.metrics(rules, None)
        assert numbers["success"] == numbers["path_efficiency"] == 1.0
        assert numbers["distance_m"] == pytest.approx(rules.walked / METRE)
        assert numbers["steps"] < 20


def test_path_efficiency_halves_with_twice_the_steps() -> None:
    rules = game()
    rules.position = rules.target
    rules.steps = 2 * corridor_moves(rules.rows)
    assert scoring.path_efficiency(rules) == 0.5


@given(MOVE)
def test_moves_read_back_as_written(move: Move) -> None:
    assert MOVES.parse(MOVES.write(move)) == move
    assert MOVES.parse(f"Because.\nSuggested action: {MOVES.write(move)}") == move


@given(st.text(max_size=300))
def test_any_text_is_a_move_in_range_or_malformed(text: str) -> None:
    for each in (text, "Suggested action:" + text):
        move = MOVES.parse(each)
        if isinstance(move, Malformed):
            assert move.reason
        else:
            assert -1.0 <= move.distance_m <= 3.0
            assert -180.0 <= move.rotation_deg <= 180.0


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("Suggested action: 1.0 45", Move(1.0, 45.0)),
        ("I am at a wall.\n**Suggested action:** `0.5 -30`\n", Move(0.5, -30.0)),
        ("suggested action: 1 2\nor rather\nSuggested Action: 1.0 -45.", Move(1.0, -45.0)),
        ("1.0 45", Move(1.0, 45.0)),
        ("-0 .5", Move(0.0, 0.5)),
        ("Suggested action: 2 90\nSuggested action: <distance> <rotation>", Move(2.0, 90.0)),
    ],
)
def test_answers_that_are_read(text: str, move: Move) -> None:
    assert MOVES.parse(text) == move


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no line"),
        ("I walk 1.0 45", "no line"),
        ("Suggested action: 1.0m 45°", "without units"),
        ("Suggested action: 1.0, 45", "without units"),
        ("Suggested action: forward", "without units"),
        ("Suggested action: 1.0 45 30", "without units"),
        ("Suggested action: 1.0", "without units"),
        ("Suggested action: nan 45", "no finite number"),
        ("Suggested action: 1e999 45", "no finite number"),
        ("Suggested action: 3.01 45", "not in -1..3"),
        ("Suggested action: 1 -180.5", "not in -180..180"),
        ("Suggested action: 1 2\nSuggested action: 9 9", "not in -1..3"),
    ],
)
def test_answers_that_are_not_read(text: str, reason: str) -> None:
    found = MOVES.parse(text)
    assert isinstance(found, Malformed)
    assert reason in found.reason


def test_reading_long_answers_takes_no_time() -> None:
    for text in ("9" * 20_000, "Suggested action:" * 1_000, "1 " * 10_000, "." * 20_000):
        assert isinstance(MOVES.parse(text), Malformed)


DISTANCE = st.from_regex(r"(-1|3|(-?0|[12])(\.[0-9][0-9]?)?)", fullmatch=True)
ROTATION = st.from_regex(r"-?(180|([0-9]|[1-9][0-9]|1[0-7][0-9])(\.[0-9])?)", fullmatch=True)


def test_the_grammar_is_the_one_whose_texts_are_tried_below() -> None:
    terminals = ("-1", "3", "-", "0", ".", " ", "180", "1")
    assert set(re.findall(r'"([^"]*)"', MOVES.gbnf())) == set(terminals)
    assert set(re.findall(r"\[[^]]*\]", MOVES.gbnf())) == {"[12]", "[0-9]", "[1-9]", "[0-7]"}


@given(st.tuples(DISTANCE, ROTATION).map(" ".join))
def test_whatever_the_grammar_generates_is_read(text: str) -> None:
    assert isinstance(MOVES.parse(text), Move)
    pattern = MOVES.schema()["pattern"]
    assert re.match(pattern, MOVES.write(MOVES.parse(text)))


def test_sampled_moves_cover_both_ranges() -> None:
    rng = stream(0, "test")
    moves = [MOVES.sample(rng) for _ in range(4_000)]
    assert min(m.distance_m for m in moves) < -0.95
    assert max(m.distance_m for m in moves) > 2.95
    assert sum(m.distance_m for m in moves) / 4_000 == pytest.approx(1.0, abs=0.06)
    assert sum(m.rotation_deg for m in moves) / 4_000 == pytest.approx(0.0, abs=6.0)


def test_a_click_turns_to_its_column_and_walks_to_its_spot() -> None:
    assert MOVES.from_point("view", 0.5, 0.2) == Move(3.0, 0.0)
    assert MOVES.from_point("view", 1.0, 0.5) == Move(3.0, 37.5)
    assert MOVES.from_point("view", 0.0, 0.5) == Move(3.0, -37.5)
    near, far = MOVES.from_point("view", 0.5, 1.0), MOVES.from_point("view", 0.5, 0.7)
    assert near is not None
    assert far is not None
    assert 0.8 < near.distance_m < 0.9 < far.distance_m < 3.0
    assert MOVES.from_point("guidance", 0.5, 0.5) is None


def test_everything_the_controls_offer_is_a_move() -> None:
    assert isinstance(MOVES, Controlled)
    controls = MOVES.controls()
    filled = controls.template.format(**{field.name: field.default for field in controls.fields})
    for text in (filled, *controls.buttons.values(), *controls.keys.values()):
        assert isinstance(MOVES.parse(text), Move)


def test_the_prompts_hold_what_the_task_needs() -> None:
    rules = game()
    brief, ask = prompts.brief(rules, ROLE), prompts.ask(rules, ROLE)
    for word in ("view", "guidance", "state", "-1.0 and 3.0", "-180.0 and 180.0", "slide"):
        assert word in brief.rules
    for text in (brief.answer, ask):
        assert "Suggested action: <distance> <rotation>" in text
    good, bad = (line for line in brief.answer.splitlines() if line.startswith(("Good", "Bad")))
    assert isinstance(MOVES.parse(good), Move)
    assert isinstance(MOVES.parse(bad), Malformed)
