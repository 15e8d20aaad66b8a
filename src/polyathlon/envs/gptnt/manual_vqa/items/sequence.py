"""Items about Wire Sequence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import TypeAlias

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.manual.wording import capital
from polyathlon.envs.gptnt.bomb.rulebook import sequence
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook, SequenceColour, SequenceRules
from polyathlon.envs.gptnt.bomb.rulebook.sequence import SequenceWire
from polyathlon.envs.gptnt.manual_vqa.items.wording import (
    Draft,
    nth,
    number,
    ordinal,
    others,
    said,
    series,
    shuffled,
)

Panel: TypeAlias = tuple[SequenceWire | None, ...]

_ASKS = (
    "Which wires of this panel are cut? Empty slots do not count.",
    "Not counting empty slots, which wires are cut on the panel in view?",
)
_COUNTS = "how many wires of each colour came before"
_UNKNOWN_COLOURS = ("yellow", "green", "white")
_UNKNOWN_ENDS = ("D", "E", "F")
_MOST_BEFORE = 6


def reading(book: RuleBook, index: int, rng: Stream) -> Draft:
    entries = product(sequence.COLOURS, range(sequence.MOST_OF_COLOUR))
    colour, place = nth(entries, index, "sequence")
    right = _ends(book.sequence.cut_at[colour][place])
    sets = [ends for size in (1, 2, 3, 0) for ends in combinations(sequence.ENDS, size)]
    near = book.sequence.cut_at[colour][max(0, place - 1) : place + 2]
    return Draft(
        text=f"To which ends must the {ordinal(place)} {colour} wire lead to be cut?",
        right=right,
        wrong=others(right, map(_ends, [*near, *shuffled(sets, rng)])),
        why="read",
        given={"colour": colour, "place": place},
        needs=_needs(rng),
    )


def procedural(book: RuleBook, index: int, rng: Stream) -> Draft:
    """A panel with the counts before it, or with all panels before it (hard)."""
    hard = index % 2 == 1
    puzzle, at = _draw(rng, at_least=2 if hard else 0)
    before = _counts(puzzle.panels[:at])
    panel = puzzle.panels[at]
    cuts = _cuts(book.sequence, panel, before)
    if hard:
        past = " ".join(_panel(n, each) for n, each in enumerate(puzzle.panels[:at], 1))
    else:
        past = _past(before)
    given: dict[str, JSON] = {"panel": _as_data(panel), "before": _before(before)}
    return Draft(
        text=f"{said(f'{past} {_present(at, panel, rng)}', rng)} {rng.choice(_ASKS)}",
        right=_option(panel, cuts),
        wrong=others(
            _option(panel, cuts),
            (_option(panel, each) for each in _slips(book.sequence, panel, before, cuts, rng)),
        ),
        why=f"{_past(before)} {_option(panel, cuts)}",
        given=given,
        needs=_needs(rng),
        hard=hard,
    )


def ambiguity(book: RuleBook, index: int, rng: Stream) -> Draft:
    """The earlier panels are not told, or where a wire leads."""
    counts_hidden = index % 2 == 0
    while True:
        puzzle, at = _draw(rng, at_least=1)
        panel, before = puzzle.panels[at], _counts(puzzle.panels[:at])
        place = rng.choice([i for i, wire in enumerate(panel) if wire])
        if counts_hidden:
            answers = {
                _past(counts): _cuts(book.sequence, panel, counts)
                for counts in _possible_counts(panel)
            }
        else:
            answers = {
                end: _cuts(book.sequence, _leading(panel, place, end), before)
                for end in sequence.ENDS
            }
        if len(set(answers.values())) > 1:
            break
    data = _as_data(panel)
    if counts_hidden:
        past = "I did not keep count of the wires on the panels before this one."
        present, missing = _present(at, panel, rng), _COUNTS
    else:
        past, missing = _past(before), _end_of(place)
        present = _present(at, panel, rng, hidden=place)
        data[place] = (data[place] or ("",))[0], None
    first = next(iter(answers.values()))
    slips = _slips(book.sequence, panel, before, first, rng)
    return Draft(
        text=f"{said(f'{past} {present}', rng)} {rng.choice(_ASKS)}",
        missing=missing,
        wrong=others("", (_option(panel, each) for each in (*answers.values(), *slips))),
        why="; ".join(f"{case}: {_option(panel, each)}" for case, each in answers.items()),
        given={"panel": data, "before": None if counts_hidden else _before(before)},
    )


def hallucination(book: RuleBook, index: int, rng: Stream) -> Draft:
    """A colour or an end that does not occur."""
    puzzle, at = _draw(rng, at_least=0)
    panel, before = puzzle.panels[at], _counts(puzzle.panels[:at])
    place = rng.choice([i for i, wire in enumerate(panel) if wire])
    data = _as_data(panel)
    colour, end = data[place] or ("", "")
    if index % 2:
        end = strange = _UNKNOWN_ENDS[index // 2 % len(_UNKNOWN_ENDS)]
    else:
        colour = strange = _UNKNOWN_COLOURS[index // 2 % len(_UNKNOWN_COLOURS)]
    data[place] = colour, end
    cuts = _cuts(book.sequence, panel, before)
    slips = _slips(book.sequence, panel, before, cuts, rng)
    present = _present(at, panel, rng, instead={place: f"a {colour} wire to {end}"})
    return Draft(
        text=f"{said(f'{_past(before)} {present}', rng)} {rng.choice(_ASKS)}",
        wrong=others("", (_option(panel, each) for each in (cuts, *slips))),
        why=f"there is no {strange}",
        given={"panel": data, "before": _before(before)},
        needs=_needs(rng),
    )


def _draw(rng: Stream, at_least: int) -> tuple[sequence.WireSequence, int]:
    """A sequence and the index of a panel with two or three wires."""
    while True:
        puzzle = sequence.draw(rng)
        at = at_least + rng.below(sequence.PANELS - at_least)
        if sum(wire is not None for wire in puzzle.panels[at]) > 1:
            return puzzle, at


def _counts(panels: Sequence[Panel]) -> dict[SequenceColour, int]:
    counts = Counter(wire.colour for panel in panels for wire in panel if wire)
    return {colour: counts[colour] for colour in sequence.COLOURS}


def _possible_counts(panel: Panel) -> Iterator[dict[SequenceColour, int]]:
    """What may have come before, as far as this panel's colours go."""
    present = {wire.colour for wire in panel if wire}
    ranges = [range(_MOST_BEFORE + 1) if c in present else (0,) for c in sequence.COLOURS]
    for counts in product(*ranges):
        if sum(counts) <= _MOST_BEFORE:
            yield dict(zip(sequence.COLOURS, counts, strict=True))


