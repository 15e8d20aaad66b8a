"""Candy: rules, view, action space and baselines."""

from __future__ import annotations

import pickle
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.marking import first_fast

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import digest
from polyathlon.core.chance import stream
from polyathlon.core.compose import ComposedEnv
from polyathlon.core.spec import EnvSpec
from polyathlon.envs.lmgame.candy import SPEC, baselines, prompts, rules, scoring, view
from polyathlon.envs.lmgame.candy.rules import (
    CANDIES,
    ROLE,
    Rules,
    Swap,
    effective,
    exchanged,
    grid,
    matched,
    settle,
)
from polyathlon.envs.lmgame.candy.view import LOOKS, Swaps, read, tell

SWAPS = Swaps(8, 8)
swaps = st.integers(0, 111).map(lambda index: SWAPS.all[index])
seeds = st.integers(0, 10_000)


def make(spec: EnvSpec = SPEC, **options: object) -> ComposedEnv:
    return ComposedEnv(spec, Rules("standard", **spec.configure(options)), view, prompts, scoring)


def started(seed: int = 0, **options: object) -> Rules:
    game = Rules("standard", **SPEC.configure(options))
    game.reset(seed)
    return game


def placed(*rows: str, **options: object) -> Rules:
    """A game whose board is the given rows."""
    game = started(rows=len(rows), cols=len(rows[0]), **options)
    game.board = "".join(rows)
    return game


def random_game(seed: int, only_effective: bool = False) -> int:
    game, rng = started(seed), stream(seed, "random")
    while game.pending():
        game.act(ROLE, rng.choice(hits(game) if only_effective else SWAPS.all))
    return game.eliminated


def hits(game: Rules) -> list[Swap]:
    return [swap for swap, exchange in game.grid.swaps.items() if effective(game.board, exchange)]


def test_a_board_of_8x8_has_112_swaps_and_96_lines() -> None:
    assert len(grid(8, 8).swaps) == 112
    assert len(grid(8, 8).lines) == 96


@given(seeds, st.integers(4, 10), st.integers(4, 10), st.integers(3, 6))
@settings(max_examples=30, deadline=None)
def test_start_boards_hold_no_line_and_allow_one(
    seed: int, rows: int, cols: int, colours: int
) -> None:
    game = started(seed, rows=rows, cols=cols, colours=colours)
    assert len(game.board) == rows * cols
    assert set(game.board) <= set(CANDIES[:colours])
    assert not matched(game.board, game.grid.lines)
    assert any(effective(game.board, exchange) for exchange in game.grid.swaps.values())
    assert game.eliminated == 0


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_the_local_check_agrees_with_a_scan_of_the_whole_board(seed: int) -> None:
    game = started(seed)
    for exchange in game.grid.swaps.values():
        found = matched(exchanged(game.board, exchange), game.grid.lines)
        assert effective(game.board, exchange) == bool(found)


def test_an_effective_swap_removes_its_line_and_drops_the_candies_above() -> None:
    game = placed("GCPR", "CPRG", "PGGC", "RCPG")
    step = game.act(ROLE, ((2, 3), (3, 3)))
    assert step.status == "ok"
    assert step.rewards[ROLE] >= 3
    assert game.board[12:] == "RCPC"
    assert game.eliminated == step.rewards[ROLE]


def test_crossing_lines_are_removed_at_once_and_counted_once() -> None:
    board = grid(4, 4)
    cells = list("GGGRGPCPGCPCRPRP")
    unseen = iter("abcdefghijklmnop")
    assert settle(cells, board, lambda: next(unseen)) == 5
    assert "".join(cells) == "adeRbPCPcCPCRPRP"


def test_cascades_count() -> None:
    cells = list("WYWYYRPWPCCRGGGC")
    unseen = iter("abcdef")
    assert settle(cells, grid(4, 4), lambda: next(unseen)) == 6
    assert "".join(cells) == "adefWbcYYYWWPRPR"


@pytest.mark.parametrize(
    ("action", "status"),
    [
        (((0, 0), (0, 1)), "ineffective"),
        (((0, 0), (2, 2)), "illegal"),
        (Malformed("no swap"), "malformed"),
    ],
)
def test_a_swap_without_a_line_costs_a_move_and_leaves_the_board(
    action: Swap | Malformed, status: str
) -> None:
    game = placed("GCPR", "CPRG", "PGGC", "RCPG")
    before, drawn = game.board, game.state()["drawn"]  # type: ignore[index,call-overload]
    step = game.act(ROLE, action)
    assert step.status == status
    assert step.rewards == {ROLE: 0.0}
    assert (game.board, game.turns, game.effective) == (before, 1, False)
    assert game.state()["drawn"] == drawn  # type: ignore[index,call-overload]


def test_a_board_without_an_effective_swap_is_shuffled_for_nothing() -> None:
    game = started(rows=4, cols=4)
    stuck = list("GCPRPRGCGCPRPRGC")
    assert not any(effective(stuck, exchange) for exchange in game.grid.swaps.values())
    board = game._playable(stuck)
    assert any(effective(board, exchange) for exchange in game.grid.swaps.values())
    assert not matched(board, game.grid.lines)
    assert game.eliminated == 0


