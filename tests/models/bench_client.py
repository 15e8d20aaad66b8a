"""CPU per model request: `python tests/models/bench_client.py` (PYTHONPATH=src).

The server runs in its own process, so the figures are the client's alone.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

from polyathlon.agents.models.hosted import HostedModel
from polyathlon.agents.models.openai import vllm
from polyathlon.core.chance import stream
from polyathlon.core.models import Message, Request, Sampling, Thread, say, thread
from polyathlon.core.parts import Audio, Image
from polyathlon.runtime.caller import Caller

TURN = "row 0: 2 4 8 16\nrow 1: 0 0 2 4\nrow 2: 0 0 0 2\nrow 3: 0 0 0 0\n" * 4
SAMPLING = Sampling(temperature=0.0, max_tokens=64)


def conversation(length: int) -> Thread:
    """A conversation of `length` short messages."""
    turns = [say("user" if n % 2 else "assistant", f"{n}: {TURN}") for n in range(length - 1)]
    return thread(say("system", "You play."), *turns)


def picture(number: int) -> Image:
    """A 400x400 picture with some texture."""
    row = bytes(stream(number, "bench").below(256) for _ in range(1_200))
    return Image(400, 400, row * 400)


def growing(length: int, extra: Callable[[int], Message]) -> Iterator[Request]:
    """Requests of a conversation that grows by two messages each, from `length` messages."""
    current = conversation(length)
    for number in range(10**6):
        current = current.append(extra(number))
        yield Request(current, SAMPLING)
        current = current.append(say("assistant", "left"))


async def cpu_ms(model: HostedModel, requests: Iterator[Request], count: int) -> float:
    """Mean CPU milliseconds of this process for one call through the Caller."""
    caller = Caller()
    for _ in range(5):
        await caller.call(model, next(requests), lambda _: None)
    prepared = [next(requests) for _ in range(count)]
    start = time.process_time()
    for request in prepared:
        await caller.call(model, request, lambda _: None)
    return (time.process_time() - start) * 1_000 / count


async def lag_ms(model: HostedModel, episodes: int, length: int) -> tuple[float, float]:
    """Requests a second and the worst event-loop lag in ms of concurrent long conversations."""
    caller, worst, done = Caller(), 0.0, False

    async def watch() -> None:
        nonlocal worst
        while not done:
            start = time.perf_counter()
            await asyncio.sleep(0.005)
            worst = max(worst, time.perf_counter() - start - 0.005)

    async def play(seed: int) -> None:
        requests = growing(length, lambda n: say("user", f"{seed} {n}: {TURN}"))
        for _ in range(5):
            await caller.call(model, next(requests), lambda _: None)

    watcher = asyncio.create_task(watch())
    start = time.perf_counter()
    await asyncio.gather(*(play(seed) for seed in range(episodes)))
    rate = episodes * 5 / (time.perf_counter() - start)
    done = True
    await watcher
    return rate, worst * 1_000


async def measure(url: str) -> None:
    """Print every figure."""
    model = vllm(f"any@{url}")
    sound = Audio(16_000, bytes(32_000))
    cases: dict[str, tuple[int, Callable[[int], Message]]] = {
        "text": (1, lambda n: say("user", f"{n}: {TURN}")),
        "text, 400-message history": (400, lambda n: say("user", f"{n}: {TURN}")),
        "text, 1000-message history": (1_000, lambda n: say("user", f"{n}: {TURN}")),
    }
    for name, (length, extra) in cases.items():
        print(f"{name}: {await cpu_ms(model, growing(length, extra), 200):.2f} ms")

    def shown() -> Iterator[Request]:
        for n in range(10**6):
            yield Request(thread(say("user", "Look.", picture(n))), SAMPLING)

    def heard() -> Iterator[Request]:
        for n in range(10**6):
            pcm = n.to_bytes(4, "little") + sound.pcm[4:]
            message = say("user", "Look.", picture(n), Audio(16_000, pcm))
            yield Request(thread(message), SAMPLING)

    print(f"new 400x400 PNG: {await cpu_ms(model, shown(), 100):.2f} ms")
    print(f"new PNG and 1 s WAV: {await cpu_ms(model, heard(), 100):.2f} ms")
    rate, lag = await lag_ms(model, 64, 400)
    print(f"64 concurrent x 400 messages: {rate:.0f} requests/s, worst loop lag {lag:.0f} ms")
    await model.close()


def main() -> None:
    """Start the server and measure."""
    command = [sys.executable, "-m", "polyathlon.testing.faults"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        asyncio.run(measure(server.stdout.readline().strip()))
        server.terminate()


if __name__ == "__main__":
    main()
