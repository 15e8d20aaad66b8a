"""Instructions about the modules with keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polyathlon.envs.gptnt.bomb.modules.button import ButtonModule
from polyathlon.envs.gptnt.bomb.modules.keypad import KeypadModule
from polyathlon.envs.gptnt.bomb.modules.maze import MazeModule
from polyathlon.envs.gptnt.bomb.modules.memory import MemoryModule
from polyathlon.envs.gptnt.bomb.modules.morse import MorseModule
from polyathlon.envs.gptnt.bomb.modules.password import PasswordModule
from polyathlon.envs.gptnt.bomb.modules.simon import BY_PLACE, SimonModule
from polyathlon.envs.gptnt.bomb.modules.words import WordsModule
from polyathlon.envs.gptnt.bomb.rulebook import button, password
from polyathlon.envs.gptnt.bomb.symbols import LOOKS
from polyathlon.envs.gptnt.localisation.phrases.wording import (
    ALPHABET,
    Phrase,
    beside,
    counted,
    fitting,
)

_COLUMNS = ("left", "right")
_STRANGE_COLOURS = ("black", "white", "orange", "purple", "pink", "brown")
_ALIKE = (
    {"star_outline", "star_filled"},
    {"dotted_c", "reversed_dotted_c"},
    {"iotified_yus", "big_yus"},
)
"""Symbols that one description may fit both of."""
_VOWELS = "AEIOU"


def of_button(module: ButtonModule) -> Iterator[Phrase]:
    """The button beside its strip."""
    (part,) = parts = module.parts()
    for text in ("the button", "the round cap", "the big round thing to press or hold"):
        yield Phrase("element", "only", text, (part,))
    for label in button.LABELS:
        has = [label == module.puzzle.label]
        yield fitting("reading", "label", f"the button that says “{label.upper()}”", parts, has)
    for colour in button.COLOURS:
        has = [colour == module.puzzle.colour]
        yield fitting("colour", "colour", f"the {colour} button", parts, has)
    yield Phrase("position", "strip", "the button to the left of the upright strip", (part,))
    yield Phrase("position", "strip", "the round thing beside the upright strip", (part,))
    yield Phrase("position", "strip", "the button to the right of the upright strip", ())
    yield Phrase("counting", "second", "the second button from the top", ())


def of_keypad(module: KeypadModule) -> Iterator[Phrase]:
    """Four keys with symbols and lamps."""
    parts, symbols = module.parts(), module.puzzle.symbols
    for name, looks in LOOKS.items():
        like = [other for pair in _ALIKE if name in pair for other in pair - {name}]
        if not set(like) & {*symbols}:
            has = [symbol == name for symbol in symbols]
            yield fitting("element", "symbol", f"the key with this symbol: {looks}", parts, has)
            yield from _keypad_neighbours(parts, symbols, name, looks)
    yield from _grid("key", parts, ("upper", "lower"))
    yield from counted("key in reading order", parts, ("",), 6)
    pressed = [key in module.pressed for key in range(len(parts))]
    for lamp, lit in (("shines green", pressed), ("is dark", [not each for each in pressed])):
        yield fitting("colour", f"lamp {lamp}", f"the key whose lamp {lamp}", parts, lit)
    yield Phrase("colour", "red lamp", "the key whose lamp shines red", ())


def _keypad_neighbours(
    parts: Sequence[str], symbols: Sequence[str], name: str, looks: str
) -> Iterator[Phrase]:
    if name not in symbols:
        return
    place = symbols.index(name)
    across = place ^ 1, ("to the right of", "to the left of")[place % 2]
    along = place ^ 2, ("right below", "right above")[place // 2]
    for other, side in (across, along):
        text = f"the key {side} the one with this symbol: {looks}"
        yield Phrase("position", f"beside {side}", text, (parts[other],))


def of_simon(module: SimonModule, time_us: int) -> Iterator[Phrase]:
    """Four coloured keys in a diamond."""
    parts, lit = BY_PLACE, module.lamp(time_us)
    for colour in (*BY_PLACE, *_STRANGE_COLOURS):
        has = [part == colour for part in parts]
        yield fitting("colour", "colour", f"the {colour} key", parts, has)
    for side, part in zip(("top", "left", "right", "bottom"), parts, strict=True):
        yield Phrase("position", "corner", f"the key at the {side} of the diamond", (part,))
    for place, part in enumerate(parts):
        opposite = parts[3 - place]
        yield Phrase("position", "opposite", f"the key opposite the {part} one", (opposite,))
        next_to = tuple(other for other in parts if other not in (part, opposite))
        yield Phrase("position", "next", f"the key that touches the {part} one", next_to)
    dark = [part != lit for part in parts]
    yield fitting("position", "dark", "the key that is dark", parts, dark)
    yield fitting("position", "lit", "the key that is lit", parts, [not each for each in dark])
    yield Phrase("position", "middle", "the fifth key in the middle of the diamond", ())


def of_words(module: WordsModule) -> Iterator[Phrase]:
    """Six keys with words in three rows."""
    parts, labels = module.parts(), module.current.labels
    known = sorted({word for stage in module.stages for word in stage.labels} | {*labels})
    for word in known:
        has = [label == word for label in labels]
        yield fitting("reading", "word", f"the key that says “{word}”", parts, has)
    for letter in ALPHABET:
        has = [label.startswith(letter) for label in labels]
        if any(has):
            text = f"the key whose text begins with {letter}"
            yield fitting("reading", "first letter", text, parts, has)
    yield from _grid("key", parts, ("upper", "middle", "lower"))
    yield from counted("key in reading order", parts, ("",), 8)
    for place, word in enumerate(labels):
        name = f"the one that says “{word}”"
        side = ("to the right of", "to the left of")[place % 2]
        text = f"the key {side} {name}"
        yield Phrase("position", f"beside {side}", text, (parts[place ^ 1],))
        yield from beside("key", parts, name, place, 2, "right below")
        yield from beside("key", parts, name, place, -2, "right above")


def of_memory(module: MemoryModule) -> Iterator[Phrase]:
    """Four keys with digits in a row."""
    parts, digits = module.parts(), module.current.labels
    for digit in range(10):
        has = [each == digit for each in digits]
        yield fitting("reading", "digit", f"the key with the digit {digit}", parts, has)
        if digit in digits:
            place, name = digits.index(digit), f"the one with the digit {digit}"
            yield from beside("key", parts, name, place, 1, "right after")
            yield from beside("key", parts, name, place, -1, "right before")
            near = [abs(other - place) == 1 for other in range(len(parts))]
            yield fitting("position", "neighbour", f"the key beside {name}", parts, near)
    for trait, odd in (("odd", 1), ("even", 0)):
        has = [digit % 2 == odd for digit in digits]
        yield fitting("reading", "kind of digit", f"the key with an {trait} digit", parts, has)
    yield from counted("key", parts, ("from the left", "from the right"), 6)
    yield Phrase("position", "end", "the key furthest to the left", parts[:1])
    yield Phrase("position", "end", "the key furthest to the right", parts[-1:])


def of_maze(module: MazeModule) -> Iterator[Phrase]:
    """Four arrows around a board."""
    arrows = module.parts()
    up, left, right, down = arrows
    ways = (("up", up), ("to the left", left), ("to the right", right), ("down", down))
    for name, part in ways:
        for thing in ("arrow", "key with an arrow", "arrow key"):
            yield Phrase("element", "arrow", f"the {thing} that points {name}", (part,))
    for name, part in (
        ("above the board", up),
        ("to the left of the board", left),
        ("to the right of the board", right),
        ("below the board", down),
    ):
        for thing in ("key", "small square key", "arrow key"):
            yield Phrase("position", "side", f"the {thing} {name}", (part,))
    for first, second, text in (
        (left, right, "beside the board, level with its middle"),
        (up, down, "above or below the board"),
    ):
        yield Phrase("position", "two sides", f"the arrow key {text}", (first, second))
    yield Phrase("element", "any", "the arrow key", arrows)
    yield Phrase("element", "any", "the key with a black triangle", arrows)
    for strange in ("points to the upper left", "points to the lower right", "is red"):
        yield Phrase("element", "strange", f"the arrow key that {strange}", ())
    yield Phrase("position", "corner", "the key at the top left corner of the board", ())
    yield Phrase("reading", "text", "the key that says “GO”", ())


def of_morse(module: MorseModule) -> Iterator[Phrase]:
    """Two arrows and a key that transmits."""
    left, right, transmit = parts = module.parts()
    yield Phrase("reading", "text", "the key that says “TX”", (transmit,))
    yield Phrase("reading", "text", "the key with letters on it", (transmit,))
    yield Phrase("reading", "text", "the key with the text “TX”", (transmit,))
    for name, part in (("left", left), ("right", right)):
        for thing in ("arrow", "key with an arrow", "arrow key"):
            yield Phrase("element", "arrow", f"the {thing} that points to the {name}", (part,))
        for thing in ("key", "arrow key"):
            text = f"the {thing} to the {name} of the frequency"
            yield Phrase("position", "display", text, (part,))
    yield Phrase("position", "below", "the key below the frequency", (transmit,))
    yield Phrase("position", "below", "the lowest key", (transmit,))
    yield Phrase("element", "any arrow", "the arrow key", (left, right))
    yield Phrase("position", "any side", "the key beside the frequency", (left, right))
    yield Phrase("element", "any", "the ivory key", parts)
    for strange in ("points up", "points down"):
        yield Phrase("element", "strange", f"the arrow key that {strange}", ())
    for word in ("RX", "STOP", "SUBMIT"):
        yield Phrase("reading", "strange text", f"the key that says “{word}”", ())
    yield Phrase("position", "above", "the key above the lamp", ())


def of_password(module: PasswordModule) -> Iterator[Phrase]:
    """Arrows above and below five windows, and a key that submits."""
    *arrows, submit = module.parts()
    ups, downs = arrows[: password.COLUMNS], arrows[password.COLUMNS :]
    letters = module.word.upper()
    for text in ("the key that says “SUBMIT”", "the key with a word on it"):
        yield Phrase("reading", "submit", text, (submit,))
    yield Phrase("element", "submit", "the key that hands in the word", (submit,))
    yield Phrase("position", "lowest", "the lowest key", (submit,))
    ends = ("from the left", "from the right")
    yield from counted("arrow that points up", ups, ends, 7)
    yield from counted("arrow that points down", downs, ends, 7)
    for letter in ALPHABET:
        has = [each == letter for each in letters]
        yield fitting("position", "above", f"the arrow above the letter {letter}", ups, has)
        yield fitting("position", "below", f"the arrow below the letter {letter}", downs, has)
    for way, keys in (("up", ups), ("down", downs)):
        yield Phrase("element", "any arrow", f"the arrow that points {way}", tuple(keys))
        vowels = [letter in _VOWELS for letter in letters]
        text = f"the arrow that points {way} in a column that shows A, E, I, O or U"
        yield fitting("reading", f"vowel {way}", text, keys, vowels)
    for word in ("CLEAR", "RESET", "ENTER"):
        yield Phrase("reading", "strange text", f"the key that says “{word}”", ())


def _grid(noun: str, parts: Sequence[str], rows: Sequence[str]) -> Iterator[Phrase]:
    """Parts in two columns by row and column, and by one of them alone."""
    for number, row in enumerate(rows):
        pair = tuple(parts[2 * number : 2 * number + 2])
        yield Phrase("position", "row", f"the {noun} in the {row} row", pair)
        for column, part in zip(_COLUMNS, pair, strict=True):
            text = f"the {noun} at the {column} of the {row} row"
            yield Phrase("position", "cell", text, (part,))
    for first, name in enumerate(_COLUMNS):
        text = f"the {noun} in the {name} column"
        yield Phrase("position", "column", text, tuple(parts[first::2]))
    yield Phrase("position", "third column", f"the {noun} in the third column", ())
