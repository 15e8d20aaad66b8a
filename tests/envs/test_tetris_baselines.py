"""Tetris: the placement-search oracle."""

from __future__ import annotations

import pytest
from tests.marking import first_fast

from polyathlon import registry
from polyathlon.core.actions import Repeat
from polyathlon.core.chance import stream
from polyathlon.core.world import Env
from polyathlon.envs.lmgame.tetris import SPEC, baselines
from polyathlon.envs.lmgame.tetris.pieces import Active, cells, grid
from polyathlon.envs.lmgame.tetris.rules import ROLE


def play(turns: int, level: str = "standard", seed: int = 0, **options: object) -> Env:
    env = registry.make(SPEC.id, level, options)
    env.reset(seed)
    rng = stream(seed, "oracle")
    for _ in range(turns):
        if env.pending():
            answer = baselines.oracle(env.state(), ROLE, rng)
            space = env.observe(ROLE).actions
            assert space.parse(space.write(answer)) == answer
            assert env.act(ROLE, answer).status == "ok"
    return env


def test_roughness_counts_by_hand() -> None:
    """One hole (4), one well of depth one, and the edges of the filled cells."""
    well = grid(4, 6)
    empty = well.pack(("....",) * 6)
    assert baselines.roughness(well, empty) == 12 + 4
    board = well.pack(("....",) * 4 + ("##..", "#.##"))
    rows = 4 * 2 + 2 + 2
    columns = 1 + 3 + 1 + 1
    assert baselines.roughness(well, board) == rows + columns + 4 + 1


def test_value_counts_landing_height_and_eroded_cells() -> None:
    well = grid(4, 6)
    board = well.pack(("....",) * 4 + ("..##", "..##"))
    place = Active("O", 0, 4, 0)
    after = well.pack(("....",) * 6)
    eroded, height = 2 * 4, 2 * 6 - 4 - 5
    assert (
        baselines.value(well, board, place)
        == 2 * (eroded - baselines.roughness(well, after)) - height
    )


def test_placements_are_where_the_plans_lead() -> None:
    env = registry.make(SPEC.id)
    for seed in range(7):
        env.reset(seed)
        state = env.state()
        active = Active(*state["active"])
        well = grid(10, 20)
        for plan, place in baselines.placements(well, well.empty, active, True):
            env.reset(seed)
            env.act(ROLE, plan)
            rows = env.state()["rows"]
            assert {
                (r, c) for r, row in enumerate(rows) for c, m in enumerate(row) if m != "."
            } == set(cells(place))


def test_the_oracle_completes_a_row() -> None:
    state = {
        "rows": ("." * 10,) * 16 + ("JJJJJJJJJ.",) * 4,
        "active": ("I", 0, 0, 3),
        "queue": "O",
        "gravity": True,
    }
    plan = baselines.oracle(state, ROLE, stream(0, "oracle"))
    assert plan[-1] == Repeat("hard_drop")
    assert Repeat("right", 4) in plan or Repeat("right", 5) in plan


@pytest.mark.parametrize("level", first_fast(SPEC.levels))
def test_the_oracle_clears_rows_on_every_level(level: str) -> None:
    metrics = play(60, level).metrics()
    assert metrics["pieces"] == metrics["turns"] == 60
    assert metrics["lines"] >= 10


@pytest.mark.parametrize("options", [{"gravity": False}, {"preview": 0}])
def test_the_oracle_plays_other_rules(options: dict[str, object]) -> None:
    assert play(40, **options).metrics()["lines"] >= 10


@pytest.mark.slow
@pytest.mark.parametrize("level", SPEC.levels)
def test_the_oracle_does_not_top_out_within_500_pieces(level: str) -> None:
    metrics = play(500, level, seed=1).metrics()
    assert metrics["pieces"] == 500
    assert metrics["lines"] >= 100
