"""The checkable rules of each module, as patterns that find them in free text.

A rule counts as stated when one passage of the answer (see `passages`) has all that it needs and
nothing that it excludes, without regard to case. This is a lower bound with some noise: a rule
spread over several sentences, a table whose head holds one half of it, or an unusual wording is
missed; a passage that happens to have all the words counts. People judge the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import product

import msgspec

from polyathlon.envs.gptnt.bomb.manual.wording import CARDINALS, ORDINALS
from polyathlon.envs.gptnt.bomb.rulebook import sequence
from polyathlon.envs.gptnt.bomb.rulebook.book import (
    ButtonCondition,
    Cell,
    ColourIs,
    Instruction,
    Label,
    LabelIs,
    LastWire,
    Position,
    RuleBook,
    SameLabel,
    SamePosition,
    WireCondition,
    WiresOf,
    standard,
)
from polyathlon.envs.gptnt.bomb.rulebook.facts import (
    Batteries,
    CasingCondition,
    HasPort,
    Lit,
    SerialIs,
)
from polyathlon.envs.gptnt.bomb.symbols import CHARACTERS
from polyathlon.envs.gptnt.exposure.passages import passages

_NTH = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th")
_STRIKES = (
    r"\b(?:no|0|zero) (?:strike|mistake)",
    r"\b(?:1|one) (?:strike|mistake)",
    r"\b(?:2|two)\+? (?:or more )?(?:strike|mistake)",
)
_NO_VOWEL = r"(?:no|without a?|not (?:have|contain) an?y?|n't (?:have|contain) an?y?) ?vowel"
_DO = {
    "tap": r"(?:tap|press).{0,40}(?:immediately|quick|release|let go|at once)|\btap\b",
    "hold": r"\bhold(?:ing)?\b(?! *[\"'”])",
}
_VERDICTS = {
    "C": r"\bcut\b(?!.*\b(?:if|unless)\b)|(?-i:\bC)$",
    "D": r"(?:not|n't|never) cut|leave|(?-i:\bD)$",
    "S": r"serial|\beven|(?-i:\bS)$",
    "P": r"parallel|(?-i:\bP)$",
    "B": r"batter|(?-i:\bB)$",
}
_ALIKE = 3
"""Other words of the list that a passage needs so that a password in it is no chance."""


class Fact(msgspec.Struct, frozen=True):
    """A rule: what a passage needs, and what it must not have, to state it (patterns)."""

    name: str
    needs: tuple[str, ...]
    excludes: tuple[str, ...] = ()

    def stated(self, passage: str) -> bool:
        """Whether the passage states the rule."""
        return all(_found(pattern, passage) for pattern in self.needs) and not any(
            _found(pattern, passage) for pattern in self.excludes
        )


@cache
def facts(module: str) -> tuple[Fact, ...]:
    """The checkable standard rules of a module type."""
    return tuple(_FACTS[module](standard()))


def stated(module: str, answer: str) -> tuple[str, ...]:
    """The names of the module's rules that an answer states."""
    found = list(passages(answer))
    return tuple(fact.name for fact in facts(module) if any(map(fact.stated, found)))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


def _found(pattern: str, passage: str) -> bool:
    return _compiled(pattern).search(passage) is not None


def _wires(book: RuleBook) -> Iterator[Fact]:
    for count, rules in book.wires.by_count.items():
        for number, rule in enumerate(rules, 1):
            place = rule.cut.place
            which = r"\blast" if place == "last" else _nth(place)
            cut = f"{which} {rule.cut.colour}" if rule.cut.colour else which
            when = [_wire_condition(found) for found in rule.when] or [r"otherwise|\belse\b"]
            yield Fact(
                f"{count} wires, rule {number}",
                (rf"\b(?:{count}|{CARDINALS[count]})[ -]wires?", *when, rf"\bcut\b.*(?:{cut})"),
            )


def _wire_condition(condition: WireCondition) -> str:
    match condition:
        case WiresOf(colour, "none"):
            return rf"(?:\bno|zero|not any|n't any|without) {colour}"
        case WiresOf(colour, "one"):
            return rf"(?:exactly|only|just|is) (?:one|1|a single) {colour}"
        case WiresOf(colour, _):
            return rf"(?:more than (?:one|1)|(?:two|2) or more|multiple|several) {colour}"
        case LastWire(colour):
            return rf"last wire(?:'s colou?r)? is {colour}"
        case _:
            return _casing(condition)


def _casing(condition: CasingCondition) -> str:
    match condition:
        case SerialIs(form):
            return form.replace("_", " ")
        case Batteries(over):
            more = over + 1
            return (
                rf"(?:more than (?:{over}|{CARDINALS[over]})|(?:{more}|{CARDINALS[more]})\+?"
                rf"(?: or more)?) batter"
            )
        case Lit(label):
            return rf"\b{label}\b"
        case HasPort(port):
            return re.escape(port)


def _button(book: RuleBook) -> Iterator[Fact]:
    for number, rule in enumerate(book.button.rules, 1):
        when = [_button_condition(found) for found in rule.when] or [r"otherwise|\belse\b|none of"]
        yield Fact(f"rule {number}", (*when, _DO[rule.do]))
    for colour, digit in book.button.release.items():
        yield Fact(f"{colour} strip", (rf"\b{colour}\b.{{0,60}}\b{digit}\b",))
    yield Fact(
        "other strips", (rf"(?:other|else|otherwise).{{0,60}}\b{book.button.release_otherwise}\b",)
    )


def _button_condition(condition: ButtonCondition) -> str:
    match condition:
        case ColourIs(colour):
            return rf"\b{colour}\b"
        case LabelIs(label):
            return rf"\b{label}\b"
        case _:
            return _casing(condition)


