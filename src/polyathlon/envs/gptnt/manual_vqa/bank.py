"""The bank of 884 items: how many there are of each module, and how an item is put together.

Nothing is stored: an item is made when it is asked for, and comes out the same each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

import msgspec

from polyathlon.core.chance import Stream, stream
from polyathlon.envs.gptnt.bomb.missions import MODULES
from polyathlon.envs.gptnt.bomb.questions import Question, arranged
from polyathlon.envs.gptnt.bomb.rulebook import variants
from polyathlon.envs.gptnt.manual_vqa.items import (
    button,
    complicated,
    keypad,
    maze,
    memory,
    morse,
    password,
    sequence,
    simon,
    widgets,
    wires,
    words,
)
from polyathlon.envs.gptnt.manual_vqa.items.wording import NAME, Draft, Maker

Category: TypeAlias = Literal["reading", "grounding", "procedural", "ambiguity", "hallucination"]

CATEGORIES: tuple[Category, ...] = get_args(Category)
WIDGETS = "Widgets"
"""The appendix, which is no module."""

_PER_MODULE: Mapping[Category, tuple[int, ...]] = {
    "reading": (14, 16, 8, 24, 38, 20, 6, 22, 8, 22, 13),
    "procedural": (46, 46, 45, 45, 46, 46, 45, 45, 45, 45, 45),
    "ambiguity": (6, 6, 6, 6, 6, 6, 5, 6, 6, 6, 5),
    "hallucination": (7, 7, 7, 6, 7, 6, 6, 6, 6, 6, 6),
}
_GROUNDING = {"Keypad": 24, "Maze": 18, "Morse Code": 6, "Complicated Wires": 6, WIDGETS: 6}
ALLOCATION: Mapping[Category, Mapping[str, int]] = MappingProxyType(
    {
        category: _GROUNDING
        if category == "grounding"
        else dict(zip(MODULES, _PER_MODULE[category], strict=True))
        for category in CATEGORIES
    }
)
"""Items by category and module. The paper gives the sums over modules only (Table D.2)."""

_ITEMS = {
    "Wires": wires,
    "Button": button,
    "Keypad": keypad,
    "Simon Says": simon,
    "Who's On First": words,
    "Memory": memory,
    "Maze": maze,
    "Morse Code": morse,
    "Complicated Wires": complicated,
    "Wire Sequence": sequence,
    "Passwords": password,
    WIDGETS: widgets,
}
_SIZES = (4, 5, 6, 4, 5, 6, 4, 8)
"""Options an item gets, as far as there are so many; so chosen that blind guesses at procedural
items score 21.3 %, as in the paper."""
_ASK_FIRST = ("That depends: first find out {}", "Not clear yet: have them tell you {}")
_MISMATCH = (
    "This does not match the manual: have it checked",
    "Nothing in the manual fits this description",
)


class Slot(msgspec.Struct, frozen=True):
    """Where an item belongs: its module, and its number among the module's items."""

    module: str
    number: int


@cache
def slots(category: Category, module: str = "") -> tuple[Slot, ...]:
    """The items of a category in their fixed, mixed order, of one module or (`""`) of all."""
    counts = ALLOCATION[category]
    found = [Slot(name, n) for name, count in counts.items() for n in range(count)]
    stream(0, NAME, category).shuffle(found)
    return tuple(slot for slot in found if module in ("", slot.module))


@lru_cache(maxsize=1_024)
def question(category: Category, slot: Slot, rule_seed: int = 0) -> Question:
    """An item under the manual of a rule seed: the same case wherever the rules allow it."""
    turn, kind = divmod(slots(category).index(slot), len(_SIZES))
    rng = stream(0, NAME, category, slot.module, slot.number)
    maker: Maker = getattr(_ITEMS[slot.module], category)
    draft = maker(variants.book(rule_seed), slot.number, rng)
    doubt = _doubt(category, draft, rng)
    right = draft.right or doubt
    room = _SIZES[kind] - 2 + (not draft.right)
    wrong = [*draft.wrong[:room], *[doubt] * bool(draft.right)]
    place = (turn + kind) % (len(wrong) + 1)  # all places are as frequent for each size
    options = arranged(right, wrong, place, rng)
    return Question(
        category,
        slot.module,
        draft.text,
        options,
        options.index(right),
        draft.why,
        options.index(doubt),
        draft.hard,
        draft.given,
    )


def _doubt(category: Category, draft: Draft, rng: Stream) -> str:
    """The option that declines to decide: of the kind that is right, or of either kind."""
    mismatch = rng.choice(_MISMATCH)
    asks = [rng.choice(_ASK_FIRST).format(need) for need in draft.needs]
    if draft.missing:
        return rng.choice(_ASK_FIRST).format(draft.missing)
    if category == "hallucination" or not asks:
        return mismatch
    return rng.choice((mismatch, rng.choice(asks)))
