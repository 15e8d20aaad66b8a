"""The runner: plays a plan's episodes side by side into a run directory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

import anyio
import anyio.to_thread
import msgspec

from polyathlon import registry
from polyathlon.agents.build import build as build_agent
from polyathlon.core import trace
from polyathlon.core.agents import Agent
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError
from polyathlon.core.interventions import Intervention
from polyathlon.core.models import Model, Price
from polyathlon.core.parts import Part
from polyathlon.core.tools import Tool
from polyathlon.core.world import Env, Role
from polyathlon.experiments.rundir import Index, RunDir
from polyathlon.interventions.build import build as build_intervention
from polyathlon.runtime.caller import Caller
from polyathlon.runtime.compute import ProcessPool
from polyathlon.runtime.context import Services
from polyathlon.runtime.episode import Stopped, play
from polyathlon.runtime.limits import Budget
from polyathlon.runtime.recorder import FileSink, Recorder

SYNC_EVERY_S = 2.0


class Settings(msgspec.Struct, frozen=True):
    """How a run is carried out; none of it is part of an episode's id."""

    concurrency: int = 8
    budget_usd: float | None = None
    media: Literal["keep", "hash"] = "keep"
    retry_failed: bool = False
    prices: Mapping[str, Price] = {}


class Progress(msgspec.Struct):
    """Where a run stands; changes as it goes."""

    total: int
    done: int = 0
    failed: int = 0
    stopped: int = 0
    turns: int = 0
    calls: int = 0
    spent_usd: float = 0.0
    unknown_cost: bool = False
    problems: list[str] = []
    started_at: float = 0.0


