"""Playing one episode to its end, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from polyathlon import __version__
from polyathlon.core import trace
from polyathlon.core.addresses import redacted
from polyathlon.core.agents import Agent, PlayerLeft, access_of
from polyathlon.core.canonical import well_formed
from polyathlon.core.episodes import EpisodeSpec, EpisodeStatus
from polyathlon.core.errors import RunStopped, UserError
from polyathlon.core.faults import traceback_of
from polyathlon.core.interventions import Intervention
from polyathlon.core.models import CallFailed
from polyathlon.core.world import Env, Role
from polyathlon.runtime.course import Course, finite
from polyathlon.runtime.limits import BUDGET, BudgetReached, LimitReached
from polyathlon.runtime.recorder import EndOfTrace, Recorder
from polyathlon.runtime.schedulers import SCHEDULERS, recorded
from polyathlon.runtime.services import Services
from polyathlon.runtime.session import Session

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
    copied = 0 if spec.branch is None else spec.branch.at
    access = {role: access_of(agent) for role, agent in agents.items()}
    recorder.emit(trace.Header(trace.SCHEMA, spec.id, spec, spec.env, __version__, copied, access))
    course: Course | None = None
    try:
        course = Course(spec, env, services, recorder, replay_only)
        ended = await _played(Session(course, agents, access, interventions))
    except Exception as error:
        ended = _failed(first_fault(error), course, env)
    recorder.emit(ended)
    return ended


async def _played(session: Session) -> trace.Ended:
    course = session.course
    play_on = recorded if course.recounted else SCHEDULERS[course.spec.scheduler.kind]
    try:
        await play_on(session)
    except Exception as error:
        first = first_fault(error)
        if isinstance(first, LimitReached):
            return _end(course, course.pass_to_end(), "truncated", first.cause)
        raise
    return _finished(course)


def _finished(course: Course) -> trace.Ended:
    end_us = course.pass_to_end()
    course.over()
    outcome = course.env.outcome()
    if outcome is None:
        return _end(course, end_us, "truncated", course.stop or "")
    return _end(course, end_us, "truncated" if outcome.truncated else "done", outcome.reason)


def _failed(error: Exception, course: Course | None, env: Env) -> trace.Ended:
    """The end of an episode by a fault; asks nothing of an env that may be what is broken."""
    match error:
        case UserError() | EndOfTrace():
            raise error
        case BudgetReached():
            raise Stopped(BUDGET) from error
        case PlayerLeft():
            raise Stopped("player_left") from error
        case CallFailed():
            cause, traceback = f"model:{error.cause}", ""
        case _:
            cause = redacted(well_formed(f"{type(error).__name__}: {error}"[:500]))
            traceback = traceback_of(error)
    failed = {metric.name: metric.failed for metric in env.spec.metrics}
    if course is None:
        return trace.Ended("failed", cause, failed, traceback=traceback)
    ended = _ended(course, course.ends_us(), "failed", cause, failed)
    return msgspec.structs.replace(ended, traceback=traceback)


def _end(course: Course, end_us: int, status: EpisodeStatus, cause: str) -> trace.Ended:
    env = course.env
    roles = env.spec.roles if len(env.spec.roles) > 1 else ()
    outcome = env.outcome()
    return _ended(
        course,
        end_us,
        status,
        cause,
        finite(env.metrics()),
        {role: finite(env.metrics(role)) for role in roles},
        outcome.winners if outcome else (),
    )


def _ended(
    course: Course,
    end_us: int,
    status: EpisodeStatus,
    cause: str,
    metrics: Mapping[str, float],
    roles: Mapping[Role, Mapping[str, float]] = NO_ROLES,
    winners: tuple[Role, ...] = (),
) -> trace.Ended:
    meter = course.meter
    return trace.Ended(
        status,
        cause,
        metrics,
        roles,
        winners,
        course.most_turns,
        end_us,
        meter.calls,
        meter.attempts,
        meter.usage,
        meter.cost_usd,
        meter.wall_s,
        meter.booked_usd,
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
