"""Descriptions: whether words mean what was shown, by sentence embeddings of gold descriptions."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import anyio.to_thread
import msgspec

from polyathlon.core import trace
from polyathlon.core.scoring import Scorer, ScorerContext, Scores
from polyathlon.scorers.reading import played, start, turns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENOUGH = 0.5
"""The least cosine at which a description is taken for that of anything."""

_one_at_a_time = threading.Lock()


class Gold(msgspec.Struct, frozen=True):
    """What things are called: a name and a description in each place."""

    names: tuple[str, ...]
    texts: tuple[str, ...]


class Meant(msgspec.Struct, frozen=True):
    """The name whose gold description is nearest to some words, the cosine of the two, and the
    cosine to the nearest gold description of what was shown."""

    name: str
    cosine: float
    own: float


def meant(words: str, shown: str, gold: Gold) -> Meant:
    """What words mean. Raises UserError when the embedding model is not installed."""
    from polyathlon.media.embeddings import embedded

    with _one_at_a_time:
        cosines = _vectors(gold.texts) @ embedded([words])[0]
    nearest = int(cosines.argmax())
    own = max(float(c) for name, c in zip(gold.names, cosines, strict=True) if name == shown)
    return Meant(gold.names[nearest], float(cosines[nearest]), own)


@lru_cache(maxsize=8)
def _vectors(texts: tuple[str, ...]) -> NDArray[np.float32]:
    from polyathlon.media.embeddings import embedded

    return embedded(texts)


class Descriptions:
    """Scores `descriptions`, of episodes whose state holds what was `shown` and `gold` words.

    `correct` is 1 if the nearest gold description of all belongs to what was shown and their
    cosine is at least `ENOUGH`; `cosine` is to the nearest of what was shown, and `short_by` how
    much nearer another one is, 0 if none is. Without an answer `correct` is 0 and there are no
    cosines; where nothing was to be described there are no scores.
    """

    name = "descriptions"
    version = 1
    asks = False
    envs: tuple[str, ...] = ("gptnt/keypad-v0",)

    async def score(self, events: Sequence[trace.Event], ctx: ScorerContext) -> Scores:
        state = cast(Mapping[str, Any], start(played(events)).state())
        if "gold" not in state:
            return Scores()
        said = [turn.act.action for turn in turns(events) if turn.act.action is not None]
        if not said:
            return Scores({"correct": 0.0})
        shown, gold = state["shown"], _gold(state["gold"])
        return _scores(await anyio.to_thread.run_sync(meant, said[-1], shown, gold), shown)


def _gold(words: Mapping[str, Sequence[str]]) -> Gold:
    pairs = [(name, text) for name, texts in words.items() for text in texts]
    names, texts = zip(*pairs, strict=True)
    return Gold(names, texts)


def _scores(found: Meant, shown: str) -> Scores:
    right = found.name == shown and found.cosine >= ENOUGH
    return Scores(
        {"correct": float(right), "cosine": found.own, "short_by": found.cosine - found.own},
        notes=(f"{shown}, taken for {found.name} at {found.cosine:.2f}",),
    )


def descriptions() -> Scorer:
    """Whether a description is nearest in meaning to one of what was shown, by embeddings."""
    return Descriptions()