def test_the_game_ends_after_its_moves_or_when_stuck() -> None:
    env = make(moves=3)
    env.reset(0)
    for _ in range(3):
        assert env.pending() == (ROLE,)
        env.act(ROLE, Malformed("?"))
    assert env.outcome() is not None
    assert env.outcome().reason == "moves"  # type: ignore[union-attr]
    assert env.pending() == ()
    assert env.act(ROLE, ((0, 0), (0, 1))).status == "illegal"
    assert env.metrics()["turns"] == 3
    stuck = started(stuck=2)
    for _ in range(2):
        stuck.act(ROLE, Malformed("?"))
    assert stuck.outcome().reason == "stuck"  # type: ignore[union-attr]


def test_metrics_tell_lost_swaps_from_invalid_answers() -> None:
    env = make()
    env.reset(0)
    assert isinstance(env.rules, Rules)
    miss = next(swap for swap in SWAPS.all if swap not in hits(env.rules))
    hit = hits(env.rules)[0]
    for action in (miss, miss, Malformed("?"), ((0, 0), (5, 5)), hit):
        env.act(ROLE, action)
    metrics = env.metrics()
    assert (metrics["effective_rate"], metrics["invalid_rate"]) == (0.2, 0.4)


def test_an_effective_swap_starts_the_count_to_stuck_again() -> None:
    game = started(stuck=2)
    game.act(ROLE, Malformed("?"))
    game.act(ROLE, baselines.oracle(game.state(), ROLE, stream(0)))
    game.act(ROLE, Malformed("?"))
    assert game.outcome() is None


@given(seeds, st.lists(st.one_of(swaps, st.just(Malformed("?"))), max_size=50))
@settings(max_examples=40, deadline=None)
def test_invariants_hold_and_replay_repeats_every_state(seed: int, played: list[object]) -> None:
    env = make()

    def trace() -> list[str]:
        env.reset(seed)
        digests = []
        for action in played:
            before = env.metrics()["raw_score"]
            step = env.act(ROLE, action)
            board = env.state()["board"]  # type: ignore[index,call-overload]
            assert [len(row) for row in board] == [8] * 8
            assert set("".join(board)) <= set("GCPR")
            assert not matched("".join(board), grid(8, 8).lines)
            assert env.metrics()["raw_score"] - before == step.rewards[ROLE]
            assert (step.status == "ok") == (step.rewards[ROLE] >= 3)
            digests.append(digest(env.state()))
        return digests

    first = trace()
    metrics = env.metrics()
    assert trace() == first
    assert set(metrics) == {metric.name for metric in SPEC.metrics}
    assert metrics["turns"] == len(played)
    assert metrics["progress"] == metrics["raw_score"]


@given(seeds, st.lists(swaps, max_size=10), st.integers(4, 10), st.integers(4, 10))
@settings(max_examples=30, deadline=None)
def test_read_is_the_inverse_of_tell(seed: int, played: list[object], rows: int, cols: int) -> None:
    env = make(rows=rows, cols=cols, colours=6)
    env.reset(seed)
    for action in played:
        env.act(ROLE, action)
    percept = env.observe(ROLE).percepts[0]
    assert percept.meaning is not None
    assert read(percept.meaning) == percept.scene


@given(st.text())
def test_read_refuses_other_text(text: str) -> None:
    with pytest.raises(ValueError, match="not a candy board"):
        read(text)
    with pytest.raises(ValueError, match="not a candy board"):
        read(tell(("GCPR" * 4, 4, 0, 50, None)) + text + ".")


def test_the_text_is_as_specified() -> None:
    assert tell(("GCPRRPCGGCPRRPCG", 4, 37, 41, False)) == (
        "   0 1 2 3\n0| G C P R\n1| R P C G\n2| G C P R\n3| R P C G\n"
        "eliminated 37, moves left 41, last swap effective: no"
    )


def test_the_picture_shows_board_and_moves_left_but_no_score() -> None:
    scene = (started().board, 8, 0, 50, None)
    percept_size = SPEC.channel("board").size_px
    picture = view.draw(scene)
    assert (picture.width_px, picture.height_px) == percept_size
    assert view.draw((scene[0], 8, 99, 50, True)).digest == picture.digest
    assert view.draw((scene[0], 8, 0, 49, None)).digest != picture.digest
    assert view.draw((scene[0][::-1], 8, 0, 50, None)).digest != picture.digest
    assert len({look.fill for look in LOOKS.values()}) == len(CANDIES)
    assert len({look.corners for look in LOOKS.values()}) == len(CANDIES)


@pytest.mark.parametrize(("rows", "cols"), [(4, 4), (10, 10), (4, 10), (10, 4)])
def test_every_size_of_board_fits_the_picture(rows: int, cols: int) -> None:
    game = started(rows=rows, cols=cols, colours=6)
    assert view.draw((game.board, cols, 0, 9, None)).height_px == SPEC.channels[0].size_px[1]  # type: ignore[index]


