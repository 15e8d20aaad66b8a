"""The needy vent: a question, the seconds left for it, and two answers."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.modules import shapes
from polyathlon.envs.gptnt.bomb.modules.vent import VentModule
from polyathlon.media.raster import Mesh, merged

PARTS = ("yes", "no")

_SCREEN_Y, _WIDTH, _HEIGHT, _GLASS = 0.12, 1.6, 0.82, 0.05
_QUESTION_Y, _LETTERS, _SECONDS_Y, _FIGURES = 0.2, 0.19, -0.16, 0.32
_KEYS_X, _KEYS_Y = 0.42, -0.62


def mesh(module: VentModule, time_us: int) -> Mesh:
    """The module in its own frame; the screen is dark while it sleeps."""
    if module.question is None:
        return _housing()
    return _asking(module.question, shapes.seconds_left(module.due_us, time_us))


@lru_cache(maxsize=64)
def _asking(question: str, seconds: str) -> Mesh:
    text = kit.glowing(question, _LETTERS, "green", _WIDTH - 0.1).moved(y=_QUESTION_Y)
    figures = kit.seven_segments(seconds, _FIGURES, "red").moved(y=_SECONDS_Y)
    shown = merged([text, figures]).moved(0.0, _SCREEN_Y, kit.SURFACE + _GLASS)
    return merged([shown, _housing()])


@lru_cache(maxsize=1)
def _housing() -> Mesh:
    yes, no = (shapes.word_key(word, 0.7, 0.4, 0.2) for word in ("YES", "NO"))
    return merged(
        [
            yes.labelled(1).moved(-_KEYS_X, _KEYS_Y, kit.SURFACE),
            no.labelled(2).moved(_KEYS_X, _KEYS_Y, kit.SURFACE),
            kit.screen(_WIDTH, _HEIGHT, _GLASS).moved(0.0, _SCREEN_Y, kit.SURFACE),
        ]
    )
