"""The oracle: reads the whole bomb and acts by what a Defuser can do, one act a call.

It never looks at the edges, for it reads them. Its acts are right whenever they are taken; a held
button is released at a moment that shows the digit, so whoever lets time pass in steps of three
seconds may have to take ten of them until one does. (After one strike such steps pass over two of
the ten digits in the last place.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import cache

from polyathlon.envs.gptnt.bomb.bomb import (
    Act,
    Bomb,
    Click,
    Fitted,
    Grip,
    Hold,
    Release,
    TurnBomb,
    ZoomOut,
)
from polyathlon.envs.gptnt.bomb.layout import CLOCK_DEPENDENT, Placed
from polyathlon.envs.gptnt.bomb.modules.base import Module
from polyathlon.envs.gptnt.bomb.modules.button import ButtonModule
from polyathlon.envs.gptnt.bomb.modules.complicated import ComplicatedModule
from polyathlon.envs.gptnt.bomb.modules.discharge import DischargeModule
from polyathlon.envs.gptnt.bomb.modules.keypad import KeypadModule
from polyathlon.envs.gptnt.bomb.modules.maze import MazeModule
from polyathlon.envs.gptnt.bomb.modules.memory import MemoryModule
from polyathlon.envs.gptnt.bomb.modules.morse import MorseModule
from polyathlon.envs.gptnt.bomb.modules.password import PasswordModule
from polyathlon.envs.gptnt.bomb.modules.sequence import SequenceModule
from polyathlon.envs.gptnt.bomb.modules.simon import SimonModule
from polyathlon.envs.gptnt.bomb.modules.wires import WiresModule
from polyathlon.envs.gptnt.bomb.modules.words import WordsModule
from polyathlon.envs.gptnt.bomb.poses import TURNS, Pose, Side, Turn
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
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.variants import book
from polyathlon.envs.gptnt.bomb.solver.needy import attend, urgent


def next_act(bomb: Bomb) -> Act | None:
    """What a perfect player does now; None is to wait, or that nothing is left to do."""
    if bomb.phase != "lights_on":
        return None
    if bomb.grip.held is not None:
        return _let_go(bomb)
    needy = urgent(bomb)
    module = needy or target(bomb, bomb.grip.zoomed)
    if module is None:
        return None
    if bomb.grip.zoomed != module.placed.id:
        return approach(bomb.grip, module.placed)
    if needy:
        return attend(bomb, needy)
    return None if changing(module.module, bomb.time_us) else _work(bomb, module)


def target(bomb: Bomb, focus: str | None) -> Fitted | None:
    """The module to work on: the one in focus, then those that need the clock, then the nearest;
    None when all are solved."""

    def far(fitted: Fitted) -> tuple[bool, bool, bool]:
        placed = fitted.placed
        return (
            placed.id != focus,
            placed.type not in CLOCK_DEPENDENT,
            placed.slot.face != bomb.grip.pose.facing,
        )

    puzzles = bomb.modules[: len(bomb.plan.mission.modules)]
    return min((found for found in puzzles if found.solved_us is None), key=far, default=None)


def changing(module: Module, time_us: int) -> bool:
    """Whether a module is showing its next stage and ignores presses meanwhile."""
    return isinstance(module, WordsModule | MemoryModule | SequenceModule) and module.changing(
        time_us
    )


def approach(grip: Grip, placed: Placed) -> Act:
    """The next act on the shortest way into a module that is not zoomed into."""
    turn = towards(grip.pose, frozenset({placed.slot.face}))
    if turn is not None:
        return TurnBomb(turn)
    return Click(placed.id) if grip.zoomed is None else ZoomOut()


@cache
def towards(pose: Pose, sides: frozenset[Side]) -> Turn | None:
    """The first turn of a shortest way to see any of `sides`; None when one is in view.

    `pose` is one that can be reached in play.
    """
    if pose.facing in sides:
        return None
    first: dict[Pose, Turn] = {}
    queue = deque([pose])
    while True:
        here = queue.popleft()
        for turn, turned in TURNS.items():
            there = turned(here)
            if there in first or there == pose:
                continue
            first[there] = first.get(here, turn)
            if there.facing in sides:
                return first[there]
            queue.append(there)


def _work(bomb: Bomb, fitted: Fitted) -> Act:
    rules = book(bomb.plan.rule_seed)
    facts = bomb.plan.casing.facts
    id, module = fitted.placed.id, fitted.module
    if isinstance(module, ButtonModule):
        hold = button.to_do(rules.button, module.puzzle, facts) == "hold"
        return Hold(f"{id}/button") if hold else Click(f"{id}/button")
    return Click(f"{id}/{_part(bomb, module, rules)}")


def _let_go(bomb: Bomb) -> Act | None:
    """Releases a button when the countdown shows its digit, a lever when there is no charge."""
    held = next(f.module for f in bomb.modules if f.placed.id == bomb.grip.zoomed)
    if isinstance(held, DischargeModule) and held.charge_us is not None:
        return None
    if isinstance(held, ButtonModule) and held.strip is not None:
        rules = book(bomb.plan.rule_seed).button
        if not button.may_release(rules, held.strip, bomb.clock.display(bomb.time_us)):
            return None
    return Release()


def _part(bomb: Bomb, module: Module, rules: RuleBook) -> str:
    """The part of a puzzle, not a button, to press next."""
    facts = bomb.plan.casing.facts
    match module:
        case WiresModule(puzzle):
            return f"wire{wires.wire_to_cut(rules.wires, puzzle, facts) + 1}"
        case KeypadModule(puzzle, pressed):
            return f"key{keypad.order(rules.keypad, puzzle)[len(pressed)] + 1}"
        case SimonModule(puzzle):
            flash = puzzle.flashes[len(module.entry(bomb.time_us))]
            return simon.press(rules.simon, flash, facts, len(bomb.strikes))
        case WordsModule(current=stage):
            return f"label{words.SLOTS.index(words.slot_to_press(rules.words, stage)) + 1}"
        case MemoryModule(history=history):
            return f"button{memory.press(rules.memory, module.current, history).place}"
        case MazeModule(puzzle, position):
            walls = maze.find(rules.maze, puzzle.markers)
            return maze.path(walls, position, puzzle.goal)[0]
        case MorseModule(puzzle):
            wanted_khz = morse.frequency_khz(rules.morse, puzzle)
            return tuning(module.frequencies_khz, module.selected_khz, wanted_khz)[0]
        case ComplicatedModule(puzzle, done):
            left = [i for i in range(len(puzzle.wires)) if i not in done]
            due = (i for i in left if complicated.cut(rules.complicated, puzzle.wires[i], facts))
            return f"wire{next(due) + 1}"
        case SequenceModule(puzzle, panel, done):
            due_here = enumerate(sequence.cuts(rules.sequence, puzzle)[panel])
            waiting = (f"wire{i + 1}" for i, due in due_here if due and (panel, i) not in done)
            return next(waiting, "down")
        case PasswordModule(puzzle, shown):
            (word,) = password.spellable(rules.password, puzzle)
            return spelling(puzzle.columns, shown, word)[0]
    raise TypeError(f"no puzzle: {module}")


def tuning(frequencies_khz: Sequence[int], selected_khz: int, wanted_khz: int) -> tuple[str, ...]:
    """The keys that set a receiver of ascending frequencies and send."""
    steps = frequencies_khz.index(wanted_khz) - frequencies_khz.index(selected_khz)
    return (*("right" if steps > 0 else "left",) * abs(steps), "transmit")


def spelling(columns: Sequence[str], shown: Sequence[int], word: str) -> tuple[str, ...]:
    """The keys that turn every column, the shorter way round, to its letter and submit."""
    keys: list[str] = []
    for number, (column, index, letter) in enumerate(zip(columns, shown, word, strict=True), 1):
        down = (column.index(letter) - index) % len(column)
        up = len(column) - down
        keys += [f"down{number}"] * down if down <= up else [f"up{number}"] * up
    return (*keys, "submit")