def test_percepts_pickle() -> None:
    env = make()
    env.reset(1)
    observation = env.observe(ROLE)
    copy = pickle.loads(pickle.dumps(observation))
    assert copy.percepts[0].render().digest == observation.percepts[0].render().digest


@pytest.mark.parametrize(
    "text",
    [
        "((2,3),(2,4))",
        "((2,4),(2,3))",
        "[[2, 3], [2, 4]]",
        "(2,3),(2,4)",
        "(2, 3) (2, 4)",
        "(2,3) -> (2,4)",
        "(2,3)-(2,4)",
        "swap (2,3) with (2,4).",
        "`{2,3} and {2,4}`",
        "**2,3 2,4**",
    ],
)
def test_parse_takes_both_orders_and_any_brackets(text: str) -> None:
    assert SWAPS.parse(text) == ((2, 3), (2, 4))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not a swap"),
        ("((1,2),(3))", "not a swap"),
        ("((1,2),(1,3),(1,4))", "not a swap"),
        ("I would swap the red ones ((1,2),(1,3))", "not a swap"),
        ("((0,0),(1,1))", "do not share a side"),
        ("((3,3),(3,3))", "do not share a side"),
        ("((7,7),(7,8))", "off the board"),
        ("((-1,0),(0,0))", "off the board"),
    ],
)
def test_parse_says_what_is_wrong(text: str, reason: str) -> None:
    malformed = SWAPS.parse(text)
    assert isinstance(malformed, Malformed)
    assert reason in malformed.reason


@given(st.one_of(st.text(), st.text("()[]{},;-> 0123456789²٣", max_size=40)))
def test_parse_never_raises(text: str) -> None:
    parsed = SWAPS.parse(text)
    assert isinstance(parsed, Malformed) or parsed in SWAPS.all


@given(st.integers(4, 10), st.integers(4, 10))
@settings(max_examples=10, deadline=None)
def test_parse_is_the_inverse_of_write(rows: int, cols: int) -> None:
    space = Swaps(rows, cols)
    for swap in space.all:
        assert space.parse(space.write(swap)) == swap
        assert space.write(swap[::-1]) == space.write(swap)
    assert space.schema()["enum"] == [space.write(swap) for swap in space.all]  # type: ignore[index,call-overload]
    assert space.gbnf().count("|") == len(space.all) - 1


def test_sampling_is_uniform_over_the_swaps() -> None:
    rng = stream(0, "sample")
    counts = [0] * 112
    for _ in range(11_200):
        counts[SWAPS.all.index(SWAPS.sample(rng))] += 1
    squares = sum((count - 100) ** 2 / 100 for count in counts)
    assert 65 < squares < 165  # chi-squared, 111 degrees of freedom: outside with p < 0.001


def test_a_click_means_the_swap_across_the_nearest_edge() -> None:
    cell = view.BOARD_PX / 8
    x, y = (view.LEFT_PX + 4 * cell) / view.WIDTH_PX, (view.TOP_PX + 2.5 * cell) / view.HEIGHT_PX
    assert SWAPS.from_point("board", x, y) == ((2, 3), (2, 4))
    assert SWAPS.from_point("board", 0.0, 0.0) is None


@pytest.mark.parametrize(("games", "near"), first_fast([(75, 20), (300, 10)]))
def test_random_play_lands_on_the_published_baseline(games: int, near: float) -> None:
    """LMGame-Bench, Table 1: 116.5 ± 51.5 in 30 runs."""
    scores = [random_game(seed) for seed in range(games)]
    assert abs(statistics.mean(scores) - 116) <= near
    assert abs(statistics.stdev(scores) - 51.5) <= 0.75 * near


def test_random_effective_play_scores_about_520() -> None:
    scores = [random_game(seed, only_effective=True) for seed in range(15)]
    assert 480 <= statistics.mean(scores) <= 560


def test_the_oracle_is_far_above_random_play() -> None:
    env = make()
    scores = []
    for seed in range(4):
        env.reset(seed)
        while env.pending():
            env.act(ROLE, baselines.oracle(env.state(), ROLE, stream(seed, "oracle")))
        scores.append(env.metrics()["raw_score"])
        assert env.metrics()["effective_rate"] == 1.0
    assert statistics.mean(scores) >= 700


def test_the_random_policy_samples_the_offered_actions() -> None:
    env = make(rows=4, cols=4)
    env.reset(0)
    picked = {baselines.random(env.observe(ROLE), stream(i, "agent")) for i in range(300)}
    assert picked == set(Swaps(4, 4).all)


def test_the_brief_names_what_the_rules_do() -> None:
    env = make(rows=5, cols=6, moves=7)
    env.reset(0)
    told = env.brief(ROLE)
    assert "5 rows and 6 columns" in told.task
    assert "7 moves" in told.task
    assert rules.ROLE in SPEC.roles
