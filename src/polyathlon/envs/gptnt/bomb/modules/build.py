"""Modules from puzzles, and needy modules from nothing but chance."""

from __future__ import annotations

from typing import TypeAlias

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.missions import NeedyKind
from polyathlon.envs.gptnt.bomb.modules.base import Module
from polyathlon.envs.gptnt.bomb.modules.button import ButtonModule
from polyathlon.envs.gptnt.bomb.modules.complicated import ComplicatedModule
from polyathlon.envs.gptnt.bomb.modules.discharge import DischargeModule
from polyathlon.envs.gptnt.bomb.modules.keypad import KeypadModule
from polyathlon.envs.gptnt.bomb.modules.knob import KnobModule
from polyathlon.envs.gptnt.bomb.modules.maze import MazeModule
from polyathlon.envs.gptnt.bomb.modules.memory import MemoryModule
from polyathlon.envs.gptnt.bomb.modules.morse import MorseModule
from polyathlon.envs.gptnt.bomb.modules.needy import sleep_us
from polyathlon.envs.gptnt.bomb.modules.password import PasswordModule
from polyathlon.envs.gptnt.bomb.modules.sequence import SequenceModule
from polyathlon.envs.gptnt.bomb.modules.simon import SimonModule
from polyathlon.envs.gptnt.bomb.modules.vent import VentModule
from polyathlon.envs.gptnt.bomb.modules.wires import WiresModule
from polyathlon.envs.gptnt.bomb.modules.words import WordsModule
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.button import Button
from polyathlon.envs.gptnt.bomb.rulebook.complicated import Complicated
from polyathlon.envs.gptnt.bomb.rulebook.generate import Puzzle
from polyathlon.envs.gptnt.bomb.rulebook.keypad import Keypad
from polyathlon.envs.gptnt.bomb.rulebook.maze import Maze
from polyathlon.envs.gptnt.bomb.rulebook.memory import Memory
from polyathlon.envs.gptnt.bomb.rulebook.morse import Morse, selectable_khz
from polyathlon.envs.gptnt.bomb.rulebook.password import Password
from polyathlon.envs.gptnt.bomb.rulebook.sequence import WireSequence
from polyathlon.envs.gptnt.bomb.rulebook.simon import Simon
from polyathlon.envs.gptnt.bomb.rulebook.wires import Wires
from polyathlon.envs.gptnt.bomb.rulebook.words import Words

Holdable: TypeAlias = ButtonModule | DischargeModule
"""Modules that tell a hold from a tap; others take a hold as a tap."""

Attentive: TypeAlias = SimonModule
"""Modules that notice when they are zoomed into or out of."""

Needy: TypeAlias = VentModule | DischargeModule | KnobModule
"""Modules that cannot be solved and act by themselves."""


def puzzle_module(puzzle: Puzzle, rules: RuleBook) -> Module:
    """The untouched module of a puzzle."""
    match puzzle:
        case Wires():
            return WiresModule(puzzle)
        case Button():
            return ButtonModule(puzzle)
        case Keypad():
            return KeypadModule(puzzle)
        case Simon():
            return SimonModule(puzzle)
        case Words(stages):
            return WordsModule(stages, current=stages[0])
        case Memory(stages):
            return MemoryModule(planned=stages, stages=stages)
        case Maze():
            return MazeModule(puzzle, puzzle.start)
        case Morse():
            return MorseModule(puzzle, selectable_khz(rules.morse))
        case Complicated():
            return ComplicatedModule(puzzle)
        case WireSequence():
            return SequenceModule(puzzle)
        case Password():
            return PasswordModule(puzzle)


def needy_module(kind: NeedyKind, rng: Stream) -> Needy:
    """A needy module that sleeps for a first time."""
    match kind:
        case "vent":
            return VentModule(sleep_us(rng))
        case "discharge":
            return DischargeModule(sleep_us(rng))
        case "knob":
            return KnobModule(sleep_us(rng))
