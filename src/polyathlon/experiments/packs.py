"""Packs: files to which a worker appends media, and the index that ends each of them.

A pack is the eight bytes `PACK_MARK`, then records, each a header of 64 bytes and data. A header
holds, little endian: the mark `PREC`, a byte each for kind and codec, two bytes of zero, the shape
as two uint32, the length of the data as uint64, the BLAKE3 of the raw signal, and CRC-32 of the
data and of the header before it.

A pack that was ended in order closes with a record of kind 0, whose data are (digest, offset,
length) of every other record, and a trailer that says where that record begins. It is written
when all before it is on the disk, so a pack that has one is whole. Any other is read record by
record, up to the first whose header is torn; records with damaged data are passed over.
"""

from __future__ import annotations

import os
import struct
import weakref
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple, get_args

from polyathlon.core.errors import writing
from polyathlon.experiments.durable import make_folder, sync_folder, write_all
from polyathlon.media.packing import Codec, Kind, Packed

PACK_MARK: Final = b"PLYPACK\x02"
PACK_BYTES: Final = 64 << 20
"""A pack that has grown to this size is followed by another."""

MOST_RECORD_BYTES: Final = 128 << 20
"""Longer records are not read; a medium is smaller, compressed or not."""

_HEADER = struct.Struct("<4sBBHIIQ32sI")
_CHECK = struct.Struct("<I")
_ENTRY = struct.Struct("<32sQQ")
_TRAILER = struct.Struct("<Q8s")
_MARK, _INDEX_MARK, _INDEX = b"PREC", b"PLYINDEX", 0
_HEAD_BYTES: Final = _HEADER.size + _CHECK.size
_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_CODECS: Final[tuple[Codec, ...]] = get_args(Codec)


class Place(NamedTuple):
    """Where a record lies: in which pack, from which byte on, and how many bytes its data has."""

    pack: Path
    offset: int
    length: int


class Damaged(Exception):
    """A record is not what was written there."""


class Scan(NamedTuple):
    """What a pack holds: digests and places, how far it was read, and whether it has its index."""

    found: list[tuple[bytes, Place]]
    end: int
    whole: bool


def scan(pack: Path, start: int = 0) -> Scan:
    """The records of a pack that begin at byte `start` or later; raises OSError."""
    handle = os.open(pack, os.O_RDONLY)
    try:
        size = os.fstat(handle).st_size
        entries = _index(handle, size)
        if entries is not None:
            return Scan([(d, Place(pack, o, n)) for d, o, n in entries], size, True)
        found = list(_records(handle, pack, max(start, len(PACK_MARK)), size))
        return Scan(found, _after(found[-1][1]) if found else start, False)
    finally:
        os.close(handle)


def read(place: Place, digest: str) -> Packed:
    """The record of a medium. Raises Damaged when it is not there as it was written."""
    try:
        handle = os.open(place.pack, os.O_RDONLY)
    except OSError as error:
        raise Damaged(error.strerror) from error
    try:
        raw = _read(handle, place.offset, _HEAD_BYTES + place.length)
    finally:
        os.close(handle)
    head = _head(raw)
    data = raw[_HEAD_BYTES:]
    if head is None or len(data) != place.length or zlib.crc32(data) != head.checksum:
        raise Damaged("its bytes do not match their checksum")
    if head.digest.hex() != digest:
        raise Damaged("its index is wrong: another medium lies there")
    return Packed(_KINDS[head.kind - 1], _CODECS[head.codec], head.shape, data)


