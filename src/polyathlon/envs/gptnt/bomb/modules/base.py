"""What a module is to its bomb: parts to press, and what pressing them brings.

A module is a frozen value. Its state changes only by what is done to it; everything that moves by
itself (blinking, animations) is a function of that state and the bomb's own time.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream, stream
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.facts import CasingFacts
from polyathlon.envs.gptnt.bomb.rulebook.variants import book

Verdict: TypeAlias = Literal["nothing", "done", "strike", "solved"]
"""What an act brought: no effect, an effect, a mistake, or the module's solution."""


class Moment(msgspec.Struct, frozen=True):
    """What a module may know when something happens to it.

    `time_us` is the bomb's time, `strikes` those so far, `countdown` the characters on the timer;
    `type` and `instance` tell the module's own randomness from that of all others.
    """

    time_us: int
    strikes: int
    countdown: str
    facts: CasingFacts
    rule_seed: int
    seed: int
    type: str
    instance: int

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

    module: Any
    verdict: Verdict = "done"


class Module(Protocol):
    """A puzzle. `parts` are what can be pressed now, in reading order of the module."""

    def parts(self) -> tuple[str, ...]: ...
    def tap(self, part: str, moment: Moment) -> Effect:
        """Press one of the parts and let go at once."""
        ...

    def config(self) -> dict[str, JSON]:
        """The puzzle, as the state export writes it."""
        ...

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """The progress at a moment, as the state export writes it."""
        ...


@runtime_checkable
class Holdable(Protocol):
    """A module that tells a hold from a tap; others take a hold as a tap."""

    def hold(self, part: str, moment: Moment) -> Effect: ...
    def release(self, moment: Moment) -> Effect: ...


@runtime_checkable
class Attentive(Protocol):
    """A module that notices when it is zoomed into or out of, and strikes of its own."""

    def opened(self, time_us: int) -> Any: ...
    def closed(self, time_us: int) -> Any: ...


@runtime_checkable
class Needy(Protocol):
    """A module that cannot be solved and acts by itself.

    `due_us` is when the next thing happens by itself; `elapsed` is that thing.
    """

    def due_us(self) -> int: ...
    def elapsed(self, moment: Moment) -> Effect: ...
