"""Questions about the modules with keys."""

from __future__ import annotations

from collections.abc import Iterator

from polyathlon.envs.gptnt.bomb.modules.button import ButtonModule
from polyathlon.envs.gptnt.bomb.modules.keypad import KeypadModule
from polyathlon.envs.gptnt.bomb.modules.memory import MemoryModule
from polyathlon.envs.gptnt.bomb.modules.password import PasswordModule
from polyathlon.envs.gptnt.bomb.modules.simon import BY_PLACE, SimonModule
from polyathlon.envs.gptnt.bomb.modules.words import WordsModule
from polyathlon.envs.gptnt.bomb.rulebook import button, memory, password
from polyathlon.envs.gptnt.bomb.symbols import LOOKS
from polyathlon.envs.gptnt.simulator_vqa.asks.wording import (
    COLOURS,
    CORNERS,
    STRANGE_COLOURS,
    Ask,
    count,
    ordinal,
    others,
    quoted,
    where,
)

_ROWS = ("top left", "top right", "middle left", "middle right", "bottom left", "bottom right")
_SIDES = ("top", "left", "right", "bottom")
_ALIKE = frozenset(
    {"star_outline", "star_filled", "dotted_c", "reversed_dotted_c", "iotified_yus", "big_yus"}
)
"""Symbols whose descriptions fit another one too."""
_VOWELS = "AEIOU"


def about_button(module: ButtonModule) -> Iterator[Ask]:
    """The cap, its word, and the strip, which is lit while the button is held."""
    labels = tuple(quoted(label.upper()) for label in button.LABELS)
    colour, held = module.puzzle.colour, module.held_us is not None
    parts = () if held else ("button",)
    yield Ask(
        kind="label",
        texts=(
            "Which word stands on the button?",
            "What is written on the round button?",
            "Read the label of the button.",
        ),
        fits=(quoted(module.puzzle.label.upper()),),
        options=labels,
        about=("reading",),
        parts=parts,
    )
    yield Ask(
        kind="cap",
        texts=("What colour is the button?", "Which colour is the round cap?"),
        fits=(colour,),
        options=others((colour,), (*button.COLOURS, "green", "black")),
        about=("colour",),
        parts=parts,
    )
    yield Ask(
        kind="strip",
        texts=(
            "In what colour does the strip beside the button shine?",
            "Which colour is the light of the upright strip?",
        ),
        fits=(module.strip,) if module.strip else (),
        options=(*button.COLOURS, "green", "orange"),
        about=("colour", "hallucination"),
    )
    for thing in ("the small button below the big one", "the second button"):
        yield Ask(
            kind=thing,
            texts=(f"Which word stands on {thing}?",),
            fits=(),
            options=labels,
            about=("hallucination",),
        )
    for named in button.COLOURS:
        yield Ask(
            kind="label by colour",
            texts=(f"Which word stands on the {named} button?",),
            fits=(quoted(module.puzzle.label.upper()),) if named == colour else (),
            options=labels,
            about=("reading", "hallucination"),
            parts=parts if named == colour else (),
        )


def about_keypad(module: KeypadModule) -> Iterator[Ask]:
    """Four keys with a lamp each, green once pressed in time."""
    symbols = module.puzzle.symbols
    pressed = [key in module.pressed for key in range(len(symbols))]
    lamps = {
        "a lamp that shines green": pressed,
        "a dark lamp": [not lit for lit in pressed],
        "a lamp that shines red": [False] * len(symbols),
        "a lamp that shines blue": [False] * len(symbols),
    }
    for trait, has in lamps.items():
        keys = where(has, True)
        parts = tuple(f"key{key + 1}" for key in keys)
        yield Ask(
            kind=trait,
            texts=(f"Where is the key with {trait}?", f"Which of the keys has {trait}?"),
            fits=tuple(CORNERS[key] for key in keys),
            options=CORNERS,
            about=("ambiguity", "hallucination"),
            parts=parts,
        )
        if keys:
            texts = (f"How many of the keys have {trait}?",)
            yield count(trait, texts, len(keys), 5, parts)
    for name, looks in LOOKS.items():
        if name not in symbols and name not in _ALIKE:
            yield Ask(
                kind="symbol",
                texts=(f"Where is the key whose symbol is {looks}?",),
                fits=(),
                options=CORNERS,
                about=("hallucination",),
            )
    yield Ask(
        kind="any",
        texts=("Where is the key that carries a symbol?", "Which of the keys has a lamp?"),
        fits=CORNERS,
        options=CORNERS,
        about=("ambiguity",),
    )


