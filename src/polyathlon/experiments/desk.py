"""A desk: the coordinator's end of one worker process, and all that the process holds."""

from __future__ import annotations

from collections import Counter

import anyio
from anyio.abc import TaskGroup

from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import RunStopped
from polyathlon.experiments import messages
from polyathlon.experiments.coordinator import Coordinator
from polyathlon.experiments.line import Line
from polyathlon.experiments.messages import Answer, Recall, ToCoordinator, ToWorker
from polyathlon.runtime.ratelimit import RateLimiter, Slot


class Desk:
    """Answers one worker process, which plays at most `share` episodes at once.

    What it leases it holds until it says otherwise or is gone: episodes, money, slots. It is
    `dismissed` once there was no further episode for it. `desks` are all desks of the run that
    serve, this one included while it does.
    """

    def __init__(self, coordinator: Coordinator, share: int, desks: set[Desk]) -> None:
        self._coordinator = coordinator
        self._share = share
        self._desks = desks
        self._slots: dict[int, tuple[RateLimiter, Slot]] = {}
        self._asked: dict[int, anyio.CancelScope] = {}
        self._keeps: set[str] = set()
        self._reserved_usd: Counter[float] = Counter()
        self.playing: dict[str, EpisodeSpec] = {}
        self.dismissed = False

    async def serve(self, line: Line[ToWorker, ToCoordinator]) -> None:
        """Answer until the worker is gone. Raises RunStopped when it says that it cannot go on."""
        self._line = line
        self._desks.add(self)
        try:
            async with anyio.create_task_group() as waiting:
                async for batch in line.heard():
                    for message in batch:
                        await self._heed(message, waiting)
                waiting.cancel_scope.cancel()
        finally:
            self._desks.discard(self)
            self._release()

    async def died(self) -> None:
        """Take back the money and the episodes that the dead worker held.

        Its calls in flight may have been served and billed, so they are booked at the most that
        they can cost. Its episodes go back to the queue.
        """
        for usd in self._reserved_usd.elements():
            await self._coordinator.settle(usd, usd)
        self._reserved_usd.clear()
        playing, self.playing = self.playing, {}
        for spec in reversed(playing.values()):
            await self._coordinator.died(spec)

    async def _heed(self, message: ToCoordinator, waiting: TaskGroup) -> None:
        hub = self._coordinator
        match message:
            case messages.Lease():
                self._lease(message, waiting)
            case messages.GiveBack():
                self._take_back(message)
            case messages.Withdraw():
                self._withdraw(message.id)
            case messages.Reserve():
                self._asked[message.id] = anyio.CancelScope()
                waiting.start_soon(self._reserve, message)
            case messages.Settle():
                self._settled(message.reserved_usd)
                await hub.settle(message.reserved_usd, message.cost_usd)
            case messages.Next():
                waiting.start_soon(self._next, message.id)
            case messages.Ended():
                self.playing.pop(message.spec.id, None)
                await hub.ended(message.spec, message.ended)
            case messages.Stopped():
                self.playing.pop(message.spec.id, None)
                await hub.stopped(message.spec, message.cause)
            case messages.Failed():
                raise RunStopped(message.why)

    def _settled(self, usd: float) -> None:
        self._reserved_usd[usd] -= 1
        if not self._reserved_usd[usd]:
            del self._reserved_usd[usd]

    async def _next(self, id: int) -> None:
        spec = await self._coordinator.next_for(self.playing.values(), self._share)
        if spec is not None:
            self.playing[spec.id] = spec
        self.dismissed |= spec is None
        self._line.say(Answer(id, spec))

    async def _reserve(self, ask: messages.Reserve) -> None:
        granted = False
        with self._asked[ask.id]:
            granted = await self._coordinator.reserve(ask.usd)
        self._asked.pop(ask.id)
        if granted:
            self._reserved_usd[ask.usd] += 1
        self._line.say(Answer(ask.id, granted))

    def _lease(self, ask: messages.Lease, waiting: TaskGroup) -> None:
        limiter = self._coordinator.slots.limiter(ask.group, 1)
        slot = limiter.take_now(ask.tokens)
        if slot is None:
            self._asked[ask.id] = anyio.CancelScope()
            waiting.start_soon(self._lease_later, ask, limiter)
            self._recall(ask.group)
        else:
            self._grant(ask, limiter, slot)

    async def _lease_later(self, ask: messages.Lease, limiter: RateLimiter) -> None:
        with self._asked[ask.id]:
            self._grant(ask, limiter, await limiter.take(ask.tokens))
        self._asked.pop(ask.id)

    def _grant(self, ask: messages.Lease, limiter: RateLimiter, slot: Slot) -> None:
        self._slots[ask.id] = (limiter, slot)
        if limiter.roomy:
            self._keeps.add(ask.group)
        self._line.say(Answer(ask.id, limiter.roomy))

    def _take_back(self, back: messages.GiveBack) -> None:
        limiter, slot = self._slots.pop(back.id)
        slot.tokens, slot.rate_limited = back.tokens, back.rate_limited
        limiter.give_back(slot)
        if back.rate_limited:
            self._recall(back.group)

    def _withdraw(self, id: int) -> None:
        if id in self._slots:
            limiter, _ = self._slots.pop(id)
            limiter.forfeit()
        elif id in self._asked:
            self._asked[id].cancel()

    def _release(self) -> None:
        """Give back the slots of a worker that is gone: in use when it died, or kept by it."""
        for limiter, _ in self._slots.values():
            limiter.forfeit()
        self._slots.clear()

    def _recall(self, group: str) -> None:
        """Let no worker keep leases of a group that others wait for or that was too fast."""
        for desk in self._desks:
            if group in desk._keeps:
                desk._keeps.discard(group)
                desk._line.say(Recall(group))