def _keypad(book: RuleBook) -> Iterator[Fact]:
    yield Fact("one column holds all four", (r"column", r"\b(?:four|4|all)\b"))
    yield Fact("from top to bottom", (r"top to bottom|from the top",))
    for number, column in enumerate(book.keypad.columns, 1):
        yield Fact(f"column {number}", (".*".join(CHARACTERS[name] for name in column[:3]),))


def _simon(book: RuleBook) -> Iterator[Fact]:
    for vowel, maps in ((True, book.simon.vowel), (False, book.simon.no_vowel)):
        needs, excludes = (r"vowel",), (_NO_VOWEL,)
        for strikes, answers in enumerate(maps):
            for flash, press in answers.items():
                yield Fact(
                    f"{'vowel' if vowel else 'no vowel'}, {strikes} strikes, {flash}",
                    (
                        *(needs if vowel else excludes),
                        _STRIKES[strikes],
                        rf"\b{flash}\b\W+(?:\w+\W+){{0,3}}?{press}\b",
                    ),
                    excludes if vowel else (),
                )


def _words(book: RuleBook) -> Iterator[Fact]:
    for display, slot in book.words.read.items():
        shown = rf"(?<![\w']){display}(?![\w'])" if display else r"empty|nothing|no word"
        yield Fact(f"display {display or '(empty)'}", (shown, slot.replace("_", r"[- ]")))
    for label, row in book.words.lists.items():
        named, *words = (rf"(?<![\w']){re.escape(word)}(?![\w'])" for word in (label, *row[:3]))
        first = r"\W+".join(words)
        yield Fact(f"list of {label}", (rf"{named}\W+(?:\w+\W+){{0,3}}?{first}",))


def _memory(book: RuleBook) -> Iterator[Fact]:
    for stage, row in enumerate(book.memory.stages, 1):
        for display, instruction in enumerate(row, 1):
            yield Fact(
                f"stage {stage}, display {display}",
                (
                    rf"stage {stage}\b",
                    rf"(?<!stage )\b{display}\b\W.*?(?:{_instruction(instruction)})",
                ),
            )


def _instruction(instruction: Instruction) -> str:
    match instruction:
        case Position(place):
            return rf"{_nth(place)}\W+(?:position|button|place)|(?:position|place) {place}\b"
        case Label(digit):
            return rf"(?:label\w*|digit|number)(?: with)?(?: an?)?\W+{digit}\b"
        case SamePosition(stage):
            return rf"(?:same|the) (?:position|place).*stage {stage}\b"
        case SameLabel(stage):
            return rf"(?:same|the) (?:label|number|digit).*stage {stage}\b"


def _maze(book: RuleBook) -> Iterator[Fact]:
    yield Fact("circles tell the maze", (r"circle|they", r"identif|which|match|determine"))
    yield Fact("from the light to the triangle", (r"white", r"triangle"))
    yield Fact("walls are not shown", (r"wall|them", r"invisible|not (?:shown?|visible)|see"))
    for number, maze in enumerate(book.maze.mazes, 1):
        yield Fact(f"circles of maze {number}", tuple(map(_cell, maze.markers)))


def _cell(cell: Cell) -> str:
    """A cell as row and column, or as a pair of numbers in either order, from 1."""
    row, column = cell[0] + 1, cell[1] + 1
    pair = rf"\(\s*(?:{row}\s*,\s*{column}|{column}\s*,\s*{row})\s*\)"
    return rf"{pair}|row {row}\W+col\w* {column}\b"


def _morse(book: RuleBook) -> Iterator[Fact]:
    for word, khz in book.morse.frequencies_khz.items():
        yield Fact(word, (rf"\b{word}\b.*?3[.,]?{khz}\b",))


def _complicated(book: RuleBook) -> Iterator[Fact]:
    for tint, verdicts in book.complicated.verdicts.items():
        for (led, star), verdict in zip(product((0, 1), repeat=2), verdicts, strict=True):
            has = {
                r"\bred\b": "red" in tint,
                r"\bblue\b": "blue" in tint,
                r"(?<!no )\bstar": star,
                r"(?<!no )\bLED\b(?! off)": led,
            }
            plain = [r"\bwhite\b"] if tint == "white" else []
            yield Fact(
                f"{tint}{' star' * star}{' LED' * led}",
                (*plain, *(p for p, there in has.items() if there), _VERDICTS[verdict]),
                tuple(pattern for pattern, there in has.items() if not there),
            )


def _sequence(book: RuleBook) -> Iterator[Fact]:
    for colour, row in book.sequence.cut_at.items():
        for place, ends in enumerate(row):
            letters = {str(end): rf"(?-i:\b{end}\b)" for end in sequence.ENDS}
            yield Fact(
                f"{colour} {place + 1}",
                (rf"\b{colour}\b", _nth(place + 1), *(letters[end] for end in ends)),
                tuple(pattern for end, pattern in letters.items() if end not in ends),
            )


def _password(book: RuleBook) -> Iterator[Fact]:
    for word in book.password.words:
        rest = "|".join(other for other in book.password.words if other != word)
        alike = rf"(?:\b(?:{rest})\b.*?){{{_ALIKE}}}"
        yield Fact(word, (rf"\b{word}\b", alike))


def _nth(place: int) -> str:
    return rf"\b(?:{ORDINALS[place - 1]}|{_NTH[place - 1]})\b"


_FACTS: Mapping[str, Callable[[RuleBook], Iterable[Fact]]] = {
    "Wires": _wires,
    "Button": _button,
    "Keypad": _keypad,
    "Simon Says": _simon,
    "Who's On First": _words,
    "Memory": _memory,
    "Maze": _maze,
    "Morse Code": _morse,
    "Complicated Wires": _complicated,
    "Wire Sequence": _sequence,
    "Passwords": _password,
}
