"""Pictures of the bomb in the size that a player gets, with markers or without.

Scenes are drawn as the game shows them and then resized, whatever the new shape (Lanczos), so
that a point in [0, 1]² means the same in every size. Markers are put on last and stay crisp.
"""

from __future__ import annotations

import numpy as np
from PIL import Image as Pil

from polyathlon.core.parts import Image
from polyathlon.envs.gptnt.bomb.marks import Ids, annotated
from polyathlon.envs.gptnt.bomb.play.actions import Size
from polyathlon.envs.gptnt.bomb.simulator import Scene, Target, picture, view
from polyathlon.media.drawing import Pixels


def plain(scene: Scene, size_px: Size) -> Image:
    """A scene without markers."""
    drawn = picture(scene)
    if (drawn.width_px, drawn.height_px) == size_px:
        return drawn
    shape = drawn.height_px, drawn.width_px, 3
    resized = _resized(np.frombuffer(drawn.rgb, np.uint8).reshape(shape), size_px)
    return Image(*size_px, resized.tobytes())


def marked(scene: Scene, targets: tuple[Target, ...], size_px: Size) -> Image:
    """A scene with a marker on every target, in their order."""
    drawn = view(scene)
    return annotated(
        _resized(drawn.colour, size_px), _sampled(drawn.ids, size_px), drawn.elements, targets
    )


def _resized(colour: Pixels, size_px: Size) -> Pixels:
    return np.asarray(Pil.fromarray(colour).resize(size_px, Pil.Resampling.LANCZOS))


def _sampled(ids: Ids, size_px: Size) -> Ids:
    """The ids at the middles of the new pixels."""
    rows, columns = (
        ((np.arange(new) + 0.5) * old / new).astype(int)
        for new, old in zip(reversed(size_px), ids.shape, strict=True)
    )
    return ids[np.ix_(rows, columns)]
