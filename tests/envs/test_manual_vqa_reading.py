"""What the reading and grounding items say is in the manual, against a reference table."""

import json
from pathlib import Path
from typing import Any

import pytest

from polyathlon.envs.gptnt.bomb.symbols import LOOKS
from polyathlon.envs.gptnt.manual_vqa import bank

REFERENCE = json.loads((Path(__file__).parent / "data" / "bomb_reference.json").read_text())
ORDINAL = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
DO = {"tap": "Press it and let go at once", "hold": "Press it and keep it down"}


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def read(module: str, given: Any, category: str) -> str:
    """The right option of a reading or grounding item, from the reference."""
    table = REFERENCE.get(module)
    match module, category:
        case "Wires", _:
            cut = table["rules"][str(given["count"])][given["rule"]]["cut"]
            if isinstance(cut, dict):
                return f"Cut the last {cut['last_of']} wire"
            return f"Cut the {'last' if cut == 'last' else ORDINAL[int(cut) - 1]} wire"
        case "Button", _:
            return read_button(table, given["asked"], given["place"])
        case "Keypad", "reading":
            return capital(LOOKS[table["columns"][given["column"]][given["row"]]])
        case "Keypad", _:
            column = table["columns"][given["column"]]
            return capital(LOOKS[column[column.index(given["symbol"]) + 1]])
        case "Simon Says", _:
            maps = table["press_for_flash"]["vowel" if given["vowel"] else "no_vowel"]
            return capital(maps[given["strikes"]][given["flash"]])
        case "Who's On First", _:
            if "display" in given:
                slot = table["display_to_position"][given["display"]]
                return f"The {slot.replace('_', ' ')} label"
            return str(table["lists"][given["label"]][given["place"]])
        case "Memory", _:
            row = table["rules"][given["stage"] - 1]["by_display"][str(given["display"])]
            return {
                "position": lambda: f"The {ORDINAL[row['value'] - 1]} place from the left",
                "label": lambda: f"The button with the digit {row['value']}",
                "same_position": lambda: f"The place pressed in stage {row['of_stage']}",
                "same_label": lambda: f"The digit pressed in stage {row['of_stage']}",
            }[row["press"]]()
        case "Maze", _:
            return read_maze(table, tuple(given["marker"]), category)
        case "Complicated Wires", _:
            ((colour, star, led),) = given["wires"]
            (row,) = (
                each
                for each in table["truth_table"]
                if (each["red"], each["blue"], each["star"], each["led"])
                == ("red" in colour, "blue" in colour, star, led)
            )
            return {
                "always": "Cut it in any case",
                "never": "Leave it in any case",
                "last_serial_digit_even": "Cut it if the last digit of the serial number is even",
                "parallel_port_present": "Cut it if there is a Parallel port",
                "at_least_two_batteries": "Cut it if there are at least two batteries",
            }[row["cut"]]
        case "Wire Sequence", _:
            *rest, last = table["cut_if_connected_to"][given["colour"]][given["place"]]
            return f"To {', '.join(rest)}{' or ' * bool(rest)}{last}"
        case _:
            raise AssertionError(module)


def read_button(table: Any, asked: str, place: int) -> str:
    if asked == "strip":
        digits = table["release_digit_by_strip"]
        return f"The digit {digits.get(table['colours'][place], digits['other'])}"
    rule = table["rules"][place]
    if asked == "do":
        return DO[rule["do"]]
    return " & ".join(str(value) for value in rule["when"].values())


def read_maze(table: Any, marker: tuple[int, int], category: str) -> str:
    row, column = marker
    drawn = next(m for m in table["mazes"] if [row + 1, column + 1] in m["markers_row_col"])
    if category == "reading":
        (other,) = (m for m in drawn["markers_row_col"] if m != [row + 1, column + 1])
        return "Row {}, column {}".format(*other)
    y, x = 2 * row + 1, 3 * column
    walls = {
        "above": drawn["sketch"][y - 1][x + 1],
        "below": drawn["sketch"][y + 1][x + 1],
        "on the left": drawn["sketch"][y][x],
        "on the right": drawn["sketch"][y][x + 3],
    }
    *rest, last = (side for side, mark in walls.items() if mark != " ")
    return capital(f"{', '.join(rest)}{' and ' * bool(rest)}{last}")


@pytest.mark.parametrize("category", ["reading", "grounding"])
def test_what_is_read(category: bank.Category) -> None:
    for slot in bank.slots(category):
        item = bank.question(category, slot)
        given: Any = item.given
        right = item.options[item.answer]
        assert item.answer != item.doubt
        match slot.module:
            case "Morse Code" if category == "reading":
                khz = REFERENCE["Morse Code"]["word_to_frequency_khz_offset"][given["word"]]
                asked = {f"3.{khz} MHz", given["word"].capitalize()}
                assert right in asked
                assert (asked - {right}).pop().lower() in item.text.lower()
            case "Morse Code":
                code = REFERENCE["Morse Code"]["alphabet"][given["letter"].upper()]
                told = item.text if right.startswith("The letter") else right
                signals = [w in ("dash", "long", "dah") for w in told.lower().strip("?").split()]
                assert signals[-len(code) :] == [signal == "-" for signal in code]
            case "Passwords":
                listed = {w.capitalize() for w in REFERENCE["Passwords"]["words"]}
                others = {*item.options} - {right, item.options[item.doubt or 0]}
                assert (right in listed) == given["listed"]
                assert all((other in listed) != given["listed"] for other in others)
            case "Button" if given["asked"] == "when":
                for value in read("Button", given, category).split(" & "):
                    words = right.lower().replace("one", "1").replace("two", "2")
                    assert value.lower() in words
            case bank.WIDGETS:
                assert right == f"{given['port']} port"
            case _:
                assert right == read(slot.module, given, category), item
