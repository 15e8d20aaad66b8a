"""The benchmarks of the OmniPlay games measure what they say."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.runtime.support import played

from polyathlon.bench import media, omniplay
from polyathlon.core import trace


def test_the_suite_holds_all_games_and_its_replies_are_played() -> None:
    specs = omniplay.episodes(10)
    assert set(Counter(spec.env for spec in specs).values()) == {2}
    for spec in specs[:5]:
        acts = [event for event in played(spec) if isinstance(event, trace.Acted)]
        assert acts
        assert all(act.status != "malformed" or "alchemist" in spec.env for act in acts)


def test_media_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(media, "WARM_UP", 1)
    monkeypatch.setattr(media, "SAMPLES", 2)
    assert len(media.SENTENCE.format(1, 2).split()) == 15
    assert all(benchmark.measure() > 0 for benchmark in media.benchmarks())


def test_what_an_idle_process_lacks_too_is_no_lag() -> None:
    stolen = [(1.0, 2.0), (3.0, 3.5)]
    assert omniplay.shared((1.5, 3.25), stolen) == 0.75
    assert omniplay.shared((2.0, 3.0), stolen) == 0.0
