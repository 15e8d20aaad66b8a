"""What commands print: one JSON object, or aligned columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from polyathlon.core.console import counted, note, say, visible_json
from polyathlon.experiments.durable import write_whole

DAMAGED_AT_MOST = 10


def print_json(value: object) -> None:
    """One JSON object on stdout."""
    say(visible_json(msgspec.json.format(msgspec.json.encode(value), indent=2).decode()))


def tell_damaged(damaged: Sequence[str]) -> None:
    """Lines on stderr about the episodes that were left out."""
    for line in damaged[:DAMAGED_AT_MOST]:
        note(f"left out: {line}")
    if damaged:
        note(f"{counted(len(damaged), 'damaged episode')} left out")


def write_page(target: Path, text: str) -> None:
    """Write a file whole or not at all; a pipe or a device gets it as it is. Raises OSError."""
    if target.exists() and not target.is_file():
        target.write_text(text, encoding="utf-8")
    else:
        write_whole(target, text.encode())


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
