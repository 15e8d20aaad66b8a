"""Replay of traces of schema 1: what happens now is told as that schema told it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile

import msgspec

from polyathlon.core import trace
from polyathlon.core.canonical import digest
from polyathlon.core.models import Request, Thread
from polyathlon.core.schema1 import part_digest
from polyathlon.runtime.recorder import NoSink, Recorder


class Schema1Recorder(Recorder):
    """Compares a game that is played again with a trace of schema 1; writes nothing.

    That schema kept sampling seeds as they were, told all time that passed, named messages by
    SHA-256, and had no events for the starts of tools and of further attempts.
    """

    derives_seeds = False
    idles = True
    books = False

    def __init__(self, recording: Iterable[trace.Event]) -> None:
        super().__init__(NoSink(), recording)
        self._hashes: dict[str, str] = {}

    def emit(self, event: trace.Event) -> None:
        for told in _told(event):
            super().emit(told)

    def thread_hash(self, thread: Thread) -> str:
        fresh = list(takewhile(lambda node: node.hash not in self._hashes, thread.nodes()))
        for node in reversed(fresh):
            parent = "" if node.parent is None else self._hashes[node.parent.hash]
            self._hashes[node.hash] = _chained(node, parent)
        return self._hashes[thread.hash]

    def request_hash(self, request: Request, model: str) -> str:
        rest = [request.sampling, request.tools, request.grammar, request.schema, request.logprobs]
        return digest([self.thread_hash(request.thread), model, rest])


def _chained(node: Thread, parent: str) -> str:
    message = node.message
    parts = [part_digest(part) for part in message.parts]
    rest = [message.speaker, message.tool_calls, message.tool_call_id, message.reasoning]
    return digest([parent, parts, rest])


def _told(event: trace.Event) -> Iterator[trace.Event]:
    """The event as schema 1 told it, if it did."""
    match event:
        case trace.Header():
            yield msgspec.structs.replace(event, schema=1)
        case trace.Called():
            yield msgspec.structs.replace(event, most_usd=None)
        case trace.Overdue():
            yield msgspec.structs.replace(event, time_us=0)
        case trace.Acted():
            yield msgspec.structs.replace(event, answers_us=0)
        case trace.Using() | trace.Retried() | trace.Interrupted() | trace.Late():
            return
        case _:
            yield event
