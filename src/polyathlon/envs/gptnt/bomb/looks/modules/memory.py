"""Memory: a digit on a display over four keys with digits, and five stage lamps."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.modules import shapes
from polyathlon.envs.gptnt.bomb.modules.memory import STAGE_US, MemoryModule
from polyathlon.envs.gptnt.bomb.rulebook.memory import BUTTONS, STAGES, MemoryStage
from polyathlon.media.raster import Mesh, merged

PARTS = tuple(f"button{number}" for number in range(1, BUTTONS + 1))

_BLANK = ("",) * BUTTONS
_LEFT, _STEP, _Y = -0.7, 0.39, -0.52
_WIDTH, _HEIGHT, _DIGIT = 0.34, 0.52, 0.28
_DISPLAY_X, _DISPLAY_Y, _DISPLAY_SIZE, _GLASS = -0.12, 0.37, 0.76, 0.05
_DISPLAY_DIGIT = 0.45


def mesh(module: MemoryModule, time_us: int) -> Mesh:
    """The module in its own frame; while the digits change, keys and display are blank."""
    if module.changing(time_us):
        sunk = shapes.sunk(shapes.progress(module.changed_us, time_us, STAGE_US))
        return merged([_keys(_BLANK).moved(z=-sunk), _surroundings("", module.done)])
    return _drawn(module.current, module.done)


@lru_cache(maxsize=64)
def _drawn(stage: MemoryStage, done: int) -> Mesh:
    digits = tuple(map(str, stage.labels))
    return merged([_keys(digits), _surroundings(str(stage.display), done)])


@lru_cache(maxsize=64)
def _keys(digits: tuple[str, ...]) -> Mesh:
    return merged(
        shapes.word_key(digit, _WIDTH, _HEIGHT, _DIGIT)
        .labelled(number)
        .moved(_LEFT + (number - 1) * _STEP, _Y, kit.SURFACE)
        for number, digit in enumerate(digits, 1)
    )


@lru_cache(maxsize=64)
def _surroundings(digit: str, done: int) -> Mesh:
    lamps = shapes.stage_lamps(STAGES, done, 0.79, 0.38, 0.25)
    screen = kit.screen(_DISPLAY_SIZE, _DISPLAY_SIZE, _GLASS)
    text = kit.glowing(digit, _DISPLAY_DIGIT, "green").moved(z=_GLASS)
    return merged([lamps, merged([text, screen]).moved(_DISPLAY_X, _DISPLAY_Y, kit.SURFACE)])
