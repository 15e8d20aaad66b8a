"""The coordinator of a run: hands out episodes, holds the budget, owns the index."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import anyio
import anyio.to_thread

from polyathlon.core import trace
from polyathlon.core.addresses import redacted
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.experiments.rundir import Index, RunDir
from polyathlon.experiments.settings import Group, Mishap, Progress, Settings, mishap
from polyathlon.experiments.spending import spent_usd
from polyathlon.experiments.todo import DEATHS, Todo
from polyathlon.experiments.traces import DamagedTrace
from polyathlon.runtime.limits import BUDGET, Purse
from polyathlon.runtime.ratelimit import Limiters, Slots


class Hub(Protocol):
    """What a worker asks of its coordinator, in the same process or over a line."""

    @property
    def slots(self) -> Slots:
        """Where model calls wait for their turn."""
        ...

    async def next(self) -> EpisodeSpec | None:
        """An episode to play, or None when there is none left."""
        ...

    async def ended(self, spec: EpisodeSpec, ended: trace.Ended) -> None:
        """An episode ended and its trace is sealed."""
        ...

    async def stopped(self, spec: EpisodeSpec, cause: str) -> None:
        """An episode stopped and can be resumed."""
        ...

    async def reserve(self, usd: float) -> bool:
        """Whether the run can afford a call that costs at most `usd`; if so it is set aside.

        Waits for calls in flight while what they do not use may suffice.
        """
        ...

    async def settle(self, reserved_usd: float, cost_usd: float | None) -> None:
        """Replace a reservation by what the call cost."""
        ...


class Coordinator:
    """The Hub of a run."""

    def __init__(
        self,
        run: RunDir,
        specs: Sequence[EpisodeSpec],
        settings: Settings,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        self._run = run
        self._index = Index(run)
        self._on_progress = on_progress
        self._retry_failed = settings.retry_failed
        self._changed = anyio.Event()
        self.slots = Limiters(settings.rates)
        self.progress = Progress(len(specs), time.monotonic())
        begun = set(run.episode_ids())
        self.todo = Todo(s for s in specs if s.id not in begun or not self._ended(s))
        limit = settings.budget_usd
        self.purse = Purse(limit, 0.0 if limit is None else spent_usd(run))

    async def next(self) -> EpisodeSpec | None:
        return self.todo.take((), 1)

    async def next_for(self, held: Collection[EpisodeSpec], share: int) -> EpisodeSpec | None:
        """An episode for a worker process that plays `held` and at most `share` at once.

        Waits while those that are left may not be played beside these.
        """
        while (spec := self.todo.take(held, share)) is None and self.todo:
            await self._changed.wait()
        return spec

    async def ended(self, spec: EpisodeSpec, ended: trace.Ended) -> None:
        self._count(spec, ended)
        self._tell()

    async def stopped(self, spec: EpisodeSpec, cause: str) -> None:
        self._put_off(spec, redacted(cause), self.purse.refusal() if cause == BUDGET else "")
        self._tell()

    async def died(self, spec: EpisodeSpec) -> None:
        """A worker process died while it played an episode."""
        ended = await anyio.to_thread.run_sync(self._sealed_end, spec)
        if ended is not None:
            self._count(spec, ended)
        elif self.todo.died(spec) == DEATHS:
            cause = f"episode {spec.id} ended its worker process {DEATHS} times"
            await self.stopped(spec, cause)
        self._tell()

    async def reserve(self, usd: float) -> bool:
        return await self.purse.reserve(usd)

    async def settle(self, reserved_usd: float, cost_usd: float | None) -> None:
        self.purse.settle(reserved_usd, cost_usd)

    def close(self) -> None:
        """Release the index."""
        self._index.close()

    def _put_off(self, spec: EpisodeSpec, cause: str, detail: str = "") -> None:
        self.progress.stopped += 1
        if cause not in self.progress.problems:
            self.progress.problems.append(cause)
        self._group("stopped", cause, spec).detail = detail
        self._index.put(spec, "stopped", cause, None)

    def _tell(self) -> None:
        self._on_progress(self.progress)
        self._changed.set()
        self._changed = anyio.Event()

    def _ended(self, spec: EpisodeSpec) -> bool:
        """Whether an episode is not played any more, as is one whose trace is damaged."""
        try:
            ended = self._sealed_end(spec)
        except DamagedTrace as damage:
            self._put_off(spec, str(damage))
            return True
        if ended is not None:
            self._count(spec, ended)
        return ended is not None

    def _sealed_end(self, spec: EpisodeSpec) -> trace.Ended | None:
        """The end of an episode that is not played again, its trace sealed; blocks."""
        run = self._run
        ended = run.ended(spec.id)
        if ended is None or (ended.status == "failed" and self._retry_failed):
            return None
        if run.sealed_path(spec.id).exists():
            run.trace_path(spec.id).unlink(missing_ok=True)
        else:
            run.kept.look()
            run.seal(spec.id)
        return ended

    def _count(self, spec: EpisodeSpec, ended: trace.Ended) -> None:
        progress = self.progress
        progress.done += 1
        progress.failed += ended.status == "failed"
        progress.turns += ended.turns
        progress.calls += ended.calls
        progress.spent_usd += (ended.cost_usd or 0.0) + (ended.booked_usd or 0.0)
        progress.unknown_cost |= ended.cost_usd is None
        self._index.put(spec, ended.status, ended.cause, ended)
        what = None if _is_probe(spec) else mishap(ended.status, ended.cause)
        if what is not None:
            self._group(what, ended.cause, spec)

    def _group(self, what: Mishap, cause: str, spec: EpisodeSpec) -> Group:
        """Those with the same mishap, this one counted."""
        group = self.progress.mishaps.setdefault((what, cause), Group(spec.id))
        group.count += 1
        return group


def _is_probe(spec: EpisodeSpec) -> bool:
    """Whether it is meant to end after one decision."""
    return spec.branch is not None and spec.branch.moment is not None
