"""The bomb: acts a second, pictures with markers and mask, bursts, and many bombs at once."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from polyathlon.bench import Benchmark
from polyathlon.core.chance import Stream, stream
from polyathlon.envs.gptnt.bomb import bomb as bombs
from polyathlon.envs.gptnt.bomb.bomb import Act, Bomb, Click, TurnBomb, ZoomOut
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.missions import MODULES, MissionSpec
from polyathlon.envs.gptnt.bomb.poses import TURNS
from polyathlon.envs.gptnt.bomb.simulator import MAX_FRAMES, MEMORY_US, LocalSimulator

if TYPE_CHECKING:
    from polyathlon.envs.gptnt.bomb.looks.frames import Shot

FULL = MissionSpec("full", 1, 3_600, tuple(MODULES), back_placement=True)
LASTING = replace(FULL, strike_limit=1_000)
HASTY = MissionSpec("hasty", 3, 60, tuple(MODULES), back_placement=True)
SIMON = "m4"
"""Simon Says, which `HASTY` has on the side of the clock."""

WINDOW_US = 3 * SECOND_US
SPAN_S = 1.5
BOMBS = 100
WARM_UP, SAMPLES = 8, 30


def benchmarks() -> list[Benchmark]:
    """Acts a second of one bomb and of many; milliseconds of a picture and of two bursts."""
    return [
        Benchmark("gptnt/acts", "acts/s", acts_per_s),
        Benchmark("gptnt/many", "acts/s", many_per_s),
        Benchmark("gptnt/frame", "ms", frame_ms),
        Benchmark("gptnt/burst", "ms", burst_ms),
        Benchmark("gptnt/burst-simon", "ms", burst_simon_ms),
    ]


def acts_per_s() -> float:
    """Random acts on a bomb of all eleven modules, each with 3 s of its time, nothing drawn."""
    return _rate([_lit(seed) for seed in range(1)])


def many_per_s() -> float:
    """The same on a hundred bombs in turn."""
    return _rate([_lit(seed) for seed in range(BOMBS)])


def frame_ms() -> float:
    """A full bomb in 640 x 480 with markers and mask, in CPU time, at moments of random play.

    Every picture is drawn as if it were the first; in play most are drawn out of the one before.
    """
    from polyathlon.envs.gptnt.bomb.looks.frames import flat, forget, view
    from polyathlon.envs.gptnt.bomb.marks import annotated

    taken_s = []
    for simulator in _played():
        forget()
        start = time.process_time()
        seen = view(simulator.shot())
        annotated(seen.colour, seen.ids, seen.elements, simulator.targets())
        flat(seen)
        taken_s.append(time.process_time() - start)
    return statistics.median(taken_s[WARM_UP:]) * 1e3


def burst_ms() -> float:
    """The last 16 quarter seconds of a full bomb as pictures, in CPU time, in random play.

    The first of them is drawn as if it were the first ever.
    """
    return _drawn_ms(simulator.past(MAX_FRAMES) for simulator in _played())


def burst_simon_ms() -> float:
    """The same where no two of the 16 pictures are alike.

    The view rests on Simon Says, whose lamps flash, beside a clock with hundredths of a second.
    """
    return _drawn_ms(_simon_bursts())


def _rate(played: list[Bomb]) -> float:
    """Acts a CPU second over `SPAN_S` seconds; a bomb that is over gives way to a new one."""
    rng = stream(0, "bench")
    fresh = list(played)
    acts, start = 0, time.process_time()
    while (elapsed_s := time.process_time() - start) < SPAN_S:
        for place, bomb in enumerate(played):
            if bomb.phase != "lights_on":
                bomb = fresh[place]
            after = bombs.acted(bomb, _act(bomb, rng)).bomb
            played[place] = bombs.advanced(after, after.time_us + WINDOW_US)
        acts += len(played)
    return acts / elapsed_s


def _drawn_ms(bursts: Iterable[Sequence[Shot]]) -> float:
    """Median CPU milliseconds of drawing a burst, after `WARM_UP` bursts."""
    from polyathlon.envs.gptnt.bomb.looks.frames import forget, frame

    taken_s = []
    for scenes in bursts:
        forget()
        start = time.process_time()
        for scene in scenes:
            frame(scene)
        taken_s.append(time.process_time() - start)
    return statistics.median(taken_s[WARM_UP:]) * 1e3


def _simon_bursts() -> Iterator[Sequence[Shot]]:
    """Every 4 s of a bomb that has less than a minute, until it goes off."""
    simulator = LocalSimulator()
    simulator.start(HASTY)
    simulator.lights_on()
    simulator.act(Click(SIMON))
    while simulator.phase == "lights_on":
        simulator.advance_to(simulator.time_us + MEMORY_US)
        yield simulator.past(MAX_FRAMES)


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
