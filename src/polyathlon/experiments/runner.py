"""The runner: carries a plan out in this process, or in several worker processes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from polyathlon.core.episodes import EpisodeSpec
from polyathlon.experiments.coordinator import Coordinator
from polyathlon.experiments.processes import Processes
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.settings import Progress, Settings
from polyathlon.experiments.worker import Worker
from polyathlon.media.memory import keep_freed_memory


def run_plan(
    run: RunDir,
    specs: Sequence[EpisodeSpec],
    settings: Settings,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """Play everything in a plan that has not ended yet, in a new event loop.

    Episodes that cannot be played count as stopped; `preflight` finds them beforehand.
    """
    keep_freed_memory()
    coordinator = Coordinator(run, specs, settings, on_progress)
    try:
        asyncio.run(_carry_out(run, settings, coordinator))
    finally:
        coordinator.close()
    return coordinator.progress


async def _carry_out(run: RunDir, settings: Settings, coordinator: Coordinator) -> None:
    if settings.workers > 1:
        await Processes(run, settings, coordinator).go()
    else:
        await Worker(run, settings, coordinator, settings.concurrency).go()
