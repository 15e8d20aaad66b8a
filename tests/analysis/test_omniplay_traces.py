"""What traces tell: cues followed, sequences recalled, games won by doing nothing, people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.analysis.test_standings import SEATS, game
from tests.omniplay.cues import followed

from polyathlon.analysis.omniplay.passive import passive_wins
from polyathlon.analysis.omniplay.recall import Recalled, curve, pattern, recalled, systematic
from polyathlon.analysis.people import reliability
from polyathlon.analysis.rows import EpisodeRow, RoleRow, Spend
from polyathlon.core import trace
from polyathlon.envs.omniplay.echoes.answers import Transcription


def turn(action: str | None, **suggests: str) -> list[trace.Event]:
    sensed = tuple(
        trace.Sensed(channel, "text", {"suggests": cue}) for channel, cue in suggests.items()
    )
    return [
        trace.Observed("player", 0, 0, sensed),
        trace.Acted("player", 0, 0, action, "ok"),
    ]


def test_the_channel_a_player_turns_to_is_the_one_it_followed() -> None:
    events = [
        *turn("1 90", guidance="left", state="right"),
        *turn("2 -80", guidance="right", state="left"),
        *turn("2 0", guidance="ahead", state="ahead"),
        *turn(None, guidance="left", state="right"),
    ]
    guidance, state = followed("omniplay/pathfinding-v0", [events])
    assert (guidance.offered, guidance.followed, guidance.disputed) == (3, 1, 2)
    assert guidance.bias == 0.0
    assert state.bias == 1.0
    assert state.share == 1.0


def test_elsewhere_a_cue_is_followed_by_doing_just_that() -> None:
    (lamp,) = followed("toys/relay-v0", [[*turn("red", lamp="red"), *turn("blue", lamp="red")]])
    assert lamp.share == 0.5
    assert lamp.bias is None


CELLS = ((1, 1), (1, 2), (2, 1), (2, 2))
ICONS = ("dog", "cat", "cow", "bird")


def written(cells: tuple[tuple[int, int], ...], icons: tuple[str, ...]) -> Recalled:
    return Recalled(CELLS, ICONS, Transcription(cells, icons))


@pytest.mark.parametrize(
    ("start", "stop", "name"),
    [(0, 4, "right"), (1, 4, "first missing"), (0, 3, "last missing")],
)
def test_lost_ends_are_named(start: int, stop: int, name: str) -> None:
    assert written(CELLS[start:stop], ICONS[start:stop]).pattern == name


def test_shifts_of_one_place_are_named() -> None:
    assert pattern("abcd", "bcdx") == "one early"
    assert pattern("abcd", "xabc") == "one late"
    assert pattern("abcd", "abdc") == "other"
    assert pattern("abcd", "") == "other"
    assert Recalled(CELLS, ICONS, None).pattern == "unparsed"


@given(st.text(max_size=6), st.text(max_size=6))
def test_only_equal_lists_are_right(truth: str, answer: str) -> None:
    assert (pattern(truth, answer) == "right") == (truth == answer)


def test_a_pattern_that_most_failures_share_is_systematic() -> None:
    lost = [written(CELLS[1:], ICONS[1:])] * 4
    assert systematic([*lost, written(CELLS, ICONS)]) == ("first missing", 1.0)
    assert systematic([*lost, Recalled(CELLS, ICONS, None)]) == ("first missing", 0.8)
    assert systematic([*lost, *[Recalled(CELLS, ICONS, None)] * 2]) is None
    assert systematic([written(CELLS, ICONS)]) is None


def test_the_memory_curve_falls_where_memory_does() -> None:
    forgotten = written(CELLS[:2], (*ICONS[:2], "flute", "flute"))
    found = curve([written(CELLS, ICONS), forgotten, Recalled(CELLS, ICONS, None)])
    assert found.cells == pytest.approx((2 / 3, 2 / 3, 1 / 3, 1 / 3))
    assert found.icons == found.cells
    assert found.n == 3


def recalled_as(text: str) -> list[trace.Event]:
    """The trace of one transcription of the sequence above."""
    facts = {"rows": 2, "columns": 2, "cells": [list(cell) for cell in CELLS], "icons": list(ICONS)}
    observed = trace.Observed("player", 0, 0, (trace.Sensed("clip", "video", facts),))
    return [observed, trace.Acted("player", 0, 0, text, "ok")]


def test_a_transcription_is_read_beside_what_was_true() -> None:
    facts = {"rows": 2, "columns": 2, "cells": [list(cell) for cell in CELLS], "icons": list(ICONS)}
    lie = {**facts, "cells": [[2, 2], [2, 1], [1, 2], [1, 1]]}
    text = "Sequence analysis: [(1,2) (2,1) (2,2)] Sequence icons: [cat, cow, bird]"
    observed = trace.Observed(
        "player",
        0,
        0,
        (trace.Sensed("clip", "video", lie),),
        (trace.Sensed("clip", "video", facts),),
    )
    found = recalled([observed, trace.Acted("player", 0, 0, text, "ok")])
    assert found is not None
    assert found.cells == CELLS
    assert found.pattern == "first missing"
    unread = recalled([observed, trace.Acted("player", 0, 0, None, "malformed")])
    assert unread is not None
    assert unread.answer is None
    assert recalled([trace.Acted("player", 0, 0, "x", "ok")]) is None


def test_a_win_without_fighting_is_passive() -> None:
    players = dict(zip(SEATS, "abcd", strict=True))
    quiet = game(0, players, "red", kills=0.0, bombs=1.0, death_chain=1.0)
    fought = game(1, players, "red", kills=1.0, bombs=1.0)
    busy = game(2, players, "red", kills=0.0, bombs=2.0)
    (found,) = passive_wins([quiet, fought, busy, game(3, players, None, kills=0.0, bombs=0.0)])
    assert (found.seed, found.player, found.role) == (0, "a", "red")
    assert found.fates == dict.fromkeys(("blue", "green", "yellow"), "chain")


def person(name: str, score: float, seed: int, **profile: str) -> EpisodeRow:
    seat = RoleRow(
        "player", "human", "human", {"participant": name, **profile}, {"raw_score": score},
        {}, {}, 0, 0, {}, 0, Spend(), "plain",
    )  # fmt: skip
    return EpisodeRow(
        "run", f"{name}{seed}", "omniplay/echoes-v0", "easy", {}, "", "", seed, 0, "done", "",
        {"raw_score": score}, (), {"player": seat}, (), 0.0, "", "",
    )  # fmt: skip


def test_people_agree_as_far_as_their_means_do() -> None:
    rows = [
        person("p1", 2.0, 0, gender="f"),
        person("p1", 4.0, 1, gender="f"),
        person("p2", 5.0, 0, gender="m"),
        person("p2", 100.0, 1, gender="m", warm_up="yes"),
    ]
    everyone, women, men = reliability(rows)
    assert (everyone.group, everyone.participants, everyone.episodes) == ("all", 2, 3)
    assert everyone.mean == pytest.approx(11 / 3)
    assert everyone.sd == pytest.approx(2**0.5)
    assert everyone.sem == pytest.approx(1.0)
    assert (women.group, women.mean, women.sd) == ("gender f", 3.0, 0.0)
    assert men.participants == 1
