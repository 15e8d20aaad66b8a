"""Items about Simon Says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from msgspec.structs import replace

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.manual.wording import capital
from polyathlon.envs.gptnt.bomb.rulebook import simon
from polyathlon.envs.gptnt.bomb.rulebook.book import Lamp, RuleBook, SimonRules
from polyathlon.envs.gptnt.bomb.rulebook.facts import VOWELS, CasingFacts
from polyathlon.envs.gptnt.manual_vqa.items import sides
from polyathlon.envs.gptnt.manual_vqa.items.wording import (
    Draft,
    nth,
    number,
    others,
    said,
    shuffled,
)

_STRIKES = (0, 1, 2)
_ASKS = ("What do they press in answer?", "Which colours have to be pressed, in order?")
_ONE = ("Which colour has to be pressed?", "What do they press in answer?")
_NEEDS = (sides.NEEDS[sides.SERIAL], "the number of strikes", "the first flash of the sequence")
_UNKNOWN = ("purple", "orange", "white", "pink", "turquoise", "brown")


def reading(book: RuleBook, index: int, rng: Stream) -> Draft:
    entries = product((True, False), _STRIKES, simon.LAMPS)
    vowel, strikes, flash = nth(entries, index, "simon")
    maps = book.simon.vowel if vowel else book.simon.no_vowel
    right = capital(maps[strikes][flash])
    return Draft(
        text=(
            f"The serial number has {'a' if vowel else 'no'} vowel and there "
            f"{_strikes(strikes)}. Which colour do the tables give for a {flash} flash?"
        ),
        right=right,
        wrong=others(right, map(capital, shuffled(simon.LAMPS, rng))),
        why="read",
        given={"vowel": vowel, "strikes": strikes, "flash": flash},
        needs=_NEEDS,
    )


def procedural(book: RuleBook, index: int, rng: Stream) -> Draft:
    """One flash, or three to five (hard)."""
    hard = index % 2 == 1
    flashes = simon.draw(rng).flashes if hard else (rng.choice(simon.LAMPS),)
    facts, strikes = _facts(index // 2, rng), rng.choice(_STRIKES)
    right = _answer(book.simon, flashes, facts, strikes)
    return Draft(
        text=(
            f"{said(_tell(flashes, facts.serial, strikes, rng), rng)} "
            f"{rng.choice(_ASKS if hard else _ONE)}"
        ),
        right=_colours(right),
        wrong=others(_colours(right), map(_colours, _slips(book, flashes, facts, strikes, rng))),
        why=f"{'vowel' if _has_vowel(facts) else 'no vowel'}, {strikes} strikes",
        given={"serial": facts.serial, "strikes": strikes, "flashes": flashes},
        needs=_NEEDS,
        hard=hard,
    )


def ambiguity(book: RuleBook, index: int, rng: Stream) -> Draft:
    """Serial number or strikes are not told."""
    serial_hidden = index % 2 == 0
    while True:
        flashes = simon.draw(rng).flashes
        facts, strikes = _facts(rng.below(2), rng), rng.choice(_STRIKES)
        if serial_hidden:
            answers = {
                case: _answer(book.simon, flashes, CasingFacts(number), strikes)
                for case, number in (("vowel", "AB1CD2"), ("no vowel", "XB1CD2"))
            }
        else:
            answers = {
                f"{count} strikes": _answer(book.simon, flashes, facts, count) for count in _STRIKES
            }
        if len(set(answers.values())) > 1:
            break
    serial, known = (None, strikes) if serial_hidden else (facts.serial, None)
    slips = _slips(book, flashes, facts, strikes, rng)
    return Draft(
        text=f"{said(_tell(flashes, serial, known, rng), rng)} {rng.choice(_ASKS)}",
        missing=_NEEDS[0 if serial_hidden else 1],
        wrong=others("", map(_colours, [*answers.values(), *slips])),
        why="; ".join(f"{case}: {_colours(lamps)}" for case, lamps in answers.items()),
        given={"serial": serial, "strikes": known, "flashes": flashes},
    )


def hallucination(book: RuleBook, index: int, rng: Stream) -> Draft:
    """A lamp of another colour flashes."""
    flashes = simon.draw(rng).flashes
    facts, strikes = _facts(index, rng), rng.choice(_STRIKES)
    colours: list[str] = list(flashes)
    colours[rng.below(len(colours))] = strange = _UNKNOWN[index % len(_UNKNOWN)]
    answer = _answer(book.simon, flashes, facts, strikes)
    return Draft(
        text=f"{said(_tell(colours, facts.serial, strikes, rng), rng)} {rng.choice(_ASKS)}",
        wrong=others("", map(_colours, [answer, *_slips(book, flashes, facts, strikes, rng)])),
        why=f"no lamp is {strange}",
        given={"serial": facts.serial, "strikes": strikes, "flashes": colours},
        needs=_NEEDS,
    )


def _has_vowel(facts: CasingFacts) -> bool:
    """Whether the serial number has a vowel."""
    return not VOWELS.isdisjoint(facts.serial)


def _facts(index: int, rng: Stream) -> CasingFacts:
    """A serial number with a vowel for even numbers, without for odd ones."""
    serial = sides.draw(rng).facts.serial
    middle = rng.choice("AEIU" if index % 2 == 0 else "BCDFGH")
    plain = "".join("K" if char in VOWELS else char for char in serial)
    return CasingFacts(f"{plain[:3]}{middle}{plain[4:]}")


def _answer(
    rules: SimonRules, flashes: Sequence[Lamp], facts: CasingFacts, strikes: int
) -> tuple[Lamp, ...]:
    return tuple(simon.press(rules, flash, facts, strikes) for flash in flashes)


def _slips(
    book: RuleBook, flashes: tuple[Lamp, ...], facts: CasingFacts, strikes: int, rng: Stream
) -> Iterator[tuple[Lamp, ...]]:
    """Other strikes, the other table, the flashes themselves; then one colour changed."""
    other = replace(facts, serial="BB1BB1" if _has_vowel(facts) else "AB1BB1")
    yield _answer(book.simon, flashes, other, strikes)
    for count in shuffled(_STRIKES, rng):
        yield _answer(book.simon, flashes, facts, count)
    yield flashes
    answer = _answer(book.simon, flashes, facts, strikes)
    for place, lamp in shuffled(product(range(len(answer)), simon.LAMPS), rng):
        yield (*answer[:place], lamp, *answer[place + 1 :])


def _tell(flashes: Sequence[str], serial: str | None, strikes: int | None, rng: Stream) -> str:
    """Flashes, serial number and strikes in words; None is not told."""
    turns = ", then ".join(flashes)
    shown = rng.choice(
        (
            f"Four coloured lamps; what flashes is {turns}.",
            f"It lights up {turns}, then a pause.",
            f"The coloured squares blink {turns}, over and over.",
        )
    )
    sentences = [] if serial is None else [sides.tell_serial(serial, rng)]
    if strikes is None:
        sentences.append("I did not watch whether we have any strikes.")
    else:
        sentences.append(f"There {_strikes(strikes)}.")
    return " ".join([shown, *shuffled(sentences, rng)])


def _strikes(count: int) -> str:
    return f"is {number(count)} strike" if count == 1 else f"are {number(count)} strikes"


def _colours(lamps: Sequence[str]) -> str:
    return capital(", ".join(lamps))
