"""Every item against a reference table evaluated by code of its own.

From what an item's text says, as data, `possible` computes the options that are right in some case
that fits it: exactly one where an item can be answered, several where it is ambiguous, none where
it fits nothing.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from polyathlon.envs.gptnt.bomb.questions import Question
from polyathlon.envs.gptnt.bomb.rulebook.variants import book
from polyathlon.envs.gptnt.manual_vqa import bank

REFERENCE = json.loads((Path(__file__).parent / "data" / "bomb_reference.json").read_text())
ORDINAL = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
KEYS = ("top left", "top right", "bottom left", "bottom right")
TAP, HOLD = "Press it and let go at once", "Press it and keep it down"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def which(flags: list[bool]) -> str:
    chosen = [ORDINAL[i] for i, flag in enumerate(flags) if flag]
    if len(chosen) == len(flags):
        return "Each of them"
    if not chosen:
        return "None of them"
    *rest, last = chosen
    return f"Only the {', '.join(rest) + ' and ' if rest else ''}{last}"


def odd(serial: str) -> bool:
    return serial[-1] in "13579"


def wires(table: Any, item: Question) -> Iterator[str]:
    given: Any = item.given
    if not set(given["wires"]) - {None} <= set(table["colours"]):
        return
    choices = [[colour] if colour else table["colours"] for colour in given["wires"]]
    for colours in product(*choices):
        for serial in [given["serial"]] if "serial" in given else ["A1", "A2"]:
            for rule in table["rules"][str(len(colours))]:
                if all(wire_test(test, colours, serial) for test in rule["when"]):
                    yield f"Cut the {ORDINAL[wire_cut(rule['cut'], colours)]} wire from the top"
                    break


def wire_test(test: Mapping[str, str], colours: tuple[str, ...], serial: str) -> bool:
    if "count" in test:
        number = colours.count(test["colour"])
        return number > 1 if test["count"] == ">1" else number == int(test["count"])
    if "last_wire" in test:
        return colours[-1] == test["last_wire"]
    return odd(serial) == (test["last_serial_digit"] == "odd")


def wire_cut(cut: Any, colours: tuple[str, ...]) -> int:
    if isinstance(cut, dict):
        return len(colours) - 1 - colours[::-1].index(cut["last_of"])
    return len(colours) - 1 if cut == "last" else int(cut) - 1


def button(table: Any, item: Question) -> Iterator[str]:
    given: Any = item.given
    digits = table["release_digit_by_strip"]
    strips = [given["strip"]] if "strip" in given else table["colours"]
    released = [digits.get(strip, digits["other"]) for strip in strips]
    if "label" not in given:
        yield from (f"While the countdown shows a {digit} anywhere" for digit in released)
        return
    for colour, label, batteries, lit in product(
        [given["colour"]] if given["colour"] else table["colours"],
        [given["label"]] if given["label"] else table["labels"],
        [given["batteries"]] if "batteries" in given else range(6),
        [given["indicators"]] if "indicators" in given else ([], ["CAR"], ["FRK"]),
    ):
        if colour not in table["colours"] or label not in table["labels"]:
            return
        for rule in table["rules"]:
            when = rule["when"]
            if (
                when.get("colour", colour) == colour
                and when.get("label", label) == label
                and batteries > when.get("batteries_more_than", -1)
                and when.get("lit_indicator") in (None, *lit)
            ):
                break
        if rule["do"] == "tap":
            yield TAP
        elif "strip" in given:
            yield f"Keep it down and let go while the countdown shows a {released[0]}"
        else:
            yield HOLD


def keypad(table: Any, item: Question) -> Iterator[str]:
    given: Any = item.given
    for column in table["columns"]:
        for symbols in product(*([s] if s else column for s in given["symbols"])):
            if len({*symbols}) == 4 and {*symbols} <= {*column}:
                order = sorted(range(4), key=lambda key: column.index(symbols[key]))
                whole = item.hard or item.category != "procedural"
                keys = [KEYS[key] for key in order]
                yield capital(", ".join(keys)) if whole else f"The {keys[0]} key"


def simon(table: Any, item: Question) -> Iterator[str]:
    given: Any = item.given
    vowels = [any(c in "AEIOU" for c in given["serial"])] if given["serial"] else [True, False]
    for vowel in vowels:
        for strikes in range(3) if given["strikes"] is None else [given["strikes"]]:
            row = table["press_for_flash"]["vowel" if vowel else "no_vowel"][strikes]
            if all(flash in row for flash in given["flashes"]):
                yield capital(", ".join(row[flash] for flash in given["flashes"]))


def words(table: Any, item: Question) -> Iterator[str]:
    given: Any = item.given
    shown = [label for label in given["labels"] if label]
    group = next((g for g in table["label_groups"] if {*shown} <= {*g}), None)
    for display in given.get("sounds") or [given["display"]]:
        if group is None or display not in table["display_to_position"]:
            return
        for hidden in [label for label in group if label not in shown] or [""]:
            labels = [label or hidden for label in given["labels"]]
            slot = table["display_to_position"][display]
            read = labels[table["button_grid"].index(slot)]
            press = next(word for word in table["lists"][read] if word in labels)
            first = item.category == "procedural" and not item.hard
            yield f"The {slot.replace('_', ' ')} label" if first else f"Press {press}"


def memory(table: Any, item: Question) -> Iterator[str]:
    given: Any = item.given
    labels = given["labels"]
    if sorted(labels) != [1, 2, 3, 4]:
        return
    row = table["rules"][len(given["history"])]["by_display"]
    unknown = list(product(range(1, 5), repeat=2))
    for history in product(*([h] if h else unknown for h in given["history"])):
        for display in range(1, 5) if given["display"] is None else [given["display"]]:
            if str(display) not in row:
                return
            rule = row[str(display)]
            place, digit = history[rule["of_stage"] - 1] if "of_stage" in rule else (0, 0)
            if rule["press"] in ("position", "same_position"):
                at = rule.get("value", place)
            else:
                at = labels.index(rule.get("value", digit)) + 1
            by_place = any(option.endswith("button from the left") for option in item.options)
            yield (
                f"The {ORDINAL[at - 1]} button from the left"
                if by_place
                else f"The button that says {labels[at - 1]}"
            )


def maze(table: Any, item: Question) -> Iterator[str]:
    given: Any = item.given
    for drawn in table["mazes"]:
        circles = {(row - 1, column - 1) for row, column in drawn["markers_row_col"]}
        if given["markers"] and {*map(tuple, given["markers"])} != circles:
            continue
        goals = list(product(range(6), repeat=2)) if given["goal"] is None else [given["goal"]]
        for goal in map(tuple, goals):
            if goal != tuple(given["start"]):
                way = ways_to(drawn["sketch"], goal)[tuple(given["start"])]
                whole = item.hard or item.category == "hallucination"
                yield capital(", ".join(way)) if whole else capital(way[0])


def ways_to(sketch: list[str], goal: tuple[int, int]) -> dict[tuple[int, int], tuple[str, ...]]:
    """For each cell the way to the goal, flooded back over the drawing."""
    ways: dict[tuple[int, int], tuple[str, ...]] = {goal: ()}
    edge = [goal]
    for row, column in edge:  # grows while it is walked
        y, x = 2 * row + 1, 3 * column
        for back, wall, cell in (
            ("down", sketch[y - 1][x + 1], (row - 1, column)),
            ("up", sketch[y + 1][x + 1], (row + 1, column)),
            ("right", sketch[y][x], (row, column - 1)),
            ("left", sketch[y][x + 3], (row, column + 1)),
        ):
            if wall == " " and cell not in ways:
                ways[cell] = (back, *ways[row, column])
                edge.append(cell)
    return ways


def morse(table: Any, item: Question) -> Iterator[str]:
    given: Any = item.given
    for word, khz in table["word_to_frequency_khz_offset"].items():
        if "start" in given:
            fits = word.startswith(given["start"])
        elif given["from_start"]:
            fits = word == given["letters"]
        else:
            turns = [given["letters"][i:] + given["letters"][:i] for i in range(len(word))]
            fits = len(word) == len(given["letters"]) and word in turns
        if fits:
            yield f"3.{khz} MHz"


def complicated(table: Any, item: Question) -> Iterator[str]:
    given: Any = item.given
    rows = {(r["red"], r["blue"], r["star"], r["led"]): r["cut"] for r in table["truth_table"]}
    colours = {colour for wire in given["wires"] for colour in wire[0].split("+")}
    if not colours <= {"red", "blue", "white"}:
        return
    for serial, ports, batteries, *leds in product(
        [given["serial"]] if "serial" in given else ["A1", "A2"],
        [given["ports"]] if "ports" in given else ([], ["Parallel"]),
        [given["batteries"]] if "batteries" in given else range(4),
        *([True, False] if led is None else [led] for *_, led in given["wires"]),
    ):
        holds = {
            "always": True,
            "never": False,
            "last_serial_digit_even": not odd(serial),
            "parallel_port_present": "Parallel" in ports,
            "at_least_two_batteries": batteries >= 2,
        }
        yield which(
            [
                holds[rows["red" in colour, "blue" in colour, star, led]]
                for (colour, star, _), led in zip(given["wires"], leds, strict=True)
            ]
        )


def sequence(table: Any, item: Question) -> Iterator[str]:
    given: Any = item.given
    rules = table["cut_if_connected_to"]
    present = [wire for wire in given["panel"] if wire]
    if any(colour not in rules or end not in ("A", "B", "C", None) for colour, end in present):
        return
    befores = (
        [given["before"]]
        if given["before"]
        else [dict(zip(rules, counts, strict=True)) for counts in product(range(6), repeat=3)]
    )
    for before in befores:
        for ends in product(*("ABC" if end is None else end for _, end in present)):
            seen = dict(before)
            flags = []
            for (colour, _), end in zip(present, ends, strict=True):
                flags.append(end in rules[colour][seen[colour]])
                seen[colour] += 1
            named = which(flags)
            yield f"{named} from the top" if named.startswith("Only") else named


def password(table: Any, item: Question) -> Iterator[str]:
    given: Any = item.given
    for word in table["words"]:
        if all(letter in column for letter, column in zip(word, given["columns"], strict=False)):
            yield word.capitalize()


POSSIBLE = {
    "Wires": wires,
    "Button": button,
    "Keypad": keypad,
    "Simon Says": simon,
    "Who's On First": words,
    "Memory": memory,
    "Maze": maze,
    "Morse Code": morse,
    "Complicated Wires": complicated,
    "Wire Sequence": sequence,
    "Passwords": password,
}


def drawn_tables(rule_seed: int) -> dict[str, Any]:
    """The tables of a rule seed in the reference's form, for the modules whose forms are alike."""
    rules, grid = book(rule_seed), REFERENCE["Who's On First"]["button_grid"]
    maps = {"vowel": rules.simon.vowel, "no_vowel": rules.simon.no_vowel}
    return {
        "Keypad": {"columns": rules.keypad.columns},
        "Simon Says": {"press_for_flash": maps},
        "Who's On First": {
            "button_grid": grid,
            "display_to_position": rules.words.read,
            "label_groups": rules.words.groups,
            "lists": rules.words.lists,
        },
        "Morse Code": {"word_to_frequency_khz_offset": rules.morse.frequencies_khz},
        "Wire Sequence": {"cut_if_connected_to": rules.sequence.cut_at},
        "Passwords": {"words": rules.password.words},
    }