class PackWriter:
    """Appends to a pack of its own; threads take turns, but for `sync`."""

    def __init__(self, folder: Path) -> None:
        with writing(folder):
            make_folder(folder)
            self.path, self._handle = _claimed(folder)
            self.size = len(PACK_MARK)
            write_all(self._handle, PACK_MARK)
        self._synced = 0
        self._entries: list[bytes] = []
        self._closed = weakref.finalize(self, os.close, self._handle)

    def append(self, digest: bytes, packed: Packed) -> Place:
        """Add a record; it is with the kernel when this returns. Raises RunStopped."""
        kind, codec = _KINDS.index(packed.kind) + 1, _CODECS.index(packed.codec)
        record = _record(kind, codec, packed.shape, digest, packed.data)
        place = Place(self.path, self.size, len(packed.data))
        self._write(record)
        self._entries.append(_ENTRY.pack(digest, place.offset, place.length))
        return place

    def sync(self) -> None:
        """Force everything appended so far to the disk; another thread may append meanwhile."""
        size = self.size
        if size == self._synced:
            return
        with writing(self.path):
            os.fsync(self._handle)
            if not self._synced:
                sync_folder(self.path.parent)
        self._synced = size

    def end(self) -> None:
        """Close the pack with its index, when all before that is on the disk."""
        self.sync()
        index = _record(_INDEX, 0, (0, 0), bytes(32), b"".join(self._entries))
        self._write(index + _TRAILER.pack(self.size, _INDEX_MARK))
        self.sync()
        self._closed()

    def _write(self, data: bytes) -> None:
        with writing(self.path):
            try:
                write_all(self._handle, data)
            except OSError:
                os.ftruncate(self._handle, self.size)
                raise
            self.size += len(data)


class _Head(NamedTuple):
    kind: int
    codec: int
    shape: tuple[int, int]
    length: int
    digest: bytes
    checksum: int


def _record(kind: int, codec: int, shape: tuple[int, int], digest: bytes, data: bytes) -> bytes:
    head = _HEADER.pack(_MARK, kind, codec, 0, *shape, len(data), digest, zlib.crc32(data))
    return b"".join((head, _CHECK.pack(zlib.crc32(head)), data))


def _head(raw: bytes) -> _Head | None:
    """A header at the beginning of `raw`, or None where there is none that is whole."""
    if len(raw) < _HEAD_BYTES or raw[:4] != _MARK:
        return None
    (check,) = _CHECK.unpack_from(raw, _HEADER.size)
    if zlib.crc32(raw[: _HEADER.size]) != check:
        return None
    _, kind, codec, _, a, b, length, digest, checksum = _HEADER.unpack_from(raw)
    if kind > len(_KINDS) or codec >= len(_CODECS):
        return None
    return _Head(kind, codec, (a, b), length, digest, checksum)


def _records(handle: int, pack: Path, start: int, size: int) -> Iterator[tuple[bytes, Place]]:
    """The records from `start` on that lie within `size` and are as they were written."""
    while (head := _head(_read(handle, start, _HEAD_BYTES))) is not None:
        place = Place(pack, start, head.length)
        if head.kind == _INDEX or _after(place) > size:
            return
        if zlib.crc32(_read(handle, start + _HEAD_BYTES, head.length)) == head.checksum:
            yield head.digest, place
        start = _after(place)


def _index(handle: int, size: int) -> list[tuple[bytes, int, int]] | None:
    """The index that ends a pack, or None while it has none."""
    trailer = _read(handle, max(0, size - _TRAILER.size), _TRAILER.size)
    if len(trailer) < _TRAILER.size:
        return None
    start, mark = _TRAILER.unpack(trailer)
    if mark != _INDEX_MARK or start + _HEAD_BYTES > size:
        return None
    head = _head(_read(handle, start, _HEAD_BYTES))
    if head is None or start + _HEAD_BYTES + head.length + _TRAILER.size != size:
        return None
    data = _read(handle, start + _HEAD_BYTES, head.length)
    if zlib.crc32(data) != head.checksum or len(data) % _ENTRY.size:
        return None
    return list(_ENTRY.iter_unpack(data))


def _after(place: Place) -> int:
    return place.offset + _HEAD_BYTES + place.length


def _read(handle: int, start: int, length: int) -> bytes:
    """The bytes from `start` on, fewer than `length` at the end of the file.

    Nothing where more are asked for than a record may have: a header can promise anything.
    """
    if length > MOST_RECORD_BYTES:
        return b""
    parts = [os.pread(handle, length, start)]
    while parts[-1] and (missing := length - sum(map(len, parts))):
        parts.append(os.pread(handle, missing, start + length - missing))
    return b"".join(parts)


def _claimed(folder: Path) -> tuple[Path, int]:
    """A new pack that no other process writes, open."""
    numbers = [int(pack.stem) for pack in folder.glob("*.pack") if pack.stem.isdecimal()]
    number = max(numbers, default=0) + 1
    while True:
        path = folder / f"{number:04}.pack"
        try:
            return path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        except FileExistsError:
            number += 1
