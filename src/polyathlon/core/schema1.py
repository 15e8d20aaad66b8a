"""What traces of schema 1 name things by, for replaying them."""

from __future__ import annotations

from polyathlon.core.parts import Part


def part_digest(part: Part) -> str:
    """The SHA-256 of a part's raw signal."""
    return part.digest
