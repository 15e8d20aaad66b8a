"""Items about Wires."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.manual.wording import condition
from polyathlon.envs.gptnt.bomb.rulebook import wires
from polyathlon.envs.gptnt.bomb.rulebook.book import (
    Cut,
    LastWire,
    RuleBook,
    WireColour,
    WireCondition,
    WireRule,
    WiresOf,
    WiresRules,
)
from polyathlon.envs.gptnt.bomb.rulebook.facts import CasingFacts
from polyathlon.envs.gptnt.manual_vqa.items import sides
from polyathlon.envs.gptnt.manual_vqa.items.wording import (
    TRIES,
    Draft,
    nth,
    number,
    ordinal,
    others,
    said,
    series,
)

_ASKS = (
    "Which wire has to be cut?",
    "Which wire do you tell them to cut?",
    "Name the wire to cut.",
)
_COUNTS = (3, 4, 5, 6)
_FEW = _COUNTS[:2]
_UNKNOWN_COLOURS = ("green", "orange", "purple", "pink")


def reading(book: RuleBook, index: int, rng: Stream) -> Draft:
    rules = book.wires.by_count
    count, rule = nth(((n, rule) for n in _COUNTS for rule in rules[n]), index, "wires")
    places = [*(Cut(place) for place in range(1, count)), Cut("last")]
    cuts = [each.cut for each in rules[count] if _tells_apart(each.cut, rule)]
    right = _cut(rule.cut)
    return Draft(
        text=f"With {number(count)} wires, what do the rules say about {_case(rule)}?",
        right=right,
        wrong=others(right, map(_cut, [*cuts, *places])),
        why=f"the rule itself: {right}",
        given={"count": count, "rule": rules[count].index(rule)},
        needs=_needs(count, rng),
    )


def procedural(book: RuleBook, index: int, rng: Stream) -> Draft:
    hard = index % 2 == 1
    puzzle = _draw(_COUNTS[2:] if hard else _FEW, rng)
    casing = sides.draw(rng)
    answer = wires.wire_to_cut(book.wires, puzzle, casing.facts)
    rule = wires.first_match(book.wires.by_count[len(puzzle.wires)], puzzle.wires, casing.facts)
    slips = [*_slips(book.wires, puzzle, casing.facts), *range(len(puzzle.wires))]
    return Draft(
        text=f"{said(f'{_tell(puzzle, rng)} {sides.tell(casing, rng)}', rng)} {rng.choice(_ASKS)}",
        right=_option(answer),
        wrong=others(_option(answer), map(_option, slips)),
        why=f"{_case(rule)}: {_cut(rule.cut)}",
        given={"wires": puzzle.wires, **casing.without(())},
        needs=_needs(len(puzzle.wires), rng),
        hard=hard,
    )


def ambiguity(book: RuleBook, index: int, rng: Stream) -> Draft:
    """The serial number is not told, or one colour."""
    for _ in range(TRIES if index % 2 else 0):
        puzzle, casing = _draw(_COUNTS, rng), sides.draw(rng)
        cases = {f"serial number {each.serial}": each for each in _serials(casing.facts)}
        answers = {
            case: wires.wire_to_cut(book.wires, puzzle, facts) for case, facts in cases.items()
        }
        if len(set(answers.values())) > 1:
            return _unclear(puzzle, casing, answers, None, rng)
    while True:
        puzzle, casing = _draw(_COUNTS, rng), sides.draw(rng)
        place = rng.below(len(puzzle.wires))
        answers = {
            colour: wires.wire_to_cut(book.wires, _painted(puzzle, place, colour), casing.facts)
            for colour in wires.COLOURS
        }
        if len(set(answers.values())) > 1:
            return _unclear(puzzle, casing, answers, place, rng)


def hallucination(book: RuleBook, index: int, rng: Stream) -> Draft:
    """A colour that wires never have."""
    puzzle, casing = _draw(_COUNTS, rng), sides.draw(rng)
    colours: list[str] = list(puzzle.wires)
    colours[rng.below(len(colours))] = strange = _UNKNOWN_COLOURS[index % len(_UNKNOWN_COLOURS)]
    words = f"{_line(colours, rng)} {sides.tell(casing, rng)}"
    return Draft(
        text=f"{said(words, rng)} {rng.choice(_ASKS)}",
        wrong=[_option(place) for place in range(len(colours))],
        why=f"no wire of a module like this is {strange}",
        given={"wires": colours, **casing.without(())},
        needs=_needs(len(colours), rng),
    )


def _unclear(
    puzzle: wires.Wires,
    casing: sides.Sides,
    answers: dict[str, int],
    place: int | None,
    rng: Stream,
) -> Draft:
    """An item that hides the colour at a place, or the serial number."""
    hidden = (sides.SERIAL,) if place is None else ()
    colours = [colour if i != place else None for i, colour in enumerate(puzzle.wires)]
    told: list[str] = [colour or "one whose colour I cannot make out" for colour in colours]
    words = f"{_line(told, rng)} {sides.tell(casing, rng, hidden)}"
    possible = [*answers.values(), *range(len(puzzle.wires))]
    return Draft(
        text=f"{said(words, rng)} {rng.choice(_ASKS)}",
        missing=sides.NEEDS[sides.SERIAL] if place is None else _colour_of(place),
        wrong=others("", map(_option, possible)),
        why="; ".join(f"{case}: wire {answer + 1}" for case, answer in answers.items()),
        given={"wires": colours, **casing.without(hidden)},
    )


def _draw(counts: tuple[int, ...], rng: Stream) -> wires.Wires:
    return wires.Wires(tuple(rng.choice(wires.COLOURS) for _ in range(rng.choice(counts))))


def _painted(puzzle: wires.Wires, place: int, colour: WireColour) -> wires.Wires:
    return wires.Wires((*puzzle.wires[:place], colour, *puzzle.wires[place + 1 :]))


def _serials(facts: CasingFacts) -> list[CasingFacts]:
    return [replace(facts, serial=f"{first}32BD{last}") for first in "B4" for last in "16"]


def _slips(rules: WiresRules, puzzle: wires.Wires, facts: CasingFacts) -> Iterable[int]:
    """Wrong parity; the first rule that fits overlooked."""
    digit = (int(facts.serial[-1]) + 1) % 10
    yield wires.wire_to_cut(rules, puzzle, replace(facts, serial=f"{facts.serial[:-1]}{digit}"))
    listed = rules.by_count[len(puzzle.wires)]
    rest = listed[listed.index(wires.first_match(listed, puzzle.wires, facts)) + 1 :]
    if rest:
        rule = wires.first_match(rest, puzzle.wires, facts)
        yield wires.position(rule.cut, puzzle.wires)


def _tell(puzzle: wires.Wires, rng: Stream) -> str:
    return _line(list(puzzle.wires), rng)


def _line(colours: Sequence[str], rng: Stream) -> str:
    count, colours_in_turn = number(len(colours)), series(colours)
    return rng.choice(
        (
            f"There are {count} wires side by side. From the top: {colours_in_turn}.",
            f"I have {count} wires running across, top to bottom {colours_in_turn}.",
            f"A panel with {count} plain wires. Going down they are {colours_in_turn}.",
        )
    )


def _option(place: int) -> str:
    return f"Cut the {ordinal(place)} wire from the top"


def _colour_of(place: int) -> str:
    return f"the colour of the {ordinal(place)} wire"


def _needs(count: int, rng: Stream) -> tuple[str, ...]:
    return (_colour_of(rng.below(count)), sides.NEEDS[sides.SERIAL], sides.NEEDS[sides.PORTS])


def _tells_apart(cut: Cut, rule: WireRule) -> bool:
    """Whether a cut means another wire than the rule's wherever the rule counts."""
    only = any(isinstance(c, WiresOf) and c.count == "one" for c in rule.when)
    return not (only and cut.colour == rule.cut.colour)


def _cut(cut: Cut) -> str:
    which = "last" if cut.place == "last" else ordinal(cut.place - 1)
    return f"Cut the {which} {cut.colour or ''} wire".replace("  ", " ")


def _case(rule: WireRule) -> str:
    conditions = [_condition(found) for found in rule.when]
    return f"the case that {series(conditions)}" if conditions else "all other cases"


def _condition(found: WireCondition) -> str:
    match found:
        case WiresOf(colour, "none"):
            return f"there are no {colour} wires"
        case WiresOf(colour, "one"):
            return f"there is exactly one {colour} wire"
        case WiresOf(colour, _):
            return f"there is more than one {colour} wire"
        case LastWire(colour):
            return f"the last wire is {colour}"
        case _:
            return condition(found)
