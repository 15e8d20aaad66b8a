"""Estimates: what a plan may take, before anything is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from polyathlon import registry
from polyathlon.agents.harness.config import Harness, harness
from polyathlon.agents.models.prices import known_price
from polyathlon.agents.preview import first_requests
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError
from polyathlon.core.models import Price, Usage
from polyathlon.core.world import Role
from polyathlon.experiments.clients import client

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_MEDIUM = 800
OUTPUT_TOKENS = 300


class Estimate(msgspec.Struct, frozen=True):
    """Upper bounds of a plan: every episode is taken to last to its horizon or turn limit.

    Tokens take the first request of each episode as typical, four characters a token, 800 a
    picture, and `max_tokens` or 300 tokens out a call. `cost_usd` is None when a price is unknown.
    """

    episodes: int
    turns: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    unknown_prices: tuple[str, ...] = ()

    def text(self) -> str:
        """The estimate in words."""
        cost = "unknown" if self.cost_usd is None else f"{self.cost_usd:.2f} USD"
        unknown = f" (no price for {', '.join(self.unknown_prices)})" if self.unknown_prices else ""
        return (
            f"{self.episodes} episodes, at most {self.turns} turns and {self.calls} model calls, "
            f"about {self.input_tokens} tokens in and {self.output_tokens} out at most, "
            f"cost at most: {cost}{unknown}"
        )


def estimate(plan: Sequence[EpisodeSpec], prices: Mapping[str, Price]) -> Estimate:
    """The upper bounds of a plan."""
    turns = calls = 0
    usage, cost = Usage(), 0.0
    unknown: set[str] = set()
    known: dict[str, Price | None] = dict(prices)
    sizes: dict[tuple[str, str, Role, str], int] = {}
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
            key = (episode.env, episode.level, role, repr(agent))
            if key not in sizes:
                sizes[key] = _tokens(episode, role, agent)
            used = Usage(
                input=count * sizes[key],
                output=count * (settings.sampling.max_tokens or OUTPUT_TOKENS),
            )
            calls, usage = calls + count, usage + used
            if agent.model not in known:
                known[agent.model] = _price(agent.model)
            price = known[agent.model]
            if price is None:
                unknown.add(agent.model)
            else:
                cost += price.cost(used)
    return Estimate(
        len(plan), turns, calls, usage.input, usage.output,
        None if unknown else cost, tuple(sorted(unknown)),
    )  # fmt: skip


def _calls_per_turn(settings: Harness) -> int:
    reflects = bool(settings.reflection.every) or settings.reflection.invalid
    return 1 + reflects + (settings.perception.kind == "caption") + settings.summary


def _price(name: str) -> Price | None:
    try:
        return client(name).price
    except UserError:  # no key: a dry run needs none
        provider, _, rest = name.partition("/")
        return known_price(provider, rest)


def _tokens(episode: EpisodeSpec, role: Role, agent: AgentSpec) -> int:
    env = registry.make(episode.env, episode.level, episode.options)
    env.reset(episode.seed)
    asked = first_requests(agent, env, role)[-1].request.thread
    return asked.characters // CHARACTERS_PER_TOKEN + asked.media * TOKENS_PER_MEDIUM
