"""What commands print: one JSON object, or aligned columns."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from polyathlon.core.console import say, visible_json


def print_json(value: object) -> None:
    """One JSON object on stdout."""
    say(visible_json(msgspec.json.format(msgspec.json.encode(value), indent=2).decode()))


def columns(rows: Sequence[Sequence[str]], indent: str = "") -> str:
    """Rows as lines whose cells are padded to equal width, two spaces apart."""
    if not rows:
        return ""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join(indent + line for line in lines)
