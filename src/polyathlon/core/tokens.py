"""The most tokens that parts can count as, whatever model reads them.

Bounds, not estimates: money is set aside by them before a call is made.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from polyathlon.core.parts import Audio, Image, Part, Text, Video

MESSAGE = 16
"""What frames a message: its speaker and its limits."""
PICTURE, TILE, TILE_PX = 1_500, 300, 256
"""A picture counts for `PICTURE` tokens and `TILE` for each square of `TILE_PX` that covers it.

Gemini 3 takes about 1,100 for any picture, and Gemini 2.5 258 for each tile, whose sides are 256 px
or more (https://ai.google.dev/gemini-api/docs/media-resolution and .../tokens); Claude one for 750
pixels (https://platform.claude.com/docs/en/build-with-claude/vision); OpenAI 85 and 170 for each
tile of 512 px, at most 1,445, or up to 2.46 for each patch of 32 px
(https://developers.openai.com/api/docs/guides/images-vision); open models one for each patch of 16
or 28 px."""
SOUND_A_SECOND = 50
"""Gemini counts 32 a second, OpenAI 10, open models at most 50."""
STILLS, LOOKS = 16, 64
"""A video is at most `STILLS` pictures, or is looked at `LOOKS` times and once a second more."""


class Most(msgspec.Struct, frozen=True):
    """Upper bounds of tokens, by kind."""

    text: int = 0
    image: int = 0
    audio: int = 0
    video: int = 0


NONE = Most()


def most(parts: Iterable[Part], beside: int = 0, before: Most = NONE) -> Most:
    """The most that a message of these parts counts as, with all `before` it.

    So many bytes are said `beside` the parts.
    """
    text = before.text + MESSAGE + beside
    image, audio, video = before.image, before.audio, before.video
    for part in parts:
        match part:
            case Text():
                text += in_text(part.text) + 1
            case Image():
                image += PICTURE + TILE * _tiles(part)
            case Audio():
                audio += SOUND_A_SECOND * (1 + math.ceil(part.duration_s))
            case Video():
                looks = min(part.frames, LOOKS + math.ceil(part.duration_s))
                video += PICTURE * min(part.frames, STILLS) + TILE * _tiles(part) * looks
    return Most(text, image, audio, video)


def in_text(text: str) -> int:
    """No tokenizer makes more tokens of a text than it has bytes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def _tiles(seen: Image | Video) -> int:
    return math.ceil(seen.width_px / TILE_PX) * math.ceil(seen.height_px / TILE_PX)