def check(item: Question, table: Any) -> None:
    right = set(POSSIBLE[item.module](table, item))
    chosen = item.options[item.answer]
    assert item.doubt is not None
    match item.category:
        case "procedural":
            assert right == {chosen}, item
        case "ambiguity":
            assert len(right) > 1, item
        case _:
            assert not right, item
    assert (item.answer == item.doubt) == (item.category != "procedural")


@pytest.mark.parametrize("category", ["procedural", "ambiguity", "hallucination"])
@pytest.mark.parametrize("module", POSSIBLE)
def test_standard_items(module: str, category: bank.Category) -> None:
    slots = bank.slots(category, module)
    assert len(slots) == bank.ALLOCATION[category][module]
    for slot in slots:
        check(bank.question(category, slot), REFERENCE[module])


def test_no_wrong_way_leads_through_the_maze() -> None:
    checked = 0
    for slot in bank.slots("procedural", "Maze"):
        item = bank.question("procedural", slot)
        given: Any = item.given
        circles = [[row + 1, column + 1] for row, column in given["markers"]]
        drawn = next(m for m in REFERENCE["Maze"]["mazes"] if m["markers_row_col"] == circles)
        steps = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
        for place, option in enumerate(item.options):
            way = option.lower().split(", ")
            if not item.hard or place == item.doubt or not {*way} <= {*steps}:
                continue
            row, column = given["start"]
            free = True
            for down, right in map(steps.__getitem__, way):
                y, x = 2 * row + 1 + down, 3 * column + 1 + (2 * right if right > 0 else right)
                free &= drawn["sketch"][y][x] == " "
                if not free:
                    break
                row, column = row + down, column + right
            leads = free and (row, column) == tuple(given["goal"])
            assert leads == (place == item.answer), (item, option)
            checked += 1
    assert checked > 60


@pytest.mark.parametrize("rule_seed", [1, 2, 20_011])
def test_items_of_drawn_rules(rule_seed: int) -> None:
    for module, table in drawn_tables(rule_seed).items():
        for category in ("procedural", "ambiguity", "hallucination"):
            for slot in bank.slots(category, module):
                check(bank.question(category, slot, rule_seed), table)