def _cuts(
    rules: SequenceRules, panel: Panel, before: Mapping[SequenceColour, int]
) -> tuple[bool, ...]:
    """For each slot whether its wire is cut; counting stops where the tables end."""
    seen = Counter(before)
    cuts = []
    for wire in panel:
        cut = False
        if wire is not None:
            row = rules.cut_at[wire.colour]
            cut = wire.end in row[min(seen[wire.colour], len(row) - 1)]
            seen[wire.colour] += 1
        cuts.append(cut)
    return tuple(cuts)


def _slips(
    rules: SequenceRules,
    panel: Panel,
    before: Mapping[SequenceColour, int],
    cuts: tuple[bool, ...],
    rng: Stream,
) -> Iterator[tuple[bool, ...]]:
    """Counts one too low or too high, or begun anew on the panel; then any other choice."""
    for change in (-1, 1):
        yield _cuts(rules, panel, {c: max(0, count + change) for c, count in before.items()})
    yield _cuts(rules, panel, {})
    choices = product(*((False, True) if wire else (False,) for wire in panel))
    yield from (each for each in shuffled(choices, rng) if each != cuts)


def _leading(panel: Panel, place: int, end: sequence.End) -> Panel:
    wire = panel[place]
    other = SequenceWire(wire.colour, end) if wire else None
    return (*panel[:place], other, *panel[place + 1 :])


def _as_data(panel: Panel) -> list[tuple[str, str | None] | None]:
    return [(wire.colour, wire.end) if wire else None for wire in panel]


def _before(counts: Mapping[SequenceColour, int]) -> dict[str, int]:
    return {str(colour): count for colour, count in counts.items()}


def _past(before: Mapping[SequenceColour, int]) -> str:
    if not any(before.values()):
        return "No wires so far."
    counts = [f"{number(n)} {colour}" for colour, n in before.items()]
    return f"On the panels so far: {series(counts)}."


def _panel(n: int, panel: Panel) -> str:
    return f"Panel {n}: {', '.join(_slots(panel))}."


def _present(
    at: int,
    panel: Panel,
    rng: Stream,
    hidden: int | None = None,
    instead: Mapping[int, str] | None = None,
) -> str:
    """The panel in view in words; a `hidden` slot's end is not told."""
    slots = _slots(panel)
    for place, words in (instead or {}).items():
        slots[place] = words
    if hidden is not None:
        slots[hidden] = f"{slots[hidden].rpartition(' ')[0]} a letter I cannot see"
    told = ", ".join(slots)
    return rng.choice(
        (
            f"Now panel {at + 1} from the top: {told}.",
            f"In view is panel {at + 1}. Going down: {told}.",
        )
    )


def _slots(panel: Panel) -> list[str]:
    return [f"a {wire.colour} wire to {wire.end}" if wire else "an empty slot" for wire in panel]


def _option(panel: Panel, cuts: Sequence[bool]) -> str:
    """The wires to cut, counted from the top without empty slots, as the question says."""
    present = [cut for wire, cut in zip(panel, cuts, strict=True) if wire]
    chosen = [ordinal(place) for place, cut in enumerate(present) if cut]
    if len(chosen) == len(present):
        return "Each of them"
    return capital(f"only the {series(chosen)} from the top") if chosen else "None of them"


def _ends(ends: Sequence[str]) -> str:
    return f"To {series(ends, 'or')}" if ends else "It is never cut"


def _end_of(place: int) -> str:
    return f"where the wire in the {ordinal(place)} slot leads"


def _needs(rng: Stream) -> tuple[str, ...]:
    return (_COUNTS, _end_of(rng.below(sequence.SLOTS)))
