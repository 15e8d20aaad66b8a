"""A line between two processes: batches of messages both ways over a socket, without threads."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Generic, TypeVar

import msgspec

Said = TypeVar("Said")
Heard = TypeVar("Heard")

_LENGTH = struct.Struct("<I")
_CHUNK_BYTES = 1 << 18


class Line(asyncio.Protocol, Generic[Said, Heard]):
    """One end of a line.

    What is said within one iteration of the event loop goes out in one write, in order. A batch
    on the wire is its length in bytes (4 of them, little-endian) and a msgpack list.
    """

    def __init__(self, decoder: msgspec.msgpack.Decoder[list[Heard]]) -> None:
        self._decoder = decoder
        self._loop = asyncio.get_running_loop()
        self._out: list[Said] = []
        self._in = bytearray()
        self._batches: asyncio.Queue[list[Heard] | None] = asyncio.Queue()
        self._closed = self._loop.create_future()

    def say(self, message: Said) -> None:
        """Send a message soon; one that nobody is there to hear any more is dropped."""
        if not self._out:
            self._loop.call_soon(self.flush)
        self._out.append(message)

    def flush(self) -> None:
        """Send what was said until now."""
        batch, self._out = self._out, []
        if batch and not self._transport.is_closing():
            data = msgspec.msgpack.encode(batch)
            self._transport.write(_LENGTH.pack(len(data)) + data)

    async def heard(self) -> AsyncIterator[list[Heard]]:
        """The batches that come in, until the other end is gone."""
        while (batch := await self._batches.get()) is not None:
            yield batch

    def hang_up(self) -> None:
        """End the line once what was said has gone out."""
        self.flush()
        self._transport.close()

    async def close(self) -> None:
        """Hang up and wait for the end of the line."""
        self.hang_up()
        await self._closed

    def connection_made(self, transport: Any) -> None:
        self._transport: asyncio.WriteTransport = transport

    def data_received(self, data: bytes) -> None:
        self._in += data
        start = 0
        while len(self._in) - start >= _LENGTH.size:
            begin = start + _LENGTH.size
            end = begin + _LENGTH.unpack_from(self._in, start)[0]
            if end > len(self._in):
                break
            self._batches.put_nowait(self._decoder.decode(bytes(self._in[begin:end])))
            start = end
        del self._in[:start]

    def connection_lost(self, error: Exception | None) -> None:
        if error is not None:
            self._hear_the_rest()
        self._batches.put_nowait(None)
        if not self._closed.done():
            self._closed.set_result(None)

    def _hear_the_rest(self) -> None:
        """Read what had been said: a write that fails ends a line before all of it is read."""
        end = self._transport.get_extra_info("socket").fileno()
        with suppress(OSError):
            while data := os.read(end, _CHUNK_BYTES):
                self.data_received(data)


async def connect(
    end: socket.socket, decoder: msgspec.msgpack.Decoder[list[Heard]]
) -> Line[Said, Heard]:
    """The line whose end this socket is; it owns the socket from now on."""
    loop = asyncio.get_running_loop()
    _, line = await loop.create_connection(lambda: Line[Said, Heard](decoder), sock=end)
    return line
