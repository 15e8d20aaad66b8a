"""Estimates: what a plan may take, before anything is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from polyathlon import registry
from polyathlon.agents.harness.config import Harness, harness
from polyathlon.agents.models.prices import known_price
from polyathlon.agents.preview import first_requests
from polyathlon.core.agents import AgentSpec
from polyathlon.core.console import counted
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError
from polyathlon.core.models import ModelError, Price, Request, Usage
from polyathlon.core.world import Role
from polyathlon.experiments.clients import client as made
from polyathlon.runtime.limits import DEFAULT_MAX_TOKENS, most_usd

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_MEDIUM = 800
OUTPUT_TOKENS = 300


class Estimate(msgspec.Struct, frozen=True):
    """What a plan may take when every episode lasts to its horizon or turn limit.

    Tokens take the first request of each episode as typical, four characters a token, 800 a
    picture, and `max_tokens` or 300 tokens out a call: that is `cost_usd`. `most_usd` is what a
    budget would set aside for these calls: every reply as long as its model can make it. Both are
    None when a price is unknown.
    """

    episodes: int
    turns: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    most_usd: float | None
    unknown_prices: tuple[str, ...] = ()

    def text(self) -> str:
        """The estimate in words."""
        return (
            f"{counted(self.episodes, 'episode')}, at most {counted(self.turns, 'turn')} and "
            f"{counted(self.calls, 'model call')}, "
            f"about {self.input_tokens} tokens in and {self.output_tokens} out at most, "
            f"cost {self.cost()}"
        )

    def cost(self) -> str:
        """What it may cost, in words."""
        if self.cost_usd is None or self.most_usd is None:
            return f"unknown (no price for {', '.join(self.unknown_prices)})"
        return (
            f"about {self.cost_usd:,.2f} USD if every episode lasts to its limit, and at most "
            f"{self.most_usd:,.2f} USD if every reply is as long as can be"
        )


class _Ask(msgspec.Struct, frozen=True):
    """A typical call: its tokens in, its most US dollars where the price is known."""

    tokens: int
    most_usd: float | None


def estimate(plan: Sequence[EpisodeSpec], prices: Mapping[str, Price]) -> Estimate:
    """What a plan may take."""
    turns = calls = 0
    usage, cost, most = Usage(), 0.0, 0.0
    unknown: set[str] = set()
    clients: dict[str, _Client] = {}
    asks: dict[tuple[str, str, Role, str], _Ask] = {}
    for episode in plan:
        env = registry.env_spec(episode.env)
        horizon = int(episode.options.get("horizon", env.horizon))
        length = min(horizon, episode.limits.turns or horizon)
        turns += length * len(env.roles)
        for role, agent in episode.lineup.items():
            if agent.kind != "llm":
                continue
            settings = harness(agent.harness)
            count = length * _calls_per_turn(settings)
            if agent.model not in clients:
                clients[agent.model] = _client(agent.model, prices)
            client = clients[agent.model]
            key = (episode.env, episode.level, role, repr(agent))
            if key not in asks:
                asks[key] = _ask(episode, role, agent, client)
            used = Usage(
                input=count * asks[key].tokens,
                output=count * (settings.sampling.max_tokens or OUTPUT_TOKENS),
            )
            calls, usage = calls + count, usage + used
            if client.price is None:
                unknown.add(agent.model)
            else:
                cost += client.price.cost(used)
                most += count * (asks[key].most_usd or 0.0)
    return Estimate(
        len(plan), turns, calls, usage.input, usage.output,
        None if unknown else cost, None if unknown else max(cost, most), tuple(sorted(unknown)),
    )  # fmt: skip


def may_cost(plan: Sequence[EpisodeSpec], prices: Mapping[str, Price]) -> bool:
    """Whether anything in a plan has a price, known or not."""
    asked = {agent.model for episode in plan for agent in episode.lineup.values()} - {""}
    found = (_client(name, prices).price for name in asked)
    return any(price is None or price.input or price.output for price in found)


class _Client(msgspec.Struct, frozen=True):
    """A model as far as its costs go; one that needs a key has no `model` without it."""

    model: Any
    price: Price | None


def _calls_per_turn(settings: Harness) -> int:
    reflects = bool(settings.reflection.every) or settings.reflection.invalid
    return 1 + reflects + (settings.perception.kind == "caption") + settings.summary


def _client(name: str, prices: Mapping[str, Price]) -> _Client:
    try:
        model = made(name)
    except UserError:  # no key: a dry run needs none
        provider, _, rest = name.partition("/")
        return _Client(None, prices.get(name) or known_price(provider, rest))
    model.price = prices.get(name, model.price)
    return _Client(model, model.price)


def _ask(episode: EpisodeSpec, role: Role, agent: AgentSpec, client: _Client) -> _Ask:
    env = registry.make(episode.env, episode.level, episode.options)
    env.reset(episode.seed)
    request = first_requests(agent, env, role)[-1].request
    asked = request.thread
    tokens = asked.characters // CHARACTERS_PER_TOKEN + asked.media * TOKENS_PER_MEDIUM
    return _Ask(tokens, _most_usd(request, client))


def _most_usd(request: Request, client: _Client) -> float | None:
    if client.price is None:
        return None
    try:
        if client.model is not None:
            return most_usd(client.model, request)
    except ModelError:  # refused settings: preflight and the first call say so
        pass
    return client.price.most(request.most(request.sampling.max_tokens or DEFAULT_MAX_TOKENS))
