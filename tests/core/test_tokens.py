"""Bounds of tokens: no tokenizer and no provider counts more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core.models import Message, Request, ToolCall, ToolSchema, say, thread
from polyathlon.core.parts import Audio, Image, Video
from polyathlon.core.tokens import most

MEASURED = [
    # width, height -> tokens of Claude 5.5, Claude 4.5, Gemini 3, GPT-6 and GPT-5.5 as they come:
    # https://huggingface.co/datasets/JOHNISKING/image-token-cost
    (256, 256, (177, 165, 1_090, 77, 77)),
    (512, 512, (438, 426, 1_090, 308, 308)),
    (768, 768, (861, 849, 1_090, 692, 692)),
    (1_024, 1_024, (1_446, 1_434, 1_090, 1_229, 1_229)),
    (1_280, 720, (1_273, 1_261, 1_101, 1_104, 1_104)),
    (1_920, 1_080, (2_768, 1_625, 1_101, 2_448, 2_448)),
    (2_560, 1_440, (3_069, 1_657, 1_101, 4_320, 4_320)),
    (3_840, 2_160, (3_069, 1_657, 1_101, 9_792, 9_792)),
    (4_032, 3_024, (4_005, 1_661, 1_065, 14_364, 11_868)),
]


@pytest.mark.parametrize(("width_px", "height_px", "counted"), MEASURED)
def test_a_picture_never_counts_more(
    width_px: int, height_px: int, counted: tuple[int, ...]
) -> None:
    picture = Image(width_px, height_px, bytes(3 * width_px * height_px))
    assert max(counted) <= most((picture,)).image


@pytest.mark.parametrize(("width_px", "height_px"), [(10, 10), (100, 250), (640, 480), (1_568, 60)])
def test_a_picture_in_tiles_never_counts_more(width_px: int, height_px: int) -> None:
    """By the formulas of gpt-4o, whose pictures may be enlarged, and of Gemini 2.5."""
    picture = Image(width_px, height_px, bytes(3 * width_px * height_px))
    scale = min(768 / min(width_px, height_px), 2_048 / max(width_px, height_px))
    enlarged = -(-width_px * scale // 512) * -(-height_px * scale // 512)
    unit = min(max(min(width_px, height_px) // 1.5, 256), 768)
    tiles = -(-width_px // unit) * -(-height_px // unit)
    assert max(85 + 170 * enlarged, 258 * tiles) <= most((picture,)).image


def test_sound_and_video_never_count_more() -> None:
    sound = Audio(1_000, bytes(2 * 2_500))
    assert most((sound,)).audio >= 2.5 * 32
    clip = Video(640, 480, 10.0, bytes(640 * 480 * 3 * 100))
    assert most((clip,)).video >= 64 * 258, "looked at as often as Gemini is told to"
    assert most((clip,)).video >= 16 * most((Image(640, 480, bytes(640 * 480 * 3)),)).image


@given(st.text(max_size=50), st.text(max_size=50), st.binary(max_size=50))
def test_every_byte_that_is_said_counts(text: str, reasoning: str, opaque: bytes) -> None:
    call = ToolCall("c", "calculator", text)
    said = Message("assistant", (), (call,), "", reasoning, opaque)
    first, second = say("user", text), say("user", reasoning)
    size = 2 * len(text.encode()) + 2 * len(reasoning.encode()) + len(opaque)
    grown = thread(first, said, second)
    assert grown.most.text >= size
    assert grown.most.text == sum(thread(m).most.text for m in (first, said, second))


def test_what_goes_along_with_a_conversation_counts() -> None:
    talk = thread(say("user", "Go."))
    tool = ToolSchema("calculator", "x" * 5_000, {"type": "object"})
    plain = Request(talk).most(7)
    assert plain.output == 7
    assert Request(talk, tools=(tool,)).most(7).input >= plain.input + 5_000
    assert Request(talk, schema={"const": "y" * 300}).most(7).input >= plain.input + 300
    assert Request(talk, grammar="z" * 200).most(7).input == plain.input + 200
