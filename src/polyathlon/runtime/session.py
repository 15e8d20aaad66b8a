"""A session: one episode in progress. Schedulers drive it; it observes, decides, acts, records."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import anyio

from polyathlon.core import facade, trace
from polyathlon.core.actions import Malformed
from polyathlon.core.agents import Access, Agent, Context, Decision
from polyathlon.core.canonical import digest, well_formed
from polyathlon.core.chance import stream
from polyathlon.core.interventions import Intervention, delivered, in_order
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Observation, Role, Step
from polyathlon.runtime.context import AgentContext, RoleContext
from polyathlon.runtime.course import Course, finite
from polyathlon.runtime.turn import Turn, TurnOverdue


class Session:
    """The players of one episode, what they are handed, and what they do to its course.

    `access` says how much of what is there each is handed.
    """

    def __init__(
        self,
        course: Course,
        agents: Mapping[Role, Agent],
        access: Mapping[Role, Access],
        interventions: Sequence[Intervention],
    ) -> None:
        self.course = course
        self._agents = agents
        self._access = access
        self._interventions = in_order(list(interventions))
        self._last: dict[Role, Step] = {}
        self._score = course.env.spec.metrics[0].name
        self._deciding: dict[Role, Turn] = {}
        self._decided = anyio.Event()
        self._contexts = {
            role: RoleContext(course, role, access[role]) for role in course.env.spec.roles
        }
        self._handed = {role: self._context(role) for role in course.env.spec.roles}

    def observe(self, role: Role) -> Observation:
        """What `role` is given now: its mail, and its percepts after the interventions."""
        course = self.course
        true = course.env.observe(role)
        mail = course.mail.drain(role)
        turn, now_us = course.turns[role], course.world_us
        seen = Observation(role, turn, now_us, true.percepts, true.ask, true.actions, mail)
        changed = False
        if self._interventions:
            seen = delivered(seen, self._interventions, course.spec.seed)
            changed = seen.percepts != true.percepts
        course.recorder.emit(
            trace.Observed(
                role,
                turn,
                now_us,
                _sensed(seen.percepts),
                _sensed(true.percepts) if changed else (),
                mail,
            )
        )
        return seen

    async def decide(self, role: Role, obs: Observation) -> Decision | None:
        """Let the role's agent think, at most until its deadline; other episodes get their turn.

        None when the world ended before it had decided. Raises what halted the agent, whether or
        not the agent let it through.
        """
        await asyncio.sleep(0)
        decision: Decision | None = None
        with self._scope(role, obs) as scope:
            turn = self._begin(role, scope)
            try:
                decision = await _decision(
                    self._agents[role],
                    facade.observation(obs, self._access[role]),
                    self._last.get(role),
                    self._handed[role],
                )
            except Exception:
                if not scope.cancel_called:
                    raise
            finally:
                del self._deciding[role]
                self._decided.set()
        if turn.halt is not None and not isinstance(turn.halt, TurnOverdue):
            raise turn.halt
        if decision is not None and not scope.cancel_called and not turn.overdue:
            return decision
        return await self._overdue(turn)

    def act(self, role: Role, obs: Observation, decision: Decision) -> Step:
        """Bring a decision into the world and record what came of it."""
        course = self.course
        decision, text = _sayable(decision, obs)
        action = decision.action
        clocked = course.env.spec.clock == "real"
        moment = (obs.time_us,) if clocked else ()
        step = course.env.act(role, action, *moment)
        turn, now_us = course.turns[role], course.world_us
        course.turns[role] += 1
        self._last[role] = facade.step(step, role, self._access[role])
        mail = course.post(step, now_us)
        course.recorder.emit(
            trace.Acted(
                role,
                turn,
                now_us,
                text,
                step.status,
                action.reason if isinstance(action, Malformed) else "",
                decision.raw,
                decision.thought,
                decision.repairs,
                decision.warnings,
                finite(step.rewards),
                mail,
                digest(course.env.state()),
                finite(course.env.metrics())[self._score],
                obs.time_us,
            )
        )
        course.changed()
        return step

    def come_late(self, role: Role, obs: Observation, decision: Decision) -> None:
        """Record a decision that came after the world's end."""
        decision, text = _sayable(decision, obs)
        action = decision.action
        reason = action.reason if isinstance(action, Malformed) else ""
        now_us, turn = self.course.clock.now_us(), self.course.turns[role]
        self.course.recorder.emit(
            trace.Late(
                role, turn, now_us, text, reason, decision.raw, decision.thought, obs.time_us
            )
        )

    async def turn_of(self, role: Role) -> None:
        """Observe, decide and act."""
        obs = self.observe(role)
        decision = await self.decide(role, obs)
        if decision is not None:
            self.act(role, obs, decision)

    async def cut(self) -> None:
        """Cut off every decision that is still being made, and wait until it is."""
        for turn in self._deciding.values():
            turn.cancel()
        while self._deciding:
            self._decided = anyio.Event()
            await self._decided.wait()

    def _context(self, role: Role) -> AgentContext:
        spec = self.course.spec
        rng = stream(spec.seed, "agent", role, spec.attempt)
        return AgentContext(self._contexts[role], self.course, role, rng)

    def _scope(self, role: Role, obs: Observation) -> anyio.CancelScope:
        """Holds the agent; the wall's deadline falls from the first live operation on."""
        limit_s = self.course.wall_limit_s
        recorder = self.course.recorder
        if limit_s is None or not (recorder.live or recorder.overdue(role, obs.turn)):
            return anyio.CancelScope()
        return anyio.move_on_after(limit_s)

    def _begin(self, role: Role, scope: anyio.CancelScope) -> Turn:
        course = self.course
        limit_s = course.spec.limits.turn_s
        deadline_us: int | None = None
        if limit_s is not None and not course.timeless and not course.recounted:
            deadline_us = course.clock.now_us() + round(limit_s * 1e6)
        turn = Turn(course, role, scope, deadline_us, course.wall_limit_s)
        self._contexts[role].begin(turn)
        self._deciding[role] = turn
        return turn

    async def _overdue(self, turn: Turn) -> Decision | None:
        course, name = self.course, ("Overdue", turn.role, turn.number)
        if not turn.overdue and not course.timeless and course.over():
            return None
        if not await course.clock.at(name):
            return None
        now_us = course.clock.now_us()
        course.recorder.emit(trace.Overdue(turn.role, turn.number, now_us))
        return Decision(Malformed("deadline", f"no decision within {course.spec.limits.turn_s} s"))


