"""Replies as commands: as much as possible is salvaged (section 9.4 of the specification).

What can be mended without doubt is mended in silence. A reply whose command is plain but whose
form is not is `Flawed`. The rest is `Malformed`, with a reason in the past tense.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from polyathlon.core.actions import Malformed
from polyathlon.envs.gptnt.bomb.play.actions import (
    NAMES,
    Action,
    Command,
    Flawed,
    Interact,
    Mark,
    Message,
    Name,
    Point,
    Wait,
)
from polyathlon.envs.gptnt.bomb.play.json_repair import objects

MAX_READ_CHARS = 20_000
MAX_NAME_CHARS = 24
EARLY = "the action stood before the end of the thoughts"
TRAILING = "something followed the closing tag of the action"
UNTAGGED = "the tags around the action were not well-formed"
NOTHING = "it held no action"
SEVERAL = "it held more than one action"
UNREADABLE = "its action could not be read as JSON of the given form"

_KINDS = ("do_nothing", "send_message", "interact_game")
_THOUGHTS_END = re.compile(r"<[ \t]*/[ \t]*(?:thoughts?|think)[ \t]*>", re.I)
_OPENING = re.compile(r"<[ \t]*actions?[ \t]*>", re.I)
_CLOSING = re.compile(
    r"[ \t\r\n]*(?:<[ \t]*[/\\][ \t]*\w{3,9}[ \t]*>?|<[ \t]*actions?[ \t]*>)", re.I
)
_FENCES = re.compile(r"```[a-zA-Z]*")


def read(reply: str, marks: Sequence[Mark]) -> Action | Malformed:
    """The command of a reply; `marks` are those the player saw. Never raises."""
    text = _FENCES.sub("", reply[-MAX_READ_CHARS:])
    ends = list(_THOUGHTS_END.finditer(text))
    behind = text[ends[-1].end() :] if ends else text
    found, flaws = _values(behind)
    if not found and ends and not _OPENING.search(behind):
        found, flaws = _values(text)
        flaws = (EARLY, *flaws)
    if not found:
        reason = UNREADABLE if _OPENING.search(text) else NOTHING
        return Malformed(reason, reply[:200])
    if len(found) > 1:
        return Malformed(SEVERAL, reply[:200])
    command = _command(found[0], marks)
    if isinstance(command, str):
        return Malformed(command, reply[:200])
    return Flawed(command, flaws) if flaws else command


def _values(text: str) -> tuple[list[Any], tuple[str, ...]]:
    """The objects in action tags, else the commands anywhere, and what was wrong with the form."""
    openings = list(_OPENING.finditer(text))
    if not openings:
        found = [value for value, _ in objects(text) if _is_command(value)]
        return found, (UNTAGGED,)
    body = text[openings[0].end() :]
    read = list(objects(body))
    if not read:
        return [], ()
    rest = body[read[0][1] :].lstrip(" \t\r\n}")
    closing = _CLOSING.match(rest)
    rest = rest[closing.end() :] if closing else rest
    values = [value for value, _ in read]
    return list(filter(_is_command, values)) or values, (TRAILING,) if rest.strip() else ()


def _is_command(value: Any) -> bool:
    return isinstance(value, dict) and bool({"kind", "result"} & set(_lowered(value)))


def _command(value: Any, marks: Sequence[Mark]) -> Command | str:
    """The command that a JSON value means, or what was wrong with it."""
    fields = _lowered(value)
    result = fields.get("result", fields)
    if isinstance(result, list):
        return SEVERAL if len(result) > 1 else UNREADABLE
    if not isinstance(result, dict):
        return UNREADABLE
    fields = _lowered(result)
    kind, data = fields.pop("kind", ""), fields.pop("data", None)
    details = _lowered(data) if isinstance(data, dict) else fields
    match _nearest(kind, _KINDS):
        case "do_nothing":
            return Wait()
        case "send_message":
            return _message(data if isinstance(data, str) else details.get("message"))
        case "interact_game":
            return _interact(details.get("action"), details.get("location"), marks)
    if _nearest(kind, NAMES):
        return _interact(kind, details.get("location"), marks)
    return "the kind of its action was not one of those that exist"


def _message(text: Any) -> Message | str:
    words = text.strip() if isinstance(text, str) else ""
    return Message(words) if words else "its message was empty"


def _interact(name: Any, location: Any, marks: Sequence[Mark]) -> Interact | str:
    nearest = _nearest(name, NAMES)
    if not nearest:
        return "its game action was not one of those that exist"
    at = _place(location, marks)
    if isinstance(at, str):
        return at
    return Interact(cast(Name, nearest), at)


def _place(location: Any, marks: Sequence[Mark]) -> Mark | Point | str | None:
    """Where a location says; None for none, words for what was wrong with it."""
    if isinstance(location, dict):
        fields = _lowered(location)
        location = [fields.get("x"), fields.get("y")]
    if isinstance(location, list):
        return _point(location)
    label = location.strip(" \"'`").upper() if isinstance(location, str) else None
    if location is None or label == "":
        return None
    if label is None:
        return "its location could not be read"
    return next((mark for mark in marks if mark.label == label), Mark(label[:MAX_NAME_CHARS]))


def _point(pair: Sequence[Any]) -> Point | str:
    numbers = [_number(value) for value in pair]
    if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
        return "its location could not be read"
    return Point(numbers[0], numbers[1])


def _number(value: Any) -> float | None:
    """A finite number, rounded to what an answer can say; None for anything else."""
    try:
        number = round(float(value), 4)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if abs(number) < 1e9 else None


def _lowered(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key).strip().lower(): item for key, item in value.items()}


def _nearest(name: Any, known: Iterable[str]) -> str:
    """The one known name within two edits (one for short names), or ""."""
    if not isinstance(name, str) or len(name) > MAX_NAME_CHARS:
        return ""
    wanted = re.sub(r"[\s-]+", "_", name.strip().lower())
    if wanted in known:
        return wanted
    near = [each for each in known if _edits(wanted, each) <= min(2, len(each) // 4)]
    return near[0] if len(near) == 1 else ""


def _edits(one: str, other: str) -> int:
    """Levenshtein's distance."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]
