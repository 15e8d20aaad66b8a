"""Envs of several roles as PettingZoo envs."""

from __future__ import annotations

import contextlib
import io
import warnings
from functools import partial
from typing import Any

import msgspec
import numpy as np
import pytest
import tests.toys
from pettingzoo.test import api_test, seed_test
from pettingzoo.utils import aec_to_parallel

from polyathlon import registry
from polyathlon.compat.pettingzoo import to_pettingzoo
from polyathlon.core.errors import UserError
from polyathlon.core.world import Step
from polyathlon.envs.omniplay.showdown.view.orders import EVERYTHING

SHOWDOWN = "omniplay/showdown-v0"
CASES: list[tuple[str, dict[str, Any]]] = [
    (SHOWDOWN, {}),
    (SHOWDOWN, {"images": ("arena",), "options": {"cap": 3, "view_radius": 5}}),
    (tests.toys.quorum.SPEC.id, {}),
    (tests.toys.beacon.SPEC.id, {"images": ("light",)}),
    (tests.toys.beacon.SPEC.id, {"actions": ("press red", "press green", "press blue", "wait")}),
    ("toys/relay-v0", {"images": ("lamp",), "actions": ("watch", *tests.toys.relay.COLOURS)}),
]


def masked_sample(env: Any, agent: str) -> Any:
    return env.action_space(agent).sample(env.observe(agent)["action_mask"])


@pytest.mark.parametrize(("id", "arguments"), CASES)
def test_pettingzoos_own_checks_are_content(id: str, arguments: dict[str, Any]) -> None:
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")  # it recommends arrays and numbered names
        api_test(to_pettingzoo(id, **arguments), num_cycles=40)
        seed_test(partial(to_pettingzoo, id, **arguments), num_cycles=40)


def test_a_game_through_pettingzoo_is_the_same_game() -> None:
    ours, theirs = registry.make(SHOWDOWN), to_pettingzoo(SHOWDOWN, images=("arena",))
    ours.reset(5)
    theirs.reset(seed=5)
    theirs.action_space("red").seed(1)
    for role in theirs.agent_iter(4_000):
        if theirs.terminations[role] or theirs.truncations[role]:
            break
        assert ours.pending() == (role,)
        seen = ours.observe(role)
        shown = theirs.observe(role)
        assert shown["text"].startswith(f"arena: {seen.percepts[0].meaning}\n")
        action = masked_sample(theirs, role)
        step = ours.act(role, seen.actions.parse(EVERYTHING[action]))
        theirs.step(action)
        assert theirs.infos[role] == {"metrics": ours.metrics(role), "status": step.status}
        assert {r: value for r, value in theirs.rewards.items() if value} == step.rewards
    outcome = ours.outcome()
    assert outcome is not None
    assert all(theirs.terminations.values()) != outcome.truncated


def test_the_mask_holds_what_can_be_done_and_is_empty_out_of_turn() -> None:
    env = to_pettingzoo(SHOWDOWN)
    env.reset(seed=0)
    space = registry.make(SHOWDOWN)
    space.reset(0)
    offered = space.observe("red").actions.offered
    mask = env.observe("red")["action_mask"]
    assert {EVERYTHING[i] for i in np.flatnonzero(mask)} == set(offered)
    assert not env.observe("blue")["action_mask"].any()
    assert env.observation_space("red").contains(env.observe("red"))


def test_mail_is_delivered_once_and_stays_until_the_next_act() -> None:
    env = to_pettingzoo("toys/beacon-v0")
    env.reset(seed=0)
    assert env.agent_selection == "operator"
    env.step("it blinks")
    assert "operator says: it blinks" in env.observe("guide")["text"]
    assert "operator says: it blinks" in env.observe("guide")["text"]
    env.step("press red")
    assert "operator says" not in env.observe("guide")["text"]
    assert "guide says: press red" in env.observe("operator")["text"]


def test_a_tick_passes_after_every_round() -> None:
    env = to_pettingzoo("toys/beacon-v0", options={"limit_s": 3})
    env.reset(seed=0)
    turns = 0
    while not any(env.terminations.values()):
        env.step("hello")
        turns += 1
    assert turns == 6
    assert set(env.rewards.values()) == {-1.0}


class Alarms(tests.toys.vigil.Vigil):
    """A vigil with nothing to do between the alarms; it counts how often time passes."""

    spec = msgspec.structs.replace(tests.toys.vigil.SPEC, id="toys/alarms-v0")
    passed = 0
    announces = True

    def pending(self) -> tuple[str, ...]:
        return super().pending()[1:]

    def advance_to(self, time_us: int) -> Step:
        self.passed += 1
        return super().advance_to(time_us)

    def next_event_us(self) -> int | None:
        return super().next_event_us() if self.announces else None


def test_time_passes_from_event_to_event_while_nobody_is_asked() -> None:
    made: list[Alarms] = []

    def make(level: str, **options: Any) -> Alarms:
        made.append(Alarms(level, **options))
        return made[-1]

    registry.register_env(Alarms.spec, make)
    env = to_pettingzoo(Alarms.spec.id)
    env.reset(seed=0)
    for heard in (1, 1):
        assert env.agent_selection == "watcher"
        assert env.observe("watcher")["text"].count("an alarm") == heard
        env.step(0)
    assert all(env.terminations.values())
    assert made[0].passed == 2 + 1 + 2
    made[0].announces = False
    with pytest.raises(RuntimeError, match="announces nothing"):
        env.reset(seed=0)


def test_pictures_go_to_the_roles_that_have_them() -> None:
    env = to_pettingzoo("toys/beacon-v0", images=("light",), render_mode="rgb_array")
    env.reset(seed=0)
    assert env.observe("operator")["light"].shape == (32, 32, 3)
    assert "light" not in env.observe("guide")
    assert np.array_equal(env.render(), env.observe("operator")["light"])
    env.close()
    with pytest.raises(UserError, match="did you mean light"):
        to_pettingzoo("toys/beacon-v0", images=("lights",))


def test_seats_that_act_at_once_make_a_parallel_env() -> None:
    env = aec_to_parallel(to_pettingzoo("toys/quorum-v0", options={"rounds": 3}))
    env.reset(seed=2)
    total = 0.0
    for _ in range(3):
        assert env.agents == list(tests.toys.quorum.ROLES)
        _, rewards, ended, cut, _ = env.step(dict.fromkeys(env.agents, 0))
        total += sum(rewards.values())
    assert all(ended.values())
    assert not any(cut.values())
    assert env.agents == []
    assert total % 4 == 0
    for turn_based in ("toys/beacon-v0", SHOWDOWN):
        assert not to_pettingzoo(turn_based).metadata["is_parallelizable"]


def test_without_a_seed_games_differ_and_repeat_under_the_first_one() -> None:
    def three() -> list[str]:
        env = to_pettingzoo(SHOWDOWN)
        texts = []
        for seed in (3, None, None):
            env.reset(seed=seed)
            texts.append(env.observe("red")["text"])
        return texts

    assert len(set(three())) == 3
    assert three() == three()
