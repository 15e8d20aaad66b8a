"""The standard rule book against a reference table evaluated by code of its own."""

import json
import random
from collections.abc import Mapping
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import pytest

from polyathlon.envs.gptnt.bomb.rulebook import (
    button,
    complicated,
    keypad,
    maze,
    memory,
    morse,
    password,
    sequence,
    simon,
    wires,
    words,
)
from polyathlon.envs.gptnt.bomb.rulebook.book import standard
from polyathlon.envs.gptnt.bomb.rulebook.facts import CasingFacts

REFERENCE = json.loads((Path(__file__).parent / "data" / "bomb_reference.json").read_text())
BOOK = standard()


def wires_reference(rules: list[Mapping[str, Any]], colours: str, odd: bool) -> int:
    """Index of the wire to cut; one letter a wire (k black, b blue, r red, w white, y yellow)."""
    letter = {"black": "k", "blue": "b", "red": "r", "white": "w", "yellow": "y"}
    for entry in rules:
        fits = True
        for test in entry["when"]:
            if "count" in test:
                number = colours.count(letter[test["colour"]])
                fits &= number > 1 if test["count"] == ">1" else number == int(test["count"])
            elif "last_wire" in test:
                fits &= colours.endswith(letter[test["last_wire"]])
            else:
                fits &= odd == (test["last_serial_digit"] == "odd")
        if fits:
            target = entry["cut"]
            if isinstance(target, dict):
                return colours.rindex(letter[target["last_of"]])
            return len(colours) - 1 if target == "last" else int(target) - 1
    raise AssertionError("no rule fits")


@pytest.mark.parametrize("count", [3, 4, 5, 6])
def test_all_wire_colourings(count: int) -> None:
    rules = REFERENCE["Wires"]["rules"][str(count)]
    full = {"k": "black", "b": "blue", "r": "red", "w": "white", "y": "yellow"}
    parities = ((False, CasingFacts("AB1CD4")), (True, CasingFacts("XX2TT9")))
    cases = 0
    for letters in product("kbrwy", repeat=count):
        puzzle = wires.Wires(tuple(full[letter] for letter in letters))
        for odd, facts in parities:
            expected = wires_reference(rules, "".join(letters), odd)
            assert wires.wire_to_cut(BOOK.wires, puzzle, facts) == expected, (letters, odd)
            cases += 1
    assert cases == 2 * 5**count


def button_reference(known: Mapping[str, Any], lit: tuple[str, ...]) -> str:
    for entry in REFERENCE["Button"]["rules"]:
        wanted = dict(entry["when"])
        indicator = wanted.pop("lit_indicator", None)
        more_than = wanted.pop("batteries_more_than", -1)
        if (
            wanted.items() <= known.items()
            and known["batteries"] > more_than
            and (indicator is None or indicator in lit)
        ):
            return str(entry["do"])
    raise AssertionError("no rule fits")


def test_all_button_cases() -> None:
    table = REFERENCE["Button"]
    lamps = [lit for size in range(4) for lit in combinations(("CAR", "FRK", "BOB"), size)]
    answers = set()
    for colour, label, batteries, lit in product(
        table["colours"], table["labels"], range(11), lamps
    ):
        facts = CasingFacts("AB1CD4", batteries=batteries, lit=frozenset(lit))
        known = {"colour": colour, "label": label, "batteries": batteries}
        found = button.to_do(BOOK.button, button.Button(colour, label), facts)
        assert found == button_reference(known, lit), (known, lit)
        answers.add(found)
    assert answers == {"tap", "hold"}


def test_release_digits_and_the_countdown() -> None:
    digits = REFERENCE["Button"]["release_digit_by_strip"]
    for strip in button.COLOURS:
        digit = digits.get(strip, digits["other"])
        assert button.release_digit(BOOK.button, strip) == digit
        for countdown in ("04:15", "00:00", "59.41", "11:11", "05:55", "32.98"):
            shown = any(character == str(digit) for character in countdown)
            assert button.may_release(BOOK.button, strip, countdown) == shown


def test_all_keypads() -> None:
    for column in REFERENCE["Keypad"]["columns"]:
        for ordered in combinations(column, 4):
            for shuffled in permutations(ordered):
                keys = keypad.order(BOOK.keypad, keypad.Keypad(shuffled))
                assert tuple(shuffled[key] for key in keys) == ordered


def test_all_simon_answers() -> None:
    for serial, name in (("AB1CD4", "vowel"), ("ZZ1CU4", "vowel"), ("XB1CD4", "no_vowel")):
        for strikes in range(5):
            table = REFERENCE["Simon Says"]["press_for_flash"][name][strikes if strikes < 2 else 2]
            for flash, answer in table.items():
                facts = CasingFacts(serial)
                assert simon.press(BOOK.simon, flash, facts, strikes) == answer


def test_sampled_word_stages() -> None:
    table = REFERENCE["Who's On First"]
    rng = random.Random(1)
    for display in table["display_to_position"]:
        for _ in range(150):
            labels = rng.sample(rng.choice(table["label_groups"]), 6)
            grid = dict(zip(table["button_grid"], labels, strict=True))
            read = grid[table["display_to_position"][display]]
            ranks = {label: table["lists"][read].index(label) for label in labels}
            best = min(ranks, key=ranks.__getitem__)
            stage = words.WordsStage(display, tuple(labels))
            assert grid[words.slot_to_press(BOOK.words, stage)] == best


