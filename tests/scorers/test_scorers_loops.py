"""Loops, counted by hand."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.scorers.scored import acted

from polyathlon.core.scoring import Scores
from polyathlon.scorers.loops import loops

NO_CONTEXT: Any = None


def scored(events: list[Any]) -> Scores:
    return asyncio.run(loops().score(events, NO_CONTEXT))


@pytest.mark.parametrize(
    ("turns", "invalid", "longest", "repeats"),
    [
        ([("up", "ok"), ("up", "ok")], 0, 0, 0),
        ([("up", "ineffective"), ("up", "ok"), ("up", "ok")], 1, 1, 1),
        ([("up", "ineffective")] * 3 + [("left", "illegal")], 4, 3, 2),
        ([("up", "ineffective"), ("left", "ok"), ("up", "ineffective")], 2, 1, 0),
        ([("up", "ineffective"), ("left", "ineffective")] * 2, 4, 1, 0),
        ([(None, "malformed"), (None, "malformed"), ("up", "ok")], 2, 2, 1),
    ],
)
def test_loops_by_hand(
    turns: list[tuple[str | None, str]], invalid: int, longest: int, repeats: int
) -> None:
    assert scored(acted(*turns)).values == {
        "invalid_rate": invalid / len(turns),
        "longest_invalid_run": longest,
        "repeat_rate": repeats / len(turns),
    }


def test_without_turns_there_is_nothing_to_say() -> None:
    assert scored([]) == Scores()


def test_roles_do_not_repeat_each_other() -> None:
    red = acted(("up", "illegal"), ("up", "illegal"), role="red")
    blue = acted(("up", "illegal"), ("down", "ok"), role="blue")
    mixed = [event for pair in zip(red, blue, strict=True) for event in pair]
    found = scored(mixed)
    assert found.roles["red"]["repeat_rate"] == 0.5
    assert found.roles["blue"] == {
        "invalid_rate": 0.5, "longest_invalid_run": 1.0, "repeat_rate": 0.0
    }  # fmt: skip
    assert found.values == {"invalid_rate": 0.75, "longest_invalid_run": 2.0, "repeat_rate": 0.25}


def test_scores_are_finite() -> None:
    with pytest.raises(ValueError, match="leave it out"):
        Scores({"rate": float("nan")})
