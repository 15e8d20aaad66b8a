"""Actions: what a role may do at one moment, and the grammar that says so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Protocol, TypeGuard, TypeVar, runtime_checkable

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.core.controls import Controls

A = TypeVar("A")

MAX_ACTION_CHARS = 20_000


class Malformed(msgspec.Struct, frozen=True):
    """A reply that is no action. It is a value the rules judge, never an exception."""

    reason: str
    text: str = ""


class Reading(msgspec.Struct, frozen=True):
    """A reply as read.

    `thought` is the reasoning it gave, `note` what its writer keeps of the moment. `repairs` are
    slugs of what was mended in silence, `warnings` faults that its writer is told of.
    """

    action: Any | Malformed
    thought: str = ""
    note: str = ""
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class ActionSpace(Protocol[A]):
    """The actions of one role at one moment."""

    def parse(self, text: str) -> A | Malformed:
        """The action that `text` names; never raises."""
        ...

    def write(self, action: A) -> str:
        """The canonical text of an action: `parse(write(a)) == a`."""
        ...

    def sample(self, rng: Stream) -> A:
        """A uniformly random action; renders nothing."""
        ...

    def describe(self) -> str:
        """One line for a prompt or a person: what may be answered."""
        ...

    def schema(self) -> JSON:
        """A JSON schema of the action's text or value, for structured output."""
        ...

    def gbnf(self) -> str:
        """The right-hand side of a GBNF rule that generates exactly the action texts."""
        ...

    def from_point(self, channel: str, x: float, y: float) -> A | None:
        """The action a person means by pointing at (x, y) in [0, 1]² of a channel, if any."""
        ...


@runtime_checkable
class ReplyFormat(ActionSpace[Any], Protocol):
    """An action space whose answer is the form of a whole reply, so that none is put around it.

    `parse` is given the whole reply: `first`, and then what stands behind labels; or it `only`.
    """

    whole_reply: ClassVar[Literal["first", "only"]]


@runtime_checkable
class ReplyReader(ReplyFormat, Protocol):
    """A reply format that judges whole replies itself, with their thoughts and their faults."""

    def read(self, reply: str, cut: bool) -> Reading:
        """A reply as the model wrote it; `cut` when its token limit ended it. Never raises."""
        ...

    def reply_gbnf(self) -> str:
        """The right-hand side of a GBNF rule of whole replies; the rule `words` is one thought."""
        ...


def owns_reply(actions: object) -> TypeGuard[ReplyFormat]:
    """Whether an action space is a ReplyFormat; asking the protocol itself costs far more."""
    return hasattr(actions, "whole_reply")


def reads_reply(actions: object) -> TypeGuard[ReplyReader]:
    """Whether an action space is a ReplyReader."""
    return hasattr(actions, "whole_reply") and hasattr(actions, "reply_gbnf")


_ARROWS = {"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight"}
_WRAPPING = " #*`'\""
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def tidy(text: str) -> str:
    """`text` on one line, without the marks that models wrap answers in (`#`, `*`, quotes)."""
    line = " ".join(text[:MAX_ACTION_CHARS].split())
    return line.lstrip(_WRAPPING).rstrip(_WRAPPING + ".;")


def gbnf_literal(text: str) -> str:
    """A GBNF terminal that generates exactly `text`."""
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(char: str) -> str:
    if char in _ESCAPES or char.isprintable():
        return _ESCAPES.get(char, char)
    return f"\\u{ord(char):04X}" if ord(char) < 0x10000 else f"\\U{ord(char):08X}"


class Labels(msgspec.Struct, frozen=True, dict=True):
    """One label out of a list, matched without regard to case; the action is the label.

    `points` maps a label to the (x, y) in [0, 1]² a person would click for it.
    """

    labels: tuple[str, ...]
    points: tuple[tuple[str, float, float], ...] = ()

    def parse(self, text: str) -> str | Malformed:
        if text in self.labels:
            return text
        wanted = tidy(text).lower()
        for label in self.labels:
            if label.lower() == wanted:
                return label
        return Malformed(f"not one of: {', '.join(self.labels[:20])}", text)

    def write(self, action: str) -> str:
        return action

    def sample(self, rng: Stream) -> str:
        return self.labels[rng.below(len(self.labels))]

    def describe(self) -> str:
        return "one of: " + ", ".join(self.labels)

    def schema(self) -> JSON:
        return {"type": "string", "enum": list(self.labels)}

    def gbnf(self) -> str:
        return " | ".join(map(gbnf_literal, self.labels))

    def from_point(self, channel: str, x: float, y: float) -> str | None:
        if not self.points:
            return None
        return min(self.points, key=lambda p: (p[1] - x) ** 2 + (p[2] - y) ** 2)[0]

    def controls(self) -> Controls:
        """A button for each label, and the arrow keys where labels are directions."""
        keys = {key: label for label in self.labels if (key := _ARROWS.get(label.lower()))}
        return Controls(buttons={label: label for label in self.labels}, keys=keys)


