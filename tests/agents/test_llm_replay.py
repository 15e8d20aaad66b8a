"""The llm agent is replayable: a game cut anywhere and resumed is the unbroken game."""

from __future__ import annotations

import pytest
from tests.agents.fakes import TWENTY48
from tests.runtime.support import episode, played, same

from polyathlon.agents.models.scripted import register_script
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec
from polyathlon.core.canonical import JSON
from polyathlon.core.episodes import Limits
from polyathlon.core.models import Request

TURNS = 6


def reply(request: Request) -> str:
    move = ("left", "down", "right", "up")[int(request.thread.hash, 16) % 4]
    return f"note: seen {request.thread.hash[:6]}\nthought: t\nmove: {move}"


@pytest.mark.parametrize(
    "settings",
    [
        {"preset": "memory"},
        {"preset": "both", "history": 2, "summary": "on"},
        {"perception": "caption"},
        {"context": "chat", "window": 2},
    ],
)
def test_a_resumed_game_is_the_unbroken_game(settings: dict[str, JSON]) -> None:
    register_script("notes", reply)
    lineup = {"player": AgentSpec("llm", "scripted/notes", settings)}
    spec = episode(TWENTY48, lineup, limits=Limits(turns=TURNS))
    whole = played(spec)
    assert sum(isinstance(event, trace.Acted) for event in whole) == TURNS
    for cut in (1, len(whole) // 3, len(whole) // 2, len(whole) - 2):
        assert same(played(spec, recording=whole[:cut])) == same(whole)
