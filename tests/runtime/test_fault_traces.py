"""What the fault of an agent leaves in the trace; earlier traces stay readable and verifiable."""

from __future__ import annotations

from tests.runtime.support import episode, played, verified

from polyathlon.agents.callables import CallableAgent
from polyathlon.core import trace

GAME = "lmgame/twenty48-v0"


def broken(obs):
    if obs.turn == 2:
        return {}["no such"]
    return "up"


async def broken_async(obs):
    return broken(obs)


broken.replayable = broken_async.replayable = True


def _ended(function):
    events = played(episode(GAME), agents={"player": CallableAgent(function)})
    ended = events[-1]
    assert isinstance(ended, trace.Ended)
    assert ended.status == "failed"
    return events, ended


def test_the_traceback_begins_in_the_users_code():
    for function in (broken, broken_async):
        _, ended = _ended(function)
        first, *_, last = ended.traceback.splitlines()
        assert first.split(" in ")[0].rpartition(":")[0] == "tests/runtime/test_fault_traces.py"
        assert first.split(" in ")[1].startswith(function.__name__)
        assert last == "KeyError: 'no such'"


def test_a_trace_without_one_verifies_and_so_does_one_whose_lines_have_moved():
    events, ended = _ended(broken)
    fields = trace.unmeasured(ended)
    assert "traceback" not in fields
    for told in ("", "elsewhere.py:1 in act"):
        line = trace.encode(ended).replace(trace.encode(ended.traceback), trace.encode(told))
        events[-1] = trace.decode(line)
        assert events[-1].traceback == told
        verified(episode(GAME), events, agents={"player": CallableAgent(broken)})


def test_an_end_without_a_fault_says_nothing_of_it():
    events = played(episode(GAME))
    assert b"traceback" not in trace.encode(events[-1])
