"""A bomb out of its exported state, as near to the true one as a solver needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from polyathlon.core.canonical import JSON
from polyathlon.envs.gptnt.bomb.bomb import Bomb, Fitted, Grip, Phase, Strike, build
from polyathlon.envs.gptnt.bomb.clock import SECOND_US, Clock
from polyathlon.envs.gptnt.bomb.missions import MissionSpec
from polyathlon.envs.gptnt.bomb.modules.base import NEVER_US, Module
from polyathlon.envs.gptnt.bomb.modules.button import ButtonModule
from polyathlon.envs.gptnt.bomb.modules.complicated import ComplicatedModule
from polyathlon.envs.gptnt.bomb.modules.discharge import FULL_US, DischargeModule
from polyathlon.envs.gptnt.bomb.modules.keypad import KeypadModule
from polyathlon.envs.gptnt.bomb.modules.knob import POSITIONS, KnobModule
from polyathlon.envs.gptnt.bomb.modules.maze import MazeModule
from polyathlon.envs.gptnt.bomb.modules.memory import MemoryModule
from polyathlon.envs.gptnt.bomb.modules.morse import BASE_KHZ, MorseModule
from polyathlon.envs.gptnt.bomb.modules.password import PasswordModule
from polyathlon.envs.gptnt.bomb.modules.sequence import SequenceModule
from polyathlon.envs.gptnt.bomb.modules.simon import SimonModule
from polyathlon.envs.gptnt.bomb.modules.vent import VentModule
from polyathlon.envs.gptnt.bomb.modules.wires import WiresModule
from polyathlon.envs.gptnt.bomb.modules.words import WordsModule
from polyathlon.envs.gptnt.bomb.poses import Pose, Side
from polyathlon.envs.gptnt.bomb.rulebook.memory import MemoryStage, Pressed
from polyathlon.envs.gptnt.bomb.rulebook.sequence import SLOTS
from polyathlon.envs.gptnt.bomb.rulebook.words import WordsStage


class _Camera(msgspec.Struct):
    pose: Side
    up: Side
    zoomed_module: str | None
    held_element: str | None


class _Strike(msgspec.Struct):
    game_time_s: float
    module_id: str


class _Module(msgspec.Struct):
    runtime: dict[str, Any]


class _State(msgspec.Struct):
    mission: MissionSpec
    manual_seed: int
    game_time_s: float
    lifecycle: Phase
    strike_log: tuple[_Strike, ...]
    camera: _Camera
    modules: tuple[_Module, ...]


def restored(state: Mapping[str, JSON]) -> Bomb:
    """The bomb of a state as `bomb.export` writes it.

    What is not in it is lost: the times of animations that are over, when sleeping modules wake,
    and how many draws were made in play.
    """
    read = msgspec.convert(state, _State)
    built, now_us = _built(read.mission, read.manual_seed), _us(read.game_time_s)
    strikes = tuple(Strike(_us(s.game_time_s), s.module_id) for s in read.strike_log)
    camera = read.camera
    return replace(
        built,
        clock=Clock(built.clock.limit_us, tuple(strike.time_us for strike in strikes)),
        modules=tuple(
            _fitted(fitted, module.runtime, now_us)
            for fitted, module in zip(built.modules, read.modules, strict=True)
        ),
        time_us=now_us,
        phase=read.lifecycle,
        grip=Grip(Pose(camera.pose, camera.up), camera.zoomed_module, camera.held_element),
        strikes=strikes,
    )


@lru_cache(maxsize=64)
def _built(mission: MissionSpec, rule_seed: int) -> Bomb:
    return build(mission, rule_seed)


def _fitted(fitted: Fitted, runtime: Mapping[str, Any], now_us: int) -> Fitted:
    solved_us = now_us if runtime.get("solved") else None
    module = _module(fitted.module, runtime, now_us)
    return replace(fitted, module=module, solved_us=solved_us)


def _module(module: Module, runtime: Mapping[str, Any], now_us: int) -> Module:
    match module:
        case WiresModule() | ComplicatedModule():
            return replace(module, cut=_from_0(runtime["cut"]))
        case ButtonModule():
            return replace(module, strip=runtime["strip_colour"])
        case KeypadModule():
            return replace(module, pressed=_from_0(runtime["pressed"]))
        case SimonModule():
            entered = tuple(runtime["entered"])
            return replace(module, stage=runtime["stage"], entered=entered, loop_us=now_us + 1)
        case WordsModule():
            words = msgspec.convert(runtime["current"], WordsStage)
            changed_us = _changed_us(runtime, now_us)
            return WordsModule(module.stages, words, runtime["stage"], changed_us=changed_us)
        case MemoryModule():
            stages = (msgspec.convert(runtime["current"], MemoryStage),) * len(module.stages)
            history = tuple(Pressed(p["position"], p["label"]) for p in runtime["history"])
            changed_us = _changed_us(runtime, now_us)
            return replace(module, stages=stages, history=history, changed_us=changed_us)
        case MazeModule():
            row, column = runtime["position"]
            return replace(module, position=(row - 1, column - 1))
        case MorseModule():
            selected_khz = round(1_000 * runtime["selected"]) - BASE_KHZ
            return replace(module, index=module.frequencies_khz.index(selected_khz))
        case SequenceModule():
            cut = tuple(divmod(slot, SLOTS) for slot in _from_0(runtime["cut"]))
            return replace(module, panel=runtime["panel"] - 1, cut=cut)
        case PasswordModule():
            return replace(module, shown=tuple(runtime["indices"]))
        case VentModule():
            return VentModule(_due_us(runtime, now_us), runtime["question"])
        case KnobModule():
            leds = tuple(runtime["leds"]) if runtime["awake"] else None
            quarters = POSITIONS.index(runtime["position"])
            return KnobModule(_due_us(runtime, now_us), leds, quarters)
        case DischargeModule():
            charge_us = round(FULL_US * runtime["charge"]) if runtime["awake"] else None
            return DischargeModule(NEVER_US, charge_us, now_us, runtime["held"])
        case _:
            return module


def _changed_us(runtime: Mapping[str, Any], now_us: int) -> int:
    return now_us if runtime["animating"] else NEVER_US


def _due_us(runtime: Mapping[str, Any], now_us: int) -> int:
    return now_us + _us(runtime["left_s"]) if runtime["awake"] else NEVER_US


def _from_0(numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple(number - 1 for number in numbers)


def _us(seconds: float) -> int:
    return round(seconds * SECOND_US)
