"""Reflections on 2048: what they claim, what was true, and both put together."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.runtime.support import episode, played
from tests.scorers.scored import TWENTY48, run_of

from polyathlon.core import trace
from polyathlon.core.chance import stream
from polyathlon.core.episodes import Limits, SchedulerSpec
from polyathlon.envs.lmgame.twenty48.rules import DIRECTIONS, Rules
from polyathlon.scorers.reading import turns
from polyathlon.scorers.reflections import claims, facts, merges, reflections


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Left merged two 4s into an 8 and gained 8 points.", [("made", 8), ("gain", 8)]),
        ("It created a new 16 tile!", [("made", 16)]),
        ("Nothing merged. The board did not change.", [("gain", 0)]),
        ("Empty cells went from 10 to 9.", [("counts", (10, 9))]),
        ("The number of empty cells fell by one; gain: 4.", [("change", -1), ("gain", 4)]),
        ("That freed two empty cells.", [("change", 2)]),
        ("We gained 1 empty cell, now 3 fewer empty than before.", [("change", -3)]),
        ("The count of empty cells stayed the same.", [("change", 0)]),
        ("<think>It made a 32 tile.</think>It merged into 4.", [("made", 4)]),
        ("Next I should merge the 8s into a 16. If up, gain 16.", []),
        ("I made 3 moves with tile 7 and keep the corner.", []),
        ("", []),
    ],
)
def test_what_a_reflection_claims(text: str, stated: list[Any]) -> None:
    assert [(claim.kind, claim.value) for claim in claims(text)] == stated


@given(st.text(alphabet="merged into 48 from to empty gain .\n<think>", max_size=300))
def test_any_text_has_claims(text: str) -> None:
    assert all(claim.sentence for claim in claims(text))


def test_merges_of_a_board() -> None:
    before = [[2, 2, 4, 8], [4, 4, 4, 4], [0, 0, 0, 0], [2, 0, 0, 0]]
    after = [[4, 4, 8, 0], [8, 8, 0, 0], [0, 2, 0, 0], [2, 0, 0, 0]]
    assert merges(before, after) == {4: 1, 8: 2}


@given(st.integers(0, 10_000))
def test_merges_add_up_to_the_gain(seed: int) -> None:
    rules = Rules("standard", size=4, four_rate=0.5, stuck=10, horizon=60)
    rules.reset(seed)
    rng = stream(seed, "test")
    while rules.pending():
        before = rules.state()
        rules.act("player", rng.choice(DIRECTIONS))
        after: Any = rules.state()
        made = merges(before["board"], after["board"])
        assert sum(tile * count for tile, count in made.items()) == after["gain"]
        assert facts(before, after)["made"] == frozenset(made)


def test_a_game_played_again_has_its_states() -> None:
    events = played(episode(TWENTY48, "random", limits=Limits(turns=20)))
    again = list(turns(events))
    assert len(again) == 20
    assert Counter(turn.act.status for turn in again)["ok"] > 10
    broken = [
        trace.Acted("player", event.turn, 0, "left", "ok", state="other")
        if isinstance(event, trace.Acted)
        else event
        for event in events
    ]
    with pytest.raises(ValueError, match="another state"):
        list(turns(broken))


def test_a_wall_clock_game_is_refused() -> None:
    spec = episode(TWENTY48, scheduler=SchedulerSpec("realtime"))
    with pytest.raises(ValueError, match="wall-clock"):
        list(turns([trace.Header(1, spec.id, spec)]))


def test_precision_over_a_game(tmp_path: Any) -> None:
    run = run_of(tmp_path, episodes=1, turns=8)
    events = list(run.events(run.episode_ids()[0]))
    made_four = [4 in facts(turn.before, turn.after)["made"] for turn in turns(events)][:-1]
    assert 0 < sum(made_four) < len(made_four)
    found = asyncio.run(reflections().score(events, None))
    assert found.values == {
        "reflections": 7.0,
        "merge_stated": 1.0,
        "merge_precision": sum(made_four) / 7,
        "empty_stated": 0.0,
        "exact": 0.0,
    }
    assert len(found.notes) == 7 - sum(made_four)
