"""Playing single episodes in memory."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

import anyio

from polyathlon import registry
from polyathlon.agents.build import build
from polyathlon.agents.models.scripted import scripted
from polyathlon.core import trace
from polyathlon.core.agents import Agent, AgentSpec
from polyathlon.core.episodes import EpisodeSpec, Limits, SchedulerSpec
from polyathlon.core.parts import Text
from polyathlon.core.world import Env
from polyathlon.interventions.build import build as build_intervention
from polyathlon.runtime.caller import Caller
from polyathlon.runtime.episode import play
from polyathlon.runtime.recorder import ListSink, Recorder
from polyathlon.runtime.replay import verify
from polyathlon.runtime.services import Services, inline

TURNS, UNLIMITED = SchedulerSpec(), Limits()


def services(**changes: Any) -> Services:
    """Services with scripted models, everything in this process and nothing stored."""
    given: dict[str, Any] = {
        "model": lambda name: scripted(name.removeprefix("scripted/")),
        "caller": Caller(),
        "tool": lambda name: registry.factory("tools", name)(),
        "compute": inline,
        "store": lambda part: None,
        "load": lambda ref: Text(ref.text),
        "clock_s": time.monotonic,
    }
    return Services(**{**given, **changes})


def episode(
    env: str,
    agent: str | Mapping[str, AgentSpec] = "random",
    *,
    seed: int = 0,
    scheduler: SchedulerSpec = TURNS,
    limits: Limits = UNLIMITED,
    interventions: tuple[str, ...] = (),
    **options: Any,
) -> EpisodeSpec:
    """An episode of one agent in every seat, or of a lineup."""
    spec = registry.env_spec(env)
    seats = agent if isinstance(agent, Mapping) else dict.fromkeys(spec.roles, AgentSpec(agent))
    return EpisodeSpec(
        env, spec.levels[0], spec.configure(options), seed, seats, 0, interventions, scheduler,
        limits,
    )  # fmt: skip


def played(
    spec: EpisodeSpec,
    *,
    recording: Iterable[trace.Event] = (),
    agents: Mapping[str, Agent] | None = None,
    use: Services | None = None,
    env: Env | None = None,
) -> list[trace.Event]:
    """The events of an episode: those recorded, then those that playing it added."""
    recording = list(recording)
    sink = ListSink()
    env = env or registry.make(spec.env, spec.level, spec.options)
    seats = agents or {role: build(a, env.spec, role) for role, a in spec.lineup.items()}
    changes = [build_intervention(text, env.spec) for text in spec.interventions]
    anyio.run(play, spec, env, seats, changes, use or services(), Recorder(sink, recording))
    return [*recording, *sink.events]


def verified(
    spec: EpisodeSpec,
    events: list[trace.Event],
    *,
    agents: Mapping[str, Agent] | None = None,
    use: Services | None = None,
) -> trace.Ended:
    """The end of an episode that is played again without any live call."""
    env = registry.make(spec.env, spec.level, spec.options)
    seats = agents or {role: build(a, env.spec, role) for role, a in spec.lineup.items()}
    changes = [build_intervention(text, env.spec) for text in spec.interventions]
    return anyio.run(verify, events, env, seats, changes, use or services(model=None))


def same(events: Iterable[trace.Event]) -> list[dict[str, Any]]:
    """What happened, in an order that does not depend on who was faster.

    Measurements, and what a kill cut off and was made again, are left out.
    """
    kept = (trace.unmeasured(e) for e in events if not isinstance(e, trace.Interrupted))
    return sorted(({k: v for k, v in e.items() if k != "booked_usd"} for e in kept), key=repr)
