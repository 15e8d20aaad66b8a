"""Cost of the media of the OmniPlay games: CPU time to draw or speak what was not there before."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

from polyathlon import registry
from polyathlon.bench import Benchmark
from polyathlon.bench.envs import played
from polyathlon.media.speech import speak

WARM_UP, SAMPLES = 12, 40
SENTENCE = "Step {}, goal in {} metres, ahead of you. Turn left and then go on."


def benchmarks() -> list[Benchmark]:
    """Pictures, clips and speech, in CPU milliseconds each, warm."""
    return [
        Benchmark("media/maze-frame", "ms", partial(percept_ms, "pathfinding", "hard", "view")),
        Benchmark("media/tactical-video", "ms", partial(percept_ms, "phantom", "hard", "map")),
        Benchmark("media/arena", "ms", partial(percept_ms, "showdown", "standard", "arena")),
        Benchmark("media/echo-clip", "ms", partial(percept_ms, "echoes", "hard", "clip")),
        Benchmark("media/sentence", "ms", sentence_ms),
    ]


def percept_ms(game: str, level: str, channel: str) -> float:
    """What drawing a channel takes at the moments of random play."""
    return _median_ms(
        percept.render
        for observation in played(registry.make(f"omniplay/{game}-v0", level))
        for percept in observation.percepts
        if percept.channel == channel
    )


def sentence_ms() -> float:
    """What speaking 15 words takes that nobody spoke before."""
    sentences = (SENTENCE.format(number, number % 7) for number in itertools.count())
    return _median_ms(partial(speak, sentence) for sentence in sentences)


def _median_ms(works: Iterator[Callable[[], object]]) -> float:
    """Median CPU milliseconds of some works, after others that warm caches up."""
    taken_s = []
    for work in itertools.islice(works, WARM_UP + SAMPLES):
        start = time.process_time()
        work()
        taken_s.append(time.process_time() - start)
    return statistics.median(taken_s[WARM_UP:]) * 1e3
