"""Moments of bombs in play, for questions about what is to be seen.

Two collectors play in windows of three seconds: the optimal one solves everything, the stochastic
one presses what it finds, so that it makes mistakes and explodes. Both look again now and then
instead of acting. Kept are the quarter seconds at which nothing moves any more.

    album("Wires")                       # moments that show a Wires module close up
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, TypeAlias, TypeVar, get_args

import msgspec

from polyathlon.core.canonical import JSON, digest
from polyathlon.core.chance import Stream, stream
from polyathlon.envs.gptnt.bomb.bomb import (
    Act,
    Bomb,
    Click,
    Fitted,
    Hold,
    Release,
    TurnBomb,
    ZoomOut,
    acted,
    advanced,
    build,
    elements,
    fitted,
    lights_on,
)
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.layout import TIMER_SLOT, Placed
from polyathlon.envs.gptnt.bomb.missions import MODULES, TURN_S, MissionSpec
from polyathlon.envs.gptnt.bomb.modules.words import STAGE_US
from polyathlon.envs.gptnt.bomb.poses import TURNS
from polyathlon.envs.gptnt.bomb.rulebook.variants import book
from polyathlon.envs.gptnt.bomb.simulator import FRAME_US
from polyathlon.envs.gptnt.bomb.solver import next_act

T = TypeVar("T")

Collector: TypeAlias = Literal["optimal", "stochastic"]

TIMER, STRIKES, SERIAL = "Timer", "Strikes", "Serial Number"
"""What is looked at beside modules."""

MOST_PICTURES = 40
"""Of a module: section 3.5 of the GPTNT paper."""

WINDOW_US = TURN_S * SECOND_US
REST_US = STAGE_US
"""After an act all is still again: nothing takes longer than words that change."""

_NAME = "gptnt/moments"
_WINDOWS = 60
_LOOKS_EVERY = 3
_PRESSES, _HOLDS, _LETS_GO = 0.75, 0.3, 0.4
_TIME_LIMIT_S = 360
_STRIKES, _MANY_STRIKES = 3, 5
_FROM_ONE_GAME = 4
_LASTING = ("phase_s", "loop_phase_s", "held_since_s")
"""Of a module's export, what passes by itself."""


class Moment(msgspec.Struct, frozen=True):
    """A bomb at rest, and where it was met: in which window of whose game."""

    bomb: Bomb
    collector: Collector
    window: int

    def origin(self) -> dict[str, JSON]:
        """How to come back to it, as data."""
        mission = self.bomb.plan.mission
        return {
            "mission": mission.name,
            "seed": mission.seed,
            "collector": self.collector,
            "window": self.window,
            "time_us": self.bomb.time_us,
        }


def game(mission: MissionSpec, collector: Collector) -> Iterator[Moment]:
    """The moments of a game, to its end or for three minutes, that show all at rest."""
    bomb = lights_on(build(mission))
    rng = stream(mission.seed, _NAME, mission.name, collector)
    rests_us = 0
    for window in range(_WINDOWS):
        act = None if window % _LOOKS_EVERY == 0 else _act(bomb, collector, rng)
        if act is not None:
            bomb, rests_us = acted(bomb, act).bomb, bomb.time_us + REST_US
        start_us = bomb.time_us
        for time_us in range(start_us + FRAME_US, start_us + WINDOW_US + 1, FRAME_US):
            bomb = advanced(bomb, time_us)
            if time_us >= rests_us and bomb.phase == "lights_on":
                yield Moment(bomb, collector, window)
        if bomb.phase != "lights_on":
            return


def _act(bomb: Bomb, collector: Collector, rng: Stream) -> Act | None:
    return next_act(bomb) if collector == "optimal" else _stochastic(bomb, rng)


def _stochastic(bomb: Bomb, rng: Stream) -> Act | None:
    """Mostly presses something, where there is something to press; None is to wait."""
    if bomb.grip.held is not None:
        return Release() if rng.uniform() < _LETS_GO else None
    within = elements(bomb)
    if within and rng.uniform() < _PRESSES:
        press = Hold if rng.uniform() < _HOLDS else Click
        return press(rng.choice(within))
    turns: list[Act] = [TurnBomb(turn) for turn in TURNS]
    return rng.choice([ZoomOut(), *turns])


@cache
def album(subject: str) -> tuple[Moment, ...]:
    """At most `MOST_PICTURES` moments that show a module of this type close up, or one of
    `TIMER`, `STRIKES` and `SERIAL`, no two of them alike."""
    seen: dict[str, Moment] = {}
    for number in range(4 * MOST_PICTURES):
        fresh = _fresh(subject, number, seen)
        stream(number, _NAME, "chosen", subject).shuffle(fresh)
        seen.update(fresh[: min(_FROM_ONE_GAME, MOST_PICTURES - len(seen))])
        if len(seen) == MOST_PICTURES:
            break
    return tuple(seen.values())


