"""Replies as commands: as much as possible is salvaged (section 9.4 of the specification).

What can be mended without doubt is mended in silence. A reply whose command is plain but whose
form is not is `Flawed`. The rest is `Malformed`, with a reason in the past tense.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from polyathlon.core.actions import Malformed, Reading
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
    as_json,
)
from polyathlon.envs.gptnt.bomb.play.json_repair import Found, objects

MAX_READ_CHARS = 20_000
MAX_NAME_CHARS = 24
MAX_THOUGHT_CHARS = 4_000
THOUGHTLESS = "it had no thoughts before the action"
CUT = "it was cut off at the token limit"
CUT_OFF = "it was cut off at the token limit, before an action that could be read"
EARLY = "the action stood before the end of the thoughts"
TRAILING = "something followed the action"
UNTAGGED = "the tags around the action were not well-formed"
NOTHING = "it held no action"
SEVERAL = "it held more than one action"
UNREADABLE = "its action could not be read as JSON of the given form"

_KINDS = ("do_nothing", "send_message", "interact_game")
_THOUGHTS = re.compile(r"<[ \t]*([/\\]?)[ \t]*(?:thoughts?|think(?:ing)?)[ \t]*>", re.I)
_OPENING = re.compile(r"<[ \t]*actions?[ \t]*>", re.I)
_CLOSING = re.compile(
    r"[ \t\r\n]*(?:<[ \t]*[/\\][ \t]*\w{3,9}[ \t]*>?|<[ \t]*actions?[ \t]*>)", re.I
)
_MARKER = re.compile(r"\b(?:MARKER|LABEL)\b")
_BRACE = re.compile("{")
_FORM = re.compile(r"(?:<(thoughts?|think)>.*?</\1>)?\s*<action>", re.S)
_AROUND = " \t\r\n*`\"'"
_NARROW = str.maketrans("｛｝［］：，＂＜＞／", '{}[]:,"<>/')


class _Salvaged(msgspec.Struct, frozen=True):
    """The JSON objects in a text that may be commands, and what was wrong with their form."""

    text: str
    objects: tuple[Found, ...] = ()
    flaws: tuple[str, ...] = ()


def command(text: str, marks: Sequence[Mark]) -> Action | Malformed:
    """The command of an answer, with thoughts before it or without. Never raises.

    `marks` are those the player saw.
    """
    salvaged = _salvaged(text[-MAX_READ_CHARS:])
    meant = _meant(salvaged, marks)
    if isinstance(meant, str):
        return Malformed(meant, text[:200])
    return Flawed(meant, salvaged.flaws) if salvaged.flaws else meant


def read(reply: str, marks: Sequence[Mark], cut: bool) -> Reading:
    """The command of a whole reply, which should begin with thoughts, and all about its form.

    `cut` when the token limit ended it. Repairs: `characters`, `tags`, `json`, `command`.
    """
    salvaged = _salvaged(reply[-MAX_READ_CHARS:])
    meant, thought = _meant(salvaged, marks), _thought(salvaged.text)
    if cut and UNTAGGED in salvaged.flaws and _thinking(salvaged.text):
        meant = NOTHING
    if isinstance(meant, str):
        reason = CUT_OFF if cut and meant != SEVERAL else meant
        return Reading(Malformed(reason, reply[:200]), thought)
    thoughtless = () if _THOUGHTS.search(salvaged.text) else (THOUGHTLESS,)
    flaws = (*thoughtless, *salvaged.flaws, *((CUT,) if cut else ()))
    action = Flawed(meant, flaws) if flaws else meant
    return Reading(action, thought, "", _repairs(salvaged, meant, reply), flaws)


def _meant(salvaged: _Salvaged, marks: Sequence[Mark]) -> Command | str:
    """The one command that was salvaged, or why there is none."""
    if len(salvaged.objects) > 1:
        return SEVERAL
    if not salvaged.objects:
        return UNREADABLE if _OPENING.search(salvaged.text) else NOTHING
    return _command(salvaged.objects[0].value, marks)


def _repairs(salvaged: _Salvaged, meant: Command, reply: str) -> tuple[str, ...]:
    """What was mended in silence to read a command."""
    (found,) = salvaged.objects
    mended = {
        "characters": not reply.endswith(salvaged.text),
        "tags": not (salvaged.flaws or _well_formed(salvaged.text)),
        "json": found.mended,
        "command": found.value != {"result": as_json(meant)},
    }
    return tuple(slug for slug, needed in mended.items() if needed)


def _thinking(text: str) -> bool:
    """Whether a text ends within thoughts; a command that they weigh up is no action yet."""
    tags = [tag[1] for tag in _THOUGHTS.finditer(text)]
    return bool(tags) and not tags[-1]


def _thought(text: str) -> str:
    """What stands in the tags of the thoughts, or without them before the action."""
    begin = _THOUGHTS.search(text)
    start = begin.end() if begin and not begin[1] else 0
    end = next((tag for tag in _THOUGHTS.finditer(text, start) if tag[1]), None)
    action = end or _OPENING.search(text, start) or _BRACE.search(text, start)
    return text[start : action.start() if action else None].strip()[:MAX_THOUGHT_CHARS]


def _well_formed(text: str) -> bool:
    """Whether a text has the form that is asked for, give or take blanks."""
    tidy = text.strip()
    form = _FORM.match(tidy) if tidy.endswith("</action>") else None
    body = tidy[form.end() : -len("</action>")].strip() if form else ""
    return body.startswith("{") and body.endswith("}")


def _salvaged(text: str) -> _Salvaged:
    """What a text holds; brackets and quotes in other characters are read as a last resort."""
    found = _found(text)
    if found.objects and UNTAGGED not in found.flaws:
        return found
    plain = html.unescape(text).translate(_NARROW).replace('\\"', '"')
    again = _found(plain) if plain != text else found
    better = again.objects and not (found.objects and UNTAGGED in again.flaws)
    return again if better else found


def _found(text: str) -> _Salvaged:
    """What stands behind the thoughts, or, without any action there, before their end."""
    ends = [tag.end() for tag in _THOUGHTS.finditer(text) if tag[1]]
    behind = text[ends[-1] :] if ends else text
    objects, flaws = _objects(behind)
    if not objects and ends and not _OPENING.search(behind):
        objects, flaws = _objects(text)
        flaws = (EARLY, *flaws)
    return _Salvaged(text, objects, flaws if objects else ())


def _objects(text: str) -> tuple[tuple[Found, ...], tuple[str, ...]]:
    """The objects in action tags, else the commands anywhere, and what was wrong around them."""
    opening = _OPENING.search(text)
    if opening is None:
        return tuple(_commands(objects(text))), (UNTAGGED,)
    body = text[opening.end() :]
    read = tuple(objects(body))
    if not read:
        return (), ()
    rest = body[read[0].end :].lstrip(_AROUND + "}]")
    closing = _CLOSING.match(rest)
    rest = rest[closing.end() :] if closing else rest
    return tuple(_commands(read)) or read, (TRAILING,) if rest.strip(_AROUND) else ()


def _commands(read: Iterable[Found]) -> Iterator[Found]:
    """The commands among objects, or inside of them."""
    for found in read:
        inside = [found.value]
        while inside:
            value = inside.pop(0)
            if _is_command(value):
                yield replace(found, value=value, mended=found.mended or value is not found.value)
            elif isinstance(value, dict):
                inside += [item for item in value.values() if isinstance(item, dict)]


def _is_command(value: Any) -> bool:
    return isinstance(value, dict) and bool({"kind", "result"} & set(_lowered(value)))


def _command(value: Any, marks: Sequence[Mark]) -> Command | str:
    """The command that a JSON value means, or what was wrong with it."""
    fields = _lowered(value)
    while isinstance(result := fields.get("result"), dict):
        fields = _lowered(result)
    if isinstance(result, str):
        result, fields = None, {"kind": result}
    if isinstance(result, list) and len(result) > 1:
        return SEVERAL
    if result is not None:
        return UNREADABLE
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
        location = fields.get("label", [fields.get("x"), fields.get("y")])
    if isinstance(location, list):
        return _place(location[0], marks) if len(location) == 1 else _point(location)
    if location is None:
        return None
    return _mark(location, marks) if isinstance(location, str) else "its location could not be read"


def _mark(location: str, marks: Sequence[Mark]) -> Mark | None:
    """The marker that a location names; it has no element when nobody wears that letter."""
    label = _MARKER.sub("", location.upper()).strip(" \"'`()[]")
    if not label:
        return None
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
