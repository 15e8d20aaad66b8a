"""Small run directories made of events, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.actions import Malformed
from polyathlon.core.agents import AgentSpec
from polyathlon.core.canonical import digest
from polyathlon.core.chance import stream
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.models import Reply, Usage, say, thread
from polyathlon.experiments.rundir import RunDir, create

ENV = "lmgame/twenty48-v0"
RANDOM = AgentSpec("random")


def llm(model: str = "vendor/model", **harness: object) -> AgentSpec:
    return AgentSpec("llm", model, harness)


def spec(agent: AgentSpec = RANDOM, seed: int = 0, **rest: object) -> EpisodeSpec:
    options = registry.env_spec(ENV).configure({})
    return EpisodeSpec(ENV, "standard", options, seed, {"player": agent}, **rest)


def episode(
    of: EpisodeSpec,
    score: float | None = 100.0,
    status: str = "done",
    turns: Sequence[trace.Acted] = (),
    calls: Sequence[trace.Event] = (),
    **metrics: float,
) -> list[trace.Event]:
    """A trace with a given end; `score` None leaves the end out."""
    header = trace.Header(trace.SCHEMA, of.id, of, of.env, "0.1.0")
    if score is None:
        return [header, *calls, *turns]
    end = trace.Ended(status, "because", {"raw_score": score, **metrics}, turns=len(turns))
    return [header, *calls, *turns, end]


def acted(turn: int, status: str = "ok", **fields: object) -> trace.Acted:
    action = None if status == "malformed" else "up"
    return trace.Acted("player", turn, 0, action, status, **fields)


def call(turn: int, reply: Reply | None, cause: str = "") -> list[trace.Event]:
    """A decision's call with one attempt."""
    return [
        trace.Called("player", turn, "decide", 0, "vendor/model", "r", "h"),
        trace.Attempted("player", turn, "decide", 0, 1, True, reply, cause, wall_s=1.0),
    ]


def played(of: EpisodeSpec, most: int = 30, text: str = "", end: bool = True) -> list[trace.Event]:
    """A real random game; with `text` as if a model had been asked and had answered that."""
    env = registry.make(of.env, of.level, of.options)
    env.reset(of.seed)
    rng = stream(of.seed, "test")
    events: list[trace.Event] = [trace.Header(trace.SCHEMA, of.id, of, of.env, "0.1.0")]
    turn = 0
    while env.pending() and turn < most:
        obs = env.observe("player")
        events.append(trace.Observed("player", turn, 0))
        if text:
            events += asked(turn, obs.percepts[0].render(), text)
        malformed = bool(text) and turn % 7 == 3
        action = Malformed("no action found") if malformed else obs.actions.sample(rng)
        step = env.act("player", action)
        events.append(
            trace.Acted(
                "player",
                turn,
                0,
                None if malformed else obs.actions.write(action),
                step.status,
                "no action found" if malformed else "",
                text,
                text,
                ("action line missing",) if text and turn % 5 == 1 else (),
                (),
                step.rewards,
                (),
                digest(env.state()),
                env.metrics()["raw_score"],
            )
        )
        turn += 1
    if end:
        events.append(trace.Ended("done", "no_moves", dict(env.metrics()), turns=turn, wall_s=2.5))
    return events


def asked(turn: int, image: object, text: str) -> list[trace.Event]:
    """The messages of one decision, its call, a failed attempt on some turns, and the reply."""
    asking = thread(say("system", f"You play. {text}"), say("user", f"Turn {turn}.", image))
    said = [
        trace.said(node.message, node.hash, node.parent.hash if node.parent else "")
        for node in reversed(list(asking.nodes()))
    ]
    called = trace.Called("player", turn, "decide", 0, "vendor/model", "r", asking.hash)
    retried = turn % 6 == 2
    failed = trace.Attempted("player", turn, "decide", 0, 1, cause="rate_limit", detail=text)
    reply = Reply(text, usage=Usage(400 + turn, 300, 20), latency_s=0.8, cost_usd=0.0004)
    last = trace.Attempted("player", turn, "decide", 0, 1 + retried, True, reply, latency_s=0.8)
    return [*said, called, *([failed] if retried else []), last]


def write(path: Path, episodes: Iterable[Sequence[trace.Event]]) -> RunDir:
    """A run directory of traces."""
    run = create(path, {"polyathlon": "0.1.0", "commit": "abc", "machine": "Linux x86_64"})
    for events in episodes:
        header = events[0]
        assert isinstance(header, trace.Header)
        lines = b"".join(trace.encode(event) + b"\n" for event in events)
        run.trace_path(header.id).write_bytes(lines)
    return run