def about_simon(module: SimonModule, time_us: int) -> Iterator[Ask]:
    """Four coloured keys in a diamond, of which one may be lit."""
    lit = module.lamp(time_us)
    dark = tuple(colour for colour in BY_PLACE if colour != lit)
    shades = others(BY_PLACE, COLOURS)
    yield Ask(
        kind="lit",
        texts=("What colour is the key that is lit?", "Which colour is flashing right now?"),
        fits=(lit,) if lit else (),
        options=shades,
        about=("colour", "hallucination"),
        parts=(lit,) if lit else (),
    )
    for place, colour in zip(_SIDES, BY_PLACE, strict=True):
        yield Ask(
            kind="colour by place",
            texts=(f"What colour is the {place} key?",),
            fits=(colour,),
            options=shades,
            about=("colour",),
            parts=(colour,),
        )
        beside = [c for c in BY_PLACE if BY_PLACE.index(c) + BY_PLACE.index(colour) != 3]
        yield Ask(
            kind="neighbour",
            texts=(
                f"What colour is the key that touches the {colour} one?",
                f"Which colour is the key next to the {colour} one?",
            ),
            fits=tuple(c for c in beside if c != colour),
            options=shades,
            about=("ambiguity",),
            parts=(colour,),
        )
    yield Ask(
        kind="dark",
        texts=("What colour is the key that is dark?", "Which colour is the unlit key?"),
        fits=dark,
        options=shades,
        about=("ambiguity",),
        parts=dark,
    )
    yield count("dark", ("How many of the coloured keys are dark?",), len(dark), 5, dark)
    if lit:
        yield count("lit", ("How many of the coloured keys are lit?",), 1, 4, (lit,))
    for strange in (*STRANGE_COLOURS, "white", "black"):
        if strange != "green":
            yield Ask(
                kind="strange colour",
                texts=(
                    f"Where in the diamond is the {strange} key?",
                    f"At which corner of the diamond does the {strange} key lie?",
                ),
                fits=(),
                options=tuple(f"at the {side}" for side in _SIDES),
                about=("hallucination",),
            )


def about_words(module: WordsModule) -> Iterator[Ask]:
    """A display over six keys with words."""
    labels, display = module.current.labels, module.current.display
    options = tuple(map(quoted, labels))
    yield Ask(
        kind="display",
        texts=(
            "Which word does the display above the keys show?",
            "What is written on the display?",
        ),
        fits=(quoted(display),) if display else (),
        options=others((quoted(display),) if display else (), options),
        about=("reading", "hallucination"),
    )
    for index, place in enumerate(_ROWS):
        part = (f"label{index + 1}",)
        yield Ask(
            kind=f"label {index}",
            texts=(
                f"Which word is on the {place} key?",
                f"Read the key at the {place}: what does it say?",
            ),
            fits=(options[index],),
            options=others(options[index : index + 1], options),
            about=("reading",),
            parts=part,
        )
        letters = sum(char.isalpha() for char in labels[index])
        texts = (f"How many letters does the word or phrase on the {place} key have?",)
        yield count(f"letters {letters}", texts, letters, 7, part)
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        for kind, trait, has in (
            ("begins", f"begins with {letter}", [word[0] == letter for word in labels]),
            ("holds", f"contains the letter {letter}", [letter in word for word in labels]),
        ):
            keys = where(has, True)
            parts = tuple(f"label{key + 1}" for key in keys)
            yield Ask(
                kind=kind,
                texts=(f"Where is the key whose text {trait}?",),
                fits=tuple(_ROWS[key] for key in keys),
                options=_ROWS,
                about=("ambiguity", "hallucination") if kind == "begins" else ("ambiguity",),
                parts=parts,
            )
            if keys:
                yield count(kind, (f"On how many keys is a text that {trait}?",), len(keys), 6)
    for word in sorted({word for stage in module.stages for word in stage.labels} - {*labels}):
        yield Ask(
            kind="absent word",
            texts=(f"Where is the key that says {quoted(word)}?",),
            fits=(),
            options=_ROWS,
            about=("hallucination",),
        )
    if module.done:
        texts = ("How many of the small lamps at the right edge of the module are lit?",)
        yield count("stages", texts, module.done, 4)