def memory_reference(displays: list[int], layouts: list[str]) -> list[tuple[int, int]]:
    """Places and digits pressed, for layouts such as "3142"."""
    places: list[int] = []
    for number, (display, layout) in enumerate(zip(displays, layouts, strict=True)):
        row = REFERENCE["Memory"]["rules"][number]["by_display"][str(display)]
        kind = row["press"]
        if kind == "position":
            place = row["value"]
        elif kind == "label":
            place = layout.index(str(row["value"])) + 1
        else:
            before = row["of_stage"] - 1
            place = places[before]
            if kind == "same_label":
                place = layout.index(layouts[before][place - 1]) + 1
        places.append(place)
    return [(place, int(layout[place - 1])) for place, layout in zip(places, layouts, strict=True)]


def test_sampled_memory_games() -> None:
    rng = random.Random(2)
    for _ in range(3000):
        displays = [rng.randint(1, 4) for _ in range(5)]
        layouts = ["".join(rng.sample("1234", 4)) for _ in range(5)]
        history: list[memory.Pressed] = []
        for display, layout in zip(displays, layouts, strict=True):
            stage = memory.MemoryStage(display, tuple(map(int, layout)))
            history.append(memory.press(BOOK.memory, stage, history))
        found = [(pressed.place, pressed.digit) for pressed in history]
        assert found == memory_reference(displays, layouts)


def ways_to(sketch: list[str], goal: tuple[int, int]) -> dict[tuple[int, int], str]:
    """For each cell the first letters of the moves to the goal, flooded back over the drawing."""
    ways = {goal: ""}
    edge = [goal]
    for row, column in edge:  # grows while it is walked
        y, x = 2 * row + 1, 3 * column
        for back, wall, cell in (
            ("d", sketch[y - 1][x + 1], (row - 1, column)),
            ("u", sketch[y + 1][x + 1], (row + 1, column)),
            ("r", sketch[y][x], (row, column - 1)),
            ("l", sketch[y][x + 3], (row, column + 1)),
        ):
            if wall == " " and cell not in ways:
                ways[cell] = back + ways[row, column]
                edge.append(cell)
    return ways


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_all_maze_pairs(every: int) -> None:
    for drawn in REFERENCE["Maze"]["mazes"]:
        one, other = ((row - 1, column - 1) for row, column in drawn["markers_row_col"])
        found = maze.find(BOOK.maze, [other, one])
        for goal in maze.CELLS[::every]:
            ways = ways_to(drawn["sketch"], goal)
            assert len(ways) == 36
            for start, way in ways.items():
                path = maze.path(found, start, goal)
                assert "".join(direction[0] for direction in path) == way


def test_all_morse_words() -> None:
    table = REFERENCE["Morse Code"]
    frequencies = table["word_to_frequency_khz_offset"]
    assert set(BOOK.morse.frequencies_khz) == set(frequencies)
    assert morse.selectable_khz(BOOK.morse) == tuple(sorted(frequencies.values()))
    for word, khz in frequencies.items():
        assert morse.frequency_khz(BOOK.morse, morse.Morse(word)) == khz
        assert " ".join(morse.code(word)) == " ".join(table["alphabet"][c] for c in word.upper())
    assert {k.upper(): v for k, v in morse.ALPHABET.items()} == table["alphabet"]


def test_all_complicated_wires() -> None:
    rows = {
        (row["red"], row["blue"], row["star"], row["led"]): row["cut"]
        for row in REFERENCE["Complicated Wires"]["truth_table"]
    }
    for colouring, star, led, batteries, digit, parallel in product(
        complicated.COLOURINGS, (False, True), (False, True), range(5), range(10), (False, True)
    ):
        reason = rows["red" in colouring, "blue" in colouring, star, led]
        expected = {
            "always": True,
            "never": False,
            "last_serial_digit_even": digit in (0, 2, 4, 6, 8),
            "parallel_port_present": parallel,
            "at_least_two_batteries": batteries >= 2,
        }[reason]
        ports = frozenset(("Parallel", "Serial") if parallel else ("Serial", "PS/2"))
        facts = CasingFacts(f"AB1CD{digit}", batteries=batteries, ports=ports)
        wire = complicated.ComplicatedWire(colouring, star, led)
        assert complicated.cut(BOOK.complicated, wire, facts) == expected, (wire, facts)


def test_sampled_wire_sequences() -> None:
    table = REFERENCE["Wire Sequence"]["cut_if_connected_to"]
    rng = random.Random(3)
    for _ in range(1000):
        bag = [*rng.sample(["red", "blue", "black"] * 9, 10), None, None]
        rng.shuffle(bag)
        slots = [colour and sequence.SequenceWire(colour, rng.choice("ABC")) for colour in bag]
        panels = tuple(tuple(slots[i : i + 3]) for i in (0, 3, 6, 9))
        found = sequence.cuts(BOOK.sequence, sequence.WireSequence(panels))
        assert len(found) == 4
        for index, wire in enumerate(slots):
            expected = False
            if wire:
                earlier = bag[:index].count(wire.colour)
                expected = wire.end in table[wire.colour][earlier]
            assert found[index // 3][index % 3] == expected


def test_all_passwords() -> None:
    known = REFERENCE["Passwords"]["words"]
    assert sorted(BOOK.password.words) == sorted(known)
    rng = random.Random(4)
    several = 0
    for word in known:
        near = sorted(known, key=lambda other: sum(map(str.__ne__, word, other)))[:4]
        columns = tuple("".join(sorted({w[i] for w in near})) for i in range(5))
        columns = tuple(c + "".join(rng.sample("qxjkz", 6 - len(c))) for c in columns)
        made = {"".join(letters) for letters in product(*columns)}
        found = password.spellable(BOOK.password, password.Password(columns))
        assert set(found) == made & set(known)
        assert word in found
        several += len(found) > 1
    assert several > 20
