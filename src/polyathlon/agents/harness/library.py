"""Prompt versions: texts with named slots, kept as files and read once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import groupby
from typing import TypeAlias

import msgspec
import yaml

from polyathlon.core.errors import unknown
from polyathlon.core.parts import Part, Text
from polyathlon.core.world import Brief

Parts: TypeAlias = tuple[Part, ...]
Slots: TypeAlias = Mapping[str, str | Parts]

STATIC_SLOTS = frozenset({"task", "rules", "answer", "advice", "format", "words"})
"""Slots that stay the same for a whole episode."""
TURN_SLOTS = frozenset({"history", "reflection", "state", "mail", "ask", "actions"})
"""Slots that are filled anew every turn."""

_SLOT = re.compile(r"\{([a-z_]+)\}")
_HEADING = re.compile(r"^(?=## )", re.MULTILINE)
_COMMON = "common"


class Section(msgspec.Struct, frozen=True, dict=True):
    """A heading, if any, and the lines below it."""

    text: str

    @cached_property
    def slots(self) -> frozenset[str]:
        return frozenset(_SLOT.findall(self.text))

    @cached_property
    def lines(self) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
        """Lines as the text before their first slot and each slot with the text behind it; lines
        without slots are one with their neighbours."""
        found: list[tuple[str, tuple[tuple[str, str], ...]]] = []
        for plain, run in groupby(
            self.text.splitlines(keepends=True), lambda s: not _SLOT.search(s)
        ):
            for line in ("".join(run),) if plain else run:
                before, *rest = _SLOT.split(line)
                found.append((before, tuple(zip(rest[::2], rest[1::2], strict=True))))
        return tuple(found)

    @property
    def static(self) -> bool:
        """Whether the section reads the same on every turn."""
        return not self.slots & TURN_SLOTS

    def fill(self, slots: Slots, absent: str) -> list[str | Part]:
        """The section with its slots filled.

        An empty slot shows `absent`. When `absent` is "", its line is left out, and the whole
        section when all its slots are empty.
        """
        filled: list[str | Part] = []
        if self.slots and not absent and not any(map(slots.get, self.slots)):
            return filled
        for before, named in self.lines:
            if named and not absent and not any(slots.get(name) for name, _ in named):
                continue
            filled.append(before)
            for name, behind in named:
                value = slots.get(name) or absent
                filled += (value, behind) if isinstance(value, str) else (*value, behind)
        return filled


class Template(msgspec.Struct, frozen=True):
    """A prompt text in sections. Raises ValueError for a slot that does not exist."""

    sections: tuple[Section, ...]
    absent: str = ""

    def __post_init__(self) -> None:
        wrong = self.slots - STATIC_SLOTS - TURN_SLOTS
        if wrong:
            raise ValueError(f"a prompt names slots that do not exist: {', '.join(sorted(wrong))}")

    @property
    def slots(self) -> frozenset[str]:
        """The names of the slots."""
        return frozenset[str]().union(*(section.slots for section in self.sections))

    def fill(self, slots: Slots) -> Parts:
        """The text with its slots filled, as parts; neighbouring texts become one."""
        pieces: list[str | Part] = []
        for section in self.sections:
            pieces += section.fill(slots, self.absent)
        return join(pieces)

    def static(self) -> Template:
        """The sections that read the same on every turn."""
        return Template(tuple(part for part in self.sections if part.static), self.absent)

    def changing(self) -> Template:
        """The sections that differ between turns; an empty slot leaves no trace in them."""
        return Template(tuple(part for part in self.sections if not part.static))


class Prompt(msgspec.Struct, frozen=True):
    """What one model call is asked: a system part and a user part."""

    system: Template
    user: Template


class Prompts(msgspec.Struct, frozen=True):
    """One prompt version: the decision, the modules around it and the reply format."""

    decide: Prompt
    reflect: Prompt
    caption: Prompt
    summarise: Prompt
    format: str
    format_with_note: str
    format_of_game: str


class _Texts(msgspec.Struct, forbid_unknown_fields=True):
    system: str
    user: str


class _File(msgspec.Struct, forbid_unknown_fields=True):
    decide: _Texts
    reflect: _Texts
    caption: _Texts
    summarise: _Texts
    format: str
    format_with_note: str
    format_of_game: str
    absent: str = ""


@cache
def prompts(version: str) -> Prompts:
    """A prompt version by name. Raises UserError with the names there are."""
    if version not in versions():
        raise unknown("prompt version", version, versions())
    file = msgspec.convert({**_read(_COMMON), **_read(version)}, _File)

    def prompt(texts: _Texts) -> Prompt:
        return Prompt(template(texts.system, file.absent), template(texts.user, file.absent))

    return Prompts(
        prompt(file.decide),
        prompt(file.reflect),
        prompt(file.caption),
        prompt(file.summarise),
        file.format.strip(),
        file.format_with_note.strip(),
        file.format_of_game.strip(),
    )


@cache
def versions() -> tuple[str, ...]:
    """The names of the prompt versions, sorted."""
    names = (file.name.removesuffix(".yaml") for file in _folder().iterdir())
    return tuple(sorted(name for name in names if name != _COMMON))


def template(text: str, absent: str = "") -> Template:
    """A template out of its text; a line that begins with `## ` opens a section."""
    return Template(tuple(Section(part) for part in _HEADING.split(text) if part), absent)


def told(brief: Brief) -> dict[str, str]:
    """The slots that a brief fills."""
    return {
        "task": brief.task,
        "rules": brief.rules,
        "answer": brief.answer,
        "advice": brief.advice,
    }


def join(pieces: Iterable[str | Part]) -> Parts:
    """Pieces as parts: neighbouring texts become one, blank lines at the ends of each go."""
    parts: list[Part] = []
    for piece in merged(pieces):
        if not isinstance(piece, str):
            parts.append(piece)
        elif trimmed := piece.strip("\n"):
            parts.append(Text(trimmed))
    return tuple(parts)


def merged(pieces: Iterable[str | Part]) -> list[str | Part]:
    """The pieces with neighbouring texts made one string."""
    found: list[str | Part] = []
    texts: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            texts.append(piece)
        elif isinstance(piece, Text):
            texts.append(piece.text)
        else:
            if texts:
                found.append("".join(texts))
                texts.clear()
            found.append(piece)
    if texts:
        found.append("".join(texts))
    return found


def _is_plain(line: str) -> bool:
    return not _SLOT.search(line)


def _folder() -> Traversable:
    return resources.files(__package__) / "prompts"


def _read(name: str) -> dict[str, object]:
    text = (_folder() / f"{name}.yaml").read_text(encoding="utf-8")
    read: dict[str, object] = yaml.safe_load(text)
    return read
