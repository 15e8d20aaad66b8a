"""The bank of 640 items: how many there are of each subject, and how an item is put together.

Nothing is stored: the items of a subject are made when one of them is asked for, and come out the
same each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import get_args

import msgspec

from polyathlon.core.chance import Stream, stream
from polyathlon.envs.gptnt.bomb.bomb import Bomb, fitted
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
from polyathlon.envs.gptnt.bomb.questions import Question, arranged
from polyathlon.envs.gptnt.bomb.trajectories import (
    SERIAL,
    STRIKES,
    TIMER,
    Moment,
    album,
    mixed,
    spread,
)
from polyathlon.envs.gptnt.simulator_vqa.asks import keys, screens, wired
from polyathlon.envs.gptnt.simulator_vqa.asks.wording import Ask, Category

CATEGORIES: tuple[Category, ...] = get_args(Category)
ALLOCATION: Mapping[Category, Mapping[str, int]] = MappingProxyType(
    {
        "reading": {
            "Button": 16,
            "Who's On First": 34,
            "Memory": 26,
            "Morse Code": 14,
            "Wire Sequence": 14,
            "Passwords": 22,
            TIMER: 14,
            SERIAL: 12,
        },
        "colour": {
            "Wires": 15,
            "Button": 14,
            "Simon Says": 10,
            "Complicated Wires": 12,
            "Wire Sequence": 10,
        },
        "counting": {
            "Wires": 30,
            "Keypad": 12,
            "Simon Says": 8,
            "Who's On First": 22,
            "Memory": 25,
            "Maze": 25,
            "Complicated Wires": 33,
            "Wire Sequence": 25,
            STRIKES: 25,
        },
        "ambiguity": {
            "Wires": 14,
            "Keypad": 10,
            "Simon Says": 7,
            "Who's On First": 12,
            "Memory": 10,
            "Complicated Wires": 14,
            "Wire Sequence": 12,
            "Passwords": 12,
        },
        "hallucination": {
            "Wires": 12,
            "Button": 11,
            "Keypad": 12,
            "Simon Says": 12,
            "Who's On First": 12,
            "Memory": 12,
            "Maze": 12,
            "Morse Code": 12,
            "Complicated Wires": 12,
            "Wire Sequence": 12,
            "Passwords": 12,
        },
    }
)
"""Items by category and subject. The paper gives the sums only (section 3.5, Table D.3)."""

SEVERAL = "Several answers fit: the question does not say which is meant"
NONE = "None: what it asks about is not in the picture"
_SIZES = (4, 5, 6, 8, 5, 7)
"""Options an item gets, as far as there are so many."""
_NAME = "gptnt/simulator-vqa"


class Item(msgspec.Struct, frozen=True):
    """A question and the moment that it is about."""

    question: Question
    moment: Moment
    ask: Ask


def category(name: str) -> Category:
    """The category of a level. Raises ValueError for another name."""
    return CATEGORIES[CATEGORIES.index(name)]


@cache
def slots(category: Category, subject: str = "") -> tuple[tuple[str, int], ...]:
    """Subject and number of each item in their fixed, mixed order, of one subject or of all."""
    return mixed(ALLOCATION[category], subject, stream(0, _NAME, "order", category))


@cache
def items(category: Category, subject: str) -> tuple[Item, ...]:
    """All items of a category about a subject."""
    rng = stream(0, _NAME, category, subject)
    drawn = _drawn(category, subject, ALLOCATION[category][subject], rng)
    return tuple(
        Item(_question(category, subject, number, moment, ask, rng), moment, ask)
        for number, (moment, ask) in enumerate(drawn)
    )


def asks(subject: str, bomb: Bomb) -> Iterator[Ask]:
    """What can be asked about a subject that a bomb's picture shows."""
    match subject:
        case "Timer":
            return screens.about_timer(bomb)
        case "Strikes":
            return screens.about_strikes(bomb)
        case "Serial Number":
            return screens.about_serial(bomb)
    match fitted(bomb, bomb.grip.zoomed or "").module:
        case WiresModule() as module:
            return wired.about_wires(module)
        case ButtonModule() as module:
            return keys.about_button(module)
        case KeypadModule() as module:
            return keys.about_keypad(module)
        case SimonModule() as module:
            return keys.about_simon(module, bomb.time_us)
        case WordsModule() as module:
            return keys.about_words(module)
        case MemoryModule() as module:
            return keys.about_memory(module)
        case MazeModule() as module:
            return screens.about_maze(module)
        case MorseModule() as module:
            return screens.about_morse(module, bomb.time_us)
        case ComplicatedModule() as module:
            return wired.about_complicated(module)
        case SequenceModule() as module:
            return wired.about_sequence(module)
        case PasswordModule() as module:
            return keys.about_password(module)
        case module:
            raise TypeError(f"nothing to ask about {module}")


def _drawn(
    category: Category, subject: str, most: int, rng: Stream
) -> Iterator[tuple[Moment, Ask]]:
    """Questions of as many kinds, about as many pictures and with as many answers as there are."""
    moments = album(subject)
    pool = [
        (number, ask)
        for number, moment in enumerate(moments)
        for ask in asks(subject, moment.bomb)
        if ask.category == category
    ]
    for number, ask in spread(pool, most, lambda one: (one[1].kind, one[0], one[1].fits), rng):
        yield moments[number], ask


def _question(
    category: Category, subject: str, number: int, moment: Moment, ask: Ask, rng: Stream
) -> Question:
    """The item: answers that fit stand among the options, two of which decline to decide."""
    room = _SIZES[number % len(_SIZES)] - 2
    fits = list(dict.fromkeys(ask.fits))
    others = [option for option in dict.fromkeys(ask.options) if option not in fits]
    match category:
        case "ambiguity":
            rng.shuffle(fits)
            right, wrong = SEVERAL, [*[*fits, *others][:room], NONE]
        case "hallucination":
            right, wrong = NONE, [*others[:room], SEVERAL]
        case _:
            right, wrong = fits[0], [*others[: room - 1], SEVERAL, NONE]
    options = arranged(right, wrong, rng.below(len(wrong) + 1), rng)
    return Question(
        category,
        subject,
        rng.choice(ask.texts),
        options,
        options.index(right),
        derivation=_why(ask),
        given={"kind": ask.kind, "fits": ask.fits, **moment.origin()},
    )


def _why(ask: Ask) -> str:
    return f"what fits: {', '.join(dict.fromkeys(ask.fits)) or 'nothing'}"
