"""Blasting Showdown: the rules."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import digest
from polyathlon.core.chance import stream
from polyathlon.core.world import Step
from polyathlon.envs.omniplay.showdown import SPEC, scoring
from polyathlon.envs.omniplay.showdown.rules import Rules
from polyathlon.envs.omniplay.showdown.rules.arena import (
    CELLS,
    CORNERS,
    CRATE,
    FLOOR,
    NEIGHBOURS,
    PILLAR,
    PILLARS,
    blast,
    cell_at,
    nearest,
    path,
    reach,
    xy,
)
from polyathlon.envs.omniplay.showdown.rules.bombs import Bomb, blamed, exploded
from polyathlon.envs.omniplay.showdown.rules.pieces import PLACE, ROLES, Action, Move

RED, BLUE, GREEN, YELLOW = range(4)
seeds = st.integers(0, 10_000)


def started(seed: int = 0, **options: Any) -> Rules:
    game = Rules("standard", **SPEC.configure(options))
    game.reset(seed)
    return game


def opened(*places: tuple[int, int], **options: Any) -> Rules:
    """A game without crates; the first players stand on `places`, the others in corners."""
    game = started(crates=0.0, **options)
    for player, place in zip(game.players, places, strict=False):
        player.cell = cell_at(*place)
    return game


def stay(game: Rules) -> Move:
    return Move(*xy(game.by_role[game.pending()[0]].cell))


def turn(game: Rules, action: Action | Malformed | None = None) -> Step:
    """The pending player acts; without an action it stays."""
    return game.act(game.pending()[0], stay(game) if action is None else action)


def rounds(game: Rules, count: int = 1) -> None:
    """Everybody stays until `count` rounds have ended."""
    end = game.round + count
    while game.round < end and game.pending():
        turn(game)


def any_action(game: Rules, rng: Any) -> Action | Malformed:
    player = game.by_role[game.pending()[0]]
    near = list(game.way(player))
    kind = rng.below(10)
    if kind == 0:
        return Malformed("nothing")
    if kind == 1:
        return PLACE
    if kind == 2:
        return Move(rng.below(15), rng.below(15))
    index = rng.below(len(near) + game.armed(player))
    return PLACE if index == len(near) else Move(*xy(near[index]))


def test_the_arena_is_the_specified_one() -> None:
    game = started(3)
    free = [cell for cell in range(CELLS) if cell not in PILLARS]
    kept = {near for corner in CORNERS for near in (corner, *NEIGHBOURS[corner])}
    crates = [cell for cell in range(CELLS) if game.ground[cell] == CRATE]
    assert len(PILLARS) == 49
    assert all(xy(cell)[0] % 2 and xy(cell)[1] % 2 for cell in PILLARS)
    assert len(kept) == 12
    assert not kept & set(crates)
    assert len(crates) == round(0.6 * (len(free) - 12))
    assert [xy(p.cell) for p in game.players] == [(0, 0), (14, 0), (0, 14), (14, 14)]
    assert [(p.fire, p.capacity, p.speed, p.steps) for p in game.players] == [(2, 1, 1, 5)] * 4


def test_power_ups_hide_under_three_crates_in_ten() -> None:
    found = [kind for seed in range(60) for kind in started(seed)._hidden.values()]
    crates = 60 * sum(on_cell == CRATE for on_cell in started().ground)
    assert 0.27 < len(found) / crates < 0.33
    shares = [found.count(kind) / len(found) for kind in set(found)]
    assert len(shares) == 3
    assert all(0.29 < share < 0.38 for share in shares)


def test_arena_and_drops_have_streams_of_their_own() -> None:
    assert started(5, drops=0.9).ground == started(5).ground
    assert started(5).ground != started(6).ground


def test_a_move_takes_a_shortest_way_within_range() -> None:
    solid = bytearray(CELLS)
    way = reach(cell_at(0, 0), 5, solid)
    assert path(way, cell_at(2, 3)) == [
        cell_at(*at) for at in ((1, 0), (2, 0), (2, 1), (2, 2), (2, 3))
    ]
    assert max(len(path(way, cell)) for cell in way) == 5
    assert cell_at(3, 3) not in way


def test_a_target_out_of_reach_means_the_nearest_cell_within_it() -> None:
    way = reach(cell_at(0, 0), 5, bytearray(CELLS))
    assert xy(nearest(way, cell_at(14, 0))) == (5, 0)
    assert xy(nearest(way, cell_at(1, 1))) == (1, 0)  # (0, 1) ties: as short, but a larger y
    assert xy(nearest(way, cell_at(3, 3))) == (3, 2)  # (2, 3) ties: as short, but a larger y
    longer = {0: 0, 1: 0, 2: 1, 30: 15, 15: 0}
    assert nearest(longer, cell_at(4, 2)) == 2  # (2, 0) and (0, 2) lie 4 away


def test_the_path_decides_a_tie_before_the_place() -> None:
    way = {cell_at(2, 2): cell_at(2, 2), cell_at(2, 3): cell_at(2, 2), cell_at(3, 2): cell_at(4, 2),
           cell_at(4, 2): cell_at(2, 2)}  # fmt: skip
    assert xy(nearest(way, cell_at(3, 3))) == (2, 3)


def test_bombs_and_crates_block_and_players_do_not() -> None:
    game = opened((4, 0), (4, 2))
    turn(game, PLACE)
    turn(game, Move(4, 0))
    assert xy(game.players[BLUE].cell) == (4, 1)
    game.players[GREEN].cell = cell_at(4, 4)
    turn(game, Move(4, 1))
    assert game.players[GREEN].cell == game.players[BLUE].cell
    assert not game.trapped(game.players[GREEN])


def test_trapped_means_no_passable_neighbour() -> None:
    game = opened()
    turn(game, Move(0, 1))
    game._solid[0] = game._solid[30] = 1
    assert game.trapped(game.players[RED])


def test_seats_rotate_each_round_and_the_dead_are_left_out() -> None:
    game = opened()
    order = []
    for _ in range(8):
        order.append(game.pending()[0])
        turn(game)
    assert order == [*ROLES, *ROLES[1:], "red"]
    game = opened((0, 0), (1, 0))
    turn(game, PLACE)
    turn(game, Move(1, 2))
    rounds(game, 3)
    assert not game.players[RED].alive
    for _ in range(9):
        assert game.pending() != ("red",)
        turn(game)


def test_only_the_pending_role_acts() -> None:
    game = started()
    before = digest(game.state())
    assert game.act("blue", PLACE).status == "illegal"
    assert digest(game.state()) == before


def test_a_bomb_explodes_at_the_end_of_its_third_round() -> None:
    game = opened((7, 0))
    turn(game, PLACE)
    assert game.bombs == [Bomb(7, RED, 3, 2)]
    rounds(game)
    assert [bomb.countdown for bomb in game.bombs] == [2]
    while game.pending()[0] != "red":
        turn(game)
    turn(game, Move(10, 0))
    assert [bomb.countdown for bomb in game.bombs] == [1]
    assert not game.flames
    rounds(game)
    assert not game.bombs
    assert game.flames == frozenset(blast(7, 2, game.ground))
    assert game.players[RED].alive
    assert game.armed(game.players[RED])


def test_flames_stop_in_crates_and_before_pillars() -> None:
    ground = bytearray(PILLAR if cell in PILLARS else FLOOR for cell in range(CELLS))
    ground[cell_at(5, 2)] = ground[cell_at(6, 2)] = CRATE
    reached = {xy(cell) for cell in blast(cell_at(4, 2), 3, ground)}
    along_x = {(x, 2) for x in (1, 2, 3, 4, 5)}
    along_y = {(4, y) for y in (0, 1, 2, 3, 4, 5)}
    assert reached == along_x | along_y
    assert {xy(cell) for cell in blast(cell_at(1, 0), 2, ground)} == {(x, 0) for x in range(4)}


def test_flames_set_off_bombs_in_the_same_moment() -> None:
    ground = bytes(started(crates=0.0).ground)
    bombs = [Bomb(0, RED, 0, 2), Bomb(2, BLUE, 3, 4), Bomb(6, GREEN, 2, 2), Bomb(14, YELLOW, 1, 2)]
    bursts = exploded(bombs, ground)
    assert [(burst.bomb.owner, burst.link) for burst in bursts] == [(RED, 0), (BLUE, 1), (GREEN, 2)]


def test_two_flames_of_one_moment_stop_in_the_same_crate() -> None:
    game = opened((2, 0), (4, 0))
    game.ground[3] = CRATE
    game._solid[3] = 1
    turn(game, PLACE)
    turn(game, PLACE)
    rounds(game, 3)
    assert game.ground[3] == FLOOR
    assert [(hit.victim, hit.owner) for hit in game.hits] == [("red", "red"), ("blue", "blue")]


def test_an_elimination_is_credited_with_its_cause() -> None:
    ground = bytes(started(crates=0.0).ground)

    def blame(*bombs: Bomb, victim: int, cell: int) -> tuple[int, str]:
        hits = [burst for burst in exploded(bombs, ground) if cell in burst.cells]
        return blamed(hits, victim)

    near, far = Bomb(0, RED, 0, 2), Bomb(2, BLUE, 2, 2)
    assert blame(near, victim=GREEN, cell=1) == (RED, "direct")
    assert blame(near, victim=RED, cell=1) == (RED, "self")
    assert blame(near, far, victim=GREEN, cell=4) == (BLUE, "chain")
    assert blame(near, far, victim=GREEN, cell=1) == (RED, "crossfire")
    late, early = Bomb(0, RED, 1, 3), Bomb(2, BLUE, 0, 2)
    assert blame(late, early, victim=GREEN, cell=1) == (BLUE, "crossfire")
    both = Bomb(0, YELLOW, 0, 2), Bomb(4, BLUE, 0, 2)
    assert blame(*both, victim=GREEN, cell=2) == (BLUE, "crossfire")
    own_chain = Bomb(0, RED, 0, 2), Bomb(2, RED, 3, 2)
    assert blame(*own_chain, victim=RED, cell=4) == (RED, "self")


def test_a_killer_gets_the_kill_and_a_suicide_nobody() -> None:
    game = opened((2, 0), (4, 0), (14, 14))
    turn(game, PLACE)
    rounds(game, 3)
    killer, victim = (scoring.metrics(game, role) for role in ("red", "blue"))
    assert (killer["kills"], killer["deaths"], killer["death_self"]) == (1.0, 1.0, 1.0)
    assert (victim["kills"], victim["deaths"], victim["death_direct"]) == (0.0, 1.0, 1.0)
    whole = scoring.metrics(game, None)
    assert (whole["kills"], whole["deaths"], whole["win"]) == (1.0, 2.0, 0.0)


def test_every_flame_of_a_bomb_counts_as_a_hit() -> None:
    game = opened((0, 0), (2, 0), (14, 14))
    turn(game, PLACE)
    turn(game, PLACE)
    rounds(game, 3)
    assert [player.flame_hits for player in game.players] == [2, 2, 0, 0]
    assert [(hit.victim, hit.owner, hit.bomb, hit.link) for hit in game.hits[:2]] == [
        ("red", "red", (0, 0), 0),
        ("red", "blue", (2, 0), 0),
    ]


@pytest.mark.parametrize(
    ("kind", "fire", "capacity", "steps"), [("f", 3, 1, 5), ("b", 2, 2, 5), ("s", 2, 1, 6)]
)
def test_a_power_up_is_taken_by_crossing_it(
    kind: str, fire: int, capacity: int, steps: int
) -> None:
    game = opened()
    game.ground[2] = ord(kind)
    turn(game, Move(4, 0))
    player = game.players[RED]
    assert (player.fire, player.capacity, player.steps) == (fire, capacity, steps)
    assert game.ground[2] == FLOOR
    assert scoring.metrics(game, "red")["power_ups"] == 1.0


def test_a_broken_crate_leaves_what_it_hid() -> None:
    game = opened((1, 0))
    game.ground[2] = CRATE
    game._solid[2] = 1
    game._hidden = {2: ord("s")}
    turn(game, PLACE)
    rounds(game, 3)
    assert game.ground[2] == ord("s")
    assert not game._solid[2]


def test_two_bombs_take_a_second_one_and_another_cell() -> None:
    game = opened()
    assert turn(game, PLACE).status == "ok"
    rounds(game)
    while game.pending()[0] != "red":
        turn(game)
    assert turn(game, PLACE).status == "illegal"
    game.players[RED].capacity = 2
    assert not game.armed(game.players[RED])
    game.players[RED].cell = 4
    assert game.armed(game.players[RED])


def test_what_is_no_action_or_forbidden_stays_and_counts_as_invalid() -> None:
    game = opened()
    assert turn(game, Malformed("nonsense")).status == "malformed"
    game.players[BLUE].placed = 1
    assert turn(game, PLACE).status == "illegal"
    assert turn(game).status == "ok"
    found = [scoring.metrics(game, role)["invalid_actions"] for role in ROLES]
    assert found == [1.0, 1.0, 0.0, 0.0]
    assert [xy(player.cell) for player in game.players] == [xy(cell) for cell in CORNERS]
    assert game.players[RED].history == [(0, "no valid action, stayed")]


@pytest.mark.parametrize(("x", "y"), [(15, 0), (0, 15), (-1, 3), (99, 99)])
def test_a_move_off_the_arena_is_forbidden(x: int, y: int) -> None:
    game = started()
    before = game.players[0].cell
    assert turn(game, Move(x, y)).status == "illegal"
    red = game.players[0]
    assert (red.cell, red.invalid, red.moves) == (before, 1, 0)


def test_a_move_that_leads_nowhere_is_ineffective() -> None:
    game = opened()
    game._solid[1] = game._solid[15] = 1
    assert turn(game, Move(5, 0)).status == "ineffective"
    assert scoring.metrics(game, "red")["invalid_actions"] == 0.0


def test_evasions_and_distances_are_counted() -> None:
    game = opened((2, 0), (3, 0))
    turn(game, PLACE)
    turn(game, Move(4, 0))
    assert game.players[BLUE].evasions == 0
    turn(game)
    turn(game)
    turn(game, Move(7, 0))
    blue = scoring.metrics(game, "blue")
    assert (blue["evasions"], blue["moves"], blue["turns"]) == (1.0, 2.0, 2.0)
    assert blue["nearest_opponent"] == (1 + 2) / 2


def test_the_last_one_standing_wins_and_is_rewarded() -> None:
    game = opened((0, 0), (1, 0), (2, 0))
    turn(game, PLACE)
    rounds(game, 2)
    while len(game._queue) > 1:
        turn(game)
    step = turn(game)
    outcome = game.outcome()
    assert outcome is not None
    assert (outcome.reason, outcome.winners) == ("last_standing", ("yellow",))
    assert step.rewards == {"yellow": 1.0}
    assert [scoring.metrics(game, role)["raw_score"] for role in ROLES] == [0.0, 0.0, 0.0, 1.0]
    assert scoring.metrics(game, None)["win"] == 1.0


def test_nobody_wins_together_or_at_the_cap() -> None:
    game = opened((0, 0), (1, 0), (2, 0), (0, 1))
    turn(game, PLACE)
    rounds(game, 3)
    outcome = game.outcome()
    assert outcome is not None
    assert (outcome.reason, outcome.winners, outcome.truncated) == ("all_fell", (), False)
    game = opened(cap=2)
    rounds(game, 2)
    outcome = game.outcome()
    assert outcome is not None
    assert (outcome.reason, outcome.winners, outcome.truncated) == ("cap", (), True)


def test_observers_are_told_by_mail_when_configured() -> None:
    assert turn(opened(), Move(3, 0)).mail == ()
    game = opened(observers=True)
    (mail,) = turn(game, Move(3, 0)).mail
    assert (mail.sender, mail.to) == ("red", ("blue", "green", "yellow"))
    assert mail.text == "round 0: moved from (0, 0) to (3, 0)"
    assert turn(game, PLACE).mail[0].text == "round 0: placed a bomb at (14, 0)"
    assert turn(game).mail == ()


def test_observers_are_told_of_what_they_see() -> None:
    game = opened((0, 0), (3, 5), observers=True, view_radius=5)
    (mail,) = turn(game, PLACE).mail
    assert mail.to == ("blue",)
    assert turn(game, Move(6, 4)).mail == ()


@settings(max_examples=15, deadline=None)
@given(seeds)
def test_invariants_of_any_game(seed: int) -> None:
    game, rng = started(seed % 50), stream(seed, "test")
    hashes, actions = [], []
    while game.pending():
        (role,) = game.pending()
        player = game.by_role[role]
        action = any_action(game, rng)
        actions.append((role, action))
        start = player.cell
        assert player.alive
        step = game.act(role, action)
        assert step.status in ("ok", "ineffective") or player.cell == start
        hashes.append(digest(game.state()))
        _check(game)
    assert game.round <= game.cap
    again = started(seed % 50)
    for (role, action), hashed in zip(actions, hashes, strict=True):
        again.act(role, action)
        assert digest(again.state()) == hashed


def _check(game: Rules) -> None:
    bombs = {bomb.cell for bomb in game.bombs}
    assert len(bombs) == len(game.bombs)
    for player in game.players:
        assert game.ground[player.cell] not in (CRATE, PILLAR)
        assert player.placed == sum(bomb.owner == player.seat for bomb in game.bombs)
        assert 0 <= player.placed <= player.capacity
    for cell in range(CELLS):
        assert bool(game._solid[cell]) == (game.ground[cell] == CRATE or cell in bombs)
    deaths = [player for player in game.players if not player.alive]
    kills = sum(player.kills for player in game.players)
    credited = sum(player.cause in ("direct", "chain") for player in deaths)
    crossed = sum(player.cause == "crossfire" for player in deaths)
    assert credited <= kills <= credited + crossed
    assert {hit.victim for hit in game.hits} == {player.role for player in deaths}
    outcome = game.outcome()
    assert outcome is None or len(outcome.winners) <= 1
