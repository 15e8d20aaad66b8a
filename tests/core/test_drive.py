"""Playing by hand: rounds, ticks and replay."""

import re

import numpy as np
import pytest
from tests.toys import beacon, quorum, relay, vigil

from polyathlon.core.world import Step
from polyathlon.media.fingerprint import render_fingerprint
from polyathlon.testing.drive import play, replay


class Asleep(relay.Relay):
    def pending(self) -> tuple[str, ...]:
        return ()


def test_a_world_that_waits_for_nobody_and_has_no_tick_is_an_error() -> None:
    with pytest.raises(AssertionError, match="nobody is pending"):
        list(play(Asleep("short", repeats=1), 0, lambda seen: "watch"))


def test_everybody_pending_sees_the_same_moment() -> None:
    env = quorum.Quorum("standard", rounds=2)
    turns = list(play(env, 0, lambda seen: "raise"))
    assert [turn.role for turn in turns] == [*quorum.ROLES, *quorum.ROLES]
    assert [turn.observation.turn for turn in turns if turn.observation] == [0] * 4 + [1] * 4


def test_a_clock_ticks_after_each_round() -> None:
    env = beacon.Beacon("standard", codes=1, limit_s=2)
    turns = list(play(env, 0, lambda seen: "hello"))
    assert [(turn.role, turn.time_us) for turn in turns] == [
        ("operator", 0),
        ("guide", 0),
        (None, 1_000_000),
        ("operator", 1_000_000),
        ("guide", 1_000_000),
        (None, 2_000_000),
    ]
    assert list(replay(env, 0, turns)) == [turn.state for turn in turns]


class Alarms(vigil.Vigil):
    """A vigil with nothing to do between the alarms."""

    def pending(self) -> tuple[str, ...]:
        return super().pending()[1:]


def test_time_passes_to_the_next_event_while_nobody_is_pending() -> None:
    env = Alarms("standard", every_s=400, shift_s=1_000)
    turns = list(play(env, 0, lambda seen: "answer"))
    assert [(turn.role, turn.time_us // 1_000_000) for turn in turns] == [
        (None, 400),
        ("watcher", 400),
        (None, 401),
        (None, 800),
        ("watcher", 800),
        (None, 801),
        (None, 1_000),
    ]
    assert list(replay(env, 0, turns)) == [turn.state for turn in turns]


def test_a_clock_that_announces_nothing_to_nobody_is_an_error() -> None:
    env = Alarms("standard", every_s=400, shift_s=1_000)
    env.next_event_us = lambda: None  # type: ignore[method-assign]
    with pytest.raises(AssertionError, match="nobody is pending"):
        list(play(env, 0, lambda seen: "answer"))


def test_replay_shows_where_another_game_begins() -> None:
    turns = list(play(quorum.Quorum("standard", rounds=1), 0, lambda seen: "raise"))
    other = list(replay(quorum.Quorum("standard", rounds=1), 1, turns))
    assert other != [turn.state for turn in turns]
    assert all(isinstance(turn.step, Step) for turn in turns)


def test_a_render_fingerprint_names_pillow_and_a_picture() -> None:
    assert re.fullmatch(r"pillow-[\d.]+-[0-9a-f]{12}", render_fingerprint())


def test_a_last_bit_of_arithmetic_makes_another_render_fingerprint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here, exact = render_fingerprint(), np.exp
    monkeypatch.setattr(np, "exp", lambda x: np.nextafter(exact(x), x.dtype.type(0)))
    assert render_fingerprint.__wrapped__() != here
