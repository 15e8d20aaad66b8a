"""Blasting Showdown: the players without a model."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from polyathlon import registry
from polyathlon.core.actions import Malformed
from polyathlon.core.chance import stream
from polyathlon.core.compose import ComposedEnv
from polyathlon.envs.omniplay.showdown import SPEC, baselines
from polyathlon.envs.omniplay.showdown.baselines import bot, reading
from polyathlon.envs.omniplay.showdown.rules.arena import CRATE, cell_at, xy
from polyathlon.envs.omniplay.showdown.rules.bombs import Bomb
from polyathlon.envs.omniplay.showdown.rules.pieces import PLACE, Move

BARE = reading.bare()


def make(**options: Any) -> Any:
    env = registry.make(SPEC.id, options=options)
    assert isinstance(env, ComposedEnv)
    return env


def play(env: Any, seed: int, lineup: dict[str, str]) -> None:
    env.reset(seed)
    rng = stream(seed, "play")
    while env.pending():
        (role,) = env.pending()
        policy = registry.policy(SPEC.id, lineup[role])
        assert policy is not None
        oracle = lineup[role] == "oracle"
        action = policy(env.state(), role, rng) if oracle else policy(env.observe(role), rng)
        env.act(role, action)


def wins(games: int, names: tuple[str, ...], **options: Any) -> Counter[str]:
    """Games won by name; seats rotate."""
    env, won = make(**options), Counter[str]()
    for seed in range(games):
        lineup = {role: names[(i + seed) % 4] for i, role in enumerate(SPEC.roles)}
        play(env, seed, lineup)
        outcome = env.outcome()
        won.update(lineup[role] for role in outcome.winners)
    return won


def test_the_oracle_beats_three_randoms() -> None:
    assert wins(8, ("oracle", "random", "random", "random"))["oracle"] >= 7


@pytest.mark.slow
def test_the_oracle_beats_three_randoms_nearly_always() -> None:
    assert wins(100, ("oracle", "random", "random", "random"))["oracle"] >= 95


@pytest.mark.slow
def test_who_knows_one_channel_loses_to_who_knows_two() -> None:
    won = wins(16, ("full", "arena_only", "state_only", "sounds_only"))
    assert won["full"] >= 3
    assert won["full"] > won.total() - won["full"]


@pytest.mark.parametrize("name", SPEC.policies)
@pytest.mark.parametrize("radius", [0, 5])
def test_every_policy_plays_to_the_end(name: str, radius: int) -> None:
    env = make(view_radius=radius, cap=30)
    play(env, 1, {role: name if role == "green" else "random" for role in SPEC.roles})
    metrics = env.metrics("green")
    assert metrics["invalid_actions"] == (metrics["turns"] if name == "invalid" else 0.0)
    assert metrics["bombs"] == 0.0 or name not in ("passive", "sounds_only", "invalid")


def test_nothing_but_words_reaches_the_players_of_one_channel() -> None:
    env = make()
    env.reset(2)
    for name, channel in (("arena_only", "arena"), ("state_only", "state")):
        seen = env.observe("red")
        percepts = tuple(p for p in seen.percepts if p.channel == channel)
        policy = registry.policy(SPEC.id, name)
        assert policy is not None
        alone = type(seen)("red", 0, 0, percepts, "", seen.actions)
        assert policy(alone, stream(0, "a")) == policy(seen, stream(0, "a"))


@pytest.mark.parametrize("radius", [0, 5])
def test_the_words_of_the_channels_read_back(radius: int) -> None:
    env = make(view_radius=radius)
    env.reset(3)
    rng = stream(3, "read")
    while env.pending():
        (role,) = env.pending()
        seen = env.observe(role)
        words = {p.channel: p.meaning for p in seen.percepts}
        player, rules = env.rules.by_role[role], env.rules
        shows = [cell for cell in range(225) if radius == 0 or _near(cell, player.cell, radius)]
        drawn, said = reading.from_arena(words["arena"]), reading.from_state(words["state"])
        assert all(drawn.ground[cell] == rules.ground[cell] for cell in shows)
        others = {p.cell for p in rules.living() if p is not player and p.cell in shows}
        assert set(drawn.others) == set(said.others) == others
        assert said.bombs == tuple(bomb for bomb in rules.bombs if bomb.cell in shows)
        assert [b.countdown for b in drawn.bombs] == [b.countdown for b in said.bombs]
        assert drawn.me == said.me == player.cell
        assert (said.fire, said.steps, said.armed) == (
            player.fire,
            player.steps,
            rules.armed(player),
        )
        env.act(role, baselines.random(seen, rng))


def _near(a: int, b: int, radius: int) -> bool:
    (ax, ay), (bx, by) = xy(a), xy(b)
    return max(abs(ax - bx), abs(ay - by)) <= radius


def test_it_leaves_a_blast() -> None:
    field = bot.Field(me=0, ground=BARE, bombs=(Bomb(2, 1, 1, 2),), armed=False)
    move = bot.attack(field)
    assert isinstance(move, Move)
    assert cell_at(move.x, move.y) not in field.forecast.hot


def test_it_sees_chains_coming() -> None:
    bombs = (Bomb(0, 1, 1, 2), Bomb(2, 1, 3, 4))
    forecast = bot.Field(me=5, ground=BARE, bombs=bombs).forecast
    assert not forecast.survives(5)
    assert forecast.spared(5) == 0


def test_it_does_not_bomb_itself_into_a_corner() -> None:
    ground = bytearray(BARE)
    for cell in (1, 30):
        ground[cell] = CRATE
    assert bot.attack(bot.Field(me=0, ground=bytes(ground))) != PLACE


def test_it_bombs_crates_when_it_can_leave() -> None:
    ground = bytearray(BARE)
    ground[2] = CRATE
    assert bot.attack(bot.Field(me=1, ground=bytes(ground))) == PLACE


def test_it_goes_for_power_ups() -> None:
    ground = bytearray(BARE)
    ground[cell_at(4, 0)] = ord("f")
    assert bot.attack(bot.Field(me=0, ground=bytes(ground))) == Move(4, 0)


def test_the_passive_one_keeps_away() -> None:
    field = bot.Field(me=cell_at(4, 4), ground=BARE, others=(cell_at(4, 2),))
    move = bot.flee(field)
    assert abs(move.x - 4) + abs(move.y - 2) == 7


def test_the_invalid_one_never_acts() -> None:
    env = make()
    env.reset(0)
    assert isinstance(baselines.invalid(env.observe("red"), stream(0, "x")), Malformed)
