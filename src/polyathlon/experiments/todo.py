"""What is still to be played, with care for episodes whose worker processes died."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Collection, Iterable

from polyathlon.core.episodes import EpisodeSpec

DEATHS = 4
"""So many deaths of its worker process stop an episode; before the last it was played alone."""


class Todo:
    """A queue of episodes.

    Nobody knows which of a dead worker's episodes killed it. All go back to the front of the queue
    once; whatever dies again waits until the others are done and has ever less company, so that
    the one at fault is found and the rest end: group testing (Dorfman 1943).
    """

    def __init__(self, specs: Iterable[EpisodeSpec]) -> None:
        self._queues: list[deque[EpisodeSpec]] = [deque() for _ in range(DEATHS)]
        self._queues[0].extend(specs)
        self._deaths: Counter[str] = Counter()

    def __bool__(self) -> bool:
        return any(self._queues)

    def take(self, held: Collection[EpisodeSpec], share: int) -> EpisodeSpec | None:
        """An episode for a worker that plays `held` and at most `share`, or None for now."""
        worst = max((self._deaths[spec.id] for spec in held), default=0) if self._deaths else 0
        for queue in self._queues:
            if queue:
                deaths = max(worst, self._deaths[queue[0].id])
                return queue.popleft() if len(held) < _company(deaths, share) else None
        return None

    def died(self, spec: EpisodeSpec) -> int:
        """How often a worker died while it played `spec`, which is queued unless that is enough."""
        self._deaths[spec.id] += 1
        deaths = self._deaths[spec.id]
        if deaths == 1:
            self._queues[0].appendleft(spec)
        elif deaths < DEATHS:
            self._queues[deaths].append(spec)
        return deaths


def _company(deaths: int, share: int) -> int:
    """How many episodes a worker plays at once when one of them was in so many deaths."""
    if deaths < 2:
        return share
    return math.isqrt(share) if deaths < DEATHS - 1 else 1
