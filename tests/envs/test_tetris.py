"""Tetris: rules and scoring."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.marking import first_fast

from polyathlon import registry
from polyathlon.core.actions import Malformed, Repeat
from polyathlon.core.canonical import digest
from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError
from polyathlon.envs.lmgame.tetris import SPEC, baselines, scoring
from polyathlon.envs.lmgame.tetris.pieces import BLANK, PIECES, Active, cells, grid, rotations
from polyathlon.envs.lmgame.tetris.rules import COMMANDS, ROLE, SIZES, Rules

REPEATS = st.builds(Repeat, st.sampled_from(COMMANDS), st.integers(1, 10))
ANSWERS = st.lists(REPEATS, min_size=1, max_size=10)
LEVELS = st.sampled_from(SPEC.levels)


def game(seed: int = 0, level: str = "standard", **options: object) -> Rules:
    rules = Rules(level, **SPEC.configure(options))
    rules.reset(seed)
    return rules


def do(rules: Rules, *names: str) -> list[str]:
    return [rules.act(ROLE, (Repeat(name),)).status for name in names]


def filled(rules: Rules) -> int:
    return sum(mark != BLANK for row in rules.rows for mark in row)


def set_rows(rules: Rules, *bottom: str) -> None:
    blank = BLANK * rules.width
    rules.rows = (*[blank] * (rules.height - len(bottom)), *bottom)
    rules.board = grid(rules.width, rules.height).pack(rules.rows)


def test_levels_have_sizes() -> None:
    assert tuple(SIZES) == SPEC.levels
    assert (game().width, game().height) == (10, 20)
    assert game(level="narrow", height=9).rows == (BLANK * 6,) * 9


def test_too_small_a_well_is_refused() -> None:
    with pytest.raises(UserError, match="width=4"):
        game(width=3)


def test_pieces_turn_back_after_four_quarters() -> None:
    assert {piece: len(rotations(piece)) for piece in PIECES} == {
        "I": 4, "O": 1, "T": 4, "S": 4, "Z": 4, "J": 4, "L": 4
    }  # fmt: skip
    assert rotations("T")[1] == ((0, 1), (1, 1), (1, 2), (2, 1))


@given(st.integers(0, 2**32), st.integers(0, 6))
@settings(max_examples=25, deadline=None)
def test_seven_bag(seed: int, preview: int) -> None:
    rules = game(seed, preview=preview, height=30)
    dealt = ""
    for _ in range(14):
        dealt += rules.active.piece
        assert len(rules.next) == preview
        set_rows(rules)
        do(rules, "hard_drop")
    assert set(dealt[:7]) == set(dealt[7:]) == set(PIECES)


def test_the_preview_does_not_change_the_pieces() -> None:
    few, many = game(5, preview=0), game(5, preview=6)
    for _ in range(8):
        assert few.active.piece == many.active.piece
        do(few, "hard_drop")
        do(many, "hard_drop")


def test_pieces_start_at_the_top_centre() -> None:
    for seed in range(12):
        rules = game(seed)
        columns = {c for _, c in cells(rules.active)}
        assert rules.active.row == 0
        assert abs(min(columns) + max(columns) - 9) <= 1


def test_gravity_after_every_action() -> None:
    rules = game()
    start = rules.active
    assert do(rules, "no_op", "left", "right") == ["ok"] * 3
    assert rules.active == start._replace(row=3)
    do(rules, "soft_drop")
    assert rules.active.row == 5


def test_a_piece_locks_when_it_cannot_fall() -> None:
    rules = game()
    fall = rules.height - 1 - max(r for r, _ in cells(rules.active))
    do(rules, *["no_op"] * fall)
    assert rules.pieces == 0
    assert do(rules, "no_op") == ["ok"]
    assert (rules.pieces, filled(rules)) == (1, 4)


def test_a_hard_drop_locks_immediately() -> None:
    rules = game()
    upcoming = rules.next[0]
    step = rules.act(ROLE, (Repeat("hard_drop"),))
    assert (rules.pieces, filled(rules), step.rewards) == (1, 4, {ROLE: 1.0})
    assert rules.active == Active(upcoming, 0, 0, rules.active.col)
    assert any(mark != BLANK for mark in rules.rows[-1])


def test_shifts_and_rotations_into_walls_are_refused() -> None:
    rules = game(gravity=False)
    rules.active = Active("I", 1, 4, -2)
    assert min(c for _, c in cells(rules.active)) == 0
    assert do(rules, "left", "rotate_left", "rotate_right") == ["ineffective"] * 3
    assert do(rules, "right", "right", "rotate_left") == ["ok"] * 3
    assert rules.active == Active("I", 0, 4, 0)


def test_a_rotation_into_locked_cells_is_refused() -> None:
    rules = game(gravity=False)
    set_rows(rules, "JJJJJ.JJJJ", "JJJJJ.JJJJ", "JJJJJ.JJJJ")
    rules.active = Active("I", 1, 15, 3)
    assert do(rules, "rotate_right", "left") == ["ineffective"] * 2


def test_full_rows_vanish_and_score_ten() -> None:
    rules = game()
    set_rows(rules, "T.........", "JJJJJ.JJJJ", "L.........", "JJJJJ.JJJJ")
    rules.active = Active("I", 1, 0, 3)
    step = rules.act(ROLE, (Repeat("hard_drop"),))
    assert step.rewards == {ROLE: 21.0}
    assert rules.rows[-2:] == ("T....I....", "L....I....")
    assert set(rules.rows[:-2]) == {BLANK * 10}
    assert rules.board == grid(10, 20).pack(rules.rows)
    assert scoring.metrics(rules, None)["progress"] == 2.0


def test_repeats_and_sequences_run_in_order_until_the_game_is_over() -> None:
    rules, single = game(), game()
    rules.act(ROLE, (Repeat("left", 3), Repeat("hard_drop", 2), Repeat("rotate_left")))
    do(single, "left", "left", "left", "hard_drop", "hard_drop", "rotate_left")
    assert (rules.rows, rules.active) == (single.rows, single.active)
    rules.act(ROLE, tuple([Repeat("hard_drop", 10)] * 10))
    assert rules.topped_out
    assert rules.pieces < 40
    assert rules.act(ROLE, (Repeat("left"),)).status == "illegal"


@pytest.mark.parametrize(("counted", "missing"), [(True, 0), (False, 1)])
def test_the_piece_that_ends_the_game_counts_by_option(counted: bool, missing: int) -> None:
    rules = game(count_final_piece=counted)
    rewards = 0.0
    while rules.pending():
        rewards += rules.act(ROLE, (Repeat("hard_drop"),)).rewards[ROLE]
    metrics = scoring.metrics(rules, None)
    assert metrics["raw_score"] == rewards == metrics["pieces"] - missing
    outcome = rules.outcome()
    assert outcome is not None
    assert (outcome.reason, outcome.truncated) == ("topped_out", False)


def test_thirty_unchanged_turns_end_the_game() -> None:
    rules = game()
    for _ in range(29):
        assert rules.act(ROLE, Malformed("no action")).status == "malformed"
    assert rules.pending()
    rules.act(ROLE, Malformed("no action"))
    outcome = rules.outcome()
    assert outcome is not None
    assert outcome.reason == "stuck"
    assert scoring.metrics(rules, None)["invalid_rate"] == 1.0


def test_an_effective_turn_clears_the_count_of_unchanged_ones() -> None:
    rules = game(gravity=False)
    assert do(rules, "no_op", "left") == ["ineffective", "ok"]
    assert (rules.still, rules.invalid) == (0, 1)


def test_the_horizon_truncates() -> None:
    rules = game(horizon=2)
    do(rules, "no_op", "no_op")
    outcome = rules.outcome()
    assert outcome is not None
    assert outcome.truncated


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), LEVELS, st.booleans(), st.lists(ANSWERS, max_size=12))
def test_invariants_of_play(
    seed: int, level: str, gravity: bool, answers: list[list[Repeat]]
) -> None:
    rules, again = game(seed, level, gravity=gravity), game(seed, level, gravity=gravity)
    rewards = 0.0
    for answer in answers:
        step = rules.act(ROLE, answer)
        assert again.act(ROLE, answer) == step
        rewards += step.rewards.get(ROLE, 0.0)
        assert filled(rules) == 4 * rules.pieces - rules.width * rules.lines
        assert rules.board == grid(rules.width, rules.height).pack(rules.rows)
        assert all(BLANK in row for row in rules.rows)
        if not rules.topped_out:
            assert all(rules.rows[r][c] == BLANK for r, c in cells(rules.active))
    assert digest(rules.state()) == digest(again.state())
    assert rewards == rules.score == rules.pieces + 10 * rules.lines


def random_scores(games: int, **options: object) -> list[float]:
    env = registry.make(SPEC.id, options=options)
    scores = []
    for seed in range(games):
        env.reset(seed)
        rng = stream(seed, "player")
        while env.pending():
            env.act(ROLE, baselines.random(env.observe(ROLE), rng))
        scores.append(env.metrics()["raw_score"])
    return scores


@pytest.mark.parametrize(
    ("games", "low", "high"), first_fast([(60, 10.7, 12.5), (300, 11.2, 12.0)])
)
def test_random_play_lands_in_the_simulated_range(games: int, low: float, high: float) -> None:
    scores = random_scores(games)
    assert low <= statistics.mean(scores) <= high
    assert random_scores(30, count_final_piece=False) == [score - 1 for score in scores[:30]]
