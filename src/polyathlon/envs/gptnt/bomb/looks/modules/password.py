"""Passwords: five letter windows between arrows, and a key to submit."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.modules import shapes
from polyathlon.envs.gptnt.bomb.looks.palette import RUBBER
from polyathlon.envs.gptnt.bomb.modules.password import LETTER_US, PasswordModule
from polyathlon.envs.gptnt.bomb.rulebook.password import COLUMNS
from polyathlon.media.raster import Mesh, merged

PARTS = (
    *(f"{arrow}{column}" for arrow in ("up", "down") for column in range(1, COLUMNS + 1)),
    "submit",
)

_STEP, _LETTERS_Y, _ARROWS_Y, _SUBMIT_Y = 0.335, 0.04, 0.42, -0.73
_WINDOW_WIDTH, _WINDOW_HEIGHT, _LETTER, _GLASS = 0.27, 0.42, 0.25, 0.04
_ARROW_WIDTH, _ARROW_HEIGHT = 0.26, 0.22


def mesh(module: PasswordModule, time_us: int) -> Mesh:
    """The module in its own frame; a letter that has just changed rolls into its window."""
    over = shapes.progress(module.changed_us, time_us, LETTER_US)
    if over == 1:
        return _drawn(module.word)
    return merged([_windows(module.word, module.changed, module.step, over), _surroundings()])


@lru_cache(maxsize=128)
def _drawn(letters: str) -> Mesh:
    return merged([_windows(letters), _surroundings()])


def _windows(letters: str, rolling: int | None = None, step: int = 1, over: float = 1.0) -> Mesh:
    """The letters, that of the column `rolling` on a drum that is `over` of its turn round."""
    return merged(
        _letter(letter, step, over if column == rolling else 1.0).moved(_x(column))
        for column, letter in enumerate(letters)
    )


def _letter(letter: str, step: int, over: float) -> Mesh:
    """A letter that comes into its window from below, or from above if `step` is -1."""
    text = kit.glowing(letter.upper(), _LETTER, "yellow", _WINDOW_WIDTH).moved(z=_GLASS)
    off = -0.4 * _WINDOW_HEIGHT * step * (1.0 - over)
    return text.scaled(1.0, 0.2 + 0.8 * over).moved(0.0, _LETTERS_Y + off, kit.SURFACE)


@lru_cache(maxsize=1)
def _surroundings() -> Mesh:
    width = _STEP * COLUMNS
    screen = kit.screen(width, _WINDOW_HEIGHT, _GLASS).moved(0.0, _LETTERS_Y, kit.SURFACE)
    bar = kit.block(_STEP - _WINDOW_WIDTH, _WINDOW_HEIGHT, _GLASS + 0.04, kit.matt(RUBBER), 0.01)
    bars = [bar.moved(_x(gap + 0.5), _LETTERS_Y, kit.SURFACE) for gap in range(COLUMNS - 1)]
    arrows = [
        shapes.arrow_key(_ARROW_WIDTH, _ARROW_HEIGHT, quarters)
        .labelled(1 + row * COLUMNS + column)
        .moved(_x(column), _LETTERS_Y + side * _ARROWS_Y, kit.SURFACE)
        for row, (quarters, side) in enumerate(((0, 1), (2, -1)))
        for column in range(COLUMNS)
    ]
    submit = shapes.word_key("SUBMIT", 0.9, 0.28, 0.15).labelled(len(PARTS))
    return merged([screen, *bars, *arrows, submit.moved(0.0, _SUBMIT_Y, kit.SURFACE)])


def _x(column: float) -> float:
    return (column - (COLUMNS - 1) / 2) * _STEP
