"""A worker: one event loop that plays whole episodes and owns their files."""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

import anyio
import anyio.to_thread
import msgspec

from polyathlon import registry
from polyathlon.agents.build import build as build_agent
from polyathlon.core import trace
from polyathlon.core.agents import Agent
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import RunStopped, UserError
from polyathlon.core.interventions import Intervention
from polyathlon.core.models import Model
from polyathlon.core.parts import Part
from polyathlon.core.pieces import Pieces
from polyathlon.core.tools import Tool
from polyathlon.core.world import Env, Role
from polyathlon.experiments.clients import client
from polyathlon.experiments.coordinator import Hub
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.settings import Settings
from polyathlon.interventions.build import build as build_intervention
from polyathlon.interventions.moment import AtMoment
from polyathlon.runtime.caller import Caller
from polyathlon.runtime.compute import ProcessPool, cores
from polyathlon.runtime.episode import Stopped, play
from polyathlon.runtime.recorder import Recorder, Sink
from polyathlon.runtime.services import Services
from polyathlon.runtime.sink import COMPUTED, REPLAYED, FileSink

SYNC_EVERY_S = 2.0
SYNCED_AT_ONCE = 8
SWITCH_S = 0.001
"""After how long threads that draw and pack media let the event loop run: 5 ms by default."""
STARTS = 4
"""So many episodes are set up, or replayed to where they stood, between two turns of the loop."""
START_S = 1.0
"""What waits longer while it is set up, such as for a tool, lets others begin meanwhile."""


