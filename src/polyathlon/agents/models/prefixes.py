"""Conversations as JSON arrays of messages, written once and prolonged.

Nothing walks a conversation twice: what was written of a thread is held under its hash, so a
request costs one join of what is new to what was sent before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile

import anyio.to_thread
import msgspec

from polyathlon.agents.models.encoding import takes_long
from polyathlon.agents.models.writing import check_media
from polyathlon.core.models import Thread
from polyathlon.core.parts import Modality
from polyathlon.media.lru import SizedLru

PREFIX_BYTES = 128 << 20
MOVED = "a later system message put first"
EMPTY = "an empty message not sent"


class Piece(msgspec.Struct, frozen=True):
    """One message: `head` opens it up to its `items`, which are joined by commas.

    A message of a `group` goes on in the one before it, if that is of the same group. `system` is
    set instead where the provider keeps instructions apart. It `holds` these modalities.
    """

    head: bytes = b""
    items: bytes = b""
    group: str = ""
    system: bytes = b""
    conversions: tuple[str, ...] = ()
    holds: frozenset[Modality] = frozenset()


class Prefix(msgspec.Struct, frozen=True):
    """A conversation: its instructions, and its messages, the last of them open to go on.

    `close` is what closes a message.
    """

    close: bytes
    system: tuple[bytes, ...] = ()
    opened: bytes = b""
    group: str = ""
    conversions: tuple[str, ...] = ()
    holds: frozenset[Modality] = frozenset()

    @property
    def messages(self) -> bytes:
        """The messages, joined by commas."""
        return self.opened + self.close if self.opened else b""

    def __len__(self) -> int:
        return len(self.opened) + sum(map(len, self.system))


class Prefixes:
    """Writes threads; `piece` writes the message that a thread ends in, up to its `close`.

    Messages with media are the user's: ModelError is raised for any other.
    """

    def __init__(self, piece: Callable[[Thread], Piece], close: bytes = b"") -> None:
        self._piece = piece
        self._empty = Prefix(close)
        self._held: SizedLru[Prefix] = SizedLru(PREFIX_BYTES)

    async def written(self, thread: Thread) -> Prefix:
        """`write`, off the event loop where that takes long."""
        fresh = takewhile(lambda node: self._held.get(node.hash) is None, thread.nodes())
        if takes_long(fresh):
            return await anyio.to_thread.run_sync(self.write, thread)
        return self.write(thread)

    def write(self, thread: Thread) -> Prefix:
        """The whole conversation; threads may share a writer.

        Raises ModelError when the model cannot be told this.
        """
        fresh: list[Thread] = []
        known: Prefix | None = None
        for node in thread.nodes():
            known = self._held.get(node.hash)
            if known is not None:
                break
            fresh.append(node)
        if known is not None and not fresh:
            return known
        for node in fresh:
            check_media(node.message)
        pieces = (self._piece(node) for node in reversed(fresh))
        return self._held.put(thread.hash, _prolonged(known or self._empty, pieces))


def _prolonged(known: Prefix, pieces: Iterator[Piece]) -> Prefix:
    system, written, group = list(known.system), [known.opened], known.group
    conversions, holds = dict.fromkeys(known.conversions), known.holds
    begun, between = bool(known.opened), known.close + b","
    for piece in pieces:
        holds |= piece.holds
        conversions |= dict.fromkeys(piece.conversions)
        if piece.system:
            system.append(piece.system)
            if begun:
                conversions[MOVED] = None
        elif not piece.items:
            conversions[EMPTY] = None
        elif piece.group and piece.group == group:
            written += [b",", piece.items]
        else:
            written += [between if begun else b"", piece.head, piece.items]
            group, begun = piece.group, True
    return Prefix(known.close, tuple(system), b"".join(written), group, tuple(conversions), holds)
