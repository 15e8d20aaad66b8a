"""2048: rules, words, picture, baselines."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.marking import first_fast

from polyathlon import registry
from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import digest
from polyathlon.core.chance import stream
from polyathlon.envs.lmgame.twenty48 import SPEC, baselines, scoring, view
from polyathlon.envs.lmgame.twenty48.rules import DIRECTIONS, ROLE, Rules, move, slide
from polyathlon.media import png

EXPONENTS = st.one_of(st.just(0), st.integers(1, 11))
TILES = EXPONENTS.map(lambda exponent: 1 << exponent if exponent else 0)
DEAD = ((2, 4, 2, 4), (4, 2, 4, 2), (2, 4, 2, 4), (4, 2, 4, 2))


def boards(least: int = 3, most: int = 5) -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
    def square(size: int) -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
        return st.tuples(*[st.tuples(*[TILES] * size)] * size)

    return st.integers(least, most).flatmap(square)


def game(seed: int = 0, **options: object) -> Rules:
    rules = Rules("standard", **SPEC.configure(options))
    rules.reset(seed)
    return rules


@pytest.mark.parametrize(
    ("row", "after", "gain"),
    [
        ((2, 2, 2, 2), (4, 4, 0, 0), 8),
        ((2, 0, 0, 2), (4, 0, 0, 0), 4),
        ((4, 2, 2, 0), (4, 4, 0, 0), 4),
        ((2, 2, 4, 0), (4, 4, 0, 0), 4),
        ((4, 4, 8, 8), (8, 16, 0, 0), 24),
        ((0, 2, 0, 4), (2, 4, 0, 0), 0),
        ((2, 4, 8, 16), (2, 4, 8, 16), 0),
        ((0, 0, 0, 0), (0, 0, 0, 0), 0),
    ],
)
def test_slide(row: tuple[int, ...], after: tuple[int, ...], gain: int) -> None:
    assert slide(row) == (after, gain)


def test_move_in_every_direction() -> None:
    board = ((2, 0, 2), (0, 0, 0), (2, 4, 4))
    assert move(board, "left") == (((4, 0, 0), (0, 0, 0), (2, 8, 0)), 12)
    assert move(board, "right") == (((0, 0, 4), (0, 0, 0), (0, 2, 8)), 12)
    assert move(board, "up") == (((4, 4, 2), (0, 0, 4), (0, 0, 0)), 4)
    assert move(board, "down") == (((0, 0, 0), (0, 0, 2), (4, 4, 4)), 4)


@given(boards(), st.sampled_from(DIRECTIONS))
def test_a_move_keeps_the_sum_of_tiles(board: tuple[tuple[int, ...], ...], way: str) -> None:
    after, gain = move(board, way)
    assert sum(map(sum, after)) == sum(map(sum, board))
    tiles = [sum(value > 0 for row in b for value in row) for b in (board, after)]
    assert (gain > 0) == (tiles[1] < tiles[0])


def test_a_game_starts_with_two_tiles() -> None:
    tiles = [value for seed in range(50) for row in game(seed).board for value in row if value]
    assert len(tiles) == 100
    assert set(tiles) == {2, 4}


def test_ten_unchanged_turns_end_the_game() -> None:
    rules = game()
    rules.board = ((2, 4, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))
    steps = [rules.act(ROLE, "left") for _ in range(9)]
    assert {step.status for step in steps} == {"ineffective"}
    assert rules.pending() == (ROLE,)
    assert rules.act(ROLE, Malformed("not a direction")).status == "malformed"
    outcome = rules.outcome()
    assert outcome is not None
    assert outcome.reason == "stuck"
    assert rules.act(ROLE, "right").status == "illegal"
    assert scoring.metrics(rules, None)["invalid_rate"] == 1.0


def test_a_change_clears_the_count_of_unchanged_turns() -> None:
    rules = game()
    rules.board = ((2, 4, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))
    for _ in range(9):
        rules.act(ROLE, "left")
    assert rules.act(ROLE, "right").status == "ok"
    assert rules.still == 0


def test_a_dead_board_ends_the_game() -> None:
    rules = game()
    rules.board = DEAD
    assert rules.act(ROLE, "left").status == "ineffective"
    outcome = rules.outcome()
    assert outcome is not None
    assert (outcome.reason, outcome.truncated) == ("no_moves", False)


def test_the_horizon_truncates() -> None:
    rules = game(horizon=1)
    rules.act(ROLE, "left")
    outcome = rules.outcome()
    assert outcome is not None
    assert outcome.truncated


def test_raw_score() -> None:
    assert scoring.raw_score(0) == 0.0
    assert scoring.raw_score(2560) == pytest.approx(113.2, abs=0.05)
    assert scoring.raw_score(4096) - scoring.raw_score(2048) == pytest.approx(10.0)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.sampled_from(DIRECTIONS), max_size=60))
def test_invariants_of_play(seed: int, ways: list[str]) -> None:
    rules, again = game(seed), game(seed)
    gained = 0.0
    for way in ways:
        before, total = rules.board, sum(map(sum, rules.board))
        step = rules.act(ROLE, way)
        assert again.act(ROLE, way) == step
        if step.status == "ok":
            assert sum(map(sum, rules.board)) - total in (2, 4)
        else:
            assert rules.board == before
        gained += step.rewards.get(ROLE, 0.0)
    assert digest(rules.state()) == digest(again.state())
    assert rules.merged_sum == gained
    assert all(value == 0 or math.log2(value) % 1 == 0 for row in rules.board for value in row)


@given(boards(3, 8), st.booleans(), st.integers(0, 4096))
def test_read_inverts_tell(board: tuple[tuple[int, ...], ...], changed: bool, gain: int) -> None:
    text = view.tell((board, changed, gain))
    assert view.read(text) == board
    assert f"max tile {max(map(max, board))};" in text
    assert text.endswith(f"gain {gain}")


@pytest.mark.parametrize("text", ["", "row 0: 2 4", "row 0: 2 4\nrow 1: 2", "row 0: two"])
def test_read_refuses_other_texts(text: str) -> None:
    with pytest.raises(ValueError, match=r"2048|invalid literal"):
        view.read(text)


@pytest.mark.parametrize("size", [3, 4, 8])
def test_pictures(size: int) -> None:
    env = registry.make(SPEC.id, options={"size": size})
    env.reset(3)
    percept = env.observe(ROLE).percepts[0]
    picture = percept.render()
    assert (picture.width_px, picture.height_px) == SPEC.channel("board").size_px
    assert picture == percept.render()
    assert png.decode(png.encode(picture)) == picture
    env.act(ROLE, "left")
    env.act(ROLE, "up")
    assert env.observe(ROLE).percepts[0].render() != picture


@pytest.mark.parametrize(("games", "low", "high"), first_fast([(60, 90, 109), (300, 95, 104)]))
def test_random_play_lands_in_the_published_range(games: int, low: float, high: float) -> None:
    env = registry.make(SPEC.id)
    scores = []
    for seed in range(games):
        env.reset(seed)
        rng = stream(seed, "player")
        while env.pending():
            env.act(ROLE, baselines.random(env.observe(ROLE), rng))
        scores.append(env.metrics()["raw_score"])
    assert low <= statistics.mean(scores) <= high


@pytest.mark.parametrize("size", [3, 4, 5])
def test_the_oracle_plays_legal_moves_on_boards_of_any_size(size: int) -> None:
    rules = game(size=size)
    rng = stream(0, "oracle")
    for _ in range(30):
        if rules.pending():
            assert rules.act(ROLE, baselines.oracle(rules.state(), ROLE, rng)).status == "ok"


def test_the_oracle_answers_on_a_dead_board() -> None:
    assert baselines.oracle({"board": DEAD}, ROLE, stream(0, "oracle")) in DIRECTIONS


def test_the_oracle_takes_the_cascade() -> None:
    board = ((1024, 512, 256, 256), (2, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))
    assert baselines.oracle({"board": board}, ROLE, stream(0, "oracle")) in ("left", "right")


@pytest.mark.parametrize("size", [3, 4])
def test_the_expected_value_is_that_of_every_2_and_every_slide(size: int) -> None:
    search, weights = baselines.Search(size), baselines.path_weights(size)

    def value(board: bytes) -> int:
        return sum(weight << tile for weight, tile in zip(weights, board, strict=True) if tile)

    def best(board: bytes) -> int:
        return max([value(after) for after in search.moves(board).values()], default=0)

    rules, rng = game(size=size), stream(0, "player")
    while rules.pending():
        rules.act(ROLE, rng.choice(DIRECTIONS))
        board = baselines.exponents([tile for row in rules.board for tile in row])
        empty = [i for i, tile in enumerate(board) if not tile]
        if empty:
            mean = sum(best(board[:i] + b"\1" + board[i + 1 :]) for i in empty) / len(empty)
            assert search.expected(board, 1.0, 1) == pytest.approx(mean)


def test_the_path_winds_through_the_rows() -> None:
    weights = baselines.path_weights(3)
    assert sorted(range(9), key=lambda i: -weights[i]) == [0, 1, 2, 5, 4, 3, 6, 7, 8]


@pytest.mark.slow
def test_the_oracle_reaches_2048_within_the_horizon() -> None:
    reached = 0.0
    for seed in range(5):
        env = registry.make(SPEC.id)
        env.reset(seed)
        while env.pending():
            env.act(ROLE, baselines.oracle(env.state(), ROLE, stream(seed, "oracle")))
        reached += env.metrics()["reached_2048"]
    assert reached >= 4
