"""The Hub of a worker process: asks the coordinator over a line, many questions at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial

from polyathlon.core import trace
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.experiments import messages
from polyathlon.experiments.line import Line
from polyathlon.experiments.messages import Recall, ToCoordinator, ToWorker, Value
from polyathlon.runtime.ratelimit import Limiters, Slot, Slots


class RemoteHub:
    """See `Hub`. Whatever needs no answer is said and not waited for.

    Slots of the groups in `leased` come from the coordinator; other groups are bounded in this
    process alone, by what its own clients can do.
    """

    def __init__(self, line: Line[ToCoordinator, ToWorker], leased: Collection[str]) -> None:
        self._line = line
        self._last_id = 0
        self._asked: dict[int, asyncio.Future[Value]] = {}
        self._own = Limiters()
        self._leased = {group: _Leased(self, group) for group in leased}
        self._leasing: dict[int, _Leased] = {}
        self.slots: Slots = self

    async def listen(self) -> None:
        """Take answers until the coordinator is gone."""
        async for batch in self._line.heard():
            for message in batch:
                if isinstance(message, Recall):
                    self._leased[message.group].recall()
                else:
                    self._heed(message)

    async def next(self) -> EpisodeSpec | None:
        id = self._new_id()
        answer = await self._ask(id, messages.Next(id))
        return answer if isinstance(answer, EpisodeSpec) else None

    async def ended(self, spec: EpisodeSpec, ended: trace.Ended) -> None:
        self._line.say(messages.Ended(spec, ended))

    async def stopped(self, spec: EpisodeSpec, cause: str) -> None:
        self._line.say(messages.Stopped(spec, cause))

    async def reserve(self, usd: float) -> bool:
        """What is granted after whoever asked was cancelled goes back at once."""
        id = self._new_id()
        asked = self._asking(id, messages.Reserve(id, usd))
        try:
            return await asyncio.shield(asked) is True
        except asyncio.CancelledError:
            self._line.say(messages.Withdraw(id))
            asked.add_done_callback(partial(self._return, usd))
            raise

    async def settle(self, reserved_usd: float, cost_usd: float | None) -> None:
        self._line.say(messages.Settle(reserved_usd, cost_usd))

    async def failed(self, why: str) -> None:
        """End the run."""
        self._line.say(messages.Failed(why))

    def slot(self, group: str, in_flight: int, tokens: int) -> AbstractAsyncContextManager[Slot]:
        """See `Slots`."""
        if group in self._leased:
            return self._leased[group].slot(tokens)
        return self._own.slot(group, in_flight, tokens)

    async def lease(self, group: str, tokens: int) -> int:
        """Wait for the right to make a request; gives the id of the lease."""
        id = self._new_id()
        self._leasing[id] = self._leased[group]
        try:
            await self._ask(id, messages.Lease(id, group, tokens))
        except asyncio.CancelledError:
            self._leasing.pop(id, None)
            self._leased[group].drop(id)
            raise
        return id

    def withdraw(self, id: int) -> None:
        """Do without a lease."""
        self._line.say(messages.Withdraw(id))

    def give_back(self, id: int, group: str, slot: Slot) -> None:
        """End the request of a lease; `slot` knows how it went."""
        self._line.say(messages.GiveBack(id, group, slot.tokens, slot.rate_limited))

    def _heed(self, answer: messages.Answer) -> None:
        leased = self._leasing.pop(answer.id, None)
        if leased is not None and answer.value is True:
            leased.keep(answer.id)
        asked = self._asked.pop(answer.id, None)
        if asked is not None and not asked.done():
            asked.set_result(answer.value)

    def _new_id(self) -> int:
        self._last_id += 1
        return self._last_id

    async def _ask(self, id: int, question: ToCoordinator) -> Value:
        return await self._asking(id, question)

    def _asking(self, id: int, question: ToCoordinator) -> asyncio.Future[Value]:
        asked: asyncio.Future[Value] = asyncio.get_running_loop().create_future()
        self._asked[id] = asked
        self._line.say(question)
        return asked

    def _return(self, usd: float, asked: asyncio.Future[Value]) -> None:
        if not asked.cancelled() and asked.result() is True:
            self._line.say(messages.Settle(usd, 0.0))


class _Leased:
    """The leases of one group that this process holds: some in use, some kept."""

    def __init__(self, hub: RemoteHub, group: str) -> None:
        self._hub = hub
        self._group = group
        self._kept: set[int] = set()
        self._idle: list[int] = []

    @asynccontextmanager
    async def slot(self, tokens: int) -> AsyncIterator[Slot]:
        asked_s = time.monotonic()
        id = self._idle.pop() if self._idle else await self._hub.lease(self._group, tokens)
        slot = Slot(time.monotonic() - asked_s)
        try:
            yield slot
        finally:
            if id in self._kept and not slot.rate_limited:
                self._idle.append(id)
            else:
                self._kept.discard(id)
                self._hub.give_back(id, self._group, slot)

    def keep(self, id: int) -> None:
        """Use a lease again and again from now on."""
        self._kept.add(id)

    def drop(self, id: int) -> None:
        """Do without a lease that nobody waits for any more."""
        self._kept.discard(id)
        self._hub.withdraw(id)

    def recall(self) -> None:
        """Keep nothing beyond the request it is used for."""
        for id in self._idle:
            self._hub.withdraw(id)
        self._idle.clear()
        self._kept.clear()
