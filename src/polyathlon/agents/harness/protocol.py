"""The reply protocol: labelled lines `thought:` and `move:`, read forgivingly, never raising.

An action space with a reply format of its own reads the reply before any label is looked for; a
ReplyReader reads it alone, as it came.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any

import msgspec

from polyathlon.core.actions import ActionSpace, Malformed, Reading, owns_reply, reads_reply

MAX_REPLY_CHARS = 200_000
MOST_WORDS = 200
FRAME_CHARS = 64
MAX_THOUGHT_CHARS = 4_000
MAX_NOTE_CHARS = 300
MAX_LABELS = 64

_LABEL = re.compile(
    r"^[ \t#*`>'\"_-]*(thought|note|move|action|answer)[ \t*`_]*[:：][ \t]*", re.I | re.M
)
_INLINE = re.compile(r"\b(move|action|answer)[*`_]*[:：][ \t]*", re.I)
_THOUGHT = re.compile(r"^[\s#*`]*thought[*`_]*[:：]", re.I)
_STRICT = re.compile(r"(?:note: ([^\n]*)\n)?thought: ([^\n]*)\nmove: ([^\n]+)\n?")
_THINK = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.I)
_MARKUP = re.compile(
    r"^```[a-z]*[ \t]*$|^</?(?:answer|output|response)>|</?(?:answer|output|response)>[ \t]*$",
    re.I | re.M,
)
_MARKS = " \t\r\n#*`'\"_"


def parse(reply: str, actions: ActionSpace[Any], cut: bool = False) -> Reading:
    """The action of a reply in `actions`, or a Malformed with the reason. Never raises.

    `cut` says that the token limit ended the reply. The last label whose value is an action wins.
    Repairs: `cut`, `think-tags`, `markup`, `json`, `several-moves`, `trailing-text`,
    `inline-label`, `no-label`; a ReplyReader has its own.
    """
    if reads_reply(actions):
        return actions.read(reply, cut)
    if not owns_reply(actions):
        strict = _from_strict(reply[:MAX_REPLY_CHARS], actions)
        if strict is not None:
            return strict
    text, repairs = _clean(reply)
    if not text:
        return Reading(Malformed("empty reply", reply[:200]), repairs=repairs)
    for read in (_from_format, _from_json, _from_lines, _from_inline, _from_whole):
        found = read(text, actions)
        if found is not None:
            return msgspec.structs.replace(found, repairs=(*repairs, *found.repairs))
    return Reading(_nothing(text, actions), repairs=repairs)


def grammar(actions: ActionSpace[Any], max_tokens: int | None, note: bool = False) -> str:
    """GBNF of the whole reply: whatever it generates parses to an action of `actions`.

    A token holds at least one ASCII character, so the words before the action are kept short
    enough for `max_tokens` (more than `FRAME_CHARS` and some) not to cut the action off.
    """
    room = MOST_WORDS if max_tokens is None else (max_tokens - FRAME_CHARS) // (2 if note else 1)
    words = f"words ::= [ -;=?-~]{{1,{min(room, MOST_WORDS)}}}\n"
    if reads_reply(actions):
        return f"root ::= {actions.reply_gbnf()}\n{words}"
    noted = r'"note: " words "\n" ' if note else ""
    return (
        f'root ::= {noted}"thought: " words "\\nmove: " action\n'
        f"{words}action ::= {actions.gbnf()}\n"
    )


def without_thinking(text: str) -> str:
    """`text` without what stands in think tags; an unclosed tag hides all that follows it.

    A closing tag without an opening one hides what stands before it.
    """
    kept: list[str] = []
    depth = 0
    end = 0
    for tag in _THINK.finditer(text):
        if depth == 0:
            kept.append(text[end : tag.start()])
        if not tag[1]:
            depth += 1
        elif depth:
            depth -= 1
        else:
            kept.clear()
        end = tag.end()
    if depth == 0:
        kept.append(text[end:])
    return "".join(kept).strip()


def _clean(reply: str) -> tuple[str, tuple[str, ...]]:
    repairs = []
    text = reply[:MAX_REPLY_CHARS].strip()
    if len(reply) > MAX_REPLY_CHARS:
        repairs.append("cut")
    for slug, cleaned in (("think-tags", without_thinking), ("markup", _without_markup)):
        after = cleaned(text)
        if after != text:
            repairs.append(slug)
        text = after
    return text, tuple(repairs)


def _without_markup(text: str) -> str:
    return _MARKUP.sub("", text).strip()


def _nothing(text: str, actions: ActionSpace[Any]) -> Malformed:
    """Why a reply without any label is no action."""
    reason = "no line 'move:' in the reply"
    if owns_reply(actions):
        whole = actions.parse(text)
        reason = whole.reason if isinstance(whole, Malformed) else reason
    return Malformed(reason, text[:200])


def _from_format(text: str, actions: ActionSpace[Any]) -> Reading | None:
    if not owns_reply(actions):
        return None
    action = actions.parse(text)
    if isinstance(action, Malformed) and actions.whole_reply == "first":
        return None
    return Reading(action, _last_value(_blocks(text), "thought"))


def _from_strict(text: str, actions: ActionSpace[Any]) -> Reading | None:
    strict = _STRICT.fullmatch(text)
    action = actions.parse(strict[3]) if strict else None
    if strict is None or isinstance(action, Malformed):
        return None
    return Reading(action, _cut(strict[2]), _cut(strict[1] or "", MAX_NOTE_CHARS))


def _from_json(text: str, actions: ActionSpace[Any]) -> Reading | None:
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text[: text.rfind("}") + 1])
    except (ValueError, RecursionError):
        return None
    fields = {str(key).lower(): item for key, item in value.items()}
    for key in ("move", "action", "answer"):
        if key in fields:
            action = actions.parse(_written(fields[key]))
            thought, note = _written(fields.get("thought", "")), _written(fields.get("note", ""))
            return Reading(action, _cut(thought), _cut(note, MAX_NOTE_CHARS), ("json",))
    return None


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _from_lines(text: str, actions: ActionSpace[Any]) -> Reading | None:
    blocks = list(_blocks(text))
    moves = [value for name, value in blocks if name in ("move", "action", "answer")]
    if not moves:
        return None
    thought, note = _last_value(blocks, "thought"), _last_value(blocks, "note", MAX_NOTE_CHARS)
    action, repairs = _last_action(moves, actions)
    return Reading(action, thought, note, repairs)


def _last_value(
    blocks: Iterable[tuple[str, str]], label: str, most: int = MAX_THOUGHT_CHARS
) -> str:
    """What follows the last such label; "" without one."""
    values = [value for name, value in blocks if name == label]
    return _cut(values[-1], most) if values else ""


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """The last labels with the text that follows each, up to the next label."""
    labels = list(_LABEL.finditer(text))[-MAX_LABELS:]
    for label, following in zip_longest(labels, labels[1:]):
        end = len(text) if following is None else following.start()
        yield label[1].lower(), text[label.end() : end].strip()


def _last_action(
    values: list[str], actions: ActionSpace[Any]
) -> tuple[Any | Malformed, tuple[str, ...]]:
    several = ("several-moves",) if len(values) > 1 else ()
    for value in reversed(values):
        action = actions.parse(value)
        if not isinstance(action, Malformed):
            return action, several
        action = actions.parse(value.partition("\n")[0])
        if not isinstance(action, Malformed):
            return action, (*several, "trailing-text")
    return actions.parse(values[-1]), several


def _from_inline(text: str, actions: ActionSpace[Any]) -> Reading | None:
    labels = list(_INLINE.finditer(text))[-MAX_LABELS:]
    values = [text[label.end() :].partition("\n")[0] for label in labels]
    if not values:
        return None
    action, repairs = _last_action(values, actions)
    thought = _THOUGHT.sub("", text[: labels[-1].start()])
    return Reading(action, _cut(thought), "", ("inline-label", *repairs))


def _from_whole(text: str, actions: ActionSpace[Any]) -> Reading | None:
    action = actions.parse(text)
    return None if isinstance(action, Malformed) else Reading(action, repairs=("no-label",))


def _cut(text: str, most: int = MAX_THOUGHT_CHARS) -> str:
    return text.strip(_MARKS)[:most]
