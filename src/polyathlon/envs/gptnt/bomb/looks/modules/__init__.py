"""What every kind of module looks like: a mesh of its state, in the module's own frame.

Interactable parts carry their place in `parts` as object id, from 1; all else is 0. Meshes are
cached: a module whose look has not changed costs nothing.
"""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.looks.modules import (
    button,
    complicated,
    discharge,
    keypad,
    knob,
    maze,
    memory,
    morse,
    password,
    sequence,
    simon,
    vent,
    wires,
    words,
)
from polyathlon.envs.gptnt.bomb.modules.base import Module
from polyathlon.envs.gptnt.bomb.modules.button import ButtonModule
from polyathlon.envs.gptnt.bomb.modules.complicated import ComplicatedModule
from polyathlon.envs.gptnt.bomb.modules.discharge import DischargeModule
from polyathlon.envs.gptnt.bomb.modules.keypad import KeypadModule
from polyathlon.envs.gptnt.bomb.modules.knob import KnobModule
from polyathlon.envs.gptnt.bomb.modules.maze import MazeModule
from polyathlon.envs.gptnt.bomb.modules.memory import MemoryModule
from polyathlon.envs.gptnt.bomb.modules.morse import MorseModule
from polyathlon.envs.gptnt.bomb.modules.password import PasswordModule
from polyathlon.envs.gptnt.bomb.modules.sequence import SequenceModule
from polyathlon.envs.gptnt.bomb.modules.simon import SimonModule
from polyathlon.envs.gptnt.bomb.modules.vent import VentModule
from polyathlon.envs.gptnt.bomb.modules.wires import WiresModule
from polyathlon.envs.gptnt.bomb.modules.words import WordsModule
from polyathlon.media.raster import Mesh

_PARTS: dict[type[Module], tuple[str, ...]] = {
    WiresModule: wires.PARTS,
    ButtonModule: button.PARTS,
    KeypadModule: keypad.PARTS,
    SimonModule: simon.PARTS,
    WordsModule: words.PARTS,
    MemoryModule: memory.PARTS,
    MazeModule: maze.PARTS,
    MorseModule: morse.PARTS,
    ComplicatedModule: complicated.PARTS,
    SequenceModule: sequence.PARTS,
    PasswordModule: password.PARTS,
    VentModule: vent.PARTS,
    DischargeModule: discharge.PARTS,
    KnobModule: knob.PARTS,
}


def parts(module: Module) -> tuple[str, ...]:
    """All parts that a module of this kind can have; object id n is the n-th of them."""
    return _PARTS[type(module)]


def mesh(module: Module, time_us: int) -> Mesh:
    """The module at a moment of the bomb's time, in its own frame. Do not write to it."""
    match module:
        case WiresModule():
            return wires.mesh(module, time_us)
        case ButtonModule():
            return button.mesh(module, time_us)
        case KeypadModule():
            return keypad.mesh(module, time_us)
        case SimonModule():
            return simon.mesh(module, time_us)
        case WordsModule():
            return words.mesh(module, time_us)
        case MemoryModule():
            return memory.mesh(module, time_us)
        case MazeModule():
            return maze.mesh(module, time_us)
        case MorseModule():
            return morse.mesh(module, time_us)
        case ComplicatedModule():
            return complicated.mesh(module, time_us)
        case SequenceModule():
            return sequence.mesh(module, time_us)
        case PasswordModule():
            return password.mesh(module, time_us)
        case VentModule():
            return vent.mesh(module, time_us)
        case DischargeModule():
            return discharge.mesh(module, time_us)
        case KnobModule():
            return knob.mesh(module, time_us)
    raise TypeError(f"{type(module).__name__} has no look; add one to looks.modules")
