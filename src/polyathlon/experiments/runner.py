"""The runner: carries a plan out in this process, or in several worker processes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError
from polyathlon.experiments.coordinator import Coordinator
from polyathlon.experiments.processes import Processes
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.settings import Progress, Settings
from polyathlon.experiments.worker import Worker


def run_plan(
    run: RunDir,
    specs: Sequence[EpisodeSpec],
    settings: Settings,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """Play everything in a plan that has not ended yet, in a new event loop.

    Raises UserError before anything is played when a model cannot be used.
    """
    coordinator = Coordinator(run, specs, settings, on_progress)
    try:
        asyncio.run(_carry_out(run, settings, coordinator))
    finally:
        coordinator.close()
    return coordinator.progress


async def _carry_out(run: RunDir, settings: Settings, coordinator: Coordinator) -> None:
    worker = Worker(run, settings, coordinator, settings.concurrency)
    players = [agent for spec in coordinator.todo for agent in spec.lineup.values()]
    for name in sorted({agent.model for agent in players} - {""}):
        if worker.model(name).price is None and settings.budget_usd is not None:
            raise UserError(
                f"the price of {name} is unknown, so --budget-usd cannot hold: "
                f"give it with --price {name}=INPUT,OUTPUT (USD per million tokens)"
            )
    if settings.workers > 1:
        await worker.close()
        await Processes(run, settings, coordinator).go()
    else:
        await worker.go()
