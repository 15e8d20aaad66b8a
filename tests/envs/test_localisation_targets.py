"""Every instruction against the exported state, read by code of its own.

From an instruction's words and the state of the bomb as JSON, a reference finds all parts that fit:
the target where there is one, several where it is ambiguous, none where nothing fits.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from polyathlon.envs.gptnt.bomb.export import export
from polyathlon.envs.gptnt.bomb.symbols import LOOKS
from polyathlon.envs.gptnt.localisation import bank

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
SIMON = {"blue": (0, 1), "red": (-1, 0), "yellow": (1, 0), "green": (0, -1)}
SIDES = {"top": "blue", "left": "red", "right": "yellow", "bottom": "green"}
NAMES = {looks: name for name, looks in LOOKS.items()}
Part = tuple[str, dict[str, Any]]
Rule = tuple[str, Callable[..., Iterable[str]]]


def names(parts: Sequence[Part], **wanted: Any) -> list[str]:
    return [n for n, has in parts if all(has[key] == value for key, value in wanted.items())]


def nth(parts: Sequence[Part], words: str, end: str = "") -> list[str]:
    ordered = [name for name, _ in parts]
    if end in ("right", "bottom"):
        ordered.reverse()
    return ordered[ORDINALS.index(words) :][:1]


def step(parts: Sequence[Part], by: int, **wanted: Any) -> list[str]:
    ordered = [name for name, _ in parts]
    (here,) = (ordered.index(name) for name in names(parts, **wanted))
    return [ordered[here + by]]


def uncut(parts: Iterable[Part], cut: Iterable[int]) -> list[Part]:
    gone = {f"wire{number}" for number in cut}
    return [(name, has) for name, has in parts if name not in gone]


def grid(parts: Sequence[Part], rows: Sequence[str]) -> list[Rule]:
    """Two columns."""
    cells = {(row, side): 2 * y + x for y, row in enumerate(rows) for x, side in enumerate(LR)}

    def where(row: str = "", side: str = "") -> list[str]:
        return [parts[i][0] for (r, s), i in cells.items() if row in ("", r) and side in ("", s)]

    return [
        (r"third column", list),
        (r"at the (left|right) of the (\w+) row", lambda side, row: where(row, side)),
        (r"in the (\w+) row", lambda row: where(row)),
        (r"in the (left|right) column", lambda side: where("", side)),
        (r"the (\w+) key in reading order", lambda n: nth(parts, n)),
    ]


LR = ("left", "right")
STEPS = {"to the right of": 1, "to the left of": -1}


def wires(config: Any, runtime: Any) -> list[Rule]:
    every = [(f"wire{w['slot']}", {"colour": w["colour"]}) for w in config["wires"]]
    parts = uncut(every, runtime["cut"])
    return [
        (r"the (\w+) (?:uncut )?wire from the (\w+)", lambda n, end: nth(parts, n, end)),
        (r"highest", lambda: [parts[0][0]]),
        (r"lowest", lambda: [parts[-1][0]]),
        (r"as many on one side", lambda: [parts[len(parts) // 2][0]]),
        (r"right below the (\w+)", lambda c: step(parts, 1, colour=c)),
        (r"right above the (\w+)", lambda c: step(parts, -1, colour=c)),
        (r"the (?:uncut )?(\w+) wire\W", lambda c: names(parts, colour=c)),
    ]


def complicated(config: Any, runtime: Any) -> list[Rule]:
    every = [
        (
            f"wire{w['slot']}",
            {
                "dye": " and ".join(c for c in ("red", "blue", "white") if w[c]),
                "star": w["star"],
                "led": w["led"],
            },
        )
        for w in config["wires"]
    ]
    parts = uncut(every, runtime["cut"])
    return [
        (r"the (\w+) (?:uncut )?wire from the (\w+)", lambda n, end: nth(parts, n, end)),
        (r"furthest to the left", lambda: [parts[0][0]]),
        (r"furthest to the right", lambda: [parts[-1][0]]),
        (r"as many on one side", lambda: [parts[len(parts) // 2][0]]),
        (r"striped in ([\w ]+)\.|is (\w+) from end to end", lambda dye: names(parts, dye=dye)),
        (r"lit lamp and a star", lambda: names(parts, led=True, star=True)),
        (r"dark lamp and a star", lambda: names(parts, led=False, star=True)),
        (r"lit lamp and a blank", lambda: names(parts, led=True, star=False)),
        (r"above a star", lambda: names(parts, star=True)),
        (r"above a blank", lambda: names(parts, star=False)),
        (r"below a lit", lambda: names(parts, led=True)),
        (r"below a dark", lambda: names(parts, led=False)),
        (r"the (\w+) (?:uncut )?wire\W", lambda c: names(parts, dye=c)),
    ]


def sequence(config: Any, runtime: Any) -> list[Rule]:
    first = 3 * (runtime["panel"] - 1)
    panel = enumerate(config["slots"][first : first + 3], 1)
    every = [(f"wire{i}", {**w, "start": first + i}) for i, w in panel if w]
    parts = uncut(every, [number - first for number in runtime["cut"]])
    return [
        (r"to the (?:left|right)", list),
        (r"points (up|down)", lambda way: [way]),
        (r"the arrow key\.", lambda: ["up", "down"]),
        (r"above the wires|upper edge", lambda: ["up"]),
        (r"below the wires|lower edge", lambda: ["down"]),
        (r"the number (\d+)", lambda n: names(parts, start=int(n))),
        (r"the letter (\w)", lambda end: names(parts, to=end)),
        (r"the (?:uncut )?(\w+) wire\W", lambda c: names(parts, colour=c)),
    ]


def button(config: Any, runtime: Any) -> list[Rule]:
    parts = [("button", {"label": config["label"].upper(), "colour": config["colour"]})]
    return [
        (r"second|to the right of", list),
        (r"says “(\w+)”", lambda label: names(parts, label=label)),
        (r"the button\.|cap|thing|to the left of", lambda: ["button"]),
        (r"the (\w+) button", lambda c: names(parts, colour=c)),
    ]


def keypad(config: Any, runtime: Any) -> list[Rule]:
    symbols = config["symbols"]
    parts = [
        (f"key{n}", {"symbol": s, "lit": n in runtime["pressed"]}) for n, s in enumerate(symbols, 1)
    ]

    def beside(side: str, looks: str) -> list[str]:
        by = {**STEPS, "right below": 2, "right above": -2}[side]
        return step(parts, by, symbol=NAMES[looks])

    return [
        (r"(to the \w+ of|right \w+) the one with this symbol: (.+)\.", beside),
        (r"symbol: (.+)\.", lambda looks: names(parts, symbol=NAMES[looks])),
        (r"shines green", lambda: names(parts, lit=True)),
        (r"is dark", lambda: names(parts, lit=False)),
        (r"shines red", list),
        *grid(parts, ("upper", "lower")),
    ]


def simon(config: Any, runtime: Any) -> list[Rule]:
    lit = runtime["lamp"]
    return [
        (r"in the middle", list),
        (r"is lit", lambda: [c for c in SIMON if c == lit]),
        (r"is dark", lambda: [c for c in SIMON if c != lit]),
        (r"at the (\w+) of the diamond", lambda side: [SIDES[side]]),
        (
            r"opposite the (\w+)",
            lambda c: [o for o, (x, y) in SIMON.items() if (-x, -y) == SIMON[c]],
        ),
        (
            r"touches the (\w+)",
            lambda c: [o for o, (x, y) in SIMON.items() if x * SIMON[c][0] + y * SIMON[c][1] == 0],
        ),
        (r"the (\w+) key", lambda c: [known for known in SIMON if known == c]),
    ]


def words(config: Any, runtime: Any) -> list[Rule]:
    labels = runtime["current"]["labels"]
    parts = [(f"label{n}", {"word": w, "first": w[0]}) for n, w in enumerate(labels, 1)]

    def beside(side: str, word: str) -> list[str]:
        by = {**STEPS, "right below": 2, "right above": -2}[side]
        return step(parts, by, word=word)

    return [
        (r"(to the \w+ of|right \w+) the one that says “(.+)”", beside),
        (r"says “(.+)”", lambda word: names(parts, word=word)),
        (r"begins with (\w)", lambda letter: names(parts, first=letter)),
        *grid(parts, ("upper", "middle", "lower")),
    ]


def memory(config: Any, runtime: Any) -> list[Rule]:
    digits = runtime["current"]["labels"]
    parts = [(f"button{n}", {"digit": d, "odd": d in (1, 3)}) for n, d in enumerate(digits, 1)]

    def near(digit: str) -> list[str]:
        place = digits.index(int(digit))
        return [name for i, (name, _) in enumerate(parts) if abs(i - place) == 1]

    return [
        (r"right after the one with the digit (\d)", lambda d: step(parts, 1, digit=int(d))),
        (r"right before the one with the digit (\d)", lambda d: step(parts, -1, digit=int(d))),
        (r"beside the one with the digit (\d)", near),
        (r"with the digit (\d)", lambda d: names(parts, digit=int(d))),
        (r"an (odd|even) digit", lambda kind: names(parts, odd=kind == "odd")),
        (r"the (\w+) key from the (\w+)", lambda n, end: nth(parts, n, end)),
        (r"furthest to the left", lambda: [parts[0][0]]),
        (r"furthest to the right", lambda: [parts[-1][0]]),
    ]


def maze(config: Any, runtime: Any) -> list[Rule]:
    sides = {"above": "up", "below": "down"}
    return [
        (r"upper left|lower right|is red|corner|says", list),
        (r"level with", lambda: ["left", "right"]),
        (r"above or below", lambda: ["up", "down"]),
        (r"points (?:to the )?(\w+)", lambda way: [way]),
        (r"(above|below) the board", lambda side: [sides[side]]),
        (r"to the (\w+) of the board", lambda side: [side]),
        (r"the arrow key\.|black triangle", lambda: ["up", "left", "right", "down"]),
    ]


def morse(config: Any, runtime: Any) -> list[Rule]:
    return [
        (r"points (?:up|down)|above the lamp", list),
        (r"(?:says|text) “(\w+)”", lambda word: ["transmit"] if word == "TX" else []),
        (r"with letters|below the frequency|lowest", lambda: ["transmit"]),
        (r"points to the (\w+)", lambda way: [way]),
        (r"to the (\w+) of the frequency", lambda side: [side]),
        (r"the arrow key\.|beside the frequency", lambda: ["left", "right"]),
        (r"ivory", lambda: ["left", "right", "transmit"]),
    ]


def password(config: Any, runtime: Any) -> list[Rule]:
    shown = [c[i].upper() for c, i in zip(config["columns"], runtime["indices"], strict=True)]
    rows = {
        way: [(f"{way}{n}", {"letter": x, "vowel": x in "AEIOU"}) for n, x in enumerate(shown, 1)]
        for way in ("up", "down")
    }
    return [
        (r"says “(\w+)”", lambda word: ["submit"] if word == "SUBMIT" else []),
        (r"a word on it|hands in|lowest", lambda: ["submit"]),
        (
            r"the (\w+) arrow that points (\w+) from the (\w+)",
            lambda n, way, end: nth(rows[way], n, end),
        ),
        (r"points (\w+) in a column", lambda way: names(rows[way], vowel=True)),
        (r"above the letter (\w)", lambda letter: names(rows["up"], letter=letter)),
        (r"below the letter (\w)", lambda letter: names(rows["down"], letter=letter)),
        (r"that points (\w+)\.", lambda way: names(rows[way])),
    ]


RULES: dict[str, Callable[[Any, Any], list[Rule]]] = {
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


def reference(item: bank.Item) -> list[str]:
    state: Any = export(item.moment.bomb)
    (module,) = (m for m in state["modules"] if m["id"] == state["camera"]["zoomed_module"])
    assert module["type"] == item.module
    for pattern, rule in RULES[item.module](module["config"], module["runtime"]):
        if found := re.search(pattern, item.text):
            fits = rule(*(group for group in found.groups() if group is not None))
            return [f"{module['id']}/{part}" for part in fits]
    raise AssertionError(f"no rule for: {item.text}")


@pytest.mark.parametrize(
    ("category", "module"), [(c, m) for c in bank.CATEGORIES for m in bank.ALLOCATION[c]]
)
def test_targets(category: bank.Category, module: str) -> None:
    for item in bank.items(category, module):
        fits = reference(item)
        match category:
            case "ambiguity":
                assert len(set(fits)) > 1, item.text
            case "hallucination":
                assert not fits, item.text
            case _:
                assert fits == [item.target], item.text
