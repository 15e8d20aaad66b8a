"""Worker processes: each owns whole episodes and one event loop, and asks over a pipe."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import multiprocessing
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeAlias

import anyio
import anyio.to_thread
import msgspec

from polyathlon.core import trace
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import RunStopped
from polyathlon.experiments.coordinator import Coordinator
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.worker import Worker
from polyathlon.media.memory import keep_freed_memory
from polyathlon.runtime.episode import first_fault
from polyathlon.runtime.orphans import deaf_to_ctrl_c, die_with_parent
from polyathlon.runtime.ratelimit import RateLimits


class _Next(msgspec.Struct, tag=True):
    pass


class _Ended(msgspec.Struct, tag=True):
    spec: EpisodeSpec
    ended: trace.Ended


class _Stopped(msgspec.Struct, tag=True):
    spec: EpisodeSpec
    cause: str


class _Reserve(msgspec.Struct, tag=True):
    usd: float


class _Failed(msgspec.Struct, tag=True):
    why: str


class _Settle(msgspec.Struct, tag=True):
    reserved_usd: float
    cost_usd: float | None


_Answer: TypeAlias = EpisodeSpec | bool | None
_Question: TypeAlias = _Next | _Ended | _Stopped | _Reserve | _Settle | _Failed
_question = msgspec.msgpack.Decoder(_Question)
_answer: msgspec.msgpack.Decoder[_Answer] = msgspec.msgpack.Decoder(_Answer)


class Processes:
    """Carries a run out in `settings.workers` processes."""

    def __init__(self, run: RunDir, settings: Settings, coordinator: Coordinator) -> None:
        self._run = run
        self._settings = settings
        self._coordinator = coordinator

    async def go(self) -> None:
        """Play until the plan is done. Raises RunStopped when a worker process dies or fails."""
        context = multiprocessing.get_context("spawn")
        shares = _shares(self._settings)
        async with anyio.create_task_group() as group:
            for number, share in enumerate(shares):
                ours, theirs = context.Pipe()
                arguments = (str(self._run.path), msgspec.json.encode(share), theirs)
                process = context.Process(target=_work, args=arguments, name=f"worker-{number}")
                with deaf_to_ctrl_c():
                    process.start()
                theirs.close()
                group.start_soon(self._serve, ours, process)

    async def _serve(self, pipe: Connection, process: Any) -> None:
        try:
            while (question := await _asked(pipe)) is not None:
                answer = msgspec.msgpack.encode(await self._reply(question))
                with contextlib.suppress(OSError):  # it died meanwhile: its exit code says how
                    pipe.send_bytes(answer)
            await anyio.to_thread.run_sync(process.join, abandon_on_cancel=True)
        finally:
            pipe.close()
            process.terminate()
        if process.exitcode:
            raise RunStopped(
                f"{process.name} died with exit code {process.exitcode}: "
                f"go on with polyathlon run --out {self._run.path} --resume"
            )

    async def _reply(self, question: _Question) -> _Answer:
        hub = self._coordinator
        match question:
            case _Next():
                return await hub.next()
            case _Ended():
                await hub.ended(question.spec, question.ended)
            case _Stopped():
                await hub.stopped(question.spec, question.cause)
            case _Reserve():
                return await hub.reserve(question.usd)
            case _Settle():
                await hub.settle(question.reserved_usd, question.cost_usd)
            case _Failed():
                raise RunStopped(question.why)
        return None


async def _asked(pipe: Connection) -> _Question | None:
    """What a worker asks next, or None when it is gone."""
    try:
        raw = await anyio.to_thread.run_sync(pipe.recv_bytes, abandon_on_cancel=True)
    except (EOFError, OSError):
        return None
    question: _Question = _question.decode(raw)
    return question


class _PipeHub:
    """The Hub of a worker process."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._turn = anyio.Lock()

    async def next(self) -> EpisodeSpec | None:
        answer = await self._ask(_Next())
        return answer if isinstance(answer, EpisodeSpec) else None

    async def ended(self, spec: EpisodeSpec, ended: trace.Ended) -> None:
        await self._ask(_Ended(spec, ended))

    async def stopped(self, spec: EpisodeSpec, cause: str) -> None:
        await self._ask(_Stopped(spec, cause))

    async def reserve(self, usd: float) -> bool:
        return await self._ask(_Reserve(usd)) is True

    async def settle(self, reserved_usd: float, cost_usd: float | None) -> None:
        await self._ask(_Settle(reserved_usd, cost_usd))

    async def _ask(self, question: _Question) -> _Answer:
        async with self._turn:
            self._pipe.send_bytes(msgspec.msgpack.encode(question))
            return _answer.decode(await anyio.to_thread.run_sync(self._pipe.recv_bytes))


def _work(path: str, settings: bytes, pipe: Connection) -> None:
    die_with_parent()
    share = msgspec.json.decode(settings, type=Settings)
    keep_freed_memory()
    for module in share.imports:
        importlib.import_module(module)
    worker = Worker(RunDir(Path(path)), share, _PipeHub(pipe), share.concurrency)
    try:
        asyncio.run(worker.go())
    except ExceptionGroup as group:
        fault = first_fault(group)
        if not isinstance(fault, RunStopped):
            raise
        pipe.send_bytes(msgspec.msgpack.encode(_Failed(str(fault))))
    finally:
        pipe.close()


def _shares(settings: Settings) -> list[Settings]:
    """Each worker's part of the concurrency and of the rates."""
    workers = min(settings.workers, settings.concurrency)
    rates = {group: _part(limits, workers) for group, limits in settings.rates.items()}
    return [
        msgspec.structs.replace(
            settings,
            concurrency=settings.concurrency // workers + (n < settings.concurrency % workers),
            rates=rates,
        )
        for n in range(workers)
    ]


def _part(limits: RateLimits, workers: int) -> RateLimits:
    requests, tokens = limits.requests_per_minute, limits.tokens_per_minute
    return RateLimits(
        max(1, limits.in_flight // workers),
        None if requests is None else requests / workers,
        None if tokens is None else tokens / workers,
    )
