"""Finished runs of 2048 whose players and reflections are scripted."""

from __future__ import annotations

from pathlib import Path

from polyathlon import registry
from polyathlon.agents.models.scripted import register_script
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec
from polyathlon.core.canonical import JSON
from polyathlon.core.episodes import EpisodeSpec, Limits
from polyathlon.core.models import Request
from polyathlon.experiments.rundir import RunDir, create
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Settings

TWENTY48 = "lmgame/twenty48-v0"
REFLECTION = "The move merged tiles into a 4. Nothing else is known."


def _reply(request: Request) -> str:
    system = request.thread.messages()[0].text
    if "## Your review" in system:
        return REFLECTION
    return "thought: try again\nmove: left"


register_script("leftist", _reply)


def run_of(
    path: Path,
    model: str = "scripted/leftist",
    episodes: int = 2,
    turns: int = 6,
    **harness: JSON,
) -> RunDir:
    """A run of an llm agent that sees words and remembers."""
    env = registry.env_spec(TWENTY48)
    settings = {"preset": "both", "max_tokens": 50, **harness}
    lineup = {"player": AgentSpec("llm", model, settings)}
    limits = Limits(turns=turns)
    specs = [
        EpisodeSpec(env.id, "standard", env.configure({}), seed, lineup, limits=limits)
        for seed in range(episodes)
    ]
    run = create(path / "run", {"experiment": {}})
    run_plan(run, specs, Settings())
    return run


def acted(*turns: tuple[str | None, str], role: str = "player") -> list[trace.Event]:
    """Decisions by what was tried (None: a malformed reply) and their status."""
    return [
        trace.Acted(role, number, 0, action, status, raw="the reply" if action is None else "")
        for number, (action, status) in enumerate(turns)
    ]
