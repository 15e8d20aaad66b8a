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
from polyathlon.experiments.messages import Answer, ToCoordinator
from polyathlon.runtime.ratelimit import RateLimiter, Slot


class Desk:
    """Answers one worker process, which plays at most `share` episodes at once.

    What it leases it holds until it says otherwise or dies: episodes, money, slots. It is
    `dismissed` once there was no further episode for it.
    """

    def __init__(self, coordinator: Coordinator, share: int) -> None:
        self._coordinator = coordinator
        self._share = share
        self._slots: dict[int, tuple[RateLimiter, Slot]] = {}
        self._asked: dict[int, anyio.CancelScope] = {}
        self._reserved_usd: Counter[float] = Counter()
        self.playing: dict[str, EpisodeSpec] = {}
        self.dismissed = False

    async def serve(self, line: Line[Answer, ToCoordinator]) -> None:
        """Answer until the worker is gone. Raises RunStopped when it says that it cannot go on."""
        async with anyio.create_task_group() as waiting:
            async for batch in line.heard():
                for message in batch:
                    await self._heed(message, line, waiting)
            waiting.cancel_scope.cancel()

    async def died(self) -> None:
        """Take back what the dead worker held.

        Its calls in flight may have been served and billed, so they are booked at the most that
        they can cost. Its episodes go back to the queue.
        """
        for limiter, _ in self._slots.values():
            limiter.forfeit()
        self._slots.clear()
        for usd in self._reserved_usd.elements():
            await self._coordinator.settle(usd, usd)
        self._reserved_usd.clear()
        playing, self.playing = self.playing, {}
        for spec in reversed(playing.values()):
            await self._coordinator.died(spec)

    async def _heed(
        self, message: ToCoordinator, line: Line[Answer, ToCoordinator], waiting: TaskGroup
    ) -> None:
        hub = self._coordinator
        match message:
            case messages.Lease():
                self._lease(message, line, waiting)
            case messages.GiveBack():
                limiter, slot = self._slots.pop(message.id)
                slot.tokens, slot.rate_limited = message.tokens, message.rate_limited
                limiter.give_back(slot)
            case messages.Withdraw():
                self._withdraw(message.id)
            case messages.Reserve():
                granted = await hub.reserve(message.usd)
                if granted:
                    self._reserved_usd[message.usd] += 1
                line.say(Answer(message.id, granted))
            case messages.Settle():
                self._reserved_usd -= Counter((message.reserved_usd,))
                await hub.settle(message.reserved_usd, message.cost_usd)
            case messages.Next():
                waiting.start_soon(self._next, message.id, line)
            case messages.Ended():
                self.playing.pop(message.spec.id, None)
                await hub.ended(message.spec, message.ended)
            case messages.Stopped():
                self.playing.pop(message.spec.id, None)
                await hub.stopped(message.spec, message.cause)
            case messages.Failed():
                raise RunStopped(message.why)

    async def _next(self, id: int, line: Line[Answer, ToCoordinator]) -> None:
        spec = await self._coordinator.next_for(self.playing.values(), self._share)
        if spec is not None:
            self.playing[spec.id] = spec
        self.dismissed |= spec is None
        line.say(Answer(id, spec))

    def _lease(
        self, ask: messages.Lease, line: Line[Answer, ToCoordinator], waiting: TaskGroup
    ) -> None:
        limiter = self._coordinator.slots.limiter(ask.group, 1)
        slot = limiter.take_now(ask.tokens)
        if slot is None:
            self._asked[ask.id] = anyio.CancelScope()
            waiting.start_soon(self._lease_later, ask, limiter, line)
        else:
            self._grant(ask.id, limiter, slot, line)

    async def _lease_later(
        self, ask: messages.Lease, limiter: RateLimiter, line: Line[Answer, ToCoordinator]
    ) -> None:
        with self._asked[ask.id]:
            slot = await limiter.take(ask.tokens)
            self._grant(ask.id, limiter, slot, line)
        self._asked.pop(ask.id)

    def _grant(
        self, id: int, limiter: RateLimiter, slot: Slot, line: Line[Answer, ToCoordinator]
    ) -> None:
        self._slots[id] = (limiter, slot)
        line.say(Answer(id, True))

    def _withdraw(self, id: int) -> None:
        if id in self._slots:
            limiter, _ = self._slots.pop(id)
            limiter.forfeit()
        elif id in self._asked:
            self._asked[id].cancel()
