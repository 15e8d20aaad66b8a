"""Functions and policies that block are cut off at their deadline, and meet every turn in order."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
import time

import anyio
import pytest
from tests.experiments.servers import ENV
from tests.runtime.support import episode, played, same, verified

from polyathlon.agents.aside import Aside
from polyathlon.agents.baselines import PolicyAgent
from polyathlon.agents.callables import CallableAgent
from polyathlon.core import trace
from polyathlon.core.agents import with_access
from polyathlon.core.episodes import Limits, SchedulerSpec

GAME = "lmgame/twenty48-v0"
LIMITS = Limits(turns=3, turn_s=0.2)
MOVES = ("up", "left", "right")


class Slow:
    """Blocks in its first turn until it is let go, at most for 20 s; knows what it was asked."""

    replayable = True

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.go = threading.Event()

    def __call__(self, obs):
        self.asked.append(obs.turn)
        if obs.turn == 0:
            self.go.wait(20)
        return MOVES[obs.turn]


def _malformed(events):
    return [event.malformed for event in events if isinstance(event, trace.Acted)]


@pytest.mark.parametrize("kind", ["turns", "stepped", "realtime"])
def test_a_function_that_blocks_is_cut(kind):
    slow = Slow()
    start = time.monotonic()
    scheduler = SchedulerSpec(kind)
    events = played(
        episode(GAME, scheduler=scheduler, limits=LIMITS), agents={"player": CallableAgent(slow)}
    )
    slow.go.set()
    assert _malformed(events) == ["deadline"] * 3
    assert time.monotonic() - start < 10


def test_a_function_that_was_left_meets_all_turns_and_answers_those_in_time():
    slow = Slow()

    class Released(CallableAgent):
        async def act(self, obs, last, ctx):
            if obs.turn == 1:
                slow.go.set()
            return await super().act(obs, last, ctx)

    spec = episode(GAME, limits=Limits(turns=3, turn_s=0.5))
    events = played(spec, agents={"player": Released(slow)})
    assert _malformed(events) == ["deadline", "", ""]
    assert slow.asked == [0, 1, 2]
    again = CallableAgent(slow)  # which is quick by now: what was recorded holds
    assert same(played(spec, agents={"player": again}, recording=events)) == same(events)
    verified(spec, events, agents={"player": again})


def test_a_policy_that_blocks_is_cut_and_replays():
    slow = Slow()

    @with_access("plain")
    def policy(obs, rng):
        slow(obs)
        return obs.actions.sample(rng)

    spec = episode(GAME, limits=LIMITS)
    events = played(spec, agents={"player": PolicyAgent(policy)})
    slow.go.set()
    assert _malformed(events) == ["deadline"] * 3
    verified(spec, events, agents={"player": PolicyAgent(policy)})


def test_a_policy_without_a_deadline_stays_on_the_event_loop():
    where = set()

    def policy(obs, rng):
        where.add((threading.current_thread(), anyio.current_effective_deadline()))
        return obs.actions.sample(rng)

    played(episode(GAME, limits=Limits(turns=3)), agents={"player": PolicyAgent(policy)})
    assert where == {(threading.main_thread(), math.inf)}


def test_what_a_function_raises_arrives():
    def act(obs):
        raise StopIteration("enough")

    events = played(episode(GAME), agents={"player": CallableAgent(act)})
    assert "enough" in events[-1].cause


def test_threads_are_used_again():
    async def main():
        return {await Aside()(threading.get_ident) for _ in range(50)}

    assert len(anyio.run(main)) < 50


LEAVES = """
import time, anyio
from polyathlon.agents.aside import Aside

async def main():
    with anyio.move_on_after(0.05):
        await Aside()(time.sleep, 60)

anyio.run(main)
"""


def test_a_process_ends_with_a_thread_that_was_left():
    subprocess.run([sys.executable, "-c", LEAVES], env=ENV, timeout=20, check=True)
