"""The media of a run: each kept once, in packs, under the digest of its raw signal.

Runs of schema 1 kept a file a medium, `media/ab/<SHA-256>`; those are still read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from polyathlon.core import trace
from polyathlon.core.errors import RunStopped, UserError, writing
from polyathlon.core.parts import Audio, Image, Part, Video
from polyathlon.core.schema1 import part_digest
from polyathlon.experiments.durable import make_folder, sync_file, sync_folder
from polyathlon.experiments.packs import (
    MOST_RECORD_BYTES,
    PACK_BYTES,
    Damaged,
    PackWriter,
    Place,
    read,
    scan,
)
from polyathlon.media.packing import Packed

Made = TypeVar("Made")
HEX_DIGITS = frozenset("0123456789abcdef")


class MediaStore:
    """The packs below `root`. Every process writes packs of its own and reads those of all."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._places: dict[bytes, Place] = {}
        self._begun = False
        self._read_to: dict[Path, int] = {}
        self._done: set[Path] = set()
        self._unforced: set[Path] = set()
        self._writer: PackWriter | None = None
        self._full: list[PackWriter] = []
        self._changing = threading.Lock()
        self._syncing = threading.Lock()

    def begin(self) -> None:
        """Make the folder, whose presence says that media are kept, and see what it holds."""
        with writing(self.root):
            make_folder(self.root)
        self.look()

    def look(self) -> None:
        """Take in what others stored since the last look; the next `sync` forces that too."""
        with self._changing:
            self._begun = True
            for pack in sorted(self.root.glob("*.pack")):
                if pack not in self._done and pack.is_file():
                    self._take_in(pack)

    def holds(self, digest: str) -> bool:
        """Whether a medium is there. Whole packs are taken at their index's word."""
        return self._place(digest) is not None or self._old(digest).exists()

    def store(self, part: Part) -> None:
        """Keep a medium, once for this process; in any thread.

        Raises RunStopped, and UserError for one that is too large to be read again.
        """
        from polyathlon.media.packing import pack

        if not self._begun:
            self.look()
        digest = bytes.fromhex(part.digest)
        if digest in self._places:
            return
        try:
            packed = pack(part)
        except ValueError as error:
            raise UserError(f"{error}: play with --media hash, which keeps digests") from error
        with self._changing:
            if digest not in self._places:
                self._places[digest] = self._open_pack().append(digest, packed)

    def load(self, ref: trace.Ref) -> Part | None:
        """The medium that a trace names, or None. Raises Damaged where it is not that medium."""
        from polyathlon.media.packing import unpack

        place, old = self._place(ref.digest), self._old(ref.digest)
        if place is not None:
            part = _decoded(place.pack, lambda: unpack(read(place, ref.digest)))
            return _same(place.pack, part, part.digest, ref)
        if old.exists():
            part = _decoded(old, lambda: _old_part(ref, _whole(old)))
            return _same(old, part, part_digest(part), ref)
        return None

    def encoded(self, digest: str) -> bytes | None:
        """A medium as one file, PNG for pictures, or None. Raises Damaged."""
        place, old = self._place(digest), self._old(digest)
        if place is None:
            return _decoded(old, lambda: _whole(old)) if old.exists() else None
        return _decoded(place.pack, lambda: _as_a_file(read(place, digest)))

    def sync(self) -> None:
        """Force all that was stored before this call to the disk. Blocks for milliseconds.

        So is what others stored and this process found, for they may have been killed.
        """
        with self._syncing:
            with self._changing:
                writer = self._writer
                unforced, self._unforced = self._unforced, set()
            while self._full:
                self._full[0].end()
                self._full.pop(0)
            if writer is not None:
                writer.sync()
            if unforced:
                with writing(self.root):
                    for pack in unforced:
                        sync_file(pack)
                    sync_folder(self.root)

    def close(self) -> None:
        """Force everything to the disk and end the open pack with its index, if there is room.

        Without an index a pack is read record by record.
        """
        with self._changing:
            if self._writer is not None:
                self._full.append(self._writer)
                self._writer = None
        with suppress(RunStopped):
            self.sync()

    def _place(self, digest: str) -> Place | None:
        if len(digest) != 64 or not HEX_DIGITS.issuperset(digest):
            raise UserError(f"{digest[:20]!r} is no media hash: the trace is damaged")
        key = bytes.fromhex(digest)
        if key not in self._places:
            self.look()
        return self._places.get(key)

    def _take_in(self, pack: Path) -> None:
        seen = scan(pack, self._read_to.get(pack, 0))
        for digest, place in seen.found:
            self._places.setdefault(digest, place)
        self._read_to[pack] = seen.end
        if seen.whole:
            self._done.add(pack)
        elif seen.found:
            self._unforced.add(pack)

    def _open_pack(self) -> PackWriter:
        """The pack to append to; one that is full is ended at the next `sync`."""
        if self._writer is not None and self._writer.size >= PACK_BYTES:
            self._full.append(self._writer)
            self._writer = None
        if self._writer is None:
            self._writer = PackWriter(self.root)
            self._done.add(self._writer.path)
        return self._writer

    def _old(self, digest: str) -> Path:
        return self.root / digest[:2] / digest


def _whole(file: Path) -> bytes:
    """A file of its own. Raises ValueError where it is a link or larger than a record may be."""
    if file.is_symlink() or file.stat().st_size > MOST_RECORD_BYTES:
        raise ValueError("it is a link, or too large")
    return file.read_bytes()


def _as_a_file(packed: Packed) -> bytes:
    from polyathlon.media import png
    from polyathlon.media.packing import unpack

    picture = unpack(packed) if packed.codec == "rows" else None
    return png.shared(picture) if isinstance(picture, Image) else packed.data


def _decoded(file: Path, made: Callable[[], Made]) -> Made:
    try:
        return made()
    except Exception as error:  # decoders fail in many ways on damaged bytes
        raise Damaged(f"{file} ({error})") from error


def _same(file: Path, part: Part, digest: str, ref: trace.Ref) -> Part:
    if digest != ref.digest:
        raise Damaged(f"{file} (it holds another medium)")
    return part


def _old_part(ref: trace.Ref, data: bytes) -> Part:
    """A medium as runs of schema 1 kept it, where a video's whole rates may have been integers."""
    from polyathlon.media import png
    from polyathlon.media.footage import Footage, unpack

    if ref.type == "image":
        return png.decode(data)
    if ref.type == "audio":
        return msgspec.msgpack.decode(data, type=Audio)
    kept = msgspec.msgpack.decode(data, type=Footage | Video)
    video = unpack(kept) if isinstance(kept, Footage) else kept
    whole = not ref.shape.endswith(f"@{video.fps}")
    return msgspec.structs.replace(video, fps=int(video.fps)) if whole else video
