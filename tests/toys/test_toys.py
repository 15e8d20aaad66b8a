"""The toys do what the tests of schedulers, interventions and replay rely on."""

from itertools import islice

import pytest
from tests.toys import TOYS, beacon, cartpole, quiz, quorum, relay

from polyathlon import registry
from polyathlon.core.actions import Malformed
from polyathlon.core.chance import stream
from polyathlon.core.parts import Audio, Image
from polyathlon.core.world import Env
from polyathlon.testing.drive import play


def _started(id: str, level: str | None = None, seed: int = 0) -> Env:
    env = registry.make(id, level)
    env.reset(seed)
    return env


def _finished(id: str, level: str, policy: str) -> Env:
    env, rng = registry.make(id, level), stream(1, "toys")
    oracle, random = registry.policy(id, "oracle"), registry.policy(id, "random")
    assert random is not None
    for _ in play(
        env,
        1,
        lambda seen: (
            oracle(env.state(), seen.role, rng)
            if policy == "oracle" and oracle is not None
            else random(seen, rng)
        ),
    ):
        pass
    return env


@pytest.mark.parametrize(
    ("id", "level", "best"),
    [
        ("toys/beacon-v0", "standard", 2.0),
        ("toys/quorum-v0", "standard", 1.0),
        ("toys/relay-v0", "short", 1.0),
        ("toys/relay-v0", "long", 1.0),
        ("toys/quiz-v0", "sum", 1.0),
        ("toys/quiz-v0", "product", 1.0),
    ],
)
def test_the_oracle_beats_the_random_player(id: str, level: str, best: float) -> None:
    assert _finished(id, level, "oracle").metrics()["raw_score"] == best
    assert _finished(id, level, "random").metrics()["raw_score"] < best


def test_only_the_operator_sees_the_light_and_only_the_guide_the_table() -> None:
    env = _started(beacon.SPEC.id)
    channels = {role: {p.channel for p in env.observe(role).percepts} for role in env.spec.roles}
    assert channels == {"operator": {"light", "timer"}, "guide": {"table"}}


def test_the_light_blinks_the_code_of_the_wanted_button() -> None:
    env = beacon.Beacon("standard", codes=1, limit_s=30)
    env.reset(2)
    blinks = []
    for slot in range(beacon.SLOTS):
        env.advance_to(slot * beacon.SLOT_US)
        blinks.append(env.observe("operator").percepts[0].scene)
    table = str(env.observe("guide").percepts[0].meaning)
    (button,) = [line.split(":")[0] for line in table.splitlines() if " ".join(blinks) in line]
    assert env.act("operator", f"press {button}").rewards == {"operator": 1.0, "guide": 1.0}


def test_messages_go_to_the_other_role_and_the_timer_ends_it() -> None:
    env = _started(beacon.SPEC.id)
    (mail,) = env.act("guide", "press red, I think").mail
    assert (mail.sender, mail.to, mail.text) == ("guide", ("operator",), "press red, I think")
    assert env.act("operator", "press purple").status == "illegal"
    assert env.advance_to(10**9).rewards == {"operator": -1.0, "guide": -1.0}
    ended = env.outcome()
    assert ended is not None
    assert ended.reason == "timer"


def test_votes_are_hidden_until_the_last_and_then_resolve_once() -> None:
    env = _started(quorum.SPEC.id)
    before = [env.observe(role) for role in env.spec.roles]
    north, east, south, west = env.spec.roles
    assert env.act(north, "raise").rewards == {}
    assert env.act(north, "lower").status == "illegal"
    assert env.act(east, Malformed("mumbling")).status == "malformed"
    env.act(south, "hold")
    assert [env.observe(role) for role in env.spec.roles] == before
    assert env.pending() == (west,)
    assert set(env.act(west, "raise").rewards) == set(env.spec.roles)
    assert env.pending() == env.spec.roles
    assert "abstain" in str(env.observe(west).percepts[0].meaning)


def test_the_relay_shows_and_sounds_and_lies_consistently() -> None:
    env = _started(relay.SPEC.id)
    seen = env.observe("player")
    light, sound, progress = seen.percepts
    assert isinstance(light.render(), Image)
    assert isinstance(sound.render(), Audio)
    assert light.meaning == sound.meaning == light.facts["suggests"]
    lies = light.counterfactuals["other"], sound.counterfactuals["other"]
    assert lies[0].meaning == lies[1].meaning == lies[0].facts["suggests"] != light.meaning
    assert str(light.meaning) in str(progress.aids[0].meaning)
    assert {light.keep, sound.keep} == {"phase"}


def test_the_relay_has_another_action_space_in_each_phase() -> None:
    env = _started(relay.SPEC.id)
    assert env.observe("player").actions.labels == ("watch",)
    assert env.act("player", "red").status == "illegal"
    for _ in range(3):
        env.act("player", "watch")
    assert env.observe("player").actions.labels == relay.NAMES
    assert env.act("player", "watch").status == "illegal"


def test_a_question_is_one_step_with_lasting_media_and_a_tool() -> None:
    env = _started(quiz.SPEC.id, "product")
    seen = env.observe("player")
    assert [percept.keep for percept in seen.percepts] == ["episode"]
    assert env.spec.tools == ("calculator",)
    assert env.act("player", Malformed("no number")).status == "malformed"
    assert env.outcome() is not None
    assert env.metrics() == {"raw_score": 0.0}


def test_the_pole_falls_under_random_pushes() -> None:
    env = _finished(cartpole.SPEC.id, "standard", "random")
    assert 5 < env.metrics()["raw_score"] < 200


def test_every_toy_has_a_random_policy() -> None:
    for spec in TOYS:
        policy, rng = registry.policy(spec.id, "random"), stream(0, "any")
        assert policy is not None
        turns = play(registry.make(spec.id), 0, lambda seen: policy(seen, rng))  # noqa: B023
        assert list(islice(turns, 3))
