"""Who's On First: a display over six keys with words, and three stage lamps."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.modules import shapes
from polyathlon.envs.gptnt.bomb.modules.words import STAGE_US, WordsModule
from polyathlon.envs.gptnt.bomb.rulebook.words import STAGES, WordsStage
from polyathlon.media.raster import Mesh, merged

_COLUMNS, _ROWS = (-0.5, 0.26), (0.14, -0.27, -0.68)
_PLACES = tuple((x, y) for y in _ROWS for x in _COLUMNS)
PARTS = tuple(f"label{number}" for number in range(1, len(_PLACES) + 1))

_BLANK = ("",) * len(_PLACES)
_WIDTH, _HEIGHT, _LETTERS = 0.7, 0.35, 0.14
_DISPLAY_X, _DISPLAY_Y, _DISPLAY_WIDTH, _DISPLAY_HEIGHT = -0.15, 0.6, 1.34, 0.36
_DISPLAY_LETTERS, _GLASS = 0.2, 0.05


def mesh(module: WordsModule, time_us: int) -> Mesh:
    """The module in its own frame; while the words change, keys and display are blank."""
    if module.changing(time_us):
        sunk = shapes.sunk(shapes.progress(module.changed_us, time_us, STAGE_US))
        return merged([_keys(_BLANK).moved(z=-sunk), _surroundings("", module.done)])
    return _drawn(module.current, module.done)


@lru_cache(maxsize=64)
def _drawn(stage: WordsStage, done: int) -> Mesh:
    return merged([_keys(stage.labels), _surroundings(stage.display, done)])


@lru_cache(maxsize=64)
def _keys(words: tuple[str, ...]) -> Mesh:
    return merged(
        shapes.word_key(word, _WIDTH, _HEIGHT, _LETTERS).labelled(number).moved(x, y, kit.SURFACE)
        for number, (word, (x, y)) in enumerate(zip(words, _PLACES, strict=True), 1)
    )


@lru_cache(maxsize=64)
def _surroundings(word: str, done: int) -> Mesh:
    lamps = shapes.stage_lamps(STAGES, done, 0.79, 0.14, 0.41)
    screen = kit.screen(_DISPLAY_WIDTH, _DISPLAY_HEIGHT, _GLASS)
    text = kit.glowing(word, _DISPLAY_LETTERS, "green", _DISPLAY_WIDTH - 0.1).moved(z=_GLASS)
    return merged([lamps, merged([text, screen]).moved(_DISPLAY_X, _DISPLAY_Y, kit.SURFACE)])
