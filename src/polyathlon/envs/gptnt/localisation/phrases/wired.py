"""Instructions about the modules with wires; wires that are cut are out of the game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polyathlon.envs.gptnt.bomb.modules.base import index_of
from polyathlon.envs.gptnt.bomb.modules.complicated import ComplicatedModule
from polyathlon.envs.gptnt.bomb.modules.sequence import SequenceModule
from polyathlon.envs.gptnt.bomb.modules.wires import WiresModule
from polyathlon.envs.gptnt.bomb.rulebook import complicated, sequence, wires
from polyathlon.envs.gptnt.localisation.phrases.wording import (
    Phrase,
    beside,
    counted,
    fitting,
)


def of_wires(module: WiresModule) -> Iterator[Phrase]:
    """Wires from the top."""
    parts = module.parts()
    noun = _noun(bool(module.cut))
    colours = [module.puzzle.wires[index_of(part)] for part in parts]
    yield from _coloured(noun, parts, colours, wires.COLOURS)
    yield from counted(noun, parts, ("from the top", "from the bottom"), wires.MOST + 1)
    yield Phrase("position", "top", f"the highest {noun}", parts[:1])
    yield Phrase("position", "bottom", f"the lowest {noun}", parts[-1:])
    yield from _middle(noun, parts)
    for place, colour in enumerate(colours):
        if colours.count(colour) == 1:
            name = f"the {colour} {noun}"
            yield from beside(noun, parts, name, place, 1, "right below")
            yield from beside(noun, parts, name, place, -1, "right above")


def of_complicated(module: ComplicatedModule) -> Iterator[Phrase]:
    """Wires from the left with a lamp above and a field below."""
    parts = module.parts()
    noun = _noun(bool(module.cut))
    strands = [module.puzzle.wires[index_of(part)] for part in parts]
    for colouring in complicated.COLOURINGS:
        has = [strand.colouring == colouring for strand in strands]
        yield fitting("colour", "colouring", f"the {noun} {_dyed(colouring)}", parts, has)
    yield from counted(noun, parts, ("from the left", "from the right"), complicated.MOST + 1)
    yield Phrase("position", "left", f"the {noun} furthest to the left", parts[:1])
    yield Phrase("position", "right", f"the {noun} furthest to the right", parts[-1:])
    yield from _middle(noun, parts)
    for text, has in (
        ("above a star", [each.star for each in strands]),
        ("above a blank field", [not each.star for each in strands]),
        ("below a lit lamp", [each.led for each in strands]),
        ("below a dark lamp", [not each.led for each in strands]),
        ("between a lit lamp and a star", [each.led and each.star for each in strands]),
        ("between a dark lamp and a star", [each.star > each.led for each in strands]),
        ("between a lit lamp and a blank field", [each.led > each.star for each in strands]),
    ):
        yield fitting("position", "by its ends", f"the {noun} {text}", parts, has)


def of_sequence(module: SequenceModule) -> Iterator[Phrase]:
    """Wires of the panel in view between two arrows."""
    up, *strands, down = module.parts()
    panel = module.puzzle.panels[module.panel]
    noun = _noun(any(panel_cut == module.panel for panel_cut, _ in module.cut))
    found = [wire for strand in strands if (wire := panel[index_of(strand)])]
    colours = [wire.colour for wire in found]
    yield from _coloured(noun, strands, colours, sequence.COLOURS)
    first = module.panel * sequence.SLOTS + 1
    numbers = [first + index_of(strand) for strand in strands]
    for number in range(first - 1, first + sequence.SLOTS + 1):
        has = [each == number for each in numbers]
        text = f"the {noun} that begins at the number {number}"
        yield fitting("reading", "by its start", text, strands, has)
    for end in sequence.ENDS:
        has = [wire.end == end for wire in found]
        text = f"the {noun} that leads to the letter {end}"
        yield fitting("reading", "by its end", text, strands, has)
    for text, arrow in (("points up", up), ("points down", down)):
        yield Phrase("element", "arrow", f"the arrow key that {text}", (arrow,))
        yield Phrase("element", "arrow", f"the key with an arrow that {text}", (arrow,))
    yield Phrase("position", "edge", "the wide key above the wires", (up,))
    yield Phrase("position", "edge", "the wide key below the wires", (down,))
    yield Phrase("position", "edge", "the key at the lower edge of the module", (down,))
    yield Phrase("position", "edge", "the key at the upper edge of the module", (up,))
    yield Phrase("element", "any arrow", "the arrow key", (up, down))
    yield Phrase("element", "sideways", "the arrow key that points to the left", ())
    yield Phrase("element", "sideways", "the arrow key that points to the right", ())


def _coloured(
    noun: str, parts: Sequence[str], colours: Sequence[str], known: Sequence[str]
) -> Iterator[Phrase]:
    for colour in known:
        has = [each == colour for each in colours]
        text = f"the {noun.replace('wire', f'{colour} wire')}"
        yield fitting("colour", "by colour", text, parts, has)


def _middle(noun: str, parts: Sequence[str]) -> Iterator[Phrase]:
    if len(parts) % 2 and len(parts) > 1:
        half = len(parts) // 2
        text = f"the {noun} that has as many on one side as on the other"
        yield Phrase("position", "middle", text, (parts[half],))


def _noun(some_cut: bool) -> str:
    return "uncut wire" if some_cut else "wire"


def _dyed(colouring: str) -> str:
    first, _, second = colouring.partition("+")
    return f"striped in {first} and {second}" if second else f"that is {first} from end to end"