def _fresh(subject: str, number: int, seen: dict[str, Moment]) -> list[tuple[str, Moment]]:
    """The moments of a game that look unlike each other and unlike those seen."""
    found: dict[str, Moment] = {}
    collector = get_args(Collector)[number % 2]
    for moment in game(_mission(subject, number), collector):
        key = _look(subject, moment.bomb)
        if key and key not in seen:
            found.setdefault(key, moment)
    return list(found.items())


def _mission(subject: str, number: int) -> MissionSpec:
    """Missions of one module and of several different ones in turn, each for both collectors."""
    rng = stream(number // 2, _NAME, "mission", subject)
    others = [kind for kind in MODULES if kind != subject]
    rng.shuffle(others)
    first = (subject,) if subject in MODULES else tuple(others[-1:])
    beside = tuple(others[: 2 + rng.below(3)]) if number // 2 % 2 else ()
    return MissionSpec(
        f"{subject} {number // 2}",
        rng.below(1 << 31),
        _TIME_LIMIT_S,
        (*first, *beside),
        strike_limit=_MANY_STRIKES if subject == STRIKES else _STRIKES,
        back_placement=bool(beside),
    )


def _look(subject: str, bomb: Bomb) -> str:
    """A hash of what a moment shows of a subject; "" when it does not show it."""
    if subject in _SHOWN:
        shown = _SHOWN[subject](bomb)
        return digest(shown) if shown else ""
    close = close_up(bomb)
    return _module_look(close, bomb) if close and close.placed.type == subject else ""


def spread(
    pool: Iterable[T], most: int, traits: Callable[[T], Sequence[Hashable]], rng: Stream
) -> Iterator[T]:
    """`most` things out of a pool: each time one whose first trait, and then whose next, was chosen
    least often. Raises ValueError when there are too few."""
    left = list(pool)
    rng.shuffle(left)
    used: Counter[Hashable] = Counter()
    for _ in range(most):
        chosen = min(left, key=lambda thing: [used[it] for it in enumerate(traits(thing))])
        left.remove(chosen)
        used.update(enumerate(traits(chosen)))
        yield chosen


def mixed(counts: Mapping[str, int], only: str, rng: Stream) -> tuple[tuple[str, int], ...]:
    """Subject and number of each of so many items in random order: of one subject, or (`""`) of
    all, in the order they have among all."""
    found = [(subject, number) for subject, most in counts.items() for number in range(most)]
    rng.shuffle(found)
    return tuple(slot for slot in found if only in ("", slot[0]))


def close_up(bomb: Bomb) -> Fitted | None:
    """The module that fills the view, if it is not solved and stands upright, and no other one is
    whole in the picture."""
    if bomb.grip.zoomed is None or bomb.grip.pose.quarters:
        return None
    found = fitted(bomb, bomb.grip.zoomed)
    return found if found.solved_us is None and _alone(bomb, found.placed) else None


def _alone(bomb: Bomb, placed: Placed) -> bool:
    """Whether there are no modules between one and the timer, which a close-up shows with it."""
    if placed.slot.face != TIMER_SLOT.face:
        return True
    (top, bottom), (left, right) = (
        sorted(pair)
        for pair in ((placed.slot.row, TIMER_SLOT.row), (placed.slot.col, TIMER_SLOT.col))
    )
    return not any(
        other.slot.face == placed.slot.face
        and top <= other.slot.row <= bottom
        and left <= other.slot.col <= right
        for other in bomb.plan.layout.modules
        if other.id != placed.id
    )


def _timer(bomb: Bomb) -> list[JSON]:
    pose = bomb.grip.pose
    in_view = pose.facing == TIMER_SLOT.face and pose.quarters == 0
    return [bomb.clock.display(bomb.time_us), len(bomb.strikes)] if in_view else []


def _strikes(bomb: Bomb) -> list[JSON]:
    return [*_timer(bomb), bomb.grip.zoomed] if bomb.strikes and _timer(bomb) else []


def _serial(bomb: Bomb) -> list[JSON]:
    pose, casing = bomb.grip.pose, bomb.plan.casing
    in_view = (
        bomb.grip.zoomed is None and pose.quarters == 0 and pose.facing == casing.mounts[0].edge
    )
    return [casing.serial.value] if in_view else []


def _module_look(close: Fitted, bomb: Bomb) -> str:
    runtime = close.module.runtime(bomb.time_us)
    config = close.module.config(book(bomb.plan.rule_seed))
    return digest([config, {k: v for k, v in runtime.items() if k not in _LASTING}])


_SHOWN: Mapping[str, Callable[[Bomb], list[JSON]]] = {
    TIMER: _timer,
    STRIKES: _strikes,
    SERIAL: _serial,
}
"""What is to be seen of each subject that is no module; empty when it is out of view."""
