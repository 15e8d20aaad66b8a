"""The bank of 665 instructions: how many there are of each module, and how one is put together.

Nothing is stored: the items of a module are made when one of them is asked for, and come out the
same each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType

import msgspec

from polyathlon.core.chance import stream
from polyathlon.envs.gptnt.bomb.bomb import Bomb, elements, fitted
from polyathlon.envs.gptnt.bomb.missions import MODULES
from polyathlon.envs.gptnt.bomb.modules.button import ButtonModule
from polyathlon.envs.gptnt.bomb.modules.complicated import ComplicatedModule
from polyathlon.envs.gptnt.bomb.modules.keypad import KeypadModule
from polyathlon.envs.gptnt.bomb.modules.maze import MazeModule
from polyathlon.envs.gptnt.bomb.modules.memory import MemoryModule
from polyathlon.envs.gptnt.bomb.modules.morse import MorseModule
from polyathlon.envs.gptnt.bomb.modules.password import PasswordModule
from polyathlon.envs.gptnt.bomb.modules.sequence import SequenceModule
from polyathlon.envs.gptnt.bomb.modules.simon import SimonModule
from polyathlon.envs.gptnt.bomb.modules.wires import WiresModule
from polyathlon.envs.gptnt.bomb.modules.words import WordsModule
from polyathlon.envs.gptnt.bomb.trajectories import Moment, album, mixed, spread
from polyathlon.envs.gptnt.localisation.phrases import keys, wired
from polyathlon.envs.gptnt.localisation.phrases.wording import CATEGORIES, Category, Phrase

_PER_MODULE: Mapping[Category, tuple[int, ...]] = {
    "reading": (0, 6, 0, 0, 24, 9, 0, 10, 0, 16, 6),
    "colour": (10, 6, 4, 12, 0, 0, 0, 0, 16, 12, 0),
    "counting": (10, 0, 12, 0, 14, 7, 0, 0, 17, 0, 12),
    "element": (0, 6, 17, 0, 0, 0, 17, 12, 0, 10, 4),
    "position": (8, 4, 20, 9, 16, 6, 18, 10, 17, 8, 12),
    "ambiguity": (16, 0, 12, 10, 14, 10, 10, 8, 16, 14, 20),
    "hallucination": (13, 12, 13, 12, 13, 12, 12, 12, 13, 13, 13),
}
ALLOCATION: Mapping[Category, Mapping[str, int]] = MappingProxyType(
    {
        category: {name: n for name, n in zip(MODULES, counts, strict=True) if n}
        for category, counts in _PER_MODULE.items()
    }
)
"""Items by category and module. What can be pressed sums up to the counts per module that the
paper's Table 10 implies, all to its 665 instructions; the rest of the split is our own."""

_ORDERS = ("Press {}.", "Your next press goes to {}.", "Find {}.", "What is to be pressed is {}.")
_NAME = "gptnt/localisation"


class Item(msgspec.Struct, frozen=True):
    """An instruction about a moment; `target` is the element meant, None where there is no one."""

    category: Category
    module: str
    text: str
    phrase: Phrase
    target: str | None
    moment: Moment


def category(name: str) -> Category:
    """The category of a level. Raises ValueError for another name."""
    return CATEGORIES[CATEGORIES.index(name)]


@cache
def slots(category: Category, module: str = "") -> tuple[tuple[str, int], ...]:
    """Module and number of each item in their fixed, mixed order, of one module or of all."""
    return mixed(ALLOCATION[category], module, stream(0, _NAME, "order", category))


@cache
def items(category: Category, module: str) -> tuple[Item, ...]:
    """All items of a category about a module: as many kinds, pictures and targets as there are."""
    rng = stream(0, _NAME, category, module)
    moments = [moment for moment in album(module) if elements(moment.bomb)]
    pool = [
        (number, phrase)
        for number, moment in enumerate(moments)
        for phrase in phrases(moment.bomb)
        if phrase.category == category
    ]
    drawn = spread(
        pool,
        ALLOCATION[category][module],
        lambda one: (one[1].kind, one[0], one[1].text, one[1].fits),
        rng,
    )
    return tuple(
        Item(
            category,
            module,
            rng.choice(_ORDERS).format(phrase.text),
            phrase,
            _element(moments[number].bomb, phrase),
            moments[number],
        )
        for number, phrase in drawn
    )


def phrases(bomb: Bomb) -> Iterator[Phrase]:
    """Descriptions of parts of the module in close-up."""
    match fitted(bomb, bomb.grip.zoomed or "").module:
        case WiresModule() as module:
            return wired.of_wires(module)
        case ButtonModule() as module:
            return keys.of_button(module)
        case KeypadModule() as module:
            return keys.of_keypad(module)
        case SimonModule() as module:
            return keys.of_simon(module, bomb.time_us)
        case WordsModule() as module:
            return keys.of_words(module)
        case MemoryModule() as module:
            return keys.of_memory(module)
        case MazeModule() as module:
            return keys.of_maze(module)
        case MorseModule() as module:
            return keys.of_morse(module)
        case ComplicatedModule() as module:
            return wired.of_complicated(module)
        case SequenceModule() as module:
            return wired.of_sequence(module)
        case PasswordModule() as module:
            return keys.of_password(module)
        case module:
            raise TypeError(f"no words for {module}")


def _element(bomb: Bomb, phrase: Phrase) -> str | None:
    return f"{bomb.grip.zoomed}/{phrase.fits[0]}" if len(phrase.fits) == 1 else None
