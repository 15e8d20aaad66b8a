"""Preflight: everything that can be wrong with a plan, found before anything is written."""

from __future__ import annotations

from collections.abc import Sequence

from polyathlon import registry
from polyathlon.core.canonical import digest
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError
from polyathlon.experiments.clients import client
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.worker import cast


def preflight(specs: Sequence[EpisodeSpec], settings: Settings) -> None:
    """Build each kind of env, agent, intervention, tool and model once.

    Raises UserError for whatever cannot be built, and for an unknown price under a budget.
    """
    kinds = {
        digest([spec.env, spec.level, spec.options, spec.lineup, spec.interventions]): spec
        for spec in specs
    }
    for spec in kinds.values():
        cast(spec)
    for tool in sorted({name for s in kinds.values() for name in registry.env_spec(s.env).tools}):
        registry.factory("tools", tool)()
    players = [agent for spec in kinds.values() for agent in spec.lineup.values()]
    for name in sorted({agent.model for agent in players} - {""}):
        _check_model(name, settings)


def _check_model(name: str, settings: Settings) -> None:
    unpriced = settings.prices.get(name, client(name).price) is None
    if unpriced and settings.budget_usd is not None:
        raise UserError(
            f"the price of {name} is unknown, so --budget-usd cannot hold: "
            f"give it with --price {name}=INPUT,OUTPUT (USD per million tokens; 0,0 for a "
            "server that costs nothing)"
        )