class Runner:
    """Plays episodes into one run directory. Use it once, inside one event loop."""

    def __init__(
        self,
        run: RunDir,
        specs: Sequence[EpisodeSpec],
        settings: Settings,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        self._run = run
        self._specs = specs
        self._settings = settings
        self._on_progress = on_progress
        self._models: dict[str, Model] = {}
        self._sinks: set[FileSink] = set()
        self._index = Index(run)
        self._pool = ProcessPool()
        self.progress = Progress(len(specs), started_at=time.monotonic())

    async def go(self) -> Progress:
        """Play everything that has not ended. Raises UserError before anything is played."""
        try:
            todo = [spec for spec in self._specs if not self._ended(spec)]
            for name in sorted({agent.model for s in todo for agent in s.lineup.values()} - {""}):
                self._model(name)
            services = self._services()
            async with anyio.create_task_group() as group:
                group.start_soon(self._keep_synced)
                await self._play_all(iter(todo), services)
                group.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                for model in self._models.values():
                    await model.close()
            self._pool.close()
            self._index.close()
        return self.progress

    async def _play_all(self, todo: Iterator[EpisodeSpec], services: Services) -> None:
        async def worker() -> None:
            for spec in todo:
                await self._play(spec, services)

        async with anyio.create_task_group() as group:
            for _ in range(self._settings.concurrency):
                group.start_soon(worker)

    async def _play(self, spec: EpisodeSpec, services: Services) -> None:
        try:
            env, agents, interventions = cast(spec)
            recording = self._recording(spec, agents)
            with self._sink(spec) as sink:
                recorder = Recorder(sink, recording)
                ended = await play(spec, env, agents, interventions, services, recorder)
        except (Stopped, UserError) as stop:
            self._note_stop(spec, str(stop))
            return
        await anyio.to_thread.run_sync(self._run.seal, spec.id)
        self._note_end(spec, ended)

    def _recording(self, spec: EpisodeSpec, agents: Mapping[Role, Agent]) -> list[trace.Event]:
        run = self._run
        if run.sealed_path(spec.id).exists():
            run.reopen(spec.id, drop_failure=True)
        restart = spec.scheduler.kind == "realtime" or not all(
            agent.replayable for agent in agents.values()
        )
        if restart:
            run.trace_path(spec.id).unlink(missing_ok=True)
        run.cut_torn_line(spec.id)
        return list(run.events(spec.id))

    @contextmanager
    def _sink(self, spec: EpisodeSpec) -> Iterator[FileSink]:
        sink = FileSink(self._run.trace_path(spec.id))
        self._sinks.add(sink)
        try:
            yield sink
        finally:
            self._sinks.discard(sink)
            sink.close()

    async def _keep_synced(self) -> None:
        while True:
            await anyio.sleep(SYNC_EVERY_S)
            for sink in list(self._sinks):
                await anyio.to_thread.run_sync(_sync, sink)

    def _services(self) -> Services:
        settings = self._settings
        if settings.budget_usd is not None:
            for model in self._models.values():
                if model.price is None:
                    raise UserError(
                        f"the price of {model.name} is unknown, so --budget-usd cannot hold: "
                        f"give it with --price {model.name}=INPUT,OUTPUT (USD per million tokens)"
                    )
        names = {name for spec in self._specs for name in registry.env_spec(spec.env).tools}
        tools: dict[str, Tool] = {name: registry.factory("tools", name)() for name in names}
        return Services(
            model=self._model,
            caller=Caller(),
            tools=tools,
            compute=self._pool,
            budget=Budget(settings.budget_usd, self._spent_usd()),
            store=self._run.store if settings.media == "keep" else _forget,
            clock_s=time.monotonic,
        )

    def _model(self, name: str) -> Model:
        if name not in self._models:
            provider, _, rest = name.partition("/")
            model: Model = registry.factory("models", provider)(rest)
            if name in self._settings.prices:
                model.price = self._settings.prices[name]
            self._models[name] = model
        return self._models[name]

    def _spent_usd(self) -> float:
        costs = [
            event.reply.cost_usd or 0.0
            for id in self._run.episode_ids()
            for event in self._run.events(id)
            if isinstance(event, trace.Attempted) and event.reply is not None
        ]
        return sum(costs)

    def _ended(self, spec: EpisodeSpec) -> bool:
        ended = self._run.ended(spec.id)
        if ended is None or (ended.status == "failed" and self._settings.retry_failed):
            return False
        if self._run.trace_path(spec.id).exists():
            self._run.seal(spec.id)
        self._note_end(spec, ended)
        return True

    def _note_end(self, spec: EpisodeSpec, ended: trace.Ended) -> None:
        progress = self.progress
        progress.done += 1
        progress.failed += ended.status == "failed"
        progress.turns += ended.turns
        progress.calls += ended.calls
        progress.spent_usd += ended.cost_usd or 0.0
        progress.unknown_cost |= ended.cost_usd is None
        self._index.put(_header(spec), ended.status, ended.cause, ended)
        self._on_progress(progress)

    def _note_stop(self, spec: EpisodeSpec, cause: str) -> None:
        self.progress.stopped += 1
        if cause not in self.progress.problems:
            self.progress.problems.append(cause)
        self._index.put(_header(spec), "stopped", cause, None)
        self._on_progress(self.progress)


def cast(spec: EpisodeSpec) -> tuple[Env, dict[Role, Agent], list[Intervention]]:
    """The env, agents and interventions of an episode, fresh."""
    env = registry.make(spec.env, spec.level, spec.options)
    agents = {role: build_agent(agent, env.spec, role) for role, agent in spec.lineup.items()}
    return env, agents, [build_intervention(text, env.spec) for text in spec.interventions]


def run_plan(
    run: RunDir,
    specs: Sequence[EpisodeSpec],
    settings: Settings,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """Play a plan to its end in a new event loop."""

    async def main() -> Progress:
        return await Runner(run, specs, settings, on_progress).go()

    return asyncio.run(main())


def _header(spec: EpisodeSpec) -> trace.Header:
    return trace.Header(trace.SCHEMA, spec.id, spec)


def _sync(sink: FileSink) -> None:
    try:
        sink.sync()
    except OSError:
        return  # closed meanwhile: sealing syncs the whole file


def _forget(part: Part) -> None:
    return None


