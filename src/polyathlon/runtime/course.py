"""The course of one episode: what its session and its players' contexts share."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence

import anyio.to_thread

from polyathlon.core import trace
from polyathlon.core.canonical import digest
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.parts import Image, Part, Text
from polyathlon.core.world import Env, Mail, Role, Step
from polyathlon.runtime.clock import Clock, FrozenClock, VirtualClock, WallClock
from polyathlon.runtime.limits import Meter
from polyathlon.runtime.mailbox import Mailboxes
from polyathlon.runtime.recorded import RecordedClock
from polyathlon.runtime.recorder import Recorder
from polyathlon.runtime.services import Services

QUICK_BYTES = 512 * 512 * 3
"""Pictures up to this many raw bytes take less to store than to hand to another thread and back."""


class Course:
    """Where one episode stands: its world, its time, its mail, what it used, whether it is over.

    `timeless` says that time stands still while agents think, `exact` that it is the scheduler's,
    not the wall's, and `recounted` that a game on the wall's clock is played again.
    """

    def __init__(
        self,
        spec: EpisodeSpec,
        env: Env,
        services: Services,
        recorder: Recorder,
        replay_only: bool = False,
    ) -> None:
        self.spec = spec
        self.env = env
        self.services = services
        self.recorder = recorder
        self.replay_only = replay_only
        kind = spec.scheduler.kind
        self.timeless = kind in ("turns", "stepped")
        self.exact = kind != "realtime"
        self.recounted = replay_only and not self.exact
        self.meter = Meter(spec.limits)
        self.mail = Mailboxes(env.spec.roles)
        self.turns: Counter[Role] = Counter()
        self.stop: str | None = None
        self._world_us = 0
        self._end_us: int | None = None
        self._stored: set[str] = set()
        env.reset(spec.seed)
        self.clock = self._clock()

    @property
    def wall_limit_s(self) -> float | None:
        """How long a decision may take on the wall's clock."""
        simulated = self.spec.scheduler.kind == "virtual" or self.recounted
        return None if simulated else self.spec.limits.turn_s

    @property
    def most_turns(self) -> int:
        """Decisions of the role that took most."""
        return max(self.turns.values(), default=0)

    @property
    def world_us(self) -> int:
        """The world's own time."""
        return self.clock.now_us() if self.exact else self._world_us

    def modelled_s(self, latency_s: float) -> float:
        """How long a model call takes: as long as the scheduler says, else as long as it took."""
        modelled_s = self.spec.scheduler.latency_s
        return latency_s if modelled_s is None else modelled_s

    def lands_us(self, latency_s: float) -> int:
        """When what took so long by now lands: later in a simulation, now anywhere else."""
        simulated = self.spec.scheduler.kind == "virtual"
        return self.clock.now_us() + (round(latency_s * 1e6) if simulated else 0)

    def next_event_us(self) -> int | None:
        """When the world changes by itself; None where it will not, or is over."""
        if self.recorder.idles or self.env.spec.clock == "none" or self.over():
            return None
        return self.env.next_event_us()

    def advance(self, time_us: int) -> None:
        """Let the world's time pass to `time_us`; nothing happens when it is there already.

        It is recorded where the world said that it would change, and where it did all the same.
        """
        if time_us <= self._world_us:
            return
        due_us, ran = self.next_event_us(), self.env.outcome() is None
        self._world_us = time_us
        step = self.env.advance_to(time_us)
        announced = due_us is not None and due_us <= time_us
        ended = ran and self.env.outcome() is not None
        if self.recorder.idles or announced or ended or step.rewards or step.mail:
            mail = self.post(step, time_us)
            state = digest(self.env.state())
            self.recorder.emit(trace.Advanced(time_us, finite(step.rewards), mail, state))
            self.changed()

    def changed(self) -> None:
        """The world has changed: whoever waits for that looks again."""
        if self._end_us is None and not self.recorder.idles and self.over():
            self._end_us = self.world_us
        self.clock.changed()

    def ends_us(self) -> int:
        """When the game ends: with its world or limit, whatever lands after it; on the wall's clock
        now, or when it did if it is played again.
        """
        if self.exact:
            return self.clock.now_us() if self._end_us is None else self._end_us
        ended = self.recorder.ended()
        return ended.time_us if self.recounted and ended else self.clock.now_us()

    def pass_to_end(self) -> int:
        """Let the wall's time pass to the end of the game, so that what is measured there is the
        world at that moment; returns it.
        """
        end_us = self.ends_us()
        if not self.exact:
            self.advance(end_us)
        return end_us

    def over(self) -> bool:
        """Whether the world has ended or a limit is reached."""
        if self.env.outcome() is not None:
            return True
        self.stop = self.stop or self.meter.reached(self.most_turns)
        return self.stop is not None

    def may_begin(self, role: Role) -> bool:
        """Whether another decision of `role` may begin; wall time is asked here and nowhere else.

        A recorded game that wall time ended goes as far as its recording.
        """
        if self.stop is None and self._wall_time_is_up(role):
            self.stop = "limit:wall_s"
        return not self.over()

    def over_now(self) -> bool:
        """Whether it is over at the clock's time; in a world without time of its own, `over`."""
        if not self.timeless and not self.over():
            self.advance(self.clock.now_us())
        return self.over()

    def post(self, step: Step, now_us: int) -> tuple[Mail, ...]:
        """Deliver the mail of a step, stamped with its time."""
        stamped = tuple([Mail(mail.sender, mail.to, mail.text, now_us) for mail in step.mail])
        for mail in stamped:
            self.mail.post(mail)
        return stamped

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

    def _wall_time_is_up(self, role: Role) -> bool:
        ended = self.recorder.ended()
        if ended is None:
            return self.recorder.live and not self.replay_only and self.meter.wall_time_is_up()
        going = self.recorder.observed(role, self.turns[role])
        return ended.cause == "limit:wall_s" and not going

    def _clock(self) -> Clock:
        match self.spec.scheduler.kind:
            case "realtime" if self.replay_only:
                return RecordedClock(self, self.recorder.recorded())
            case "realtime":
                return WallClock()
            case "virtual":
                return VirtualClock(self)
        return FrozenClock()


def wall_at() -> float:
    """Seconds since the epoch, to the microsecond."""
    return round(time.time(), 6)


def finite(values: Mapping[str, float]) -> Mapping[str, float]:
    """The values. Raises ValueError for NaN and infinities, which no trace can hold."""
    for name, value in values.items():
        if not math.isfinite(value):
            raise ValueError(f"{name} is {value}: rewards and metrics must be finite")
    return values
