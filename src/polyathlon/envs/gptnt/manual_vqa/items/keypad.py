"""Items about the Keypad, whose symbols are told by what they look like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.manual.wording import capital
from polyathlon.envs.gptnt.bomb.rulebook import keypad
from polyathlon.envs.gptnt.bomb.rulebook.book import KeypadRules, RuleBook
from polyathlon.envs.gptnt.bomb.symbols import LOOKS
from polyathlon.envs.gptnt.manual_vqa.items.wording import (
    Draft,
    nth,
    ordinal,
    others,
    said,
    shuffled,
)

_PLACES = ("top left", "top right", "bottom left", "bottom right")
_FIRST = ("Which key is pressed first?", "Which key do they start with?")
_ORDER = ("In which order are the keys pressed?", "Name the keys in the order to press them.")
_NEEDS = tuple(f"the symbol on the {place} key" for place in _PLACES)
_STRANGE = (
    "a snowflake with six arms",
    "an anchor",
    "a note with two heads, as in sheet music",
    "a crescent moon",
    "a spiral with three turns",
    "a heart",
    "an umbrella",
)


def reading(book: RuleBook, index: int, rng: Stream) -> Draft:
    """Which symbol has a place in a column."""
    columns = book.keypad.columns
    column, row = nth(_cells(columns), index, "keypad reading")
    right = capital(LOOKS[columns[column][row]])
    near = [columns[column][i] for i in shuffled(range(len(columns[column])), rng)]
    across = [other[row] for other in columns]
    return Draft(
        text=(
            f"Which symbol is the {ordinal(row)} from the top of the {ordinal(column)} column "
            "from the left?"
        ),
        right=right,
        wrong=_looks(right, [*near, *across]),
        why=columns[column][row],
        given={"column": column, "row": row},
        needs=_NEEDS,
    )


def grounding(book: RuleBook, index: int, rng: Stream) -> Draft:
    """Which symbol stands below a described one."""
    columns = book.keypad.columns
    cells = [(column, row) for column, row in _cells(columns) if row < len(columns[column]) - 1]
    column, row = nth(cells, index, "keypad grounding")
    name, right = columns[column][row], capital(LOOKS[columns[column][row + 1]])
    above = [columns[column][row - 1]] if row else []
    elsewhere = [other[other.index(name) + 1] for other in columns if name in other[:-1]]
    rest = [other for other in shuffled(columns[column], rng) if other != name]
    return Draft(
        text=(
            f"In the {ordinal(column)} column of symbols from the left there is {LOOKS[name]}. "
            "Which symbol stands directly below it?"
        ),
        right=right,
        wrong=_looks(right, [*elsewhere, *above, *rest]),
        why=columns[column][row + 1],
        given={"column": column, "symbol": name},
        needs=_NEEDS,
    )


def procedural(book: RuleBook, index: int, rng: Stream) -> Draft:
    """The key to start with, or the whole order (hard)."""
    hard = index % 2 == 1
    puzzle = keypad.draw(book.keypad, rng)
    order = keypad.order(book.keypad, puzzle)
    right = _keys(order) if hard else _key(order[0])
    wrong = map(_keys, _slips(order, rng)) if hard else map(_key, range(keypad.KEYS))
    return Draft(
        text=(
            f"{said(_tell([LOOKS[name] for name in puzzle.symbols], rng), rng)} "
            f"{rng.choice(_ORDER if hard else _FIRST)}"
        ),
        right=right,
        wrong=others(right, wrong),
        why=" - ".join(puzzle.symbols[key] for key in order),
        given={"symbols": puzzle.symbols},
        needs=_NEEDS,
        hard=hard,
    )


def ambiguity(book: RuleBook, index: int, rng: Stream) -> Draft:
    """One symbol is not told."""
    while True:
        puzzle = keypad.draw(book.keypad, rng)
        place = (index + rng.below(2)) % keypad.KEYS
        orders = _orders(book.keypad, puzzle.symbols, place)
        if len(set(orders.values())) > 1:
            break
    looks = [LOOKS[name] if i != place else None for i, name in enumerate(puzzle.symbols)]
    possible = [*orders.values(), *shuffled(permutations(range(keypad.KEYS)), rng)]
    return Draft(
        text=f"{said(_tell(looks, rng), rng)} {rng.choice(_ORDER)}",
        missing=_NEEDS[place],
        wrong=others("", map(_keys, possible)),
        why="; ".join(f"{name}: {_keys(order)}" for name, order in orders.items()),
        given={"symbols": [s if i != place else None for i, s in enumerate(puzzle.symbols)]},
    )


def hallucination(book: RuleBook, index: int, rng: Stream) -> Draft:
    """A shape that no symbol has, or symbols that no column holds together."""
    if index % 2:
        symbols = _scattered(book.keypad, rng)
        looks = [LOOKS[name] for name in symbols]
        why = "no column holds the four symbols"
    else:
        symbols = list(keypad.draw(book.keypad, rng).symbols)
        looks = [LOOKS[name] for name in symbols]
        place = rng.below(keypad.KEYS)
        looks[place] = symbols[place] = strange = _STRANGE[index // 2 % len(_STRANGE)]
        why = f"no symbol is {strange}"
    return Draft(
        text=f"{said(_tell(looks, rng), rng)} {rng.choice(_ORDER)}",
        wrong=others("", map(_keys, shuffled(permutations(range(keypad.KEYS)), rng))),
        why=why,
        given={"symbols": symbols},
        needs=_NEEDS,
    )


def _scattered(rules: KeypadRules, rng: Stream) -> list[str]:
    """Four symbols of the manual that are in no column together."""
    names = sorted({name for column in rules.columns for name in column})
    while True:
        symbols = shuffled(names, rng)[: keypad.KEYS]
        if not any(set(symbols) <= set(column) for column in rules.columns):
            return symbols


def _orders(rules: KeypadRules, symbols: Sequence[str], place: int) -> dict[str, tuple[int, ...]]:
    """The order for each symbol that the key at `place` may show."""
    known = {name for i, name in enumerate(symbols) if i != place}
    columns = [column for column in rules.columns if known <= set(column)]
    fourth = dict.fromkeys(name for column in columns for name in column if name not in known)
    return {
        name: keypad.order(rules, keypad.Keypad((*symbols[:place], name, *symbols[place + 1 :])))
        for name in fourth
    }


def _slips(order: tuple[int, ...], rng: Stream) -> Iterator[tuple[int, ...]]:
    """Neighbours swapped, upwards, in reading order; then any."""
    first, second, third, fourth = order
    yield second, first, third, fourth
    yield first, second, fourth, third
    yield first, third, second, fourth
    yield order[::-1]
    yield from shuffled(permutations(range(keypad.KEYS)), rng)


def _tell(looks: Sequence[str | None], rng: Stream) -> str:
    """Four keys in words; None is not told."""
    told = [
        f"{place} {look or 'something I cannot see because of the glare'}"
        for place, look in zip(_PLACES, looks, strict=True)
    ]
    return rng.choice(
        (
            f"Four keys with odd signs. {capital('; '.join(told))}.",
            f"It is a square of four symbols: {'; '.join(told)}.",
            f"Two by two buttons with pictures on them: {'; '.join(told)}.",
        )
    )


def _cells(columns: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    return [(i, row) for i, column in enumerate(columns) for row in range(len(column))]


def _looks(right: str, names: Iterable[str]) -> tuple[str, ...]:
    return others(right, (capital(LOOKS[name]) for name in names))


def _key(key: int) -> str:
    return f"The {_PLACES[key]} key"


def _keys(order: Iterable[int]) -> str:
    return capital(", ".join(_PLACES[key] for key in order))
