"""Questions about the modules with wires."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polyathlon.envs.gptnt.bomb.modules.complicated import ComplicatedModule
from polyathlon.envs.gptnt.bomb.modules.sequence import SequenceModule
from polyathlon.envs.gptnt.bomb.modules.wires import WiresModule
from polyathlon.envs.gptnt.bomb.rulebook import complicated, sequence, wires
from polyathlon.envs.gptnt.simulator_vqa.asks.wording import (
    Ask,
    count,
    ordinal,
    others,
    where,
)


def about_wires(module: WiresModule) -> Iterator[Ask]:
    """Wires from the top; a cut one still shows its two ends."""
    colours = module.puzzle.wires
    whole = module.parts()
    for place in range(wires.MOST):
        yield Ask(
            kind="colour by place",
            texts=(
                f"Counted from the top, what colour is the {ordinal(place)} wire?",
                f"Go down the wires from the top: which colour is number {place + 1}?",
            ),
            fits=colours[place : place + 1],
            options=others(colours, wires.COLOURS),
            about=("colour", "hallucination"),
            parts=_whole(whole, [place]),
        )
    yield Ask(
        kind="colour of the last",
        texts=("What colour is the lowest wire?", "Which colour is the wire at the very bottom?"),
        fits=colours[-1:],
        options=others(colours, wires.COLOURS),
        about=("colour",),
        parts=_whole(whole, [len(colours) - 1]),
    )
    yield Ask(
        kind="colour of the cut one",
        texts=("What colour is the wire that has been cut?",),
        fits=tuple(colours[place] for place in module.cut),
        options=others(colours, wires.COLOURS),
        about=("colour", "hallucination"),
    )
    yield from _coloured_wires(colours, whole)
    yield count(
        "wires",
        (
            "How many wires does the module have, cut ones included?",
            "Count all wires, whole or cut. How many are there?",
        ),
        len(colours),
        7,
        _whole(whole, range(len(colours))),
    )
    yield count(
        "shades",
        (
            "How many different colours do the wires have?",
            "Into how many colours can the wires be sorted?",
        ),
        len(set(colours)),
        5,
    )
    if module.cut:
        yield count("whole wires", ("How many wires are still whole?",), len(whole), 6, whole)


def _coloured_wires(colours: Sequence[str], whole: tuple[str, ...]) -> Iterator[Ask]:
    for colour in wires.COLOURS:
        places = where(colours, colour)
        parts = _whole(whole, places)
        yield Ask(
            kind="place by colour",
            texts=(
                f"Counted from the top, which wire is the {colour} one?",
                f"What is the number of the {colour} wire, if the top one is number 1?",
            ),
            fits=tuple(f"the {ordinal(place)}" for place in places),
            options=tuple(f"the {ordinal(place)}" for place in range(len(colours))),
            about=("ambiguity", "hallucination"),
            parts=parts,
        )
        if places:
            yield count(
                f"wires by colour {colour}",
                (
                    f"How many of the wires, cut or not, are {colour}?",
                    f"How many {colour} wires does the module have?",
                ),
                len(places),
                6,
                parts,
            )
        beside = {colours[p + d] for p in places for d in (-1, 1) if 0 <= p + d < len(colours)}
        if len(places) == 1:
            yield Ask(
                kind="neighbour",
                texts=(
                    f"What colour is the wire right beside the {colour} one?",
                    f"Which colour is the neighbour of the {colour} wire?",
                ),
                fits=tuple(sorted(beside)),
                options=others(colours, wires.COLOURS),
                about=("colour", "ambiguity"),
                parts=parts,
            )


def about_complicated(module: ComplicatedModule) -> Iterator[Ask]:
    """Wires from the left with a lamp above and a field below."""
    strands = module.puzzle.wires
    names = tuple(_name(wire.colouring) for wire in strands)
    known = tuple(map(_name, complicated.COLOURINGS))
    whole = module.parts()
    places = tuple(f"the {ordinal(place)}" for place in range(len(strands)))
    for place in range(complicated.MOST):
        yield Ask(
            kind="colour by place",
            texts=(
                f"What colour or colours does the {ordinal(place)} wire from the left have?",
                f"Counted from the left, how is wire number {place + 1} coloured?",
            ),
            fits=names[place : place + 1],
            options=others(names, known),
            about=("colour", "hallucination"),
            parts=_whole(whole, [place]),
        )
    traits = {
        "stands over a star": [wire.star for wire in strands],
        "hangs under a lit lamp": [wire.led for wire in strands],
        "stands over a star and hangs under a lit lamp": [w.star and w.led for w in strands],
        "has two colours": ["+" in wire.colouring for wire in strands],
        "shows any red": ["red" in wire.colouring for wire in strands],
        "shows any blue": ["blue" in wire.colouring for wire in strands],
        **{f"is {_dyed(name)}": [each == name for each in names] for name in known},
    }
    for trait, has in traits.items():
        found = where(has, True)
        parts = _whole(whole, found)
        yield Ask(
            kind=f"place of: {trait.partition(' ')[0]}",
            texts=(
                f"Counted from the left, which wire {trait}?",
                f"The wire that {trait}: which one is it, counted from the left?",
            ),
            fits=tuple(places[place] for place in found),
            options=places,
            about=("ambiguity", "hallucination"),
            parts=parts,
        )
    counted = {
        "wires are there in all, cut or not": [True] * len(strands),
        "of the small fields at the bottom carry a star": traits["stands over a star"],
        "of the small fields at the bottom are blank": [not wire.star for wire in strands],
        "of the lamps at the top are lit": traits["hangs under a lit lamp"],
        "of the lamps at the top are dark": [not wire.led for wire in strands],
        "of the wires have two colours": traits["has two colours"],
        "of the wires show any red": traits["shows any red"],
        "of the wires show any blue": traits["shows any blue"],
        "of the wires have a star below and a lit lamp above": traits[
            "stands over a star and hangs under a lit lamp"
        ],
    }
    for trait, has in counted.items():
        if any(has):
            yield count(trait, (f"How many {trait}?",), sum(has), complicated.MOST + 1)


def about_sequence(module: SequenceModule) -> Iterator[Ask]:
    """Wires of the panel in view from numbers on the left to letters on the right."""
    panel = module.puzzle.panels[module.panel]
    first = module.panel * sequence.SLOTS + 1
    starts = range(first, first + sequence.SLOTS)
    whole = [
        slot for slot, wire in enumerate(panel) if wire and f"wire{slot + 1}" in module.parts()
    ]
    found = [wire for wire in panel if wire]
    for slot, start in enumerate(starts):
        wire = panel[slot]
        parts = (f"wire{slot + 1}",) if slot in whole else ()
        if wire is None or slot in whole:
            yield Ask(
                kind="end by start",
                texts=(
                    f"To which letter does the wire from number {start} lead?",
                    f"Follow the wire that begins at {start}. At which letter does it end?",
                ),
                fits=(_end(wire.end),) if wire else (),
                options=tuple(map(_end, sequence.ENDS)),
                about=("reading", "hallucination"),
                parts=parts,
            )
            yield Ask(
                kind="colour by start",
                texts=(
                    f"What colour is the wire that begins at number {start}?",
                    f"Number {start} on the left: what colour is the wire there?",
                ),
                fits=(wire.colour,) if wire else (),
                options=(*sequence.COLOURS, "yellow", "white"),
                about=("colour", "hallucination"),
                parts=parts,
            )
    for colour in sequence.COLOURS:
        slots = [slot for slot, wire in enumerate(panel) if wire and wire.colour == colour]
        yield _start_of(f"the {colour} wire", slots, starts, whole)
        if slots:
            by_colour = (
                f"How many {colour} wires are on this panel, cut or not?",
                f"Of the wires in view, how many are {colour}?",
            )
            yield count("wires by colour", by_colour, len(slots), 4)
    for end in sequence.ENDS:
        slots = [slot for slot, wire in enumerate(panel) if wire and wire.end == end]
        yield _start_of(f"the wire to the letter {end}", slots, starts, whole)
        if slots:
            by_end = (
                f"How many wires, cut or not, lead to the letter {end}?",
                f"At the letter {end}, how many wires arrive?",
            )
            yield count("wires by end", by_end, len(slots), 4)
    if found:
        shades = len({wire.colour for wire in found})
        yield count("wires", ("How many wires, cut or not, does this panel have?",), len(found), 4)
        yield count("shades", ("How many different colours do the wires in view have?",), shades, 4)
    if module.done:
        texts = ("How many of the small lamps at the right edge of the module are lit?",)
        yield count("stages", texts, module.done, 5)


def _start_of(name: str, slots: Sequence[int], starts: range, whole: Sequence[int]) -> Ask:
    return Ask(
        kind=f"start of {name.partition(' to ')[0]}",
        texts=(f"At which number does {name} begin?", f"Where on the left does {name} start?"),
        fits=tuple(f"number {starts[slot]}" for slot in slots),
        options=tuple(f"number {start}" for start in starts),
        about=("ambiguity", "hallucination"),
        parts=tuple(f"wire{slot + 1}" for slot in slots if slot in whole),
    )


def _whole(parts: tuple[str, ...], places: Sequence[int]) -> tuple[str, ...]:
    """The wires at these places that are not cut, for of the others only ends are left."""
    return tuple(name for place in places if (name := f"wire{place + 1}") in parts)


def _name(colouring: str) -> str:
    """`red and white` for `red+white`."""
    return " and ".join(colouring.split("+"))


def _dyed(name: str) -> str:
    return f"striped in {name}" if " and " in name else f"{name} from end to end"


def _end(letter: str) -> str:
    return f"the letter {letter}"
