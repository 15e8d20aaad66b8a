"""Texts of a trace in pieces, each of which its file holds once."""

from __future__ import annotations

import msgspec

from polyathlon.core import trace

MOST_CHARACTERS = 16 << 20
"""Of one text: no model reads more."""
MOST_RESTORED = 128 << 20
"""Of all texts of a trace, repetitions included."""


class Pieces:
    """Texts of messages in pieces, as a trace's file tells them: each piece once.

    A prompt of a canonical context repeats its history; in a file it costs what is new in it. A
    text is cut behind its blank lines and headings. Pieces are numbered as they come in the file.
    """

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._numbers: dict[str, int] = {}
        self._restored = 0

    def shortened(self, event: trace.Event) -> trace.Event:
        """The event as the next line of the file tells it."""
        if not isinstance(event, trace.Said):
            return event
        return msgspec.structs.replace(event, parts=tuple(map(self._shorten, event.parts)))

    def restored(self, event: trace.Event) -> trace.Event:
        """The event that the next line of the file tells.

        Raises ValueError for a wrong number, and where pieces come to too much text.
        """
        if not isinstance(event, trace.Said):
            return event
        return msgspec.structs.replace(event, parts=tuple(map(self._restore, event.parts)))

    def _shorten(self, ref: trace.Ref) -> trace.Ref:
        if not ref.text:
            return ref
        numbers = self._numbers
        told: list[str | int] = []
        for piece in _cut(ref.text):
            number = numbers.get(piece)
            if number is None:
                self._learn(piece)
            told.append(piece if number is None else number)
        return trace.Ref("text", pieces=tuple(told))

    def _restore(self, ref: trace.Ref) -> trace.Ref:
        if not ref.pieces:
            return ref
        texts = list(map(self._text, ref.pieces))
        size = sum(map(len, texts))
        self._restored += size
        if size > MOST_CHARACTERS or self._restored > MOST_RESTORED:
            raise ValueError("its pieces come to more text than a trace may hold")
        return trace.Ref("text", text="".join(texts))

    def _learn(self, piece: str) -> None:
        self._numbers[piece] = len(self._texts)
        self._texts.append(piece)

    def _text(self, piece: str | int) -> str:
        if isinstance(piece, str):
            if piece not in self._numbers:
                self._learn(piece)
            return piece
        if not 0 <= piece < len(self._texts):
            raise ValueError(f"a message names piece {piece} of {len(self._texts)}")
        return self._texts[piece]


def _cut(text: str) -> list[str]:
    *before, last = text.split(_BLANK_LINE)
    pieces: list[str] = []
    for paragraph in before:
        if paragraph.startswith(_HEADING):
            heading, newline, paragraph = paragraph.partition("\n")
            pieces.append(heading + newline)
        pieces.append(paragraph + _BLANK_LINE)
    return [*pieces, last] if last else pieces


_BLANK_LINE = "\n\n"
_HEADING = "## "
