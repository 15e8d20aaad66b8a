"""Playing an env by hand: rounds of acts, and time in clocked worlds. No agents, no runtime."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import msgspec

from polyathlon.core.canonical import digest
from polyathlon.core.world import Env, Observation, Role, Step

Choose: TypeAlias = Callable[[Observation], Any]

IDLE_ROUNDS = 100_000


class Turn(msgspec.Struct, frozen=True):
    """One act and what it brought; `state` is the hash after it.

    Where only time passed, `observation` and `action` are None.
    """

    time_us: int
    observation: Observation | None
    action: Any
    step: Step
    state: str

    @property
    def role(self) -> Role | None:
        """Who acted, or None where only time passed."""
        return None if self.observation is None else self.observation.role


def state_hash(env: Env) -> str:
    """The hash of everything that decides the future."""
    return digest(env.state())


def play(env: Env, seed: int, choose: Choose) -> Iterator[Turn]:
    """Reset and play until the outcome.

    A round lets every pending role act on what it saw when the round began; in a clocked world the
    env's tick passes after it. While nobody is pending time passes to the world's next event, in a
    world without a clock by a tick. Raises AssertionError when that brings no end.
    """
    env.reset(seed)
    clocked = env.spec.clock == "real"
    time_us = idle = 0
    while env.outcome() is None:
        seen = [env.observe(role) for role in env.pending()]
        for observation in seen:
            if observation.role in env.pending():
                action = choose(observation)
                step = env.act(observation.role, action)
                yield Turn(time_us, observation, action, step, state_hash(env))
        idle = 0 if seen else idle + 1
        if (clocked or not seen) and env.outcome() is None:
            due_us = _due_us(env, time_us, acted=bool(seen))
            if idle > IDLE_ROUNDS or due_us is None:
                raise AssertionError(f"{env.spec.id}: nobody is pending and time brings no end")
            time_us = due_us
            step = env.advance_to(time_us)
            yield Turn(time_us, None, None, step, state_hash(env))


def _due_us(env: Env, now_us: int, *, acted: bool) -> int | None:
    """Up to when time passes after a round; None where that would change nothing."""
    tick_us = env.spec.tick_us
    if acted or env.spec.clock == "none":
        return now_us + tick_us if acted or tick_us else None
    return env.next_event_us()


def replay(env: Env, seed: int, turns: Iterable[Turn]) -> Iterator[str]:
    """Reset, repeat recorded turns and give the state hash after each."""
    env.reset(seed)
    for turn in turns:
        if turn.role is None:
            env.advance_to(turn.time_us)
        else:
            env.act(turn.role, turn.action)
        yield state_hash(env)