def about_memory(module: MemoryModule) -> Iterator[Ask]:
    """A digit on a display over four keys with digits."""
    digits, display = module.current.labels, module.current.display
    known = tuple(quoted(digit) for digit in range(1, memory.BUTTONS + 1))
    places = tuple(f"the {ordinal(place)} from the left" for place in range(memory.BUTTONS))
    yield Ask(
        kind="display",
        texts=("Which digit does the display show?", "Read the big digit on the display."),
        fits=(quoted(display),),
        options=known,
        about=("reading",),
    )
    for place in range(memory.BUTTONS + 2):
        yield Ask(
            kind=f"digit {place}",
            texts=(
                f"Which digit is on the {ordinal(place)} key from the left?",
                f"Counted from the left, what does key number {place + 1} say?",
            ),
            fits=tuple(map(quoted, digits[place : place + 1])),
            options=known,
            about=("reading", "hallucination"),
            parts=tuple(f"button{n + 1}" for n in range(memory.BUTTONS) if n == place),
        )
    for digit in sorted({*range(10)} - {*digits}):
        yield Ask(
            kind="place of digit",
            texts=(f"Which key carries the digit {digit}?", f"Where is the key with a {digit}?"),
            fits=(),
            options=places,
            about=("hallucination",),
        )
    for place, digit in enumerate(digits):
        part = (f"button{place + 1}",)
        beside = [digits[p] for p in (place - 1, place + 1) if 0 <= p < len(digits)]
        yield Ask(
            kind="neighbour",
            texts=(
                f"Which digit is on the key right beside the {digit}?",
                f"What does the neighbour of the key with the {digit} say?",
            ),
            fits=tuple(map(quoted, beside)),
            options=known,
            about=("reading", "ambiguity"),
            parts=part,
        )
        for side, number in (("left", place), ("right", len(digits) - 1 - place)):
            if number:
                texts = (f"How many keys stand to the {side} of the one with the {digit}?",)
                yield count(f"keys {side}", texts, number, 4, part)
    for trait, has in {
        "even digit": [digit % 2 == 0 for digit in digits],
        "odd digit": [digit % 2 == 1 for digit in digits],
        "digit greater than that of the display": [digit > display for digit in digits],
        "digit less than that of the display": [digit < display for digit in digits],
    }.items():
        keys = where(has, True)
        yield Ask(
            kind="place of kind",
            texts=(f"Which key, counted from the left, carries {_an(trait)}?",),
            fits=tuple(places[key] for key in keys),
            options=places,
            about=("ambiguity", "hallucination"),
        )
        if keys and "display" in trait:
            yield count(trait, (f"How many keys carry {_an(trait)}?",), len(keys), 4)
    if module.done:
        texts = ("How many of the small lamps at the right edge of the module are lit?",)
        yield count("stages", texts, module.done, 6)


def about_password(module: PasswordModule) -> Iterator[Ask]:
    """Five windows with a letter each between arrows."""
    letters = module.word.upper()
    windows = tuple(f"the {ordinal(place)} window" for place in range(password.COLUMNS))
    shown = tuple(map(quoted, letters))
    for place in range(password.COLUMNS + 2):
        yield Ask(
            kind=f"letter {place}",
            texts=(
                f"Which letter is in the {ordinal(place)} window from the left?",
                f"Read window number {place + 1}, counted from the left.",
            ),
            fits=shown[place : place + 1],
            options=others(shown, map(quoted, "ERTSO")),
            about=("reading", "hallucination"),
            parts=tuple(
                f"{arrow}{place + 1}" for arrow in ("up", "down") if place < password.COLUMNS
            ),
        )
    yield Ask(
        kind="row",
        texts=("What do the windows spell from left to right?", "Read all five windows in order."),
        fits=(quoted(letters),),
        options=others((quoted(letters),), map(quoted, _misread(letters))),
        about=("reading",),
    )
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        places = where(letters, letter)
        yield Ask(
            kind="window of letter",
            texts=(f"In which window is the letter {letter}?",),
            fits=tuple(windows[place] for place in places),
            options=windows,
            about=("ambiguity", "hallucination"),
        )
        if len(places) == 1:
            (place,) = places
            beside = [letters[p] for p in (place - 1, place + 1) if 0 <= p < len(letters)]
            yield Ask(
                kind="neighbour",
                texts=(
                    f"Which letter stands right beside the {letter}?",
                    f"What is the letter next to the {letter}?",
                ),
                fits=tuple(map(quoted, beside)),
                options=shown,
                about=("reading", "ambiguity"),
            )
    for trait, chosen in (
        ("a vowel", [letter in _VOWELS for letter in letters]),
        ("no vowel", [letter not in _VOWELS for letter in letters]),
    ):
        yield Ask(
            kind="vowels",
            texts=(f"In which window is {trait}, if only A, E, I, O and U are vowels?",),
            fits=tuple(windows[place] for place in where(chosen, True)),
            options=windows,
            about=("ambiguity", "hallucination"),
        )


def _misread(letters: str) -> Iterator[str]:
    """The letters with two neighbours swapped, and backwards."""
    for place in range(len(letters) - 1):
        yield letters[:place] + letters[place + 1] + letters[place] + letters[place + 2 :]
    yield letters[::-1]


def _an(noun: str) -> str:
    return f"an {noun}" if noun[0] in "eo" else f"a {noun}"
