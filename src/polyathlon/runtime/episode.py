"""Playing one episode to its end, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from polyathlon import __version__
from polyathlon.core import trace
from polyathlon.core.agents import Agent, PlayerLeft
from polyathlon.core.episodes import EpisodeSpec, EpisodeStatus
from polyathlon.core.errors import UserError
from polyathlon.core.interventions import Intervention
from polyathlon.core.world import Env, Role
from polyathlon.runtime.caller import CallFailed
from polyathlon.runtime.context import Services
from polyathlon.runtime.limits import BudgetReached, LimitReached
from polyathlon.runtime.recorder import EndOfTrace, Recorder
from polyathlon.runtime.schedulers import SCHEDULERS
from polyathlon.runtime.session import Session


class Stopped(Exception):
    """The episode did not end and can be resumed; `cause` says why it stopped."""

    def __init__(self, cause: str) -> None:
        super().__init__(cause)
        self.cause = cause


async def play(
    spec: EpisodeSpec,
    env: Env,
    agents: Mapping[Role, Agent],
    interventions: Sequence[Intervention],
    services: Services,
    recorder: Recorder,
    replay_only: bool = False,
) -> trace.Ended:
    """Play an episode and record it, from its first event to its end.

    A fault of env, agent or model ends it as `failed` with its cause. Raises Stopped when the
    run's budget is reached or the player left, EndOfTrace when `replay_only` meets the end of an
    unfinished trace, and UserError (ReplayMismatch among them) for what only a person can mend.
    """
    recorder.emit(trace.Header(trace.SCHEMA, spec.id, spec, spec.env, __version__))
    session: Session | None = None
    try:
        session = Session(spec, env, agents, interventions, services, recorder, replay_only)
        await SCHEDULERS[spec.scheduler.kind](session)
    except Exception as error:
        ended = _ended_by(_first(error), session, env)
    else:
        ended = _finished(session)
    recorder.emit(ended)
    return ended


def _finished(session: Session) -> trace.Ended:
    outcome = session.env.outcome()
    if outcome is None:
        return _end(session, "truncated", session.stop or "")
    return _end(session, "truncated" if outcome.truncated else "done", outcome.reason)


def _ended_by(error: Exception, session: Session | None, env: Env) -> trace.Ended:
    match error:
        case UserError() | EndOfTrace():
            raise error
        case BudgetReached():
            raise Stopped("budget_usd") from error
        case PlayerLeft():
            raise Stopped("player_left") from error
        case LimitReached() if session is not None:
            return _end(session, "truncated", error.cause)
        case CallFailed():
            cause = f"model:{error.cause}"
        case _:
            cause = f"{type(error).__name__}: {error}"[:500]
    if session is None:
        failed = {metric.name: metric.failed for metric in env.spec.metrics}
        return trace.Ended("failed", cause, failed)
    return _end(session, "failed", cause)


def _end(session: Session, status: EpisodeStatus, cause: str) -> trace.Ended:
    env, meter = session.env, session.meter
    failed = {metric.name: metric.failed for metric in env.spec.metrics}
    several = len(env.spec.roles) > 1 and status != "failed"
    outcome = env.outcome()
    return trace.Ended(
        status,
        cause,
        failed if status == "failed" else dict(env.metrics()),
        {role: dict(env.metrics(role)) for role in env.spec.roles} if several else {},
        outcome.winners if outcome else (),
        session.turns,
        session.clock.now_us() if session.spec.scheduler.kind != "realtime" else 0,
        meter.calls,
        meter.attempts,
        meter.usage,
        meter.cost_usd,
        meter.wall_s,
    )


def _first(error: BaseException) -> Exception:
    """The cause that matters in a group: what a person must mend first, then what stopped play."""
    found = list(_leaves(error))
    for kind in (UserError, EndOfTrace, PlayerLeft, BudgetReached, LimitReached):
        for leaf in found:
            if isinstance(leaf, kind):
                return leaf
    return found[0]


def _leaves(error: BaseException) -> Iterable[Exception]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    elif isinstance(error, Exception):
        yield error
