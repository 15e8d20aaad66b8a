"""A session: one episode in progress. Schedulers drive it; it observes, decides, acts, records."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Mapping, Sequence

import anyio
import anyio.lowlevel
import anyio.to_thread

from polyathlon.core import trace
from polyathlon.core.actions import Malformed
from polyathlon.core.agents import Agent, Decision
from polyathlon.core.canonical import digest, well_formed
from polyathlon.core.chance import stream
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.interventions import Intervention, delivered, in_order
from polyathlon.core.parts import Image, Part, Text
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Env, Mail, Observation, Role, Step
from polyathlon.runtime.clock import make_clock
from polyathlon.runtime.context import RoleContext, Services, TurnOverdue
from polyathlon.runtime.limits import Meter
from polyathlon.runtime.mailbox import Mailboxes
from polyathlon.runtime.recorder import Recorder

QUICK_BYTES = 512 * 512 * 3
"""Pictures up to this many raw bytes take less to store than to hand to another thread and back."""


class Session:
    """One episode in progress."""

    def __init__(
        self,
        spec: EpisodeSpec,
        env: Env,
        agents: Mapping[Role, Agent],
        interventions: Sequence[Intervention],
        services: Services,
        recorder: Recorder,
        replay_only: bool = False,
    ) -> None:
        self.spec = spec
        self.env = env
        self.services = services
        self.recorder = recorder
        self.replay_only = replay_only
        self.clock = make_clock(spec.scheduler.kind)
        self.meter = Meter(spec.limits)
        self.stop: str | None = None
        self._agents = agents
        self._interventions = in_order(list(interventions))
        self._mail = Mailboxes(env.spec.roles)
        self._turns: Counter[Role] = Counter()
        self._last: dict[Role, Step] = {}
        self._score = env.spec.metrics[0].name
        self._world_us = 0
        self._stored: set[str] = set()
        env.reset(spec.seed)
        self._contexts = {
            role: RoleContext(
                self, role, stream(spec.seed, "agent", role, spec.attempt), agents[role].privileged
            )
            for role in env.spec.roles
        }

    def turn(self, role: Role) -> int:
        """How many decisions of `role` have reached the world."""
        return self._turns[role]

    @property
    def turns(self) -> int:
        """Decisions of the role that took most."""
        return max(self._turns.values(), default=0)

    def over(self) -> bool:
        """Whether the world has ended or a limit is reached."""
        if self.stop is None and self.env.outcome() is None:
            live = self.recorder.live and not self.replay_only
            self.stop = self.meter.reached(self.turns, live) or self._recorded_stop()
        return self.stop is not None or self.env.outcome() is not None

    def over_now(self) -> bool:
        """Whether it is over at the clock's time; in a world without time of its own, `over`."""
        if not self.timeless and not self.over():
            self.advance(self.clock.now_us())
        return self.over()

    @property
    def timeless(self) -> bool:
        """Whether time stands still while agents think."""
        return self.spec.scheduler.kind in ("turns", "stepped")

    @property
    def exact(self) -> bool:
        """Whether time is the scheduler's, not the wall's."""
        return self.spec.scheduler.kind != "realtime"

    def observe(self, role: Role) -> Observation:
        """What `role` is given now: its mail, and its percepts after the interventions."""
        true = self.env.observe(role)
        mail = self._mail.drain(role)
        seen = Observation(
            role, self.turn(role), self.clock.now_us(), true.percepts, true.ask, true.actions, mail
        )
        seen = delivered(seen, self._interventions, self.spec.seed)
        changed = seen.percepts != true.percepts if self._interventions else False
        self.recorder.emit(
            trace.Observed(
                role,
                seen.turn,
                self._recorded_us(),
                _sensed(seen.percepts),
                _sensed(true.percepts) if changed else (),
                mail,
            )
        )
        return seen

    async def decide(self, role: Role, obs: Observation) -> Decision:
        """Let the role's agent think, at most until its deadline; other episodes get their turn.

        Raises what halted the agent, whether or not the agent let it through.
        """
        await anyio.lowlevel.checkpoint()
        limit_s = self.spec.limits.turn_s
        context, agent, last = self._contexts[role], self._agents[role], self._last.get(role)
        deadline_us = None if limit_s is None else self.clock.now_us() + round(limit_s * 1e6)
        overdue = self.recorder.overdue(role, obs.turn)
        wall_s = None if self.spec.scheduler.kind == "virtual" else limit_s
        decision: Decision | None = None
        scope = anyio.move_on_after(wall_s if self.recorder.live or overdue else None)
        context.begin_turn(scope, None if self.timeless else deadline_us, wall_s)
        try:
            with scope:
                decision = await _decision(agent, obs, last, context)
        except Exception:
            if not scope.cancel_called:
                raise
        if context.halt is not None and not isinstance(context.halt, TurnOverdue):
            raise context.halt
        if overdue or scope.cancel_called or decision is None:
            self.recorder.emit(trace.Overdue(role, obs.turn))
            return Decision(Malformed("deadline", f"no decision within {limit_s} s"))
        return decision

    def act(self, role: Role, obs: Observation, decision: Decision) -> Step:
        """Bring a decision into the world and record what came of it."""
        decision, text = _sayable(decision, obs)
        action = decision.action
        step = self.env.act(role, action)
        now_us = self.clock.now_us()
        turn = self.turn(role)
        self._turns[role] += 1
        self._last[role] = step
        mail = self._post(step, now_us)
        self.recorder.emit(
            trace.Acted(
                role,
                turn,
                self._recorded_us(),
                text,
                step.status,
                action.reason if isinstance(action, Malformed) else "",
                decision.raw,
                decision.thought,
                decision.repairs,
                decision.warnings,
                finite(step.rewards),
                mail,
                digest(self.env.state()),
                finite(self.env.metrics())[self._score],
            )
        )
        return step

    def advance(self, time_us: int) -> None:
        """Let the world's time pass to `time_us`; nothing happens when it is there already."""
        if time_us <= self._world_us:
            return
        self._world_us = time_us
        step = self.env.advance_to(time_us)
        mail = self._post(step, time_us)
        if self.spec.scheduler.kind != "realtime":
            state = digest(self.env.state())
            self.recorder.emit(trace.Advanced(time_us, step.rewards, mail, state))

    async def turn_of(self, role: Role) -> None:
        """Observe, decide and act."""
        obs = self.observe(role)
        self.act(role, obs, await self.decide(role, obs))

    async def keep(self, parts: Sequence[Part]) -> None:
        """Keep media before the trace names them; those that take long, off the event loop."""
        for part in parts:
            if isinstance(part, Text) or part.digest in self._stored:
                continue
            if isinstance(part, Image) and len(part.rgb) <= QUICK_BYTES:
                self.services.store(part)
            else:
                await anyio.to_thread.run_sync(self.services.store, part)
            self._stored.add(part.digest)

    def _post(self, step: Step, now_us: int) -> tuple[Mail, ...]:
        stamped = tuple(Mail(mail.sender, mail.to, mail.text, now_us) for mail in step.mail)
        for mail in stamped:
            self._mail.post(mail)
        return stamped

    def _recorded_us(self) -> int:
        return 0 if self.spec.scheduler.kind == "realtime" else self.clock.now_us()

    def _recorded_stop(self) -> str | None:
        ended = self.recorder.ended()
        wall = ended is not None and ended.cause == "limit:wall_s" and self.recorder.at_end
        return "limit:wall_s" if wall else None


def _sensed(percepts: tuple[Percept, ...]) -> tuple[trace.Sensed, ...]:
    return tuple(trace.Sensed(p.channel, p.modality, p.facts) for p in percepts)


async def _decision(
    agent: Agent, obs: Observation, last: Step | None, context: RoleContext
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


def finite(values: Mapping[str, float]) -> Mapping[str, float]:
    """The values. Raises ValueError for NaN and infinities, which no trace can hold."""
    for name, value in values.items():
        if not math.isfinite(value):
            raise ValueError(f"{name} is {value}: rewards and metrics must be finite")
    return values
