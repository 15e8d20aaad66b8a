"""What a module is to its bomb: parts to press, and what pressing them brings.

A module is a frozen value. Its state changes only by what is done to it; everything that moves by
itself (blinking, animations) is a function of that state and the bomb's own time.
"""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream, stream
from polyathlon.envs.gptnt.bomb.clock import SECOND_US, Clock
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.facts import CasingFacts
from polyathlon.envs.gptnt.bomb.rulebook.variants import book

Verdict: TypeAlias = Literal["nothing", "done", "strike", "solved"]
"""What an act brought: no effect, an effect, a mistake, or the module's solution."""

NEVER_US = -10 * SECOND_US
"""The time of what has not happened yet: long enough ago for every animation to be over."""

CUT_US = 300_000
"""How long a wire takes to part (section 3.7 of the specification, as all animations)."""


class Moment(msgspec.Struct, frozen=True):
    """What a module may know when something happens to it at `time_us` of the bomb's time.

    `facts` are what the rules may ask of the casing; `type` and `instance` tell the module's own
    randomness from that of all others.
    """

    time_us: int
    clock: Clock
    facts: CasingFacts
    rule_seed: int
    seed: int
    type: str
    instance: int

    @property
    def strikes(self) -> int:
        """The mistakes on the bomb so far."""
        return len(self.clock.strikes_us)

    @property
    def countdown(self) -> str:
        """The characters on the timer."""
        return self.clock.display(self.time_us)

    @property
    def book(self) -> RuleBook:
        """The rules that hold on this bomb."""
        return book(self.rule_seed)

    def draws(self, count: int) -> Stream:
        """The randomness of the module's `count`-th draw in play."""
        return stream(
            self.seed, "gptnt/defusal", "module", self.type, self.instance, "runtime", count
        )


class Effect(msgspec.Struct, frozen=True):
    """The module after an act, and what the act brought."""

    module: Module
    verdict: Verdict = "done"


class Module(Protocol):
    """A puzzle, or something needy.

    Some have more (`build` lists them): `hold` and `release` those that tell a hold from a tap;
    `opened` and `closed` those that notice when the view moves to them and leaves; `due_us` and
    `elapsed` the needy ones, which act by themselves and cannot be solved.
    """

    def parts(self) -> tuple[str, ...]:
        """What can be pressed now, in reading order of the module."""
        ...

    def tap(self, part: str, moment: Moment) -> Effect:
        """Press one of the parts and let go at once."""
        ...

    def config(self, book: RuleBook) -> dict[str, JSON]:
        """The puzzle with its answer where that is one word, as the state export writes it."""
        ...

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """The progress at a moment, as the state export writes it."""
        ...


def index_of(part: str) -> int:
    """The 0-based index in the name of a numbered part: 2 for `wire3`."""
    return int(part[-1]) - 1
