"""What a bomb sounds like, as a function of what happened to it.

The paper's players hear nothing, so envs leave this out by default. It matters most for needy
modules, which ask for attention from a face that nobody looks at. All sounds are own inventions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec
import numpy as np

from polyathlon.core.parts import Audio
from polyathlon.envs.gptnt.bomb.bomb import OVER, Bomb, Fitted, advanced
from polyathlon.envs.gptnt.bomb.clock import SECOND_US, Clock
from polyathlon.envs.gptnt.bomb.modules.build import Needy
from polyathlon.envs.gptnt.bomb.modules.complicated import ComplicatedModule
from polyathlon.envs.gptnt.bomb.modules.discharge import DischargeModule
from polyathlon.envs.gptnt.bomb.modules.sequence import SequenceModule
from polyathlon.envs.gptnt.bomb.modules.simon import DARK_US, LIT_US, SimonModule
from polyathlon.envs.gptnt.bomb.modules.wires import WiresModule
from polyathlon.media import sound
from polyathlon.media.sound import Samples

Cue: TypeAlias = Literal[
    "beep", "hurry", "click", "turn", "snip", "strike", "chime", "defused", "explosion",
    "wakes", "warning", "blue", "red", "yellow", "green",
]  # fmt: skip

HURRY_S = 30
"""From so many seconds on the countdown, the timer beeps twice a second."""
WARNING_S = 10
"""A needy module warns every second of its last ten."""
TAIL_US = 2 * SECOND_US
"""No sound lasts longer: what began before may still be heard."""


class Sounded(msgspec.Struct, frozen=True, order=True):
    """A sound that begins at a moment of the bomb's time."""

    time_us: int
    cue: Cue


class Heard(msgspec.Struct, frozen=True):
    """What is to be heard in [`since_us`, `until_us`); the cues may begin `TAIL_US` earlier."""

    since_us: int
    until_us: int
    cues: tuple[Sounded, ...] = ()


def heard(history: Sequence[Bomb], since_us: int, until_us: int) -> Heard:
    """What is to be heard in an interval.

    `history` is the bomb after each act, in order, from one before the interval on; time goes on
    by itself between them and after the last. An act at `until_us` itself is not heard yet, but
    when all is over, the end rings out: the interval is `TAIL_US` longer.
    """
    until_us = _rung_out(history, until_us)
    history = [bomb for bomb in history if bomb.time_us < until_us]
    if not history:
        return Heard(since_us, until_us)
    until = [bomb.time_us for bomb in history[1:]] + [until_us]
    cues = [cue for pair in pairwise(history) for cue in _acted(*pair)]
    for bomb, end_us in zip(history, until, strict=True):
        cues += _passed(bomb, end_us)
    begun_us = max(0, since_us - TAIL_US)
    last = advanced(history[-1], until_us)
    cues += [*_happened(last), *_countdown(last.clock, begun_us, last.time_us)]
    kept = sorted(cue for cue in cues if begun_us <= cue.time_us < until_us)
    return Heard(since_us, until_us, tuple(kept))


def _rung_out(history: Sequence[Bomb], until_us: int) -> int:
    """Until when one listens who listens until `until_us`."""
    if not history:
        return until_us
    last = advanced(history[-1], max(until_us, history[-1].time_us))
    over = last.phase in OVER and last.time_us <= until_us
    return last.time_us + TAIL_US if over else until_us


def played(scene: Heard) -> Audio:
    """The sound; as long as the interval."""
    length = sound.count((scene.until_us - scene.since_us) / SECOND_US)
    begun_us = scene.since_us - TAIL_US
    layers = [((cue.time_us - begun_us) / SECOND_US, _sample(cue.cue)) for cue in scene.cues]
    lead = sound.count(TAIL_US / SECOND_US)
    mixed = sound.mixed([*layers, (0.0, np.zeros(lead + length))])
    return sound.audio(mixed[lead : lead + length])


def told(scene: Heard) -> str:
    """What is to be heard, in words."""
    new = [cue for cue in scene.cues if cue.time_us >= scene.since_us]
    if not new:
        return "Nothing is to be heard."
    lines = [f"{(cue.time_us - scene.since_us) / SECOND_US:.2f} s: {WORDS[cue.cue]}" for cue in new]
    return "\n".join(lines)


WORDS: Mapping[Cue, str] = MappingProxyType(
    {
        "beep": "a beep of the timer",
        "hurry": "a high, hurried beep of the timer",
        "click": "a click",
        "turn": "a swish",
        "snip": "the snip of a wire",
        "strike": "a harsh buzz",
        "chime": "a bright chime of two notes",
        "defused": "a rising fanfare",
        "explosion": "an explosion",
        "wakes": "two rising notes of an alarm",
        "warning": "an urgent double beep of an alarm",
        "blue": "a very low hum",
        "red": "a low hum",
        "yellow": "a high hum",
        "green": "a very high hum",
    }
)


def _happened(bomb: Bomb) -> Iterator[Sounded]:
    """The sounds of what a bomb remembers the moments of."""
    for strike in bomb.strikes:
        yield Sounded(strike.time_us, "strike")
    for found in bomb.modules:
        if found.solved_us is not None:
            yield Sounded(found.solved_us, "chime")
        for cut_us in _cuts(found.module):
            yield Sounded(cut_us, "snip")
    if bomb.phase == "solved":
        yield Sounded(bomb.time_us, "defused")
    elif bomb.phase in OVER:
        yield Sounded(bomb.time_us, "explosion")


def _cuts(module: object) -> tuple[int, ...]:
    match module:
        case WiresModule() | ComplicatedModule() | SequenceModule():
            return module.cut_us
    return ()


