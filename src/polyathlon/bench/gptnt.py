"""The bomb: acts a second, pictures with markers and mask, bursts, and many bombs at once."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

from msgspec.structs import replace

from polyathlon.bench import Benchmark
from polyathlon.core.chance import Stream, stream
from polyathlon.envs.gptnt.bomb import bomb as bombs
from polyathlon.envs.gptnt.bomb.bomb import Act, Bomb, Click, TurnBomb, ZoomOut
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.missions import MODULES, MissionSpec
from polyathlon.envs.gptnt.bomb.poses import TURNS
from polyathlon.envs.gptnt.bomb.simulator import MAX_FRAMES, LocalSimulator

FULL = MissionSpec("full", 1, 3_600, tuple(MODULES), back_placement=True)
LASTING = replace(FULL, strike_limit=1_000)
WINDOW_US = 3 * SECOND_US
SPAN_S = 1.5
BOMBS = 100
WARM_UP, SAMPLES = 8, 30


def benchmarks() -> list[Benchmark]:
    """`gptnt/acts`, `gptnt/many`, `gptnt/frame` and `gptnt/burst`."""
    return [
        Benchmark("gptnt/acts", "acts/s", acts_per_s),
        Benchmark("gptnt/many", "acts/s", many_per_s),
        Benchmark("gptnt/frame", "ms", frame_ms),
        Benchmark("gptnt/burst", "ms", burst_ms),
    ]


def acts_per_s() -> float:
    """Random acts on a bomb of all eleven modules, each with 3 s of its time, nothing drawn."""
    return _rate([_lit(seed) for seed in range(1)])


def many_per_s() -> float:
    """The same on a hundred bombs in turn."""
    return _rate([_lit(seed) for seed in range(BOMBS)])


def frame_ms() -> float:
    """A full bomb in 640 x 480 with markers and mask, in CPU time, another view each time."""
    from polyathlon.envs.gptnt.bomb.looks.frames import flat, view
    from polyathlon.envs.gptnt.bomb.marks import annotated

    taken_s = []
    for simulator in _played():
        start = time.process_time()
        seen = view(simulator.shot())
        annotated(seen.colour, seen.ids, seen.elements, simulator.targets())
        flat(seen)
        taken_s.append(time.process_time() - start)
    return statistics.median(taken_s[WARM_UP:]) * 1e3


def burst_ms() -> float:
    """The last 16 quarter seconds of a full bomb as pictures, in CPU time."""
    from polyathlon.envs.gptnt.bomb.looks.frames import frame

    taken_s = []
    for simulator in _played():
        scenes = simulator.past(MAX_FRAMES)
        start = time.process_time()
        for scene in scenes:
            frame(scene)
        taken_s.append(time.process_time() - start)
    return statistics.median(taken_s[WARM_UP:]) * 1e3


def _rate(played: list[Bomb]) -> float:
    """Acts a second over `SPAN_S` seconds; a bomb that is over gives way to a new one."""
    rng = stream(0, "bench")
    fresh = list(played)
    acts, start = 0, time.perf_counter()
    while (elapsed_s := time.perf_counter() - start) < SPAN_S:
        for place, bomb in enumerate(played):
            if bomb.phase != "lights_on":
                bomb = fresh[place]
            after = bombs.acted(bomb, _act(bomb, rng)).bomb
            played[place] = bombs.advanced(after, after.time_us + WINDOW_US)
        acts += len(played)
    return acts / elapsed_s


def _played() -> Iterator[LocalSimulator]:
    """A bomb of all modules at moments of random play, in the synchronous rhythm."""
    rng = stream(0, "bench")
    simulator = LocalSimulator()
    simulator.start(LASTING)
    simulator.lights_on()
    for _ in range(WARM_UP + SAMPLES):
        simulator.act(_act(simulator.bomb, rng))
        simulator.advance_to(simulator.time_us + WINDOW_US)
        yield simulator


def _lit(seed: int) -> Bomb:
    return bombs.lights_on(bombs.build(FULL, seed))


def _act(bomb: Bomb, rng: Stream) -> Act:
    """Presses something, or else turns the bomb, or zooms out."""
    elements = bombs.elements(bomb)
    if elements and rng.below(4):
        return Click(rng.choice(elements))
    return ZoomOut() if bomb.grip.zoomed else TurnBomb(rng.choice(sorted(TURNS)))
