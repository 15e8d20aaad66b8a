"""The commands that README and `docs/` show, read out of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[2]
FILES = ("README.md", "CONTRIBUTING.md", *sorted(f"docs/{f.name}" for f in ROOT.glob("docs/*.md")))
SHELL = ("bash", "console", "sh")
_FENCE = re.compile(r"^ *```(\w*) *\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`((?:\.venv/bin/)?(?:polyathlon|make|pip|python|bash) [^`\n]+)`")
_NAMED = re.compile(r"# ([\w/]+\.py)\n")


class Block(msgspec.Struct, frozen=True):
    """What is meant to be typed in one place of a file.

    `line` is that of its first line there. `kind` is `shell`, `python`, or `inline` for a command
    within a sentence.
    """

    file: str
    line: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """The lines that are typed, without comments and prompts; none of Python."""
        if self.kind == "python":
            return []
        lines = self.text.replace("\\\n", " ").splitlines()
        typed = (re.sub(r"(^|\s+)#.*$", "", line).strip().removeprefix("$ ") for line in lines)
        return [line for line in typed if line]

    @property
    def module(self) -> str | None:
        """The file that a block of Python says it is, in a comment on its first line."""
        named = _NAMED.match(self.text)
        return named[1] if named else None


def blocks() -> Iterator[Block]:
    """Every block of shell or Python, and every command within a sentence, file by file."""
    for file in FILES:
        yield from read(file, (ROOT / file).read_text(encoding="utf-8"))


def read(file: str, text: str) -> Iterator[Block]:
    """The blocks of one file's text, then the commands of its sentences."""
    for fence in _FENCE.finditer(text):
        kind = "shell" if fence[1] in SHELL else fence[1]
        if kind in ("shell", "python"):
            yield Block(file, _line(text, fence.start(2)), kind, fence[2])
    prose = _FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), text)
    for span in _INLINE.finditer(prose):
        yield Block(file, _line(prose, span.start()), "inline", span[1])


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1
