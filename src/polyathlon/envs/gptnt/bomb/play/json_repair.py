"""JSON as models write it: quotes, commas and braces are mended where the meaning is plain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

MAX_BROKEN = 64
MAX_DEPTH = 64

_strict = json.JSONDecoder()
_lenient = json.JSONDecoder(strict=False)
_CLOSES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019"}
_BRACKETS = {"{": "}", "[": "]"}
_LITERALS = {"True": "true", "False": "false", "None": "null"}
_LITERAL = re.compile("|".join(_LITERALS))
_ENDS_STRING = frozenset(",:}]")


class Found(msgspec.Struct, frozen=True):
    """A JSON object in a text, the position behind it, and whether it had to be mended."""

    value: Any
    end: int
    mended: bool = False


def objects(text: str) -> Iterator[Found]:
    """The outermost JSON objects in `text`.

    Strict reading comes first; what it cannot read is mended. What stays unreadable is left out,
    and ends it when there is much of it.
    """
    start, broken = text.find("{"), 0
    while start >= 0 and broken < MAX_BROKEN:
        found = _first(text, start)
        if found.value is None:
            broken += 1
        else:
            yield found
        start = text.find("{", found.end)


def _first(text: str, start: int) -> Found:
    """The object that begins at `start`, or None for one that cannot be read."""
    try:
        return Found(*_strict.raw_decode(text, start))
    except (ValueError, RecursionError):
        mended, end = _mended(text, start)
    try:
        return Found(_lenient.decode(mended), end, mended=True)
    except (ValueError, RecursionError):
        return Found(None, end)


def _mended(text: str, start: int) -> tuple[str, int]:
    """The object that begins at `start` as JSON, and the position behind it.

    Takes single and typographic quotes, quotes inside strings, Python's literals, trailing
    commas, and an end that is missing; a tag outside of strings is behind the end.
    """
    out: list[str] = []
    open_: list[str] = []
    place = start
    while place < len(text):
        char = text[place]
        if char == "<":
            break
        if char in _CLOSES:
            string, place = _string(text, place)
            out.append(string)
            continue
        literal = _LITERAL.match(text, place) if char in "TFN" else None
        if literal is not None:
            out.append(_LITERALS[literal[0]])
            place = literal.end()
            continue
        place += 1
        if len(open_) > MAX_DEPTH:
            return "", place
        if char in _BRACKETS:
            open_.append(_BRACKETS[char])
        elif char in "}]":
            _drop_comma(out)
            if open_:
                char = open_.pop()
        out.append(char)
        if not open_:
            return "".join(out), place
    _drop_comma(out)
    return "".join([*out, *reversed(open_)]), place


def _string(text: str, start: int) -> tuple[str, int]:
    """The string that begins with the quote at `start`, as JSON, and the position behind it.

    A quote ends it only before a comma, a colon or a bracket, or at the end of the text. One that
    never ends leaves out the brackets and the tag that close an action.
    """
    close = _CLOSES[text[start]]
    place = start + 1
    chars: list[str] = []
    while place < len(text):
        char = text[place]
        if char == "\\" and place + 1 < len(text):
            chars.append(_escaped(text[place + 1]))
            place += 2
            continue
        place += 1
        if char == close and _at_end(text, place):
            return json.dumps("".join(chars), ensure_ascii=False), place
        chars.append(char)
    words = "".join(chars).partition("</action")[0].rstrip("}] \n")
    return json.dumps(words, ensure_ascii=False), place


def _escaped(char: str) -> str:
    return {"n": "\n", "t": "\t", "r": "\r"}.get(char, char)


def _at_end(text: str, place: int) -> bool:
    while place < len(text) and text[place].isspace():
        place += 1
    return place == len(text) or text[place] in _ENDS_STRING


def _drop_comma(out: list[str]) -> None:
    while out and (out[-1].isspace() or out[-1] == ","):
        out.pop()
