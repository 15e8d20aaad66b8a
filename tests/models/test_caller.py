"""Calls through real HTTP: every fault, retries, timeouts, cancellation, latency."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from polyathlon.agents.models.openai import vllm
from polyathlon.core.errors import UserError
from polyathlon.core.models import (
    Abilities,
    CallFailed,
    ModelError,
    Reply,
    Request,
    Sampling,
    Usage,
    say,
    thread,
)
from polyathlon.runtime.caller import Attempt, Caller, RetryPolicy
from polyathlon.runtime.ratelimit import RateLimits
from polyathlon.testing.faults import FaultServer, parse_plan, word_answer

pytestmark = pytest.mark.anyio

REQUEST = Request(thread(say("user", "Which way?")), Sampling(max_tokens=8))
QUICK = RetryPolicy(attempts=3, first_backoff_s=0.01, attempt_s=5.0)


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.time_s = 0.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time_s

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time_s += seconds
        await asyncio.sleep(0)


class Fake:
    """A model that does what it is told, one step an attempt."""

    name = "fake/model"
    group = "fake"
    in_flight = 100
    abilities = Abilities()
    price = None

    def __init__(self, *steps: Callable[[], Any] | Exception, latency: str = "measured") -> None:
        self.steps = list(steps)
        self.latency: Any = latency

    async def complete(self, request: Request) -> Reply:
        step = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        result: Reply = step()
        return result

    async def close(self) -> None:
        pass


async def until(holds: Callable[[], bool]) -> None:
    with anyio.fail_after(5):
        for _ in itertools.count():
            if holds():
                return
            await asyncio.sleep(0.01)


def error(cause: str = "server_error", **more: Any) -> ModelError:
    return ModelError(cause, "made up", **{"retryable": True, **more})


def ok() -> Reply:
    return Reply(text="left", latency_s=0.25, usage=Usage(input=5, output=1))


@pytest.mark.parametrize(("fault", "cause"), [
    ("429", "rate_limited"),
    ("500", "server_error"),
    ("cut", "connection"),
    ("truncated", "bad_json"),
    ("bad_json", "bad_json"),
    ("empty", "empty_reply"),
    ("html", "wrong_content_type"),
])  # fmt: skip
async def test_a_passing_fault_is_retried(fault: str, cause: str) -> None:
    seen: list[Attempt] = []
    async with FaultServer(plan=parse_plan(f"1={fault}")) as server:
        model = vllm(f"any@{server.url}")
        reply = await Caller(QUICK).call(model, REQUEST, seen.append)
        await model.close()
    assert [(a.number, a.cause, a.final) for a in seen] == [(1, cause, False), (2, "", True)]
    assert seen[-1].reply is reply
    assert reply.text in ("up", "down", "left", "right")
    assert server.requests == 2


@pytest.mark.parametrize(("fault", "cause"), [
    ("400", "bad_request"), ("401", "auth"), ("flood", "too_large"),
])  # fmt: skip
async def test_a_lasting_fault_is_not_retried(fault: str, cause: str) -> None:
    seen: list[Attempt] = []
    async with FaultServer(plan=parse_plan(f"1-9={fault}")) as server:
        model = vllm(f"any@{server.url}")
        with pytest.raises(CallFailed) as failed:
            await Caller(QUICK).call(model, REQUEST, seen.append)
        await model.close()
    assert failed.value.cause == cause
    assert [(a.cause, a.final) for a in seen] == [(cause, True)]
    assert server.requests == 1


@pytest.mark.parametrize("answer", [
    b"", b"\x00\xff" * 50, b"HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n",
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz",
    b"HTTP/1.1 999 \xff\r\n\r\n", b"HTTP/1.1 302 Found\r\nlocation: :::\r\n\r\n",
    b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n\x1f\x8b",
])  # fmt: skip
async def test_what_is_no_http_is_a_model_error(answer: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1 << 16)
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    model = vllm(f"any@http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
    with pytest.raises(ModelError):
        await model.complete(REQUEST)
    await model.close()
    server.close()


async def test_a_refusal_is_a_reply() -> None:
    async with FaultServer(plan=parse_plan("1=refusal")) as server:
        model = vllm(f"any@{server.url}")
        reply = await Caller(QUICK).call(model, REQUEST, lambda _: None)
        await model.close()
    assert (reply.finish, server.requests) == ("refusal", 1)


async def test_a_trickle_is_waited_for() -> None:
    async with FaultServer(plan=parse_plan("1=trickle")) as server:
        model = vllm(f"any@{server.url}")
        reply = await Caller(QUICK).call(model, REQUEST, lambda _: None)
        await model.close()
    assert server.requests == 1
    assert reply.latency_s > 0.02


async def test_a_hang_ends_at_the_attempt_timeout() -> None:
    seen: list[Attempt] = []
    policy = RetryPolicy(attempts=2, first_backoff_s=0.01, attempt_s=0.1)
    async with FaultServer(plan=parse_plan("1=hang")) as server:
        model = vllm(f"any@{server.url}")
        await Caller(policy).call(model, REQUEST, seen.append)
        await model.close()
    assert [a.cause for a in seen] == ["timeout", ""]
    assert server.disconnects == 1


async def test_nobody_listening_is_a_connection_error() -> None:
    async with FaultServer() as server:
        url = server.url
    model = vllm(f"any@{url}")
    with pytest.raises(CallFailed) as failed:
        await Caller(QUICK).call(model, REQUEST, lambda _: None)
    await model.close()
    assert failed.value.cause == "connection"


async def test_cancellation_closes_the_socket() -> None:
    async with FaultServer(plan=parse_plan("1=hang")) as server:
        model = vllm(f"any@{server.url}")
        task = asyncio.create_task(Caller(QUICK).call(model, REQUEST, lambda _: None))
        await until(lambda: server.requests == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: server.disconnects == 1)
        await model.close()


async def test_a_cancelled_call_gives_its_slot_back() -> None:
    async with FaultServer(plan=parse_plan("1=hang")) as server:
        model = vllm(f"any@{server.url}")
        caller = Caller(QUICK, {model.group: RateLimits(in_flight=1)})
        with anyio.move_on_after(0.1):
            await caller.call(model, REQUEST, lambda _: None)
        with anyio.fail_after(5):
            await caller.call(model, REQUEST, lambda _: None)
        await model.close()
    assert server.requests == 2


async def test_measured_latency_holds_attempts_and_backoffs() -> None:
    clock = Clock()

    def slow_ok() -> Reply:
        clock.time_s += 0.25
        return ok()

    caller = Caller(QUICK, now=clock.now, sleep=clock.sleep)
    reply = await caller.call(Fake(error(), error(), slow_ok), REQUEST, lambda _: None)
    assert len(clock.slept) == 2
    assert reply.latency_s == pytest.approx(sum(clock.slept) + 0.25)


async def test_modelled_latency_is_the_models() -> None:
    clock = Clock()
    caller = Caller(QUICK, now=clock.now, sleep=clock.sleep)
    model = Fake(error(), ok, latency="modelled")
    assert (await caller.call(model, REQUEST, lambda _: None)).latency_s == 0.25


async def test_waiting_for_our_own_limiter_is_no_latency() -> None:
    clock = Clock()
    limits = {"fake": RateLimits(64, requests_per_minute=6)}
    caller = Caller(QUICK, limits, now=clock.now, sleep=clock.sleep)
    replies = [await caller.call(Fake(ok), REQUEST, lambda _: None) for _ in range(3)]
    assert clock.time_s == pytest.approx(20)
    assert [reply.latency_s for reply in replies] == [0.25, 0.25, 0.25]


async def test_retry_after_lengthens_the_backoff() -> None:
    clock = Clock()
    caller = Caller(QUICK, now=clock.now, sleep=clock.sleep)
    model = Fake(error("rate_limited", retry_after_s=12.0), ok)
    await caller.call(model, REQUEST, lambda _: None)
    assert clock.slept == [12.0]


async def test_backoffs_double_and_repeat_exactly() -> None:
    async def backoffs() -> list[float]:
        clock = Clock()
        policy = RetryPolicy(attempts=6, first_backoff_s=1.0, most_backoff_s=4.0)
        caller = Caller(policy, now=clock.now, sleep=clock.sleep)
        with pytest.raises(CallFailed):
            await caller.call(Fake(*[error()] * 6), REQUEST, lambda _: None)
        return clock.slept

    slept = await backoffs()
    for got, most in zip(slept, [1, 2, 4, 4, 4], strict=True):
        assert most / 2 <= got <= most
    assert slept == await backoffs()


async def test_the_total_time_is_bounded() -> None:
    clock = Clock()
    caller = Caller(RetryPolicy(total_s=10.0), now=clock.now, sleep=clock.sleep)
    model = Fake(error("rate_limited", retry_after_s=3_600.0), ok)
    seen: list[Attempt] = []
    with pytest.raises(CallFailed, match="rate_limited"):
        await caller.call(model, REQUEST, seen.append)
    assert clock.slept == []
    assert [a.final for a in seen] == [True]


async def test_a_bug_in_a_client_fails_the_call_only() -> None:
    seen: list[Attempt] = []
    with pytest.raises(CallFailed) as failed:
        await Caller(QUICK).call(Fake(KeyError("oops")), REQUEST, seen.append)
    assert failed.value.cause == "client"
    assert "KeyError" in seen[0].detail


async def test_a_user_error_reaches_the_user() -> None:
    with pytest.raises(UserError, match="install"):
        await Caller(QUICK).call(Fake(UserError("install it")), REQUEST, lambda _: None)


async def test_an_attempt_is_told_before_the_reply_is_used() -> None:
    def refuse(attempt: Attempt) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        await Caller(QUICK).call(Fake(ok), REQUEST, refuse)


def test_a_policy_needs_an_attempt() -> None:
    with pytest.raises(UserError, match="at least 1"):
        RetryPolicy(attempts=0)


def test_plans_are_read() -> None:
    plan = parse_plan("3=hang, 5-6=500,every:4=429")
    faults = [plan(n) for n in range(1, 9)]
    assert faults == [None, None, "hang", "429", "500", "500", None, "429"]
    seldom = parse_plan("new:4=500")
    assert [seldom(1, new) for new in (None, 3, 8)] == [None, None, "500"]
    for wrong in ("x", "3=nothing", "every:0=429", "new:0=429", "3"):
        with pytest.raises(UserError, match="cannot read fault"):
            parse_plan(wrong)


def test_answers_depend_on_the_body_alone() -> None:
    answer = word_answer(("a", "b", "c"))
    bodies = [str(n).encode() for n in range(50)]
    assert [answer(b) for b in bodies] == [word_answer(("a", "b", "c"))(b) for b in bodies]
    assert {answer(b) for b in bodies} == {"a", "b", "c"}


def test_the_server_runs_as_a_process() -> None:
    command = [sys.executable, "-m", "polyathlon.testing.faults", "--faults", "every:2=500"]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=paths) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()

            async def calls() -> None:
                model = vllm(f"any@{url}")
                for _ in range(3):
                    await Caller(QUICK).call(model, REQUEST, lambda _: None)
                await model.close()

            asyncio.run(calls())
            with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as stats:
                counts = json.load(stats)
            assert (counts["requests"], counts["answered"]) == (5, 3)
            assert min(counts["input_tokens"], counts["output_tokens"]) >= 3
        finally:
            server.terminate()