class Repeat(msgspec.Struct, frozen=True):
    """An action name held or repeated `times` times."""

    name: str
    times: int = 1


_REPEAT = re.compile(r"\( ?['\"]?([a-z_ ]+?)['\"]? ?, ?(\d{1,6}) ?\)|([a-z_]+)")


class Repeats(msgspec.Struct, frozen=True):
    """One or more `(name, times)` pairs in one answer; a bare name means once.

    `names` consist of the letters a to z and `_`, answered in any case; `times` is in
    [1, `most`]; an answer holds at most `length` pairs.
    """

    names: tuple[str, ...]
    most: int = 10
    length: int = 1

    def parse(self, text: str) -> tuple[Repeat, ...] | Malformed:
        cleaned = tidy(text).lower()
        pairs: list[Repeat] = []
        for match in _REPEAT.finditer(cleaned):
            name, times = match.group(1) or match.group(3), int(match.group(2) or 1)
            if name not in self.names:
                return Malformed(f"unknown action {name!r}; {self.describe()}", text)
            if not 1 <= times <= self.most:
                return Malformed(f"{times} is not between 1 and {self.most}", text)
            pairs.append(Repeat(name, times))
        if _REPEAT.sub("", cleaned).strip(" ,;[]\t\r\n"):
            return Malformed(f"text besides the actions; {self.describe()}", text)
        if not 1 <= len(pairs) <= self.length:
            return Malformed(f"needs 1 to {self.length} actions, got {len(pairs)}", text)
        return tuple(pairs)

    def write(self, action: Sequence[Repeat]) -> str:
        return ", ".join(f"({pair.name}, {pair.times})" for pair in action)

    def sample(self, rng: Stream) -> tuple[Repeat, ...]:
        return (Repeat(rng.choice(self.names), 1 + rng.below(self.most)),)

    def describe(self) -> str:
        pair = f"(name, n) with n from 1 to {self.most} and name one of: {', '.join(self.names)}"
        return pair if self.length == 1 else f"up to {self.length} of {pair}"

    def schema(self) -> JSON:
        pair: JSON = {
            "type": "object",
            "properties": {
                "name": {"type": "string", "enum": list(self.names)},
                "times": {"type": "integer", "minimum": 1, "maximum": self.most},
            },
            "required": ["name", "times"],
            "additionalProperties": False,
        }
        return {"type": "array", "items": pair, "minItems": 1, "maxItems": self.length}

    def gbnf(self) -> str:
        names = " | ".join(map(gbnf_literal, self.names))
        times = " | ".join(f'"{n}"' for n in range(1, self.most + 1))
        pair = f'("(" ({names}) ", " ({times}) ")")'
        return pair if self.length == 1 else f'{pair} (", " {pair}){{0,{self.length - 1}}}'

    def from_point(self, channel: str, x: float, y: float) -> tuple[Repeat, ...] | None:
        return None


class FreeText(msgspec.Struct, frozen=True):
    """Any text of 1 to `most` characters: an answer to a question, a message to a partner."""

    most: int = 4_000

    def parse(self, text: str) -> str | Malformed:
        cleaned = text.strip()
        if not cleaned:
            return Malformed("empty answer", text)
        if len(cleaned) > self.most:
            return Malformed(f"answer longer than {self.most} characters", text[: self.most])
        return cleaned

    def write(self, action: str) -> str:
        return action

    def sample(self, rng: Stream) -> str:
        letters = "etaoinshrdlu"
        return "".join(rng.choice(letters) for _ in range(1 + rng.below(min(12, self.most))))

    def describe(self) -> str:
        return f"text of at most {self.most} characters"

    def schema(self) -> JSON:
        return {"type": "string", "minLength": 1, "maxLength": self.most}

    def gbnf(self) -> str:
        return r"[^\n]+"

    def from_point(self, channel: str, x: float, y: float) -> str | None:
        return None