class Worker:
    """Plays what its hub hands out, `concurrency` episodes at once. Use it once."""

    def __init__(self, run: RunDir, settings: Settings, hub: Hub, concurrency: int) -> None:
        self._run = run
        self._settings = settings
        self._hub = hub
        self._concurrency = concurrency
        self._models: dict[str, Model] = {}
        self._tools: dict[str, Tool] = {}
        self._sinks: set[FileSink] = set()
        self._starts = anyio.Semaphore(STARTS)
        self._learning = anyio.Lock()
        self._learnt: set[Hashable] = set()
        self._pool = ProcessPool(max(1, cores() // settings.workers))
        self._services = Services(
            model=self.model,
            caller=Caller(settings.retry, slots=hub.slots),
            tool=self._tool,
            compute=self._pool,
            reserve=hub.reserve if settings.budget_usd is not None else None,
            settle=hub.settle,
            store=run.store if settings.media == "keep" else _forget,
            load=run.load,
            clock_s=time.monotonic,
        )

    async def go(self) -> None:
        """Play until the hub has nothing left."""
        usual_s = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_S)
        try:
            if self._settings.media == "keep":
                await anyio.to_thread.run_sync(self._run.kept.begin)
            async with anyio.create_task_group() as group:
                group.start_soon(self._keep_synced)
                await self._play_all()
                group.cancel_scope.cancel()
        finally:
            sys.setswitchinterval(usual_s)
            with anyio.CancelScope(shield=True):
                await self.close()

    async def close(self) -> None:
        """Release models, processes and the pack of media."""
        for model in self._models.values():
            await model.close()
        await anyio.to_thread.run_sync(self._run.kept.close)
        await anyio.to_thread.run_sync(self._pool.close)

    def model(self, name: str) -> Model:
        """The client of a model, made when first asked for. Raises UserError."""
        if name not in self._models:
            model = client(name, self._settings.logins)
            model.price = self._settings.prices.get(name, model.price)
            self._models[name] = model
        return self._models[name]

    def _tool(self, name: str) -> Tool:
        if name not in self._tools:
            self._tools[name] = registry.factory("tools", name)()
        return self._tools[name]

    async def _play_all(self) -> None:
        async with anyio.create_task_group() as group:
            with _unsearched() as leave_out:
                for _ in range(self._concurrency):
                    await self._starts.acquire()
                    leave_out()
                    group.start_soon(self._player)

    async def _player(self) -> None:
        """Play one episode after the other; the right to begin the first is given."""
        while await self._played_one():
            await self._starts.acquire()

    async def _played_one(self) -> bool:
        """Whether there was another episode to play."""
        start = _Start(self._starts.release)
        asyncio.get_running_loop().call_later(START_S, start.over)
        try:
            spec = await self._hub.next()
            if spec is not None:
                await self._play(spec, start)
        finally:
            start.over()
        return spec is not None

    async def _play(self, spec: EpisodeSpec, start: _Start) -> None:
        def model(name: str) -> Model:
            start.over()  # it is asked now, whoever else has to begin yet
            return self.model(name)

        try:
            await self._learn(spec)
            env, agents, interventions = cast(spec)
            pieces = Pieces()
            recording = await self._recording(spec, agents, pieces)
            with self._sink(spec, pieces, _resumable(spec, agents)) as sink:
                recorder = Recorder(_Heralded(sink, start.over), recording)
                services = msgspec.structs.replace(self._services, model=model)
                ended = await play(spec, env, agents, interventions, services, recorder)
        except RunStopped:
            raise
        except (Stopped, UserError) as stop:
            await self._hub.stopped(spec, str(stop))
            return
        await anyio.to_thread.run_sync(self._run.seal, spec.id)
        await self._hub.ended(spec, ended)

    async def _learn(self, spec: EpisodeSpec) -> None:
        """Import what an episode of a new kind needs, and make its models, off the event loop."""
        kind = (spec.env, spec.interventions, frozenset(map(repr, spec.lineup.values())))
        if kind in self._learnt:
            return
        async with self._learning:
            if kind not in self._learnt:
                await anyio.to_thread.run_sync(self._prepare, spec)
                self._learnt.add(kind)

    def _prepare(self, spec: EpisodeSpec) -> None:
        cast(spec)
        for tool in registry.env_spec(spec.env).tools:
            self._tool(tool)
        for agent in spec.lineup.values():
            if agent.model:
                self.model(agent.model)

    async def _recording(
        self, spec: EpisodeSpec, agents: Mapping[Role, Agent], pieces: Pieces
    ) -> list[trace.Event]:
        run = self._run
        there = run.trace_path(spec.id).exists() or run.sealed_path(spec.id).exists()
        recorded: list[trace.Event] = []
        if there:
            recorded = await anyio.to_thread.run_sync(self._recorded, spec, agents, pieces)
        if spec.branch is not None and len(recorded) <= spec.branch.at:
            raise UserError(
                f"{run.trace_path(spec.id)} lacks what this branch shares with episode "
                f"{spec.branch.parent}: restore it, or branch that episode again"
            )
        return recorded

    def _recorded(
        self, spec: EpisodeSpec, agents: Mapping[Role, Agent], pieces: Pieces
    ) -> list[trace.Event]:
        run = self._run
        if run.sealed_path(spec.id).exists():
            run.reopen_failed(spec.id)
        if not _resumable(spec, agents):
            run.set_aside(spec.id)
        run.cut_torn_line(spec.id)
        return list(run.events(spec.id, pieces))

    @contextmanager
    def _sink(self, spec: EpisodeSpec, pieces: Pieces, resumable: bool) -> Iterator[FileSink]:
        waits = REPLAYED if resumable else COMPUTED
        sink = FileSink(self._run.trace_path(spec.id), pieces, waits)
        self._sinks.add(sink)
        try:
            yield sink
        finally:
            self._sinks.discard(sink)
            sink.close()

    async def _keep_synced(self) -> None:
        """Now and then force media, then the traces that name them, to the disk.

        A line written while this goes on may come to the disk before its media: hence again.
        """
        threads = anyio.CapacityLimiter(SYNCED_AT_ONCE)
        while True:
            await anyio.sleep(SYNC_EVERY_S)
            await anyio.to_thread.run_sync(self._run.sync)
            async with anyio.create_task_group() as group:
                for sink in list(self._sinks):
                    sink.flush()
                    group.start_soon(partial(anyio.to_thread.run_sync, sink.sync, limiter=threads))
            await anyio.to_thread.run_sync(self._run.kept.sync)


class _Start:
    """The beginning of an episode, which ends once."""

    def __init__(self, on_over: Callable[[], None]) -> None:
        self._on_over = on_over
        self._over = False

    def over(self) -> None:
        """Let another episode begin."""
        if not self._over:
            self._over = True
            self._on_over()


class _Heralded:
    """A sink that says when the first event reaches it: what was recorded is used up then."""

    def __init__(self, sink: Sink, on_first: Callable[[], None]) -> None:
        self._sink = sink
        self._on_first = on_first
        self.write = self._first

    def _first(self, event: trace.Event) -> None:
        self.write = self._sink.write
        self._on_first()
        self._sink.write(event)


@contextmanager
def _unsearched() -> Iterator[Callable[[], None]]:
    """A function that leaves all objects there are to no garbage collection inside.

    Thousands of episodes that begin grow the heap without leaving garbage, and Python would stop
    to search all of it again and again.
    """
    try:
        yield gc.freeze
    finally:
        gc.unfreeze()


def _resumable(spec: EpisodeSpec, agents: Mapping[Role, Agent]) -> bool:
    """Whether an episode that was cut off goes on, by being played again to where it stood."""
    replayable = all(agent.replayable for agent in agents.values())
    return replayable and spec.scheduler.kind != "realtime"


def cast(spec: EpisodeSpec) -> tuple[Env, dict[Role, Agent], list[Intervention]]:
    """The env, agents and interventions of an episode, fresh."""
    env = registry.make(spec.env, spec.level, spec.options)
    agents = {role: build_agent(agent, env.spec, role) for role, agent in spec.lineup.items()}
    interventions = [build_intervention(text, env.spec) for text in spec.interventions]
    moment = spec.branch.moment if spec.branch else None
    if moment is not None:
        built = (build_intervention(text, env.spec) for text in moment.interventions)
        interventions += [AtMoment(inner, moment.role, moment.turn) for inner in built]
    return env, agents, interventions


def _forget(part: Part) -> None:
    return None
