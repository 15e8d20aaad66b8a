"""Every picture question against the exported state, read by code of its own.

From a question's words and the state of the bomb as JSON, a reference finds all answers that fit:
exactly one where an item can be answered, several where it is ambiguous, none where nothing fits.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest

from polyathlon.envs.gptnt.bomb.export import export
from polyathlon.envs.gptnt.bomb.symbols import LOOKS
from polyathlon.envs.gptnt.simulator_vqa import bank

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
CORNERS = ("top left", "top right", "bottom left", "bottom right")
ROWS = ("top left", "top right", "middle left", "middle right", "bottom left", "bottom right")
ARROWS = {"top": "blue", "left": "red", "right": "yellow", "bottom": "green"}
TOUCHING = {"blue": "ry", "green": "ry", "red": "bg", "yellow": "bg"}
Found = list[Any]
Rule = tuple[str, Callable[..., Found]]


def number(words: str) -> int:
    """`third` or `3` as 3."""
    return ORDINALS.index(words) + 1 if words in ORDINALS else int(words)


def nth(items: list[Any], words: str) -> Found:
    return items[number(words) - 1 :][:1]


def spots(items: list[Any], wanted: Any) -> list[int]:
    return [i for i, item in enumerate(items) if item == wanted]


def beside(items: list[Any], wanted: Any) -> Found:
    (spot,) = spots(items, wanted)
    return [items[i] for i in (spot - 1, spot + 1) if 0 <= i < len(items)]


def the(places: list[int]) -> Found:
    return [f"the {ORDINALS[place]}" for place in places]


def wires(config: Any, runtime: Any, bomb: Any) -> list[Rule]:
    colours = [wire["colour"] for wire in config["wires"]]
    return [
        (
            r"what colour is the (\w+) wire\?|which colour is number (\d)",
            lambda n: nth(colours, n),
        ),
        (r"lowest wire|very bottom", lambda: colours[-1:]),
        (r"that has been cut", lambda: [colours[n - 1] for n in runtime["cut"]]),
        (r"which wire is the (\w+) one|number of the (\w+) wire", lambda c: the(spots(colours, c))),
        (r"cut or not, are (\w+)|How many (\w+) wires does", lambda c: [colours.count(c)]),
        (r"right beside the (\w+) one|neighbour of the (\w+)", lambda c: beside(colours, c)),
        (r"does the module have|Count all wires", lambda: [len(colours)]),
        (r"different colours|can the wires be sorted", lambda: [len(set(colours))]),
        (r"still whole", lambda: [len(colours) - len(runtime["cut"])]),
    ]


def complicated(config: Any, runtime: Any, bomb: Any) -> list[Rule]:
    rows = config["wires"]
    dyes = [[c for c in ("red", "blue", "white") if row[c]] for row in rows]
    names = [" and ".join(dye) for dye in dyes]

    def has(trait: str) -> list[int]:
        tests: dict[str, Callable[[int], bool]] = {
            "star below and a lit lamp": lambda i: rows[i]["star"] and rows[i]["led"],
            "star and hangs": lambda i: rows[i]["star"] and rows[i]["led"],
            "a star": lambda i: rows[i]["star"],
            "are blank": lambda i: not rows[i]["star"],
            "lamps at the top are dark": lambda i: not rows[i]["led"],
            "a lit lamp": lambda i: rows[i]["led"],
            "lamps at the top are lit": lambda i: rows[i]["led"],
            "two colours": lambda i: len(dyes[i]) == 2,
            "any red": lambda i: "red" in dyes[i],
            "any blue": lambda i: "blue" in dyes[i],
            "there in all": lambda i: True,
        }
        for words, test in tests.items():
            if words in trait:
                return [i for i in range(len(rows)) if test(i)]
        name = re.sub(r"is (striped in )?|( from end to end)", "", trait)
        return spots(names, name)

    return [
        (r"does the (\w+) wire from the left|wire number (\d) coloured", lambda n: nth(names, n)),
        (r"which wire (.+)\?|The wire that (.+): which", lambda t: the(has(t))),
        (r"How many (.+)\?", lambda t: [len(has(t))]),
    ]


def sequence(config: Any, runtime: Any, bomb: Any) -> list[Rule]:
    first = 3 * (runtime["panel"] - 1)
    panel = {first + i + 1: w for i, w in enumerate(config["slots"][first : first + 3]) if w}

    def starts(key: str, value: str) -> Found:
        return [f"number {n}" for n, wire in panel.items() if wire[key] == value]

    def of(start: str, key: str) -> Found:
        return [panel[int(start)][key]] if int(start) in panel else []

    return [
        (
            r"does the wire from number (\d+) lead|begins at (\d+)\. At",
            lambda n: [f"the letter {end}" for end in of(n, "to")],
        ),
        (r"begins at number (\d+)\?|Number (\d+) on the left", lambda n: of(n, "colour")),
        (r"does the wire to the letter (\w)", lambda end: starts("to", end)),
        (r"does the (\w+) wire (?:begin|start)", lambda c: starts("colour", c)),
        (r"lead to the letter (\w)|At the letter (\w)", lambda end: [len(starts("to", end))]),
        (r"How many different", lambda: [len({wire["colour"] for wire in panel.values()})]),
        (r"How many wires, cut or not, does", lambda: [len(panel)]),
        (r"many (\w+) wires are|how many are (\w+)", lambda c: [len(starts("colour", c))]),
        (r"small lamps", lambda: [runtime["panels_done"]]),
    ]


def button(config: Any, runtime: Any, bomb: Any) -> list[Rule]:
    label = [f"“{config['label'].upper()}”"]
    return [
        (r"small button|second button", list),
        (r"stands on the (\w+) button", lambda c: label if c == config["colour"] else []),
        (r"Which word|What is written|Read the label", lambda: label),
        (r"strip", lambda: [runtime["strip_colour"]] if runtime["held"] else []),
        (r"colour is the button|the round cap", lambda: [config["colour"]]),
    ]


def keypad(config: Any, runtime: Any, bomb: Any) -> list[Rule]:
    keys, pressed = range(1, 5), runtime["pressed"]
    lamps = {
        "shines green": pressed,
        "dark lamp": [key for key in keys if key not in pressed],
        "shines red": [],
        "shines blue": [],
    }

    def lit(trait: str) -> list[int]:
        return next(found for words, found in lamps.items() if words in trait)

    names = {looks: name for name, looks in LOOKS.items()}
    return [
        (r"carries a symbol|has a lamp\?", lambda: list(CORNERS)),
        (
            r"whose symbol is (.+)\?",
            lambda looks: [CORNERS[i] for i in spots(config["symbols"], names[looks])],
        ),
        (r"How many of the keys have (.+)\?", lambda trait: [len(lit(trait))]),
        (r"with (.+)\?|keys has (.+)\?", lambda t: [CORNERS[key - 1] for key in lit(t)]),
    ]


def simon(config: Any, runtime: Any, bomb: Any) -> list[Rule]:
    lit = [runtime["lamp"]] if runtime["lamp"] else []
    dark = [colour for colour in ARROWS.values() if colour not in lit]
    return [
        (r"keys are dark", lambda: [len(dark)]),
        (r"keys are lit", lambda: [len(lit)]),
        (r"key that is lit|flashing", lambda: lit),
        (r"that is dark|unlit", lambda: dark),
        (r"colour is the (\w+) key", lambda side: [ARROWS[side]]),
        (
            r"touches the (\w+)|next to the (\w+)",
            lambda c: [other for other in ARROWS.values() if other[0] in TOUCHING[c]],
        ),
        (r"(?:is|does) the (\w+) key", lambda c: [c for known in ARROWS.values() if c == known]),
    ]


def words(config: Any, runtime: Any, bomb: Any) -> list[Rule]:
    labels, display = runtime["current"]["labels"], runtime["current"]["display"]
    at = dict(zip(ROWS, labels, strict=True))
    return [
        (r"display", lambda: [f"“{display}”"] if display else []),
        (r"many letters .* the ([\w ]+) key", lambda p: [sum(map(str.isalpha, at[p]))]),
        (r"how many keys .* begins with (\w)", lambda c: [sum(w[0] == c for w in labels)]),
        (r"how many keys .* the letter (\w)", lambda c: [sum(c in w for w in labels)]),
        (r"begins with (\w)", lambda c: [place for place, word in at.items() if word[0] == c]),
        (r"the letter (\w)", lambda c: [place for place, word in at.items() if c in word]),
        (r"says “(.+)”", lambda w: [place for place, word in at.items() if word == w]),
        (r"is on the ([\w ]+) key|key at the ([\w ]+):", lambda place: [f"“{at[place]}”"]),
        (r"small lamps", lambda: [runtime["stage"] - 1]),
    ]


def memory(config: Any, runtime: Any, bomb: Any) -> list[Rule]:
    digits, display = runtime["current"]["labels"], runtime["current"]["display"]

    def kind(trait: str) -> list[int]:
        tests: dict[str, Callable[[int], bool]] = {
            "even": lambda d: d in (2, 4),
            "odd": lambda d: d in (1, 3),
            "greater": lambda d: d > display,
            "less": lambda d: d < display,
        }
        return [i for i, d in enumerate(digits) if tests[trait](d)]

    def place(found: list[int]) -> Found:
        return [f"{each} from the left" for each in the(found)]

    return [
        (r"How many keys carry an? .*(greater|less)", lambda t: [len(kind(t))]),
        (r"carries an? .*(even|odd|greater|less)", lambda t: place(kind(t))),
        (r"display", lambda: [f"“{display}”"]),
        (r"to the left of .* (\d)\?", lambda d: [digits.index(int(d))]),
        (r"to the right of .* (\d)\?", lambda d: [3 - digits.index(int(d))]),
        (r"the digit (\d)|with a (\d)", lambda d: place(spots(digits, int(d)))),
        (
            r"beside the (\d)|neighbour of the key with the (\d)",
            lambda d: [f"“{each}”" for each in beside(digits, int(d))],
        ),
        (
            r"on the (\w+) key|number (\d)",
            lambda n: [f"“{each}”" for each in nth(digits, n)],
        ),
        (r"small lamps", lambda: [runtime["stage"] - 1]),
    ]


def maze(config: Any, runtime: Any, bomb: Any) -> list[Rule]:
    at = {"white light": runtime["position"], "red triangle": config["goal"]}
    rings = config["markers"]
    axes = {"row": 0, "column": 1}
    apart = [abs(a - b) for a, b in zip(*at.values(), strict=True)]
    halves = {"upper": (0, 3, 0), "lower": (3, 6, 0), "left": (0, 3, 1), "right": (3, 6, 1)}

    def inside(half: str) -> int:
        low, high, axis = halves[half]
        return sum(low < ring[axis] <= high for ring in rings)

    return [
        (r"blue square|red circle|yellow star|green triangle|white cross", list),
        (r"arrow keys (?:has a digit|is red)", list),
        (r"how many (\w+)s are the white", lambda axis: [apart[axes[axis]]]),
        (
            r"which (\w+) of dots is the ([\w ]+)\?|How many (\w+)s are .* of the ([\w ]+)\?",
            lambda axis, name: [at[name][axes[axis]]],
        ),
        (
            r"row or the column of the ([\w ]+)\?",
            lambda name: [
                sum(any(a == b for a, b in zip(r, at[name], strict=True)) for r in rings)
            ],
        ),
        (r"rings are in the (\w+) three", lambda half: [inside(half)]),
        (r"How many orange bars", lambda: [len(runtime["revealed_walls"])]),
        (r"is the orange bar", lambda: runtime["revealed_walls"]),
    ]


def morse(config: Any, runtime: Any, bomb: Any) -> list[Rule]:
    return [
        (r"second display|lower row|on the \w+ key", list),
        (r"round lamp", lambda: ["orange"] if runtime["lamp"] else []),
        (r"frequency|receiver|number on", lambda: [f"{runtime['selected']:.3f} MHz"]),
    ]


def password(config: Any, runtime: Any, bomb: Any) -> list[Rule]:
    shown = [
        column[i].upper() for column, i in zip(config["columns"], runtime["indices"], strict=True)
    ]

    def windows(found: list[int]) -> Found:
        return [f"{each} window" for each in the(found)]

    return [
        (r"no vowel", lambda: windows([i for i, c in enumerate(shown) if c not in "AEIOU"])),
        (r"a vowel", lambda: windows([i for i, c in enumerate(shown) if c in "AEIOU"])),
        (r"spell|all five", lambda: [f"“{''.join(shown)}”"]),
        (r"the letter (\w)\?", lambda c: windows(spots(shown, c))),
        (
            r"right beside the (\w)\?|next to the (\w)\?",
            lambda c: [f"“{each}”" for each in beside(shown, c)],
        ),
        (
            r"the (\w+) window|number (\d)",
            lambda n: [f"“{each}”" for each in nth(shown, n)],
        ),
    ]


RULES: dict[str, Callable[[Any, Any, Any], list[Rule]]] = {
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


def reference(item: bank.Item) -> set[str]:
    state: Any = export(item.moment.bomb)
    text, subject = item.question.text, item.question.module
    if subject == "Timer":
        return {state["timer"]["display"]}
    if subject == "Strikes":
        return {str(state["strikes"])}
    if subject == "Serial Number":
        return {f"“{w['value']}”" for w in state["widgets"] if w["kind"] == "serial_number"}
    (module,) = (m for m in state["modules"] if m["id"] == state["camera"]["zoomed_module"])
    assert module["type"] == subject
    for pattern, rule in RULES[subject](module["config"], module["runtime"], state):
        if found := re.search(pattern, text):
            return {str(each) for each in rule(*(g for g in found.groups() if g is not None))}
    raise AssertionError(f"no rule for: {text}")


@pytest.mark.parametrize(
    ("category", "subject"), [(c, s) for c in bank.CATEGORIES for s in bank.ALLOCATION[c]]
)
def test_answers(category: bank.Category, subject: str) -> None:
    for item in bank.items(category, subject):
        fits = reference(item)
        question = item.question
        right = question.options[question.answer]
        told = (question.text, question.options, fits)
        match category:
            case "ambiguity":
                assert len(fits) > 1, told
                assert right == bank.SEVERAL, told
            case "hallucination":
                assert not fits, told
                assert right == bank.NONE, told
            case _:
                assert fits == {right}, told
                assert sum(option in fits for option in question.options) == 1, told