def _countdown(clock: Clock, since_us: int, until_us: int) -> Iterator[Sounded]:
    """A beep for each whole second of the countdown, near its end also between them."""
    half_us = SECOND_US // 2
    left = clock.remaining_us(until_us) // half_us
    first = clock.remaining_us(since_us) // half_us
    for halves in range(left + 1, first + 1):
        hurry = halves * half_us <= HURRY_S * SECOND_US
        if halves % 2 == 0 or hurry:
            yield Sounded(_reaches(clock, halves * half_us), "hurry" if hurry else "beep")


def _reaches(clock: Clock, remaining_us: int) -> int:
    """When a countdown shows what remains: a shorter one would have come to its end."""
    if remaining_us >= clock.limit_us:
        return 0
    return Clock(clock.limit_us - remaining_us, clock.strikes_us).explodes_us()


def _acted(before: Bomb, after: Bomb) -> Iterator[Sounded]:
    """The sound of the act that made one bomb of another."""
    now_us = after.time_us
    if before.phase == "lights_off":
        return
    if (before.grip.pose, before.grip.zoomed) != (after.grip.pose, after.grip.zoomed):
        yield Sounded(now_us, "turn")
        return
    yield Sounded(now_us, "click")
    for found in after.modules:
        module = found.module
        if isinstance(module, SimonModule) and module.pressed and module.pressed_us == now_us:
            yield Sounded(now_us, module.pressed)


def _passed(bomb: Bomb, until_us: int) -> Iterator[Sounded]:
    """The sounds that modules make by themselves from a moment on."""
    zoomed = bomb.grip.zoomed
    for found in bomb.modules:
        if found.placed.id == zoomed and isinstance(found.module, SimonModule):
            yield from _lamps(found, found.module, bomb.time_us, until_us)
    while bomb.time_us < until_us and bomb.phase == "lights_on":
        needy = [found.module for found in bomb.modules if isinstance(found.module, Needy)]
        next_us = min([until_us, *(module.due_us for module in needy)])
        later = advanced(bomb, next_us)
        for module in needy:
            yield from _alarm(module, bomb.time_us, next_us)
        if later.time_us == bomb.time_us:
            return
        bomb = later


def _lamps(found: Fitted, module: SimonModule, since_us: int, until_us: int) -> Iterator[Sounded]:
    """The tones of the lamps that begin to flash."""
    if found.solved_us is not None:
        return
    loop = max(0, since_us - module.loop_us) // module.period_us
    start_us = module.loop_us + loop * module.period_us
    while start_us < until_us:
        for flash, lamp in enumerate(module.puzzle.flashes[: module.stage]):
            time_us = start_us + flash * (LIT_US + DARK_US)
            if since_us <= time_us < until_us:
                yield Sounded(time_us, lamp)
        start_us += module.period_us


def _alarm(module: Needy, since_us: int, until_us: int) -> Iterator[Sounded]:
    """The alarm of a needy module in an interval in which nothing is done to it."""
    if not module.runtime(since_us)["awake"]:
        if since_us < module.due_us == until_us:
            yield Sounded(until_us, "wakes")
        return
    if isinstance(module, DischargeModule) and module.held:
        return
    for second in range(WARNING_S, 0, -1):
        time_us = module.due_us - second * SECOND_US
        if since_us <= time_us < until_us:
            yield Sounded(time_us, "warning")


HUMS_HZ: Mapping[str, float] = MappingProxyType(
    {"blue": 220.0, "red": 330.0, "yellow": 494.0, "green": 740.0}
)


@cache
def _sample(cue: Cue) -> Samples:
    """A sound as samples, at most `TAIL_US` long."""
    match cue:
        case "beep":
            return sound.tone(1_000.0, 0.08, level=0.25)
        case "hurry":
            return sound.tone(1_500.0, 0.06, level=0.35)
        case "click":
            return _burst(0.03, 1_500.0, 6_000.0, 0.005, 0.3)
        case "turn":
            return _burst(0.4, 200.0, 1_500.0, 0.1, 0.15)
        case "snip":
            return _notes(0.05, [_burst(0.04, 2_500.0, 7_500.0, 0.01, 0.5)] * 2)
        case "strike":
            return sound.tone(98.0, 0.7, (1.0, 0.0, 0.7, 0.0, 0.5, 0.0, 0.4), level=0.7)
        case "chime":
            return _notes(0.12, [_bell(880.0), _bell(1_319.0)])
        case "defused":
            return _notes(0.15, [_bell(pitch_hz) for pitch_hz in (523.0, 659.0, 784.0, 1_047.0)])
        case "explosion":
            return _burst(1.9, 20.0, 900.0, 0.35, 1.0)
        case "wakes":
            return _notes(0.2, [sound.tone(hz, 0.18, (1.0, 0.5), 0.45) for hz in (600.0, 900.0)])
        case "warning":
            return _notes(0.15, [sound.tone(1_200.0, 0.1, (1.0, 0.4, 0.3), 0.5)] * 2)
        case "blue" | "red" | "yellow" | "green":
            return sound.tone(HUMS_HZ[cue], LIT_US / SECOND_US, (1.0, 0.5, 0.25), 0.4)


def _burst(
    seconds: float, low_hz: float, high_hz: float, half_life_s: float, level: float
) -> Samples:
    """Noise that dies away."""
    return sound.noise(seconds, low_hz, high_hz, level) * sound.decay(seconds, half_life_s)


def _bell(pitch_hz: float) -> Samples:
    seconds = 0.8
    struck = sound.tone(pitch_hz, seconds, (1.0, 0.0, 0.4), 0.4)
    return struck * sound.decay(seconds, 0.12)


def _notes(apart_s: float, notes: Sequence[Samples]) -> Samples:
    """Sounds begun one after another."""
    return sound.mixed((number * apart_s, note) for number, note in enumerate(notes))
