"""What worker processes and the coordinator say to each other."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from polyathlon.core import trace
from polyathlon.core.episodes import EpisodeSpec


class Next(msgspec.Struct, tag=True):
    """Asks for an episode; the answer is its spec, or None when there is none left."""

    id: int


class Reserve(msgspec.Struct, tag=True):
    """Asks for the money of a call; the answer is a bool."""

    id: int
    usd: float


class Lease(msgspec.Struct, tag=True):
    """Asks for the right to make a request, for which the answer may take long.

    The answer is whether the lease may be kept for further requests until it is recalled.
    """

    id: int
    group: str
    tokens: int


class Withdraw(msgspec.Struct, tag=True):
    """Nobody waits for the lease of this id any more, or keeps it without need."""

    id: int


class GiveBack(msgspec.Struct, tag=True):
    """The request of a lease is over: the tokens it used where known, and whether it met a 429."""

    id: int
    group: str
    tokens: int | None
    rate_limited: bool


class Settle(msgspec.Struct, tag=True):
    """What a call cost for which money had been reserved."""

    reserved_usd: float
    cost_usd: float | None


class Ended(msgspec.Struct, tag=True):
    """An episode ended and its trace is sealed."""

    spec: EpisodeSpec
    ended: trace.Ended


class Stopped(msgspec.Struct, tag=True):
    """An episode stopped and can be resumed."""

    spec: EpisodeSpec
    cause: str


class Failed(msgspec.Struct, tag=True):
    """The worker cannot go on, and the run neither."""

    why: str


Value: TypeAlias = EpisodeSpec | bool | None
"""What an answer says."""


class Answer(msgspec.Struct, tag=True):
    """To the question of this id."""

    id: int
    value: Value


class Recall(msgspec.Struct, tag=True):
    """Others need leases of this group: none may be kept beyond the request it is used for."""

    group: str


ToCoordinator: TypeAlias = (
    Next | Reserve | Lease | Withdraw | GiveBack | Settle | Ended | Stopped | Failed
)
by_workers: msgspec.msgpack.Decoder[list[ToCoordinator]] = msgspec.msgpack.Decoder(
    list[ToCoordinator]
)
ToWorker: TypeAlias = Answer | Recall
by_coordinator: msgspec.msgpack.Decoder[list[ToWorker]] = msgspec.msgpack.Decoder(list[ToWorker])