def _sensed(percepts: tuple[Percept, ...]) -> tuple[trace.Sensed, ...]:
    return tuple([trace.Sensed(p.channel, p.modality, p.facts) for p in percepts])


async def _decision(
    agent: Agent, obs: Observation, last: Step | None, context: Context
) -> Decision:
    """What the agent decides. One that would end more than its own episode fails it instead."""
    try:
        decision = await agent.act(obs, last, context)
    except SystemExit as error:
        raise RuntimeError(f"the agent called sys.exit({error.code!r})") from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise RuntimeError("the agent let the cancellation of its own task through") from error
    if not isinstance(decision, Decision):
        raise TypeError(f"the agent returned {type(decision).__name__}, not a Decision")
    return decision


def _sayable(decision: Decision, obs: Observation) -> tuple[Decision, str | None]:
    """The decision in text that a trace can hold, and its action's text; None for a malformed one.

    An action whose text cannot be held is malformed.
    """
    action, text = decision.action, None
    if isinstance(action, Malformed):
        action = well_formed(action)
    else:
        text = obs.actions.write(action)
        if text != (held := well_formed(text)):
            action, text = Malformed("no valid Unicode", held), None
    sayable = Decision(
        action,
        well_formed(decision.raw),
        well_formed(decision.thought),
        well_formed(decision.repairs),
        well_formed(decision.warnings),
    )
    return sayable, text
