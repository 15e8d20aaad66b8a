"""Texts out of GBNF grammars: what a constrained model could say, without a model.

The notation is llama.cpp's: rules `name ::= ...` with literals, `[a-z]` classes, `.`, groups,
`|`, and the repetitions `*`, `+`, `?`, `{m}`, `{m,}`, `{m,n}`. The text starts at `root`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

Choose: TypeAlias = Callable[[int], int]
Write: TypeAlias = Callable[["_Writing"], str]

MAX_CHOICES = 2_000
MAX_DEPTH = 40
EXTRA_REPEATS = 8

_TOKEN = re.compile(
    r"""\s+|\#[^\n]*
    |(?P<rule>[A-Za-z][\w-]*)\s*::=
    |(?P<name>[A-Za-z][\w-]*)
    |(?P<literal>"(?:[^"\\]|\\.)*")
    |(?P<set>\[(?:[^\]\\]|\\.)*\])
    |(?P<repeat>\{\d+(?:,\d*)?\}|[*+?])
    |(?P<mark>[()|.])""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_PRINTABLE = "".join(map(chr, range(32, 127)))


class Grammar:
    """A parsed grammar. Raises ValueError for a text that is none."""

    def __init__(self, text: str) -> None:
        self.rules: Mapping[str, Write] = _Parser(text).rules()
        if "root" not in self.rules:
            raise ValueError("a grammar needs a rule named root")

    def write(self, choose: Choose) -> str:
        """One text. `choose(n)` picks an alternative in [0, n); 0 ends optional repetitions.

        After `MAX_CHOICES` choices, or `MAX_DEPTH` rules deep, the first alternatives are taken.
        Raises ValueError for a grammar that these never end, or that names a rule it lacks.
        """
        try:
            return _Writing(self.rules, choose).expand("root")
        except RecursionError:
            raise ValueError("the grammar recurses without end") from None


class _Writing:
    """One text on its way out of a grammar."""

    def __init__(self, rules: Mapping[str, Write], choose: Choose) -> None:
        self._rules = rules
        self._choose = choose
        self._left = MAX_CHOICES
        self._depth = 0

    def pick(self, count: int) -> int:
        self._left -= 1
        return self._choose(count) if self._left >= 0 and self._depth < MAX_DEPTH else 0

    def expand(self, name: str) -> str:
        if name not in self._rules:
            raise ValueError(f"no rule named {name}")
        self._depth += 1
        text = self._rules[name](self)
        self._depth -= 1
        return text


@lru_cache(maxsize=256)
def parse(text: str) -> Grammar:
    """The grammar of a text, parsed once. Raises ValueError."""
    return Grammar(text)


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = [*_tokens(text), ("end", "")]
        self._at = 0

    def rules(self) -> dict[str, Write]:
        found: dict[str, Write] = {}
        while self._kind != "end":
            name = self._take("rule")
            found[name] = self._alternatives()
        return found

    @property
    def _kind(self) -> str:
        return self._tokens[self._at][0]

    def _take(self, kind: str, text: str | None = None) -> str:
        got, value = self._tokens[self._at]
        if got != kind or (text is not None and value != text):
            raise ValueError(f"expected {text or kind}, got {value or got!r}")
        self._at += 1
        return value

    def _next_is(self, mark: str) -> bool:
        return self._tokens[self._at] == ("mark", mark)

    def _alternatives(self) -> Write:
        choices = [self._sequence()]
        while self._next_is("|"):
            self._take("mark")
            choices.append(self._sequence())
        if len(choices) == 1:
            return choices[0]
        return lambda writing: choices[writing.pick(len(choices))](writing)

    def _sequence(self) -> Write:
        items: list[Write] = []
        while self._kind not in ("end", "rule") and not (self._next_is("|") or self._next_is(")")):
            items.append(self._repeated(self._item()))
        return lambda writing: "".join([item(writing) for item in items])

    def _item(self) -> Write:
        kind, value = self._tokens[self._at]
        self._at += 1
        if kind == "name":
            return lambda writing: writing.expand(value)
        if kind == "literal":
            text = _unescape(value[1:-1])
            return lambda writing: text
        if kind == "set":
            return _one_of(_members(value[1:-1]))
        if (kind, value) == ("mark", "."):
            return _one_of(_PRINTABLE)
        if (kind, value) == ("mark", "("):
            inside = self._alternatives()
            self._take("mark", ")")
            return inside
        raise ValueError(f"unexpected {value or kind!r}")

    def _repeated(self, item: Write) -> Write:
        while self._kind == "repeat":
            item = _repeat(item, *_bounds(self._take("repeat")))
        return item


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"cannot read the grammar at {text[at : at + 20]!r}")
        if match.lastgroup:
            yield match.lastgroup, match[match.lastgroup]
        at = match.end()


def _repeat(item: Write, least: int, most: int) -> Write:
    def write(writing: _Writing) -> str:
        times = least + writing.pick(most - least + 1)
        return "".join([item(writing) for _ in range(times)])

    return write


def _bounds(mark: str) -> tuple[int, int]:
    if mark == "?":
        return 0, 1
    if mark in "*+":
        least = int(mark == "+")
        return least, least + EXTRA_REPEATS
    low, comma, high = mark[1:-1].partition(",")
    least = int(low)
    most = int(high) if high else least + EXTRA_REPEATS * bool(comma)
    if most < least:
        raise ValueError(f"a repetition {mark} ends before it starts")
    return least, most


def _one_of(members: str) -> Write:
    if not members:
        raise ValueError("an empty character class")
    return lambda writing: members[writing.pick(len(members))]


def _members(inside: str) -> str:
    """The characters of a class; a negated one is taken out of printable ASCII."""
    negated = inside.startswith("^")
    characters = _unescape_all(inside[1:] if negated else inside)
    found: list[str] = []
    while characters:
        if len(characters) > 2 and characters[1] == "-":
            found += map(chr, range(ord(characters[0]), ord(characters[2]) + 1))
            del characters[:3]
        else:
            found.append(characters.pop(0))
    if negated:
        return "".join(c for c in _PRINTABLE if c not in found)
    return "".join(found)


def _unescape_all(text: str) -> list[str]:
    return [_unescape(m[0]) for m in re.finditer(r"\\(?:x..|u....|.)|.", text, re.DOTALL)]


def _unescape(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) > 1:
            return chr(int(code[1:], 16))
        return _ESCAPED.get(code, code)

    return _ESCAPE.sub(plain, text)
