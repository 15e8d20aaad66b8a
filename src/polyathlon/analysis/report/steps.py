"""The steps of a replay as JSON data: media, prompt, thought, reply, action, outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from polyathlon.analysis import labels
from polyathlon.analysis.report.format import number, usd
from polyathlon.analysis.report.frames import Drawn, Key
from polyathlon.analysis.report.gallery import Gallery
from polyathlon.analysis.rows import EpisodeRow
from polyathlon.core import trace
from polyathlon.core.models import Reply
from polyathlon.core.parts import Modality
from polyathlon.core.world import Role
from polyathlon.experiments.rundir import RunDir

MOST_CHARS = 6_000
MOST_MESSAGES = 6


class Turn(msgspec.Struct):
    """The events of one decision."""

    observed: trace.Observed | None = None
    calls: list[trace.Called] = []
    attempts: list[trace.Attempted] = []
    tools: list[trace.Used] = []
    acted: trace.Acted | None = None


def by_turn(events: Iterable[trace.Event]) -> dict[Key, Turn]:
    """Events by role and turn, in the order the turns began."""
    turns: dict[Key, Turn] = {}
    for event in events:
        match event:
            case trace.Observed():
                turns.setdefault((event.role, event.turn), Turn()).observed = event
            case trace.Called():
                turns.setdefault((event.role, event.turn), Turn()).calls.append(event)
            case trace.Attempted():
                turns.setdefault((event.role, event.turn), Turn()).attempts.append(event)
            case trace.Used():
                turns.setdefault((event.role, event.turn), Turn()).tools.append(event)
            case trace.Acted():
                turns.setdefault((event.role, event.turn), Turn()).acted = event
    return turns


class Pages:
    """Makes the data of one episode; media and messages are held once, named by place."""

    def __init__(self, run: RunDir, events: Iterable[trace.Event], drawn: Drawn) -> None:
        self._problem = drawn.problem
        self._gallery = Gallery(run, drawn)
        self._messages = {event.hash: event for event in events if isinstance(event, trace.Said)}
        self._said: dict[str, int] = {}

    def data(
        self,
        row: EpisodeRow,
        turns: Mapping[Key, Turn],
        last: Mapping[Role, int],
        clips: Mapping[Modality, set[Key]],
    ) -> Any:
        """The steps of `turns` and the end, with every medium and message they name.

        Sounds and videos are shown at the turns of `clips` only.
        """
        self._gallery.begin(clips)
        self._said.clear()
        steps = [self._step(key, turn) for key, turn in turns.items()]
        if row.status != "running":
            steps.append(self._end(row, last))
        return {
            "steps": steps,
            "media": self._gallery.files(),
            "messages": [_message(self._messages[hash]) for hash in self._said],
            "note": self._problem and f"What is drawn again ends early: {self._problem}",
        }

    def _step(self, key: Key, turn: Turn) -> dict[str, Any]:
        decide = next((call for call in turn.calls if call.purpose == "decide"), None)
        path = self._path(decide.head) if decide else []
        sensed = turn.observed.percepts if turn.observed else ()
        step: dict[str, Any] = {
            "role": key[0],
            "turn": key[1] + 1,
            "shown": self._gallery.given(key, sensed, path[-1].parts if path else ()),
            "changes": self._gallery.changes(key, turn.observed),
            "words": "" if path else clip(self._gallery.words(key)),
            "prompt": [self._place(event.hash) for event in _ends(path)],
            "omitted": len(path) - len(_ends(path)),
            "calls": [_call(call, turn.attempts) for call in turn.calls],
            "tools": [_tool(tool) for tool in turn.tools],
            "mail": [
                f"{mail.sender}: {clip(mail.text)}"
                for mail in (turn.observed.mail if turn.observed else ())
            ],
        }
        return {**step, **(_act(turn.acted) if turn.acted else {"status": "unfinished"})}

    def _end(self, row: EpisodeRow, last: Mapping[Role, int]) -> dict[str, Any]:
        return {
            "end": f"{row.status}: {row.cause}" if row.cause else row.status,
            "fault": row.traceback or row.detail,
            "shown": [shown for key in last.items() for shown in self._gallery.given(key, (), ())],
            "changes": [],
            "words": "\n\n".join(clip(self._gallery.words(key)) for key in last.items()),
            "metrics": [[name, number(value)] for name, value in _scored(row).items()],
        }

    def _place(self, hash: str) -> int:
        return self._said.setdefault(hash, len(self._said))

    def _path(self, head: str) -> list[trace.Said]:
        path: list[trace.Said] = []
        while head in self._messages:
            path.append(self._messages[head])
            head = path[-1].parent
        return path[::-1]


def _scored(row: EpisodeRow) -> Mapping[str, float]:
    """What an episode scored; of a failed one, what it counts as in the leading metric."""
    if row.status != "failed":
        return row.metrics
    lead = labels.lead_metric(row.env, row.metrics)
    return {name: value for name, value in row.metrics.items() if name == lead}


def clip(text: str) -> str:
    """At most MOST_CHARS of a text, with what is missing counted."""
    rest = len(text) - MOST_CHARS
    return text if rest <= 0 else f"{text[:MOST_CHARS]} … ({rest:,} more characters)"


def _ends(path: list[trace.Said]) -> list[trace.Said]:
    """The first message and the last few."""
    return path if len(path) <= MOST_MESSAGES else [path[0], *path[-MOST_MESSAGES + 1 :]]


def _message(event: trace.Said) -> dict[str, str]:
    texts = [ref.text if ref.type == "text" else f"[{ref.type} {ref.shape}]" for ref in event.parts]
    texts += [f"[tool call {call.name} {call.arguments}]" for call in event.tool_calls]
    return {"speaker": event.speaker, "text": clip("\n".join(texts))}


def _call(call: trace.Called, attempts: Iterable[trace.Attempted]) -> dict[str, Any]:
    mine = [
        attempt
        for attempt in attempts
        if (attempt.purpose, attempt.ordinal) == (call.purpose, call.ordinal)
    ]
    reply = next((attempt.reply for attempt in mine if attempt.reply), None)
    failed = [
        f"{attempt.cause} {clip(attempt.detail)}".strip() for attempt in mine if attempt.cause
    ]
    return {
        "purpose": call.purpose,
        "model": call.model,
        "failed": failed,
        "reply": "" if reply is None or call.purpose == "decide" else clip(reply.text),
        "facts": "" if reply is None else _facts(reply),
    }


def _facts(reply: Reply) -> str:
    used = reply.usage
    facts = [f"{used.input:,} tokens in", f"{used.output:,} out", f"{reply.latency_s:.2f} s"]
    facts.append("cost unknown" if reply.cost_usd is None else usd(reply.cost_usd))
    return ", ".join([*facts, *reply.conversions])


def _tool(tool: trace.Used) -> dict[str, str]:
    result = "\n".join(part.text or f"[{part.type} {part.shape}]" for part in tool.parts)
    arguments = msgspec.json.encode(tool.arguments).decode()
    return {"call": clip(f"{tool.name} {arguments}"), "result": clip(tool.error or result)}


def _act(event: trace.Acted) -> dict[str, Any]:
    return {
        "time_s": event.time_us / 1e6,
        "action": None if event.action is None else clip(event.action),
        "status": event.status,
        "malformed": clip(event.malformed),
        "reward": number(event.rewards.get(event.role, 0.0)),
        "score": number(event.score),
        "thought": clip(event.thought),
        "raw": clip(event.raw),
        "repairs": [clip(repair) for repair in event.repairs],
        "warnings": [clip(warning) for warning in event.warnings],
    }
