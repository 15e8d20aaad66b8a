"""What the two players keep in mind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, cast

from msgspec import Struct, field

from polyathlon.envs.gptnt.bomb.expert.casing import Hearsay
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.facts import CasingFacts
from polyathlon.envs.gptnt.bomb.rulebook.memory import Pressed
from polyathlon.envs.gptnt.bomb.rulebook.sequence import SequenceWire


class Notes(Struct):
    """What the expert knows: the rules, what it was told of the edges, and of the module at hand
    what was pressed by stage, the panels and the letter columns so far (all from 0)."""

    book: RuleBook
    edges: Hearsay = field(default_factory=Hearsay)
    pressed: list[Pressed] = []
    panels: list[tuple[SequenceWire | None, ...]] = []
    columns: list[str] = []

    @property
    def facts(self) -> CasingFacts:
        """The edges as the rules want them; raises Untold for what was not told."""
        return cast(CasingFacts, self.edges)


class Sight(Struct, frozen=True):
    """What the defuser sees of the module it is zoomed into.

    `module` is its state, of which topics use what a picture shows; `watched` is what its lamps
    showed every quarter of a second since they began anew, `pressed` how often each part was.
    """

    module: Any
    strikes: int
    watched: tuple[Any, ...] = ()
    pressed: Mapping[str, int] = {}


class Topic(Protocol):
    """How one kind of module is talked about. Readers never raise, whatever the text."""

    def describe(self, sight: Sight) -> str | None:
        """The defuser: what there is to see, or None while that is not known yet."""
        ...

    def advice(self, text: str, notes: Notes) -> str | None:
        """The expert: what to do; None for another topic. Raises Untold for what it must ask."""
        ...

    def steps(self, reply: str, sight: Sight) -> tuple[str, ...]:
        """The defuser: the parts to press by a reply, or, before any, to find out more."""
        ...
