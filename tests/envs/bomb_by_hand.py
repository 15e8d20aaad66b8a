"""A bomb taken in hand: opened at one module, pressed, and answered from its exported state.

The answers read the export alone (not the modules' own fields) and ask the rule book.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from polyathlon.envs.gptnt.bomb.bomb import (
    Bomb,
    Click,
    Reaction,
    TurnBomb,
    acted,
    advanced,
    build,
    fitted,
    lights_on,
)
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.export import export
from polyathlon.envs.gptnt.bomb.missions import MissionSpec
from polyathlon.envs.gptnt.bomb.rulebook import (
    complicated,
    maze,
    memory,
    sequence,
    simon,
    wires,
    words,
)
from polyathlon.envs.gptnt.bomb.rulebook.book import MazeMap, RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.facts import CasingFacts
from polyathlon.envs.gptnt.bomb.rulebook.variants import book

MOST_TAPS = 60


def lit(*modules: str, seed: int = 0, rule_seed: int = 0, **options: Any) -> Bomb:
    """A bomb with its lights on, and an hour and nine strikes unless told otherwise."""
    common: dict[str, Any] = {"time_limit_s": 3600, "strike_limit": 9, "back_placement": True}
    mission = MissionSpec("test", seed, modules=modules, **common | options)
    return lights_on(build(mission, rule_seed))


def opened(bomb: Bomb, module_id: str = "m1") -> Bomb:
    """The bomb zoomed into a module, after the time it takes a Defuser."""
    if fitted(bomb, module_id).placed.slot.face != bomb.grip.pose.facing:
        bomb = later(acted(bomb, TurnBomb("flip")).bomb)
    reaction = acted(bomb, Click(module_id))
    assert reaction.verdict == "done"
    return later(reaction.bomb)


def later(bomb: Bomb, seconds: float = 3) -> Bomb:
    """The bomb some seconds on."""
    return advanced(bomb, bomb.time_us + round(seconds * SECOND_US))


def tapped(bomb: Bomb, part: str) -> Reaction:
    """A tap on a part of the module in view."""
    return acted(bomb, Click(f"{bomb.grip.zoomed}/{part}"))


def tried(bomb: Bomb) -> dict[str, str]:
    """What a tap on each part of the module in view would bring."""
    assert bomb.grip.zoomed is not None
    parts = fitted(bomb, bomb.grip.zoomed).module.parts()
    return {part: tapped(bomb, part).verdict for part in parts}


def state(bomb: Bomb) -> dict[str, Any]:
    """The exported state of the module in view."""
    modules: Any = export(bomb)["modules"]
    return next(found for found in modules if found["id"] == bomb.grip.zoomed)


def answered(bomb: Bomb) -> Iterator[Reaction]:
    """Right taps on the module in view, three seconds apart, until it is solved."""
    for _ in range(MOST_TAPS):
        reaction = tapped(bomb, answer(bomb))
        yield reaction
        if reaction.verdict == "solved":
            return
        bomb = later(reaction.bomb)
    raise AssertionError(f"not solved by {MOST_TAPS} right taps")


def answer(bomb: Bomb) -> str:
    """The part of the module in view, other than a button, to tap next."""
    found = state(bomb)
    rules, facts = book(bomb.plan.rule_seed), bomb.plan.casing.facts
    config, runtime = found["config"], found["runtime"]
    match found["type"]:
        case "Wires":
            puzzle = wires.Wires(tuple(wire["colour"] for wire in config["wires"]))
            return f"wire{wires.wire_to_cut(rules.wires, puzzle, facts) + 1}"
        case "Keypad":
            column = rules.keypad.columns[config["column"] - 1]
            keys = sorted(range(1, 5), key=lambda key: column.index(config["symbols"][key - 1]))
            return f"key{keys[len(runtime['pressed'])]}"
        case "Simon Says":
            flash = config["sequence"][len(runtime["entered"])]
            return simon.press(rules.simon, flash, facts, len(bomb.strikes))
        case "Who's On First":
            shown = runtime["current"]
            stage = words.WordsStage(shown["display"], tuple(shown["labels"]))
            return f"label{words.SLOTS.index(words.slot_to_press(rules.words, stage)) + 1}"
        case "Memory":
            return f"button{_memory(rules, runtime)}"
        case "Maze":
            return _maze(config, runtime)
        case "Morse Code":
            if runtime["selected"] == config["frequency"]:
                return "transmit"
            return "right" if runtime["selected"] < config["frequency"] else "left"
        case "Complicated Wires":
            return next(_complicated(rules, facts, config, runtime))
        case "Wire Sequence":
            return _sequence(rules, config, runtime)
        case "Passwords":
            return _password(config, runtime)
    raise LookupError(found["type"])


def _memory(rules: RuleBook, runtime: dict[str, Any]) -> int:
    shown = runtime["current"]
    stage = memory.MemoryStage(shown["display"], tuple(shown["labels"]))
    history = [memory.Pressed(p["position"], p["label"]) for p in runtime["history"]]
    return memory.press(rules.memory, stage, history).place


def _maze(config: dict[str, Any], runtime: dict[str, Any]) -> str:
    def cell(exported: list[int]) -> tuple[int, int]:
        return exported[0] - 1, exported[1] - 1

    one, other = map(cell, config["markers"])
    walls = config["walls"]
    walled = MazeMap((one, other), tuple(walls["right"]), tuple(walls["below"]))
    return maze.path(walled, cell(runtime["position"]), cell(config["goal"]))[0]


def _complicated(
    rules: RuleBook, facts: CasingFacts, config: dict[str, Any], runtime: dict[str, Any]
) -> Iterator[str]:
    for wire in config["wires"]:
        colouring: Any = "+".join(colour for colour in ("red", "blue", "white") if wire[colour])
        exported = complicated.ComplicatedWire(colouring, wire["star"], wire["led"])
        due = complicated.cut(rules.complicated, exported, facts)
        if due and wire["slot"] not in runtime["cut"]:
            yield f"wire{wire['slot']}"


def _sequence(rules: RuleBook, config: dict[str, Any], runtime: dict[str, Any]) -> str:
    slots = [wire and sequence.SequenceWire(wire["colour"], wire["to"]) for wire in config["slots"]]
    puzzle = sequence.WireSequence(tuple(tuple(slots[i : i + 3]) for i in range(0, 12, 3)))
    panel = runtime["panel"] - 1
    for slot, due in enumerate(sequence.cuts(rules.sequence, puzzle)[panel], 1):
        if due and panel * 3 + slot not in runtime["cut"]:
            return f"wire{slot}"
    return "down"


def _password(config: dict[str, Any], runtime: dict[str, Any]) -> str:
    columns = zip(config["columns"], config["word"], runtime["indices"], strict=True)
    for number, (column, letter, index) in enumerate(columns, 1):
        if column[index] != letter:
            steps = (column.index(letter) - index) % len(column)
            return f"down{number}" if steps <= 3 else f"up{number}"
    return "submit"
