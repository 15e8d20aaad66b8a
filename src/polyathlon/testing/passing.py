"""What holds of time: how it is cut does not matter, and what it brings is announced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import TypeAlias

from polyathlon.core.canonical import JSON, canonical
from polyathlon.core.chance import stream
from polyathlon.core.world import Env, Role, Step
from polyathlon.testing.cases import Case, ending
from polyathlon.testing.drive import play, state_hash

Place: TypeAlias = tuple[str | int, ...]
Leaves: TypeAlias = dict[Place, bytes]

GAMES = (0, 7, 20)
"""Turns of a random game before its time is let pass from event to event."""
EVENTS = 4
LOOKS = 48
"""How often the world is looked at between two events."""
SETTLED = LOOKS // 8
"""What keeps its value for so many looks before and after its only change does not run on."""
TICKS = 16
"""In a shorter stretch what runs on may change but once, like what happens."""
EVER_US = 3_600_000_000
"""How long a world that announces nothing is watched."""


def check_time(case: Case) -> None:
    """How an interval is cut does not matter; a world without a clock ignores time."""
    whole, cut = case.started(), case.started()
    before, waits = state_hash(whole), bool(whole.pending())
    end_us = 40 * (case.spec.tick_us or 1_000_000)
    rng = stream(case.seed, "conformance", "cuts")
    cuts = sorted(rng.below(end_us) for _ in range(30))
    at_once = [whole.advance_to(end_us)]
    in_pieces = [cut.advance_to(time_us) for time_us in [*cuts, end_us]]
    case.require(state_hash(whole) == state_hash(cut), "the cut of an interval changes the state")
    case.require(ending(whole) == ending(cut), "the cut of an interval changes the ending")
    same = _brought(at_once) == _brought(in_pieces)
    case.require(same, "the cut of an interval changes rewards or mail")
    timeless = case.spec.clock == "none" and waits
    case.require(not timeless or state_hash(whole) == before, "time changes a clockless world")


def check_next_event(case: Case) -> None:
    """A world with a clock announces what it does by itself, and does nothing before.

    Before an event there is no reward, no mail, no end, and nobody else is asked. Of the state and
    the metrics, what merely runs on may differ: a value that changes again and again, or to and
    fro. One that changes once and stays has been changed by an event, and so has a state that gets
    other fields. This is looked at while nobody has acted, for what an act sets moving may come to
    rest; and in stretches of 16 ticks and more, for in shorter ones even a countdown may change but
    once.
    """
    if case.spec.clock == "none":
        return
    for count in GAMES:
        env, now_us = case.env(), 0
        env.reset(case.seed)
        for turn in islice(play(env, case.seed, case.random()), count):
            now_us = turn.time_us
            _announced(case, env, now_us)
        for _ in range(EVENTS):
            due_us = _announced(case, env, now_us)
            seen = _quiet(case, env, now_us, due_us)
            if count == 0 and (due_us or EVER_US) - now_us > TICKS * case.spec.tick_us:
                _require_no_change(case, seen, due_us)
            if due_us is None:
                break
            now_us = due_us
            env.advance_to(due_us)
        _announced(case, env, now_us)


def _announced(case: Case, env: Env, now_us: int) -> int | None:
    """The next event of the world, which asking for it leaves as it is."""
    before = state_hash(env)
    due_us = env.next_event_us()
    same = due_us == env.next_event_us() and state_hash(env) == before
    case.require(same, "asking for the next event changes it, or the state")
    if due_us is None:
        asleep = env.outcome() is None and not env.pending()
        case.require(not asleep, "nobody is pending and next_event_us() announces nothing")
        return None
    case.require(isinstance(due_us, int), f"next_event_us() is {due_us!r}: give whole microseconds")
    case.require(due_us > now_us, f"the next event lies at {due_us} us and it is {now_us} us")
    case.require(env.outcome() is None, "an event is announced for after the end")
    return due_us


def _quiet(case: Case, env: Env, now_us: int, due_us: int | None) -> list[Leaves]:
    """What was seen while time passed to just before the event, and nothing happened."""
    last_us = now_us + EVER_US if due_us is None else due_us - 1
    when = _when(due_us)
    asked, ended = env.pending(), env.outcome()
    rng = stream(case.seed, "conformance", "quiet", now_us)
    looks = sorted(now_us + rng.below(last_us - now_us + 1) for _ in range(LOOKS))
    seen = [_leaves(env)]
    for time_us in [*looks, last_us]:
        rewards, mail = _brought([env.advance_to(time_us)])
        case.require(not rewards, f"a reward of {rewards} comes {when}")
        case.require(not mail, f"mail comes {when}")
        case.require(env.outcome() == ended, f"an end comes {when}")
        case.require(env.pending() == asked, f"others are asked {when}")
        case.require(env.next_event_us() == due_us, f"another event is announced {when}")
        seen.append(_leaves(env))
    return seen


def _require_no_change(case: Case, seen: Sequence[Leaves], due_us: int | None) -> None:
    changed = sorted("/".join(map(str, place)) for place in _happened(seen))
    which = ", ".join(changed[:3])
    case.require(not changed, f"state or metrics change {_when(due_us)}: {which}")


def _when(due_us: int | None) -> str:
    return "though no event is announced" if due_us is None else f"before the event at {due_us} us"


def _happened(seen: Sequence[Leaves]) -> Iterator[Place]:
    """What came, went, or changed once and for all."""
    first, last = seen[0], seen[-1]
    yield from {name for leaves in seen for name in leaves.keys() ^ first.keys()}
    for name in first.keys() & last.keys():
        values = [leaves.get(name) for leaves in seen]
        changes = [i for i, (one, other) in enumerate(pairwise(values), 1) if one != other]
        if len(changes) == 1 and SETTLED <= changes[0] <= len(seen) - SETTLED:
            yield name


def _leaves(env: Env) -> Leaves:
    """Every value of the state and of the metrics by its place."""
    metrics = {role or "": dict(env.metrics(role)) for role in (None, *env.spec.roles)}
    return dict(_walked((), {"state": env.state(), "metrics": metrics}))


def _walked(place: Place, value: JSON) -> Iterator[tuple[Place, bytes]]:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _walked((*place, name), inner)
    elif isinstance(value, list | tuple) and value:
        for number, inner in enumerate(value):
            yield from _walked((*place, number), inner)
    else:
        yield place, canonical(value)


def _brought(steps: list[Step]) -> tuple[dict[Role, float], list[object]]:
    totals: dict[Role, float] = {}
    for step in steps:
        for role, reward in step.rewards.items():
            totals[role] = round(totals.get(role, 0.0) + reward, 6)
    return {role: total for role, total in totals.items() if total}, [
        mail for step in steps for mail in step.mail
    ]
