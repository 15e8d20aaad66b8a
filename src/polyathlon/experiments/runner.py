"""The runner: carries a plan out in this process, or in several worker processes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError
from polyathlon.experiments.coordinator import Coordinator
from polyathlon.experiments.descriptors import within_descriptors
from polyathlon.experiments.interrupts import interruptible
from polyathlon.experiments.lock import Lock, locked
from polyathlon.experiments.processes import Processes
from polyathlon.experiments.replaying import mend
from polyathlon.experiments.rundir import SCHEMA, RunDir
from polyathlon.experiments.settings import Progress, Settings
from polyathlon.experiments.terms import Amendment, begin, terms_of
from polyathlon.experiments.worker import Worker
from polyathlon.runtime.episode import first_fault
from polyathlon.runtime.memory import keep_freed_memory, search_rarely


def run_plan(
    run: RunDir,
    specs: Sequence[EpisodeSpec],
    settings: Settings,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    amendment: Amendment | None = None,
    leave: Callable[[], None] | None = None,
) -> Progress:
    """Play everything in a plan that has not ended yet, in a new event loop.

    What the run is played under, and how its plan is amended, is written down before.

    Media that ended episodes have lost are drawn again first; what cannot be is a problem of the
    progress. Episodes that cannot be played count as stopped; `preflight` finds them beforehand. A
    worker process that dies is replaced. Raises UserError when another process plays the run,
    RunStopped when the disk refuses a write or worker processes only die, and KeyboardInterrupt on
    ctrl-C or SIGTERM; the run can be resumed. `leave` ends a process that cannot be
    stopped otherwise, and at a second ctrl-C.
    """
    keep_freed_memory()
    search_rarely()
    with locked(run) as lock:
        settings = within_descriptors(settings, specs)
        keeps = settings.media == "keep" and run.kept.root.is_dir()
        unmended = mend(run, [spec.id for spec in specs], settings.trust) if keeps else []
        coordinator = Coordinator(run, specs, settings, on_progress)
        coordinator.progress.problems.extend(unmended)
        older = run.request()["schema"] < SCHEMA
        try:
            if coordinator.todo and older:
                raise UserError(
                    f"{run.path} was begun by an earlier polyathlon: it can be reported, replayed "
                    "and scored, but not played on; start a new run directory with --out"
                )
            if not older:
                begin(run, terms_of(settings), amendment)
            with interruptible(leave) as heed:
                asyncio.run(_carry_out(run, settings, coordinator, lock, heed))
        except ExceptionGroup as group:
            raise first_fault(group) from group
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
        finally:
            coordinator.close()
    return coordinator.progress


async def _carry_out(
    run: RunDir,
    settings: Settings,
    coordinator: Coordinator,
    lock: Lock,
    heed: Callable[[], None],
) -> None:
    heed()
    if settings.workers > 1:
        await Processes(run, settings, coordinator, lock).go()
    else:
        await Worker(run, settings, coordinator, settings.concurrency).go()
