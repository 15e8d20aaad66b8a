"""Defusal alone, and what players of either game are told."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from polyathlon import registry
from polyathlon.core.compose import ComposedEnv
from polyathlon.core.world import Env
from polyathlon.envs.gptnt.bomb.play.actions import Interact, Mark, Message, Wait
from polyathlon.envs.gptnt.bomb.play.prompts import chosen
from polyathlon.envs.gptnt.bomb.play.prompts.scene import GAME

SOLO, PAIR = "gptnt/solo-v0", "gptnt/defusal-v0"
PLAYER = "player"


def started(id: str = SOLO, level: str = "wires", **options: Any) -> Env:
    env = registry.make(id, level, options)
    env.reset(0)
    return env


def told(env: Env, role: str) -> str:
    """All that a role is told once."""
    brief = env.brief(role)
    return "\n".join([brief.task, brief.rules, brief.answer, brief.advice])


def components(env: Env, role: str) -> tuple[str, ...]:
    assert isinstance(env, ComposedEnv)
    return chosen(env.rules, role)  # type: ignore[arg-type]


def test_one_player_sees_the_bomb_and_reads_the_manual_once() -> None:
    env = started()
    first = [percept.channel for percept in env.observe(PLAYER).percepts]
    assert first[:2] == ["manual_text", "manual_pages"]
    assert first[-1] == "view"
    env.act(PLAYER, Wait())
    assert [percept.channel for percept in env.observe(PLAYER).percepts] == ["previous", "view"]


def test_without_the_manual_there_is_only_the_bomb() -> None:
    env = started(manual=False)
    assert [percept.channel for percept in env.observe(PLAYER).percepts] == ["view"]


def test_there_is_nobody_to_talk_to() -> None:
    env = started()
    actions = env.observe(PLAYER).actions
    assert "send_message" not in str(actions.schema())
    assert "send_message" not in told(env, PLAYER)
    assert env.act(PLAYER, Message("Hello?")).status == "illegal"
    assert env.act(PLAYER, Message("Hello?")).mail == ()


def test_the_player_defuses_alone() -> None:
    env = started()
    oracle = registry.policy(SOLO, "oracle")
    assert oracle is not None
    while env.outcome() is None:
        env.act(PLAYER, oracle(env.state(), PLAYER, None))
        env.advance_to(env.observe(PLAYER).time_us + 3_000_000)
    assert env.metrics(PLAYER)["solved"] == 1.0


def test_both_games_have_the_same_bombs() -> None:
    for level in ("multi", "2.4", "random"):
        alone, together = started(level=level), started(PAIR, level)
        assert alone.state()["bomb"] == together.state()["bomb"]  # type: ignore[index, call-overload]


SEATS = [(PAIR, "defuser"), (PAIR, "expert"), (SOLO, PLAYER)]
PACES, THINKING = ("any", "stepped", "realtime"), ("thoughts", "think")
INTERACTIONS = ("markers", "absolute", "scaled", "relative")


@pytest.mark.parametrize(("id", "role"), SEATS)
def test_prompts_are_chosen_by_seat_and_options(id: str, role: str) -> None:
    for pace, thinking, interaction in product(PACES, THINKING, INTERACTIONS):
        env = started(id, pace=pace, thinking=thinking, interaction=interaction)
        text, ids = told(env, role), components(env, role)
        hands, markers = role != "expert", role != "expert" and interaction == "markers"
        assert ("interact_game" in text) == hands
        assert ("marker" in text) == markers
        assert ("4f-coordinates" in ids) == (hands and not markers)
        assert ("6c-real-time" in ids) == (pace == "realtime")
        assert ("3 seconds" in text) == (hands and pace == "stepped")
        assert f"<{thinking}>" in text
        assert len(set(ids)) == len(ids)
        assert "{" not in text.replace('{"', "").replace("{}", "")  # no slot left open


def test_roles_mirror_each_other() -> None:
    env = started(PAIR)
    assert "1a-scenario-two" in components(env, "expert")
    assert "2a-role-expert" in components(env, "expert")
    assert "2b-role-defuser" in components(env, "defuser")
    talk = {id for id in components(env, "defuser") if "talk" in id}
    assert talk == {"6h-talk-defuser", "6i-talk-markers"}
    assert "roll_up" not in told(env, "expert")


def test_who_plays_from_memory_is_not_told_to_forget() -> None:
    bare, read = told(started(manual=False), PLAYER), told(started(), PLAYER)
    assert "outdated" in read
    assert "outdated" not in bare
    assert "Use what you know" in bare


def test_the_name_of_the_game_can_be_kept_secret() -> None:
    for id, role in SEATS:
        assert GAME in told(started(id), role)
        assert "Talking" not in told(started(id, named=False), role)
        assert "KTANE" not in told(started(id, named=False), role)


def test_the_examples_in_the_prompts_are_answers() -> None:
    for (id, role), interaction in product(SEATS, INTERACTIONS):
        env = started(id, interaction=interaction)
        actions = env.observe(role).actions
        lines = [line for line in env.brief(role).answer.split("\n") if '{"result"' in line]
        assert len(lines) >= 3
        for line in lines:
            tagged = line if "<action>" in line else f"<action>{line}</action>"
            action = actions.parse(tagged)
            assert isinstance(action, Wait | Message | Interact), line


def test_strikes_are_told_as_they_count() -> None:
    assert "The third strike sets the bomb off." in told(started(), PLAYER)
    assert "The first strike sets the bomb off." in told(started(strike_limit=1), PLAYER)


def test_asking_is_short_and_never_changes() -> None:
    env = started(PAIR)
    asks = set()
    for _ in range(3):
        asks.add(env.observe("expert").ask)
        env.act("expert", Wait())
    (ask,) = asks
    assert len(ask) < 100


def test_markers_are_worn_by_modules_of_the_face_in_view() -> None:
    env = started(level="multi")
    worn = env.observe(PLAYER).actions.hands.marks  # type: ignore[attr-defined]
    assert [mark.label for mark in worn] == list("ABCDEF"[: len(worn)])
    assert all(isinstance(mark, Mark) and "/" not in (mark.element or "") for mark in worn)
    env.act(PLAYER, Interact("roll_up"))
    assert env.observe(PLAYER).actions.hands.marks == ()  # type: ignore[attr-defined]
