"""Every intervention moves a listener that trusts the channel, and no other, as it should."""

from __future__ import annotations

import pytest
from tests.interventions.listener import listened, score
from tests.marking import first_fast

from polyathlon.core import trace

CHANCE = 0.25


@pytest.mark.parametrize("trusted", ["lamp", "tone"])
def test_either_channel_is_enough(trusted: str) -> None:
    assert score(trusted) == 1.0


@pytest.mark.parametrize(("trusted", "other"), first_fast([("lamp", "tone"), ("tone", "lamp")]))
def test_conflict_misleads_who_trusts_the_liar(trusted: str, other: str) -> None:
    assert score(trusted, f"conflict:{trusted}") == 0.0
    assert score(trusted, f"conflict:{other}") == 1.0


@pytest.mark.parametrize(("trusted", "other"), first_fast([("tone", "lamp"), ("lamp", "tone")]))
def test_ablation_leaves_who_trusted_the_channel_to_chance(trusted: str, other: str) -> None:
    assert score(trusted, f"ablate:{trusted}") == pytest.approx(CHANCE, abs=0.12)
    assert score(trusted, f"ablate:{other}") == 1.0


def test_noise_costs_the_more_the_stronger_it_is() -> None:
    levels = [score("lamp", f"noise:gaussian={sd}@lamp") for sd in (0.1, 0.4, 1.0)]
    assert 1.0 >= levels[0] > levels[1] > levels[2] > CHANCE
    assert score("tone", "noise:gaussian=1@lamp") == 1.0


def test_substitution_saves_a_reader_from_noise() -> None:
    assert score("lamp", "substitute:lamp") == 1.0
    assert score("lamp", "substitute:lamp", "noise:gaussian=1@image") == 1.0
    assert score("tone", "substitute:tone=text", "ablate:audio") == 1.0


def test_aid_makes_up_for_a_missing_channel() -> None:
    assert score("notes") == pytest.approx(CHANCE, abs=0.12)
    assert score("notes", "ablate:lamp", "ablate:tone", "aid:notes") == 1.0


def followed(events: list[trace.Event], channel: str) -> float:
    """The share of presses that did what a channel, as delivered, had suggested."""
    suggested = [
        sensed.facts["suggests"]
        for event in events
        if isinstance(event, trace.Observed)
        for sensed in event.percepts
        if sensed.channel == channel and "suggests" in sensed.facts
    ]
    acts = [event.action for event in events if isinstance(event, trace.Acted)]
    pressed = [action for action in acts if action != "watch"]
    return sum(map(str.__eq__, map(str, suggested), map(str, pressed))) / len(pressed)


@pytest.mark.parametrize(("trusted", "share"), [("lamp", 1.0), ("tone", 0.0)])
def test_the_trace_says_which_cue_was_followed(trusted: str, share: float) -> None:
    events = listened(trusted, "conflict:lamp=other")
    assert followed(events, "lamp") == share
    assert followed(events, "tone") == 1.0 - share


def test_the_trace_keeps_the_lie_its_name_and_the_truth() -> None:
    events = listened("lamp", "conflict:lamp")
    watched = [event for event in events if isinstance(event, trace.Observed) and event.truth]
    assert len(watched) == 12
    for event in watched:
        told, true = event.percepts[0], event.truth[0]
        assert told.facts["lie"] == "other"
        assert "lie" not in true.facts
        assert told.facts["suggests"] != true.facts["suggests"]
        assert event.percepts[1:] == event.truth[1:]
