"""Playing one episode to its end, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from polyathlon import __version__
from polyathlon.core import trace
from polyathlon.core.agents import Agent, PlayerLeft
from polyathlon.core.canonical import well_formed
from polyathlon.core.episodes import EpisodeSpec, EpisodeStatus
from polyathlon.core.errors import RunStopped, UserError
from polyathlon.core.interventions import Intervention
from polyathlon.core.models import CallFailed
from polyathlon.core.world import Env, Role
from polyathlon.runtime.context import Services
from polyathlon.runtime.limits import BudgetReached, LimitReached
from polyathlon.runtime.recorder import EndOfTrace, Recorder
from polyathlon.runtime.schedulers import SCHEDULERS
from polyathlon.runtime.session import Session, finite

NO_ROLES: Mapping[Role, Mapping[str, float]] = {}


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
        ended = await _played(session)
    except Exception as error:
        ended = _failed(first_fault(error), session, env)
    recorder.emit(ended)
    return ended


async def _played(session: Session) -> trace.Ended:
    try:
        await SCHEDULERS[session.spec.scheduler.kind](session)
    except Exception as error:
        first = first_fault(error)
        if isinstance(first, LimitReached):
            return _end(session, "truncated", first.cause)
        raise
    return _finished(session)


def _finished(session: Session) -> trace.Ended:
    outcome = session.env.outcome()
    if outcome is None:
        return _end(session, "truncated", session.stop or "")
    return _end(session, "truncated" if outcome.truncated else "done", outcome.reason)


def _failed(error: Exception, session: Session | None, env: Env) -> trace.Ended:
    """The end of an episode by a fault; asks nothing of an env that may be what is broken."""
    match error:
        case UserError() | EndOfTrace():
            raise error
        case BudgetReached():
            raise Stopped("budget_usd") from error
        case PlayerLeft():
            raise Stopped("player_left") from error
        case CallFailed():
            cause = f"model:{error.cause}"
        case _:
            cause = well_formed(f"{type(error).__name__}: {error}"[:500])
    failed = {metric.name: metric.failed for metric in env.spec.metrics}
    if session is None:
        return trace.Ended("failed", cause, failed)
    return _ended(session, "failed", cause, failed)


def _end(session: Session, status: EpisodeStatus, cause: str) -> trace.Ended:
    env = session.env
    roles = env.spec.roles if len(env.spec.roles) > 1 else ()
    outcome = env.outcome()
    return _ended(
        session,
        status,
        cause,
        finite(env.metrics()),
        {role: finite(env.metrics(role)) for role in roles},
        outcome.winners if outcome else (),
    )


def _ended(
    session: Session,
    status: EpisodeStatus,
    cause: str,
    metrics: Mapping[str, float],
    roles: Mapping[Role, Mapping[str, float]] = NO_ROLES,
    winners: tuple[Role, ...] = (),
) -> trace.Ended:
    meter = session.meter
    return trace.Ended(
        status,
        cause,
        metrics,
        roles,
        winners,
        session.turns,
        session.clock.now_us() if session.exact else 0,
        meter.calls,
        meter.attempts,
        meter.usage,
        meter.cost_usd,
        meter.wall_s,
    )


def first_fault(error: BaseException) -> Exception:
    """The cause that matters in a group: what a person must mend first, then what stopped play."""
    found = list(_leaves(error))
    for kind in (RunStopped, UserError, EndOfTrace, PlayerLeft, BudgetReached, LimitReached):
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
