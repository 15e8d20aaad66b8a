"""Items about Complicated Wires."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from msgspec.structs import replace

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.manual.wording import capital
from polyathlon.envs.gptnt.bomb.rulebook import complicated
from polyathlon.envs.gptnt.bomb.rulebook.book import ComplicatedRules, RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.complicated import Colouring, ComplicatedWire
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
    shuffled,
)

_TINTS: tuple[Colouring, ...] = ("white", "red", "blue", "red+blue")
_READ = 8
_EASY = 2
_ASKS = ("Which of the wires are cut?", "What has to be cut?")
_HIDDEN = (sides.SERIAL, sides.PORTS, sides.BATTERIES)
_UNKNOWN = ("green", "yellow", "black", "purple", "orange", "brown")
_VERDICTS = {
    "C": "Cut it in any case",
    "D": "Leave it in any case",
    "S": "Cut it if the last digit of the serial number is even",
    "P": "Cut it if there is a Parallel port",
    "B": "Cut it if there are at least two batteries",
}


def reading(book: RuleBook, index: int, rng: Stream) -> Draft:
    return _looked_up(book.complicated, index, "What do the rules say about {}?", rng)


def grounding(book: RuleBook, index: int, rng: Stream) -> Draft:
    text = "In the diagram, find the field of {}. What does the entry there mean?"
    return _looked_up(book.complicated, _READ + index, text, rng)


def procedural(book: RuleBook, index: int, rng: Stream) -> Draft:
    """Two wires of a module, or all of them (hard)."""
    hard = index % 2 == 1
    casing = sides.draw(rng)
    wires = complicated.draw(book.complicated, casing.facts, rng).wires[: None if hard else _EASY]
    cuts = _cuts(book.complicated, wires, casing.facts)
    slips = _slips(book.complicated, wires, casing.facts, rng)
    verdicts = "".join(complicated.verdict(book.complicated, wire) for wire in wires)
    return Draft(
        text=(
            f"{said(f'{_tell(wires, hard, rng)} {sides.tell(casing, rng)}', rng)} "
            f"{rng.choice(_ASKS)}"
        ),
        right=_option(cuts),
        wrong=others(_option(cuts), map(_option, slips)),
        why=f"{verdicts}: {_option(cuts)}",
        given={"wires": _as_data(wires), **casing.without(())},
        needs=_needs(len(wires), rng),
        hard=hard,
    )


def ambiguity(book: RuleBook, index: int, rng: Stream) -> Draft:
    """A fact of the edges is not told, or whether an LED is on."""
    hidden = (*_HIDDEN, "led")[index % 4]
    for _ in range(TRIES if hidden != "led" else 0):
        casing = sides.draw(rng)
        wires = complicated.draw(book.complicated, casing.facts, rng).wires
        answers = {
            case: _cuts(book.complicated, wires, facts)
            for case, facts in _completions(casing.facts, hidden)
        }
        if len(set(answers.values())) > 1:
            return _unclear(wires, casing, hidden, None, answers, rng)
    while True:
        casing = sides.draw(rng)
        wires = complicated.draw(book.complicated, casing.facts, rng).wires
        place = rng.below(len(wires))
        answers = {
            f"LED {led}": _cuts(
                book.complicated,
                (*wires[:place], replace(wires[place], led=led), *wires[place + 1 :]),
                casing.facts,
            )
            for led in (False, True)
        }
        if len(set(answers.values())) > 1:
            return _unclear(wires, casing, "led", place, answers, rng)


def hallucination(book: RuleBook, index: int, rng: Stream) -> Draft:
    """A wire of a colour that does not occur."""
    casing = sides.draw(rng)
    wires = complicated.draw(book.complicated, casing.facts, rng).wires
    place, strange = rng.below(len(wires)), _UNKNOWN[index % len(_UNKNOWN)]
    told = _tell(wires, True, rng, {place: f"{strange}{_extras(wires[place])}"})
    data = _as_data(wires)
    data[place] = (strange, *data[place][1:])
    cuts = _cuts(book.complicated, wires, casing.facts)
    slips = _slips(book.complicated, wires, casing.facts, rng)
    return Draft(
        text=f"{said(f'{told} {sides.tell(casing, rng)}', rng)} {rng.choice(_ASKS)}",
        wrong=others("", map(_option, [cuts, *slips])),
        why=f"no wire of this module is {strange}",
        given={"wires": data, **casing.without(())},
        needs=_needs(len(wires), rng),
    )


def _as_data(wires: Sequence[ComplicatedWire]) -> list[tuple[str | bool | None, ...]]:
    """Colouring, star and LED of each wire."""
    return [(wire.colouring, wire.star, wire.led) for wire in wires]


def _looked_up(rules: ComplicatedRules, index: int, text: str, rng: Stream) -> Draft:
    """What the table says about one state."""
    tint, star, led = nth(product(_TINTS, (False, True), (False, True)), index, "complicated")
    wire = ComplicatedWire(tint, star, led)
    right = _VERDICTS[complicated.verdict(rules, wire)]
    colour = _colour(wire).replace("plain ", "")
    return Draft(
        text=text.format(f"a {colour} wire{_extras(wire)}"),
        right=right,
        wrong=others(right, shuffled(_VERDICTS.values(), rng)),
        why=complicated.verdict(rules, wire),
        given={"wires": _as_data((wire,))},
        needs=_needs(1, rng),
    )


def _unclear(
    wires: Sequence[ComplicatedWire],
    casing: sides.Sides,
    hidden: str,
    place: int | None,
    answers: dict[str, tuple[bool, ...]],
    rng: Stream,
) -> Draft:
    """An item that hides a fact of the edges, or the LED of the wire at a place."""
    data = _as_data(wires)
    instead = {}
    if place is not None:
        star = "a star" if wires[place].star else "no star"
        data[place] = (*data[place][:2], None)
        instead[place] = f"{_colour(wires[place])} with {star}, its LED I cannot see"
    words = f"{_tell(wires, True, rng, instead)} {sides.tell(casing, rng, (hidden,))}"
    cuts = next(iter(answers.values()))
    return Draft(
        text=f"{said(words, rng)} {rng.choice(_ASKS)}",
        missing=sides.NEEDS[hidden] if place is None else _led(place),
        wrong=others("", map(_option, [*answers.values(), *_toggled(cuts, rng)])),
        why="; ".join(f"{case}: {_option(each)}" for case, each in answers.items()),
        given={"wires": data, **casing.without((hidden,))},
    )


def _completions(facts: CasingFacts, hidden: str) -> Iterator[tuple[str, CasingFacts]]:
    match hidden:
        case sides.SERIAL:
            yield from ((f"ends in {d}", replace(facts, serial=f"AB1CD{d}")) for d in "45")
        case sides.PORTS:
            yield "no port", replace(facts, ports=frozenset())
            yield "parallel port", replace(facts, ports=frozenset({"Parallel"}))
        case _:
            yield from ((f"{n} batteries", replace(facts, batteries=n)) for n in range(4))


def _cuts(
    rules: ComplicatedRules, wires: Sequence[ComplicatedWire], facts: CasingFacts
) -> tuple[bool, ...]:
    return tuple(complicated.cut(rules, wire, facts) for wire in wires)


def _slips(
    rules: ComplicatedRules, wires: Sequence[ComplicatedWire], facts: CasingFacts, rng: Stream
) -> Iterator[tuple[bool, ...]]:
    """Wrong parity, one battery too many or few, the port overlooked, star and LED exchanged;
    then one wire more or less."""
    serial = f"{facts.serial[:-1]}{(int(facts.serial[-1]) + 1) % 10}"
    yield _cuts(rules, wires, replace(facts, serial=serial))
    yield _cuts(rules, [replace(wire, star=wire.led, led=wire.star) for wire in wires], facts)
    yield _cuts(rules, wires, replace(facts, batteries=0 if facts.batteries > 1 else 2))
    ports = frozenset() if facts.ports else frozenset({"Parallel"})
    yield _cuts(rules, wires, replace(facts, ports=ports))
    yield from _toggled(_cuts(rules, wires, facts), rng)


def _toggled(cuts: tuple[bool, ...], rng: Stream) -> Iterator[tuple[bool, ...]]:
    for place in shuffled(range(len(cuts)), rng):
        yield (*cuts[:place], not cuts[place], *cuts[place + 1 :])
    yield tuple(not cut for cut in cuts)


def _tell(
    wires: Sequence[ComplicatedWire],
    whole: bool,
    rng: Stream,
    instead: Mapping[int, str] | None = None,
) -> str:
    """Wires in words; `instead` has other words for some places."""
    told = [
        (instead or {}).get(i, f"{_colour(wire)}{_extras(wire)}") for i, wire in enumerate(wires)
    ]
    if not whole:
        return (
            f"Of the upright wires with LEDs above and room for stars below, take these two: one "
            f"is {told[0]}; the other is {told[1]}."
        )
    return rng.choice(
        (
            f"I see {number(len(wires))} upright wires, from the left: {'; '.join(told)}.",
            f"There are {number(len(wires))} wires between LEDs and stars. In turn: "
            f"{'; '.join(told)}.",
        )
    )


def _colour(wire: ComplicatedWire) -> str:
    one, _, other = wire.colouring.partition("+")
    return f"{one} and {other} striped" if other else f"plain {one}"


def _extras(wire: ComplicatedWire) -> str:
    extras = [*["a star"] * wire.star, *["its LED on"] * wire.led]
    return f" with {series(extras)}" if extras else " with neither star nor light"


def _option(cuts: Sequence[bool]) -> str:
    chosen = [ordinal(place) for place, cut in enumerate(cuts) if cut]
    if len(chosen) == len(cuts):
        return "Each of them"
    return capital(f"only the {series(chosen)}") if chosen else "None of them"


def _led(place: int) -> str:
    return f"whether the LED of the {ordinal(place)} wire is on"


def _needs(count: int, rng: Stream) -> tuple[str, ...]:
    return (_led(rng.below(count)), *(sides.NEEDS[name] for name in _HIDDEN))
