"""What the server draws, as the functions that its other processes call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
from PIL import Image as Pil

from polyathlon.core.canonical import JSON
from polyathlon.core.parts import Image
from polyathlon.envs.gptnt.bomb.looks.frames import Mask, Shot, View, flat, view
from polyathlon.envs.gptnt.bomb.looks.frames import frame as drawn
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
        return png.encode(drawn(shot))
    scale = max(1.0, size_px[0] / shot.width_px, size_px[1] / shot.height_px)
    width_px, height_px = round(shot.width_px * scale), round(shot.height_px * scale)
    large = drawn(replace(shot, width_px=width_px, height_px=height_px))
    return png.encode(_resized(large, size_px))


def frames(shots: Sequence[Shot]) -> list[bytes]:
    """Frames as PNG."""
    return [frame(shot) for shot in shots]


def masked(shot: Shot, targets: Sequence[Target]) -> Masked:
    """A frame, its mask, and what can be pressed in it."""
    seen = view(shot)
    mask = flat(seen)
    entries = [_entry(seen, mask, target) for target in targets]
    return Masked(png.encode(seen.image), png.encode(mask.image), entries)


def sound(heard: Heard) -> bytes:
    """What was heard, as WAV."""
    return wav.encode(played(heard))


def _entry(seen: View, mask: Mask, target: Target) -> dict[str, JSON]:
    """What an element is; it has no colour in the mask and no point while it is out of sight."""
    return {
        "element": target.element,
        "module": target.element.partition("/")[0],
        "type": target.type,
        "part": target.part,
        "colours": target.colours,
        "colour": mask.colours.get(target.element),
        "point": seen.centroid(target.element),
    }


def _resized(image: Image, size_px: tuple[int, int]) -> Image:
    paper = Pil.frombytes("RGB", (image.width_px, image.height_px), image.rgb)
    return Image(*size_px, paper.resize(size_px, Pil.Resampling.LANCZOS).tobytes())
