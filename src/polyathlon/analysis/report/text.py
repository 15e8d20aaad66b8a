"""Sheets as Markdown, and as tables in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from polyathlon.analysis.report.format import plain
from polyathlon.analysis.report.sheets import Sheet

WIDTH = 160

_MARKDOWN = str.maketrans(
    {"\\": "\\\\", "|": "\\|", "<": "&lt;", "[": "\\[", "`": "\\`", "*": "\\*"}
)


def markdown(title: str, sheets: Iterable[Sheet]) -> str:
    """A Markdown document of tables. Text from runs is escaped."""
    return "\n\n".join([f"# {_escaped(title)}", *map(_markdown_sheet, sheets)]) + "\n"


def print_sheets(sheets: Iterable[Sheet]) -> None:
    """Print tables as wide as the terminal is, or `WIDTH` where there is none."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    for sheet in sheets:
        table = Table(
            title=Text(plain(sheet.title)),
            box=box.SIMPLE_HEAD,
            padding=(0, 1, 0, 0),
            title_justify="left",
        )
        for place, name in enumerate(sheet.columns):
            words = place < sheet.words
            table.add_column(
                Text(plain(name)),
                justify="left" if words else "right",
                overflow="fold",
                min_width=10 if words else None,
            )
        for place, row in enumerate(sheet.rows):
            table.add_row(
                *(
                    Text(plain(cell), "bold" if (place, column) in sheet.best else "")
                    for column, cell in enumerate(row)
                )
            )
        console.print(table)


def _markdown_sheet(sheet: Sheet) -> str:
    rules = ["---" if place < sheet.words else "---:" for place in range(len(sheet.columns))]
    rows = [[_escaped(cell) for cell in row] for row in sheet.rows]
    for row, column in sheet.best:
        rows[row][column] = f"**{rows[row][column]}**"
    lines = [[_escaped(name) for name in sheet.columns], rules, *rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    note = f"\n\n{_escaped(sheet.note)}" if sheet.note else ""
    return f"## {_escaped(sheet.title)}\n\n{table}{note}"


def _escaped(text: str) -> str:
    return plain(text).translate(_MARKDOWN)
