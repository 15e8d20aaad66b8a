"""Two roles on a clock: a worker may always act, a watcher is asked only when an alarm goes off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polyathlon.core.actions import Labels, Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.core.percepts import text_percept
from polyathlon.core.spec import Channel, EnvSpec, Metric, Option
from polyathlon.core.world import Brief, Mail, Observation, Outcome, Role, Step

WORKER, WATCHER = ROLES = ("worker", "watcher")
LABELS = {WORKER: ("work", "rest"), WATCHER: ("answer", "ignore")}
SECOND_US = 1_000_000

SPEC = EnvSpec(
    id="toys/vigil-v0",
    title="Vigil",
    doc="Work until the shift is over; alarms go off at their times and want an answer.",
    entry=f"{__name__}:Vigil",
    roles=ROLES,
    channels=(Channel("shift", "text", "what is done, and seconds left"),),
    levels=("standard",),
    metrics=(
        Metric("raw_score", "alarms answered"),
        Metric("invalid_rate", "share of acts that were no action", "", False, 1.0),
    ),
    options=(
        Option("every_s", 400, "seconds between alarms", 1, 3_600),
        Option("shift_s", 1_000, "seconds until the end", 1, 3_600),
    ),
    clock="real",
    tick_us=SECOND_US,
    pause_us=250_000,
    buys_time=WATCHER,
    horizon=10_000,
    bounds=(0.0, None),
    baselines=__name__,
)


class Vigil:
    """An alarm is announced by mail to the watcher, and pays when it is answered."""

    spec = SPEC

    def __init__(self, level: str, *, every_s: int, shift_s: int) -> None:
        self._every_us = every_s * SECOND_US
        self._shift_us = shift_s * SECOND_US

    def reset(self, seed: int) -> None:
        self._now_us = self._alarms = self._heeded = self._answered = self._invalid = 0
        self._turns = dict.fromkeys(ROLES, 0)

    def brief(self, role: Role) -> Brief:
        return Brief("Keep the shift.", "Only the watcher hears alarms.", "Write one word.")

    def pending(self) -> tuple[Role, ...]:
        if self.outcome():
            return ()
        return ROLES if self._heeded < self._alarms else (WORKER,)

    def observe(self, role: Role) -> Observation:
        left_s = (self._shift_us - self._now_us) / SECOND_US
        seen = text_percept("shift", f"{self._turns[role]} acts, {left_s:g} s left")
        turn = self._turns[role]
        return Observation(role, turn, self._now_us, (seen,), "Well?", Labels(LABELS[role]))

    def act(self, role: Role, action: str | Malformed, answers_us: int = 0) -> Step:
        if role not in self.pending():
            return Step.illegal()
        self._turns[role] += 1
        if role == WATCHER:
            self._heeded += 1
        if isinstance(action, Malformed):
            self._invalid += 1
            return Step.malformed()
        if action not in LABELS[role]:
            return Step.illegal()
        self._answered += action == "answer"
        return Step.ok({WATCHER: 1.0} if action == "answer" else {})

    def advance_to(self, time_us: int) -> Step:
        if self.outcome():
            return Step.ok()
        self._now_us = min(max(time_us, self._now_us), self._shift_us)
        rung = self._now_us // self._every_us - self._alarms
        self._alarms += rung
        return Step.ok(mail=tuple(Mail(WORKER, (WATCHER,), "an alarm") for _ in range(rung)))

    def next_event_us(self) -> int | None:
        if self.outcome():
            return None
        return min((self._alarms + 1) * self._every_us, self._shift_us)

    def outcome(self) -> Outcome | None:
        if self._now_us >= self._shift_us:
            return Outcome("shift")
        if max(self._turns.values()) >= SPEC.horizon:
            return Outcome("horizon", truncated=True)
        return None

    def metrics(self, role: Role | None = None) -> Mapping[str, float]:
        acts = sum(self._turns.values())
        invalid_rate = self._invalid / acts if acts else 0.0
        return {"raw_score": float(self._answered), "invalid_rate": invalid_rate}

    def state(self) -> JSON:
        return {
            "now_us": self._now_us,
            "alarms": self._alarms,
            "heeded": self._heeded,
            "answered": self._answered,
            "invalid": self._invalid,
            "turns": self._turns,
        }


def random(observation: Observation, rng: Stream) -> Any:
    """Any of the words."""
    return observation.actions.sample(rng)


def oracle(state: Any, role: Role, rng: Stream) -> str:
    """Answer every alarm."""
    return LABELS[role][0]
