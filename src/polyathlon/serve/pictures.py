"""What the server draws, as the functions that its other processes call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
from PIL import Image as Pil

from polyathlon.core.canonical import JSON
from polyathlon.core.parts import Image
from polyathlon.envs.gptnt.bomb.looks import frames
from polyathlon.envs.gptnt.bomb.looks.frames import Mask, Shot, View
from polyathlon.envs.gptnt.bomb.simulator import Target
from polyathlon.envs.gptnt.bomb.sounds import Heard, played
from polyathlon.media import png, wav


class Masked(msgspec.Struct, frozen=True):
    """A frame and its mask as PNG, and an entry for each element that can be pressed."""

    frame: bytes
    mask: bytes
    entries: list[dict[str, JSON]]


def frame(shot: Shot, size_px: tuple[int, int] | None = None) -> bytes:
    """A frame as PNG, resized where so asked (Lanczos, proportions not kept).

    For a larger size it is drawn larger, so that nothing is blurred.
    """
    if size_px is None or size_px == (shot.width_px, shot.height_px):
        return png.encode(frames.frame(shot))
    scale = max(1.0, size_px[0] / shot.width_px, size_px[1] / shot.height_px)
    width_px, height_px = round(shot.width_px * scale), round(shot.height_px * scale)
    large = frames.frame(replace(shot, width_px=width_px, height_px=height_px))
    return png.encode(_resized(large, size_px))


def masked(shot: Shot, targets: Sequence[Target]) -> Masked:
    """A frame, its mask, and what can be pressed in it."""
    view = frames.view(shot)
    mask = frames.flat(view)
    entries = [_entry(view, mask, target) for target in targets]
    return Masked(png.encode(view.image), png.encode(mask.image), entries)


def hit(shot: Shot, x: float, y: float) -> str | None:
    """The element at a point of the frame."""
    return frames.element_at(shot, x, y)


def sound(heard: Heard) -> bytes:
    """What was heard, as WAV."""
    return wav.encode(played(heard))


def _entry(view: View, mask: Mask, target: Target) -> dict[str, JSON]:
    """What an element is; it has no colour in the mask and no point while it is out of sight."""
    return {
        "element": target.element,
        "module": target.element.partition("/")[0],
        "type": target.type,
        "part": target.part,
        "colours": target.colours,
        "colour": mask.colours.get(target.element),
        "point": view.centroid(target.element),
    }


def _resized(image: Image, size_px: tuple[int, int]) -> Image:
    drawn = Pil.frombytes("RGB", (image.width_px, image.height_px), image.rgb)
    return Image(*size_px, drawn.resize(size_px, Pil.Resampling.LANCZOS).tobytes())
