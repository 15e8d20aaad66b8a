"""What a scorer's model may cost, told from the first question about a few episodes."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from polyathlon.core import trace
from polyathlon.core.console import counted
from polyathlon.core.models import Abilities, Model, ModelError, Reply, Request, Usage
from polyathlon.core.parts import Part
from polyathlon.core.scoring import Scorer
from polyathlon.experiments.estimate import CHARACTERS_PER_TOKEN, OUTPUT_TOKENS, TOKENS_PER_MEDIUM
from polyathlon.experiments.rundir import RunDir
from polyathlon.runtime.limits import most_usd

SAMPLED = 8
"""So many episodes are looked at, evenly apart."""


class Forecast(msgspec.Struct, frozen=True):
    """What `episodes` may cost with one question each, as long as those of `sampled` ones.

    `cost_usd` takes 300 tokens a reply, `most_usd` replies as long as they can be; both are None
    where the price is unknown.
    """

    episodes: int
    sampled: int
    cost_usd: float | None
    most_usd: float | None

    def text(self) -> str:
        """The forecast in words."""
        episodes = counted(self.episodes, "episode")
        if self.cost_usd is None or self.most_usd is None:
            return f"scoring {episodes} may cost: unknown, for the price is"
        return (
            f"scoring {episodes} may cost: about {self.cost_usd:,.4f} USD, and at "
            f"most {self.most_usd:,.4f} USD if every reply is as long as can be; one question an "
            f"episode, as in {self.sampled} of them"
        )


async def forecast(run: RunDir, scorer: Scorer, model: Model, ids: Sequence[str]) -> Forecast:
    """What it may cost to score these episodes. Nothing is asked."""
    some = ids[:: max(1, len(ids) // SAMPLED)][:SAMPLED]
    peeks = [_Peek(run, model) for _ in some]
    for id, peek in zip(some, peeks, strict=True):
        try:
            await scorer.score(list(run.events(id)), peek)
        except Exception:  # what goes wrong here goes wrong again, and is told, when it is scored
            continue
    asked = [peek.asked for peek in peeks if peek.asked is not None]
    if model.price is None:
        return Forecast(len(ids), len(asked), None, None)
    scale = len(ids) / max(1, len(asked))
    about = sum(model.price.cost(_usual(request)) for request in asked)
    most = sum(_most_usd(model, request) for request in asked)
    return Forecast(len(ids), len(asked), scale * about, scale * max(about, most))


class _Asked(Exception):
    """A scorer has asked its first question."""


class _Peek:
    """core.scoring.ScorerContext that keeps the first request and asks nobody."""

    def __init__(self, run: RunDir, model: Model) -> None:
        self.abilities: Abilities = model.abilities
        self.asked: Request | None = None
        self._run = run

    async def complete(self, request: Request, purpose: str) -> Reply:
        self.asked = self.asked or request
        raise _Asked

    def media(self, ref: trace.Ref) -> Part:
        return self._run.load(ref)


def _usual(request: Request) -> Usage:
    asked = request.thread
    tokens = asked.characters // CHARACTERS_PER_TOKEN + asked.media * TOKENS_PER_MEDIUM
    return Usage(input=tokens, output=OUTPUT_TOKENS)


def _most_usd(model: Model, request: Request) -> float:
    try:
        return most_usd(model, request) or 0.0
    except ModelError:  # the call itself says why
        return 0.0
