"""The manual says what the simulator does: a reader of its text recovers every rule table."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from polyathlon.envs.gptnt.bomb import manual
from polyathlon.envs.gptnt.bomb.manual import complicated, maze
from polyathlon.envs.gptnt.bomb.manual.composer import LEFT, RIGHT
from polyathlon.envs.gptnt.bomb.manual.sheet import (
    BLACK,
    THICK,
    Area,
    Line,
    Page,
    Words,
    text_width,
)
from polyathlon.envs.gptnt.bomb.manual.venn import spots
from polyathlon.envs.gptnt.bomb.modules import knob
from polyathlon.envs.gptnt.bomb.rulebook import book as rules
from polyathlon.envs.gptnt.bomb.rulebook import facts
from polyathlon.envs.gptnt.bomb.rulebook.morse import ALPHABET
from polyathlon.envs.gptnt.bomb.rulebook.variants import book
from polyathlon.envs.gptnt.bomb.symbols import CHARACTERS

SEEDS = range(8)
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}

seeds = pytest.mark.parametrize("seed", SEEDS)


def said(kind: str, seed: int) -> str:
    return "\n".join(page.text for page in manual.module_pages(kind, seed))


def rows(text: str) -> list[list[str]]:
    """The cells of all tables."""
    return [line.split(" | ") for line in text.splitlines() if " | " in line]


def items(text: str) -> list[str]:
    """The entries of all numbered lists."""
    return re.findall(r"^\d+\. (.+)$", text, re.MULTILINE)


def casing_condition(text: str) -> facts.CasingCondition:
    if found := re.fullmatch(r"the last digit of the serial number is (odd|even)", text):
        return facts.SerialIs(found[1])
    if found := re.fullmatch(r"there (?:is|are) more than (\w+) batter(?:y|ies)", text):
        return facts.Batteries(NUMBERS[found[1]])
    if found := re.fullmatch(r"there is a lit indicator ([A-Z]{3})", text):
        return facts.Lit(found[1])
    if found := re.fullmatch(r"there is an? (.+) port", text):
        return facts.HasPort(found[1])
    forms = {"starts with a letter": "letter_first", "has a vowel": "vowel"}
    return facts.SerialIs(forms[text.removeprefix("the serial number ")])


def split_rule(text: str) -> tuple[list[str], str]:
    """Conditions and instruction of a sentence."""
    if found := re.fullmatch(r"Otherwise, (.+)\.", text):
        return [], found[1]
    found = re.fullmatch(r"If (.+), (.+)\.", text)
    assert found, text
    return found[1].split(" and "), found[2]


def wire_condition(text: str) -> rules.WireCondition:
    if found := re.fullmatch(r"the last wire is (\w+)", text):
        return rules.LastWire(found[1])
    if found := re.fullmatch(r"there is (no|exactly one|more than one) (\w+) wire", text):
        counts = {"no": "none", "exactly one": "one", "more than one": "several"}
        return rules.WiresOf(found[2], counts[found[1]])
    return casing_condition(text)


def wire_rule(text: str) -> rules.WireRule:
    conditions, then = split_rule(text)
    found = re.fullmatch(r"cut the (\w+)(?: (\w+))? wire", then)
    assert found, then
    place = "last" if found[1] == "last" else ORDINALS.index(found[1]) + 1
    return rules.WireRule(rules.Cut(place, found[2]), tuple(map(wire_condition, conditions)))


@seeds
def test_wires_are_read_back(seed: int) -> None:
    text = said("wires", seed)
    parts = re.split(r"^(\w+) wires$", text, flags=re.MULTILINE)[1:]
    read = {
        NUMBERS[name.lower()]: tuple(map(wire_rule, items(body)))
        for name, body in zip(parts[::2], parts[1::2], strict=True)
    }
    assert read == book(seed).wires.by_count


def button_condition(text: str) -> rules.ButtonCondition:
    if found := re.fullmatch(r"the button is (\w+)", text):
        return rules.ColourIs(found[1])
    if found := re.fullmatch(r"the button says (\w+)", text):
        return rules.LabelIs(found[1].lower())
    return casing_condition(text)


@seeds
def test_the_button_is_read_back(seed: int) -> None:
    text = said("button", seed)
    read = []
    for item in items(text):
        conditions, then = split_rule(item)
        do = {"tap the button": "tap", "hold the button": "hold"}[then]
        read.append(rules.ButtonRule(do, tuple(map(button_condition, conditions))))
    _, *strips, other = rows(text)
    release = {colour.lower(): int(digit) for colour, digit in strips}
    assert rules.ButtonRules(tuple(read), release, int(other[1])) == book(seed).button


@seeds
def test_the_keypad_is_read_back_and_drawn_in_the_same_order(seed: int) -> None:
    columns = re.findall(r"^Column \d: (.+)$", said("keypad", seed), re.MULTILINE)
    wanted = [[CHARACTERS[name] for name in column] for column in book(seed).keypad.columns]
    assert [column.split(" ") for column in columns] == wanted
    (page,) = manual.module_pages("keypad", seed)
    hidden = [mark for mark in page.marks if isinstance(mark, Words) and mark.ink is None]
    drawn = sorted(hidden[-42:], key=lambda mark: (column_of(mark), mark.y))
    assert [mark.text for mark in drawn] == [symbol for column in wanted for symbol in column]


def column_of(mark: Words) -> int:
    middle = mark.x + text_width(mark.text, mark.size) / 2
    return int((middle - LEFT) * 6 // (RIGHT - LEFT))


@seeds
def test_simon_is_read_back(seed: int) -> None:
    table = rows(said("simon", seed))
    flashes = [cell.lower() for cell in table[0][1:]]
    assert table[4][1:] == table[0][1:]
    maps = [
        dict(zip(flashes, (cell.lower() for cell in row[1:]), strict=True))
        for row in (*table[1:4], *table[5:8])
    ]
    assert rules.SimonRules(tuple(maps[:3]), tuple(maps[3:])) == book(seed).simon


@seeds
def test_words_are_read_back(seed: int) -> None:
    wanted = book(seed).words
    text = said("words", seed)
    read = {
        "" if word == "(nothing at all)" else word: place.lower().replace(" ", "_")
        for place, words in rows(text)[1:]
        for word in words.split(", ")
    }
    assert read == wanted.read
    lists = re.findall(r"^([A-Z'? ]+): (.+)$", text, re.MULTILINE)
    assert {label: tuple(words.split(", ")) for label, words in lists} == wanted.lists


def instruction(text: str) -> rules.Instruction:
    forms: dict[str, Callable[[int], rules.Instruction]] = {
        "place": rules.Position,
        "digit": rules.Label,
        "the place pressed in stage": rules.SamePosition,
        "the digit pressed in stage": rules.SameLabel,
    }
    form, number = text.rsplit(" ", 1)
    return forms[form](int(number))


@seeds
def test_memory_is_read_back(seed: int) -> None:
    head, *stages = rows(said("memory", seed))
    assert head[1:] == [f"Display shows {digit}" for digit in range(1, 5)]
    read = tuple(tuple(map(instruction, row[1:])) for row in stages)
    assert rules.MemoryRules(read) == book(seed).memory


@seeds
def test_mazes_are_read_back_from_text_and_drawing(seed: int) -> None:
    text, mazes = said("maze", seed), book(seed).maze.mazes
    found = re.findall(r"Maze \d \| row (\d), column (\d) \| row (\d), column (\d)", text)
    cells = [tuple(int(number) - 1 for number in row) for row in found]
    assert [((a, b), (c, d)) for a, b, c, d in cells] == [m.markers for m in mazes]
    plates = manual.module_pages("maze", seed)[1]
    for number, wanted in enumerate(mazes, 1):
        assert read_plate(plates, number) == (set(wanted.markers), wanted.right, wanted.below)


def read_plate(page: Page, number: int) -> tuple[set[rules.Cell], tuple[str, ...], tuple[str, ...]]:
    """Markers and walls of the maze below the caption of that number, from the page's lines."""
    lines = [mark for mark in page.marks if isinstance(mark, Line)]
    walls = {frozenset(line.points) for line in lines if line.width == maze.WALL}
    left, top = plate_corner(page, number)

    def wall(*corners: tuple[int, int]) -> str:
        ends = {(round(left + maze.CELL * c, 2), round(top + maze.CELL * r, 2)) for r, c in corners}
        return "1" if ends in walls else "0"

    rings = [np.mean(line.points[1:], axis=0) for line in lines if len(line.points) > 10]
    cells = [(int((y - top) // maze.CELL), int((x - left) // maze.CELL)) for x, y in rings]
    return (
        {(row, column) for row, column in cells if 0 <= row < 6 and 0 <= column < 6},
        tuple("".join(wall((r, c + 1), (r + 1, c + 1)) for c in range(5)) for r in range(6)),
        tuple("".join(wall((r + 1, c), (r + 1, c + 1)) for c in range(6)) for r in range(5)),
    )


def plate_corner(page: Page, number: int) -> tuple[float, float]:
    """The top left corner of the border that is centred below a caption."""
    caption = next(m for m in page.marks if isinstance(m, Words) and m.text == f"Maze {number}")
    middle = caption.x + text_width(caption.text, caption.size, caption.bold) / 2
    return next(
        mark.points[0]
        for mark in page.marks
        if isinstance(mark, Line)
        and len(mark.points) == 5
        and abs(mark.points[0][0] + 3 * maze.CELL - middle) < 1
        and 0 < mark.points[0][1] - caption.y < maze.CELL
    )


@seeds
def test_morse_is_read_back(seed: int) -> None:
    text = said("morse", seed)
    alphabet = re.findall(r"^([A-Z]) ([.-]+)$", text, re.MULTILINE)
    assert {letter.lower(): code for letter, code in alphabet} == ALPHABET
    read = {word: int(mhz[2:5]) for word, mhz in rows(text)[1:]}
    assert read == book(seed).morse.frequencies_khz
    assert all(mhz.startswith("3.") and mhz.endswith(" MHz") for _, mhz in rows(text)[1:])


def test_morse_letters_are_drawn_as_they_are_written() -> None:
    page = manual.module_pages("morse")[0]
    bars = [m for m in page.marks if isinstance(m, Area) and m.ink == BLACK]
    codes = [m for m in page.marks if isinstance(m, Words) and set(m.text) <= {".", "-"}]
    assert len(codes) == 26
    for code in codes:
        row = [
            bar.points
            for bar in bars
            if abs(bar.points[0][1] + 7 - code.y) < 9 and 0 <= bar.points[0][0] - code.x < 200
        ]
        widths = [points[1][0] - points[0][0] for points in sorted(row)]
        assert "".join("-" if width > 10 else "." for width in widths) == code.text


@seeds
def test_complicated_wires_are_read_back(seed: int) -> None:
    table = rows(said("complicated", seed))
    read = {name: tuple(cells) for name, *cells in table[1:5]}
    wanted = book(seed).complicated.verdicts
    assert read == {
        "White only": wanted["white"],
        "Red": wanted["red"],
        "Blue": wanted["blue"],
        "Red and blue": wanted["red+blue"],
    }
    assert table[0][1:] == ["Neither", "Star only", "LED only", "Star and LED"]
    meanings = dict(row for row in table if row[0] in set("CDSPB"))
    conditions = {
        letter: casing_condition(found[1])
        for letter, meaning in meanings.items()
        if (found := re.fullmatch(r"Cut the wire if (.+)\.", meaning))
    }
    assert conditions == {
        "S": facts.SerialIs("even"),
        "P": facts.HasPort("Parallel"),
        "B": facts.Batteries(1),
    }


@seeds
def test_the_diagram_of_complicated_wires_holds_the_table(seed: int) -> None:
    page = manual.module_pages("complicated", seed)[1]
    solid = next(
        m.points
        for m in page.marks
        if isinstance(m, Line) and m.width == THICK and len(m.points) > 40
    )
    red = next(oval for oval in complicated.OVALS if oval.name == "Red")
    centre = np.mean(solid[:-1], axis=0)
    read = {}
    for mark in page.marks:
        if isinstance(mark, Words) and mark.bold and mark.text in set("CDSPB"):
            middle = mark.x + text_width(mark.text, mark.size, bold=True) / 2
            x, y = (np.array((middle, mark.y - 0.365 * mark.size)) - centre) / complicated.SIDE
            point = x + red.x, y + red.y
            read[frozenset(o.name for o in complicated.OVALS if o.depth(point) > 0)] = mark.text
    wanted = book(seed).complicated.verdicts
    tints = {"white": set(), "red": {"Red"}, "blue": {"Blue"}, "red+blue": {"Red", "Blue"}}
    assert read == {
        frozenset(colours | beside): letter
        for tint, colours in tints.items()
        for beside, letter in zip(
            (set(), {"Star"}, {"LED"}, {"Star", "LED"}), wanted[tint], strict=True
        )
    }


def test_all_fifteen_regions_of_the_diagram_are_roomy() -> None:
    found = spots(complicated.OVALS)
    assert len(found) == 15
    for x, y in found.values():
        depths = [abs(oval.depth((x, y))) * oval.y_radius for oval in complicated.OVALS]
        assert min(depths) * complicated.SIDE > 8


@seeds
def test_wire_sequences_are_read_back(seed: int) -> None:
    head, *table = rows(said("sequence", seed))
    colours = [cell.split()[0].lower() for cell in head[1:]]
    assert [row[0].split()[0].lower() for row in table] == list(ORDINALS)
    ends = [["".join(re.findall(r"\b[ABC]\b", cell)) for cell in row[1:]] for row in table]
    assert dict(zip(colours, zip(*ends, strict=True), strict=True)) == book(seed).sequence.cut_at


@seeds
def test_passwords_are_read_back(seed: int) -> None:
    lines = re.findall(r"^(?:[a-z]{5} ?){5}$", said("password", seed), re.MULTILINE)
    read = tuple(word for line in lines for word in line.split())
    assert read == book(seed).password.words


@seeds
def test_the_knob_is_read_back(seed: int) -> None:
    text = said("knob", seed)
    found = re.findall(r"^(Up|Right|Down|Left): ([*.]{6}) / ([*.]{6})$", text, re.MULTILINE)
    read = {tuple(sign == "*" for sign in a + b): place.lower() for place, a, b in found}
    assert read == knob.table(seed)
