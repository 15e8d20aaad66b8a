"""Digests of schema 1, as commit 2510f83 computed them, and how those of today differ."""

from __future__ import annotations

import pytest

from polyathlon.core.parts import Audio, Image, Part, Text, Video
from polyathlon.core.schema1 import part_digest

PARTS: list[tuple[Part, str]] = [
    (Text("ünïcode\n"), "5f59eb7aa877455a05b6e31b63d97c4421ba28cb3735b73122c2436d7dc2e424"),
    (
        Image(2, 1, bytes(range(6))),
        "da63093465f7c47d6cf311e62c1d9a14eae70e1e308629773e790f4e17386576",
    ),
    (
        Audio(16_000, b"\x01\x00\xff\x7f"),
        "1669221b111700db27287843654bbe468748fba08a3bf685452608a802fa4ff8",
    ),
    (
        Audio(8_000, bytes(8), 2),
        "cf648c25dcc879533bec6e7739e6b4f4ff0463f663053b98cf6fce63a484dd63",
    ),
    (
        Video(1, 2, 12.5, bytes(range(12)), (1,)),
        "d9fc054fc5e5b8c6a893585e7a4642baf9ff549a9adbb5046f7dae96344e9ab1",
    ),
]


@pytest.mark.parametrize(("part", "digest"), PARTS)
def test_the_digests_of_schema_1(part: Part, digest: str) -> None:
    assert part_digest(part) == digest


@pytest.mark.parametrize(("part", "digest"), PARTS)
def test_media_have_other_digests_now_and_texts_the_same(part: Part, digest: str) -> None:
    assert len(part.digest) == 64
    assert (part.digest == digest) == isinstance(part, Text)
