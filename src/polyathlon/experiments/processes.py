"""Worker processes: each owns whole episodes and one event loop; one that dies is replaced."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import msgspec

from polyathlon.core.console import counted, note, show_uncaught
from polyathlon.core.errors import RunStopped
from polyathlon.core.ownmodules import adopt, apart, import_all, named
from polyathlon.experiments import line, messages
from polyathlon.experiments.coordinator import Coordinator
from polyathlon.experiments.desk import Desk
from polyathlon.experiments.line import Line
from polyathlon.experiments.lock import Lock
from polyathlon.experiments.messages import ToCoordinator, ToWorker
from polyathlon.experiments.remote import RemoteHub
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.todo import DEATHS
from polyathlon.experiments.worker import Worker
from polyathlon.runtime.episode import first_fault
from polyathlon.runtime.memory import keep_freed_memory, search_rarely
from polyathlon.runtime.orphans import deaf_to_ctrl_c, die_with_parent

DEATHS_IN_A_ROW = 3 * DEATHS
"""So many deaths of worker processes stop a run when no episode ended in between."""
IDLE_DEATHS_IN_A_ROW = 3
"""The same for workers that died before they had an episode."""


class Processes:
    """Carries a run out in `settings.workers` processes, which hold its lock too."""

    def __init__(
        self, run: RunDir, settings: Settings, coordinator: Coordinator, lock: Lock
    ) -> None:
        self._run = run
        self._settings = settings
        self._coordinator = coordinator
        self._lock = lock
        self._desks: set[Desk] = set()
        self._done = 0
        self._deaths = self._idle_deaths = 0

    async def go(self) -> None:
        """Play until the plan is done. Raises RunStopped when worker processes only die or fail."""
        async with anyio.create_task_group() as group:
            for number, share in enumerate(_shares(self._settings)):
                group.start_soon(self._play, f"worker-{number}", share)

    async def _play(self, name: str, share: Settings) -> None:
        """Run worker processes one after the other until one of them ends in peace."""
        while True:
            desk = Desk(self._coordinator, share.concurrency, self._desks)
            exit_code = await self._work(name, share, desk)
            if desk.dismissed and not desk.playing:
                return
            await self._bury(name, exit_code, desk)
            if not self._coordinator.todo:
                return

    async def _work(self, name: str, share: Settings, desk: Desk) -> int:
        """The exit code of a worker process that `desk` has served."""
        context = multiprocessing.get_context("spawn")
        ours, theirs = socket.socketpair()
        settings = msgspec.json.encode(share)
        arguments = (str(self._run.path), settings, named(), theirs, self._lock)
        process: Any = context.Process(target=_worker, args=arguments, name=name)
        with apart(), deaf_to_ctrl_c():
            process.start()
        theirs.close()
        try:
            end: Line[ToWorker, ToCoordinator] = await line.connect(ours, messages.by_workers)
            try:
                await desk.serve(end)
                await anyio.to_thread.run_sync(process.join, abandon_on_cancel=True)
            finally:
                end.hang_up()
        finally:
            process.kill()
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(process.join)
        code: int = process.exitcode
        return code

    async def _bury(self, name: str, exit_code: int, desk: Desk) -> None:
        """Take back what a dead worker held and say so. Raises RunStopped when too many died."""
        playing = len(desk.playing)
        await desk.died()
        progress = self._coordinator.progress
        if progress.done > self._done:
            self._done, self._deaths, self._idle_deaths = progress.done, 0, 0
        self._deaths += 1
        self._idle_deaths = 0 if playing else self._idle_deaths + 1
        how = f"{name} {_how(exit_code)}"
        if self._deaths >= DEATHS_IN_A_ROW or self._idle_deaths >= IDLE_DEATHS_IN_A_ROW:
            raise RunStopped(
                f"{how}, the last of several, and no episode ended: find out why, then go on with "
                f"polyathlon run --out {self._run.path} --resume"
            )
        note(f"{how}: a new process takes over its {counted(playing, 'episode')}")


def _how(exit_code: int) -> str:
    if exit_code < 0:
        return f"was killed by {signal.Signals(-exit_code).name}"
    return f"ended early with exit code {exit_code}"


def _worker(
    path: str, settings: bytes, own: Mapping[str, str], end: socket.socket, lock: Lock
) -> None:
    die_with_parent()
    adopt(own)
    share = msgspec.json.decode(settings, type=Settings)
    keep_freed_memory()
    search_rarely()
    import_all(share.imports)
    try:
        asyncio.run(_play(RunDir(Path(path)), share, end))
    except Exception as error:
        show_uncaught(type(error), error)
        sys.exit(1)


async def _play(run: RunDir, share: Settings, end: socket.socket) -> None:
    ours: Line[ToCoordinator, ToWorker] = await line.connect(end, messages.by_coordinator)
    hub = RemoteHub(ours, share.rates)
    worker = Worker(run, share, hub, share.concurrency)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(hub.listen)
            await worker.go()
            group.cancel_scope.cancel()
    except ExceptionGroup as faults:
        fault = first_fault(faults)
        if not isinstance(fault, RunStopped):
            raise
        await hub.failed(str(fault))
    await ours.close()


def _shares(settings: Settings) -> list[Settings]:
    """Each worker's part of the concurrency."""
    workers = min(settings.workers, settings.concurrency)
    return [
        msgspec.structs.replace(
            settings,
            concurrency=settings.concurrency // workers + (n < settings.concurrency % workers),
        )
        for n in range(workers)
    ]
