"""What is said on the terminal: the one place through which all of it goes.

Names, replies and causes come from models and from other people's files. What could steer a
terminal or reorder a line is made visible, and logins and keys are hidden.
"""

from __future__ import annotations

import sys
import traceback
import unicodedata
from collections.abc import Iterable
from itertools import islice
from types import TracebackType
from typing import TextIO

from polyathlon.core.addresses import redacted

LINE_CHARACTERS = 2_000
_LINES_AT_ONCE = 500


def say(text: object = "", end: str = "\n") -> None:
    """Print on stdout, at once."""
    _write(sys.stdout, text, end)


def say_lines(lines: Iterable[str]) -> None:
    """Print many lines on stdout, some at a time, each cut at LINE_CHARACTERS as it is shown."""
    left = iter(lines)
    while some := list(islice(left, _LINES_AT_ONCE)):
        told = shown("\n".join(some)).split("\n")
        say("\n".join(line[:LINE_CHARACTERS] for line in told))


def note(text: object = "", end: str = "\n") -> None:
    """Print on stderr, at once."""
    _write(sys.stderr, text, end)


def counted(count: int, noun: str) -> str:
    """Such as `1 episode` and `2 episodes`."""
    return f"{count} {noun if count == 1 else noun + 's'}"


def visible(text: str) -> str:
    r"""The text with everything but signs, spaces, tabs and new lines escaped, as `\x1b` for ESC.

    Escaped are control and format characters (Unicode categories Cc and Cf, bidirectional controls
    among them), line separators, surrogates, and what is private or unassigned.
    """
    if text.isprintable():
        return text
    return "".join(sign if _harmless(sign) else _escaped(sign) for sign in text)


def shown(text: str) -> str:
    """The text as the terminal gets it: visible, without logins and keys."""
    return visible(redacted(text))


def visible_json(text: str) -> str:
    r"""JSON with the same signs escaped as JSON does, as `\u001b`."""
    if text.isprintable():
        return text
    return "".join(sign if _harmless(sign) else _in_json(sign) for sign in text)


def show_uncaught(
    kind: type[BaseException], error: BaseException, at: TracebackType | None = None
) -> None:
    """For `sys.excepthook`: the traceback as `note` shows it."""
    note("".join(traceback.format_exception(error)), end="")


def _harmless(sign: str) -> bool:
    return sign.isprintable() or sign in "\n\t" or unicodedata.category(sign) == "Zs"


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape", "backslashreplace").decode("ascii")


def _in_json(sign: str) -> str:
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _write(stream: TextIO, text: object, end: str) -> None:
    words = shown(str(text))
    coding = stream.encoding or "utf-8"
    stream.write(words.encode(coding, "backslashreplace").decode(coding) + end)
    stream.flush()
