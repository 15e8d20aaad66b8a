"""Sokoban: rules, scores, what the player senses, baselines."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import digest
from polyathlon.core.chance import stream
from polyathlon.core.compose import ComposedEnv
from polyathlon.core.errors import UserError
from polyathlon.envs.lmgame.sokoban import SPEC, baselines, prompts, rules, scoring, view
from polyathlon.envs.lmgame.sokoban.rules.board import draw_map
from polyathlon.envs.lmgame.sokoban.rules.game import NO_OP, PUSHES, ROLE
from polyathlon.envs.lmgame.sokoban.rules.levels import built_in
from polyathlon.media import png

GOLDEN = (
    "RlddrUURuLrrDrddlUU",
    "DDDDlddrUluRRRR",
    "LulDDurDlDurDlDurDlDurDlD",
    "uLulDDDuurrdLulDlddRRRllluurDldRR",
    "LulDDDDuuuurrrrdLLLullddrUdddrdrrruLLLdL",
    "DDllDurruullDurrddlUdDlDldRRluuruulDDrDrUUddlL",
)
LETTERS = {"u": "up", "d": "down", "l": "left", "r": "right"}
EVERY_ACTION = (*LETTERS.values(), *PUSHES, NO_OP)
HALL = "#########\n#@$ . . #\n#       #\n#   $   #\n#       #\n#########\n"
actions = st.one_of(st.sampled_from(EVERY_ACTION), st.just(Malformed("nonsense")))
levels = st.sampled_from(SPEC.levels)


def make(level: str = "campaign", **options: object) -> ComposedEnv:
    played = rules.Rules(level, **SPEC.configure(options))  # type: ignore[arg-type]
    return ComposedEnv(SPEC, played, view, prompts, scoring)


def started(level: str = "campaign", seed: int = 0, **options: object) -> rules.Rules:
    played = rules.Rules(level, **SPEC.configure(options))  # type: ignore[arg-type]
    played.reset(seed)
    return played


def in_file(folder: Path, text: str, **options: object) -> rules.Rules:
    file = folder / "levels.xsb"
    file.write_text(text)
    return started("campaign", file=str(file), **options)


def play(played: rules.Rules, letters: str) -> list[float]:
    """Rewards of a game in letters: lower case walks, upper case pushes."""
    named = [f"push {LETTERS[c.lower()]}" if c.isupper() else LETTERS[c] for c in letters]
    return [played.act(ROLE, action).rewards[ROLE] for action in named]


def reason(played: rules.Rules) -> str | None:
    outcome = played.outcome()
    return outcome.reason if outcome else None


@pytest.mark.parametrize("number", range(1, 7))
def test_golden_solution_solves_its_level(number: int) -> None:
    played = started(f"level-{number}")
    level = built_in()[number - 1]
    rewards = play(played, GOLDEN[number - 1])
    boxes, started_home = level.boxes.bit_count(), (level.boxes & level.docks).bit_count()
    assert reason(played) == "solved"
    assert played.score == boxes - started_home
    expected = 10 + (boxes - started_home) - 0.1 * len(rewards)
    assert sum(rewards) == pytest.approx(expected)
    assert scoring.metrics(played, None)["progress"] == 2.0


def test_golden_solutions_finish_the_campaign_within_the_horizon() -> None:
    played = started()
    play(played, "".join(GOLDEN))
    found = scoring.metrics(played, None)
    assert reason(played) == "solved"
    assert found["raw_score"] == found["boxes_total"] == 14
    assert found["progress"] == 7.0
    assert found["levels_solved"] == 6
    assert found["solved"] == 1
    assert found["turns"] == 178


def test_profile_of_the_campaign() -> None:
    profile = [(level.rows, level.cols, level.boxes.bit_count()) for level in built_in()]
    assert profile == [(7, 7, 2), (9, 9, 1), (10, 8, 2), (7, 7, 2), (9, 9, 3), (8, 6, 5)]
    homes = [(level.boxes & level.docks).bit_count() for level in built_in()]
    assert homes == [0, 0, 0, 0, 0, 1]


def test_walking_into_a_box_is_a_no_op(tmp_path: Path) -> None:
    played = in_file(tmp_path, HALL)
    before = played.worker, played.boxes
    assert played.act(ROLE, "right").status == "ineffective"
    assert (played.worker, played.boxes) == before
    assert played.act(ROLE, "push right").status == "ok"


def test_auto_push_lets_a_walk_push(tmp_path: Path) -> None:
    played = in_file(tmp_path, HALL, auto_push=True)
    assert played.act(ROLE, "right").status == "ok"
    assert played.level.place(played.worker) == (1, 2)


@pytest.mark.parametrize("action", ["push down", "push up", "up", NO_OP])
def test_pushing_nothing_and_walking_into_walls_change_nothing(tmp_path: Path, action: str) -> None:
    played = in_file(tmp_path, HALL)
    assert played.act(ROLE, action).status == "ineffective"
    assert played.invalid == played.still == 1


def test_two_boxes_in_line_cannot_be_pushed(tmp_path: Path) -> None:
    played = in_file(tmp_path, "########\n#@$$ ..#\n#      #\n########\n")
    assert played.act(ROLE, "push right").status == "ineffective"


def test_box_off_and_on_again_scores_once(tmp_path: Path) -> None:
    played = in_file(tmp_path, HALL)
    assert play(played, "RR") == pytest.approx([-0.1, 0.9])
    assert played.score == 1
    assert play(played, "RR") == pytest.approx([-1.1, 0.9])
    assert played.score == 1
    assert played.best == 1


def test_a_box_that_starts_on_a_dock_does_not_score(tmp_path: Path) -> None:
    played = in_file(tmp_path, "#######\n#@*$. #\n#     #\n#######\n")
    assert played.score == 0
    assert scoring.metrics(played, None)["boxes_total"] == 1
    play(played, "drruldR")
    assert played.score == 0


def test_corner_push_ends_the_episode(tmp_path: Path) -> None:
    played = in_file(tmp_path, "######\n# @$ #\n#  . #\n######\n")
    play(played, "R")
    assert reason(played) == "deadlock"
    assert scoring.metrics(played, None)["deadlocked"] == 1
    assert played.pending() == ()
    assert played.act(ROLE, "left").status == "illegal"


def test_deadlock_can_be_switched_off(tmp_path: Path) -> None:
    played = in_file(tmp_path, "######\n# @$ #\n#  . #\n######\n", deadlock=False)
    play(played, "R")
    assert reason(played) is None


def test_five_unchanged_turns_end_the_episode() -> None:
    played = started()
    for _ in range(4):
        played.act(ROLE, NO_OP)
    played.act(ROLE, "down")
    for _ in range(4):
        played.act(ROLE, Malformed("what"))
    assert reason(played) is None
    played.act(ROLE, "push left")
    assert reason(played) == "stuck"
    assert scoring.metrics(played, None)["invalid_rate"] == 0.9


def test_horizon_truncates() -> None:
    played = started(horizon=6)
    for _ in range(3):
        play(played, "du")
    outcome = played.outcome()
    assert outcome is not None
    assert (outcome.reason, outcome.truncated) == ("horizon", True)


def test_random_play_scores_nothing_on_level_1() -> None:
    env = make()
    scored = 0
    for seed in range(1000):
        env.reset(seed)
        rng = stream(seed, "agent")
        while env.pending():
            env.act(ROLE, baselines.random(env.observe(ROLE), rng))
        scored += env.metrics()["raw_score"] > 0
    assert scored <= 10


@pytest.mark.parametrize("level", SPEC.levels)
def test_oracle_solves_every_level(level: str) -> None:
    env = make(level)
    for seed in range(3):
        env.reset(seed)
        rng = stream(seed, "oracle")
        while env.pending():
            label = baselines.oracle(env.state(), ROLE, rng)  # type: ignore[arg-type]
            assert env.act(ROLE, label).status == "ok"
        found = env.metrics()
        assert found["solved"] == 1
        assert found["raw_score"] == found["boxes_total"]


def test_oracle_finds_its_way_back_to_a_solution() -> None:
    env = make("level-1")
    env.reset(0)
    for label in ("down", "down", "right", "push up"):
        env.act(ROLE, label)
    rng = stream(0, "oracle")
    while env.pending():
        env.act(ROLE, baselines.oracle(env.state(), ROLE, rng))  # type: ignore[arg-type]
    assert env.metrics()["solved"] == 1


def test_oracle_gives_up_where_nothing_helps(tmp_path: Path) -> None:
    played = in_file(tmp_path, "######\n# @$ #\n#  . #\n######\n", deadlock=False)
    play(played, "R")
    assert baselines.oracle(played.state(), ROLE, stream(0, "x")) == NO_OP  # type: ignore[arg-type]


@given(level=levels, seed=st.integers(0, 50), moves=st.lists(actions, max_size=40))
@settings(deadline=None, max_examples=60)
def test_invariants_of_any_play(level: str, seed: int, moves: Sequence[str | Malformed]) -> None:
    played, again = started(level, seed), started(level, seed)
    digests = []
    for move in moves:
        here = played.level
        before = (played.worker, played.boxes)
        step = played.act(ROLE, move)
        digests.append(digest(played.state()))
        if played.level is here:
            assert (step.status == "ok") == ((played.worker, played.boxes) != before)
        assert played.boxes.bit_count() == played.level.boxes.bit_count()
        assert played.boxes & ~played.level.floor == 0
        assert played.level.floor >> played.worker & 1
        assert not played.boxes >> played.worker & 1
    assert digests == [digest(again.state()) for move in moves if again.act(ROLE, move)]


@given(
    level=levels,
    text=st.sampled_from(["table", "map", "both"]),
    moves=st.lists(st.sampled_from(EVERY_ACTION), max_size=40),
)
@settings(deadline=None, max_examples=60)
def test_words_can_be_read_back(level: str, text: str, moves: Sequence[str]) -> None:
    played = started(level, text=text)
    for move in moves:
        played.act(ROLE, move)
    meaning = view.percepts(played, ROLE)[0].meaning
    assert meaning is not None
    assert view.read(meaning) == draw_map(played.level, played.worker, played.boxes)


@given(st.one_of(st.text(), st.text("grid 3x#?$*@+()WlorBkDnc:,-\n0129").map("grid 4x4, ".__add__)))
@settings(max_examples=50)
def test_reading_other_text_raises_only_value_errors(text: str) -> None:
    try:
        view.read(text)
    except ValueError:
        return
    assert text.startswith("grid ")


def test_table_of_level_6() -> None:
    text = view.percepts(started("level-6"), ROLE)[0].meaning
    assert text is not None
    lines = text.splitlines()
    assert lines[0] == "grid 8x6, coordinates (row, col), (0,0) top-left"
    assert lines[1] == "Worker at (1,4)"
    assert lines[2:4] == ["Box at (2,2)", "Box at (2,3)"]
    assert "Box on dock at (2,4)" in lines
    assert "Dock at (1,3)" in lines
    assert "Wall at row 1: cols 0-1, 5" in lines
    assert lines[-1] == "boxes on docks 1/5; level 1 of 1; last action effective: none yet"


def test_picture_changes_with_the_position_only() -> None:
    env = make("level-1")
    env.reset(0)
    first = env.observe(ROLE).percepts[0]
    env.act(ROLE, "left")
    same = env.observe(ROLE).percepts[0]
    env.act(ROLE, "down")
    moved = env.observe(ROLE).percepts[0]
    assert first.render() == same.render() != moved.render()
    assert first.meaning != same.meaning
    drawn = pickle.loads(pickle.dumps(moved)).render()
    assert (drawn.width_px, drawn.height_px) == SPEC.channel("board").size_px
    assert png.decode(png.encode(drawn)) == drawn


def test_pointing_beside_the_worker_walks_or_pushes() -> None:
    env = make("level-1")
    env.reset(0)
    space = env.observe(ROLE).actions
    side = 1 / 7
    assert space.from_point("board", 1.5 * side, 3.5 * side) == "down"
    assert space.from_point("board", 2.5 * side, 2.5 * side) == "push right"


@pytest.mark.parametrize("text", ["# Push  Right.", "`push right`", "PUSH RIGHT"])
def test_answers_are_read_leniently(text: str) -> None:
    assert view.actions(started(), ROLE).parse(text) == "push right"


def test_brief_follows_the_options() -> None:
    assert "10 turns in a row" in prompts.brief(started(stuck=10), ROLE).rules
    assert "# is a wall" not in prompts.brief(started(), ROLE).rules
    assert "is a wall" in prompts.brief(started(text="map"), ROLE).rules
    assert "no longer be solved" not in prompts.brief(started(deadlock=False), ROLE).rules


def test_state_holds_the_level() -> None:
    assert digest(started("level-1").state()) != digest(started("level-2").state())
    assert digest(started("generated", 1).state()) != digest(started("generated", 2).state())


def test_file_replaces_the_levels(tmp_path: Path) -> None:
    file = tmp_path / "two.xsb"
    file.write_text(f"{HALL}\nSecond\n\n#####\n#@$.#\n#####\n")
    assert len(started(file=str(file)).levels) == 2
    assert started("level-2", file=str(file)).level.cols == 5
    with pytest.raises(UserError, match="no level-3"):
        started("level-3", file=str(file))
    with pytest.raises(UserError, match="plays no file"):
        started("generated", file=str(file))
