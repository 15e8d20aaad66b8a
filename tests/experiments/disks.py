"""A disk that remembers what was forced to it, and what a loss of power may leave of the rest."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest

from polyathlon.core.chance import Stream

Harm = Literal["cut", "holes"]
UNRECORDED = ("lock", "index.sqlite")


class Op(NamedTuple):
    """One change of the disk, or its being forced there.

    `create`, `unlink`, `mkdir` and `rename` change names in `folder`; `write` and `truncate` change
    a file; `fsync` forces a file's content, `fsync_folder` a folder's names.
    """

    kind: str
    folder: Path = Path()
    name: str = ""
    file: int = -1
    offset: int = 0
    data: bytes = b""
    target: str = ""


class Recording:
    """Everything that happened below a folder, in order."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.ops: list[Op] = []
        self._files: dict[int, int] = {}
        self._one = threading.RLock()

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Around what is recorded; it must write through `os` and not through `open`."""
        with pytest.MonkeyPatch.context() as patch:
            for name in ("open", "write", "ftruncate", "fsync", "replace", "unlink", "mkdir"):
                told = partial(getattr(self, f"_{name}"), getattr(os, name))
                patch.setattr(os, name, told)
            yield

    def _ours(self, path: Path) -> bool:
        below = path == self.root or self.root in path.parents
        return below and not path.name.startswith(UNRECORDED)

    def _log(self, op: Op) -> None:
        self.ops.append(op)

    def _of(self, handle: int) -> tuple[Path, int]:
        return Path(os.readlink(f"/proc/self/fd/{handle}")), os.fstat(handle).st_ino

    def _open(
        self, real: Callable[..., int], path: Any, flags: int, *rest: Any, **more: Any
    ) -> int:
        place = Path(os.fsdecode(path)) if isinstance(path, str | bytes | Path) else Path()
        with self._one:
            fresh = bool(flags & os.O_CREAT) and not place.exists()
            handle = real(path, flags, *rest, **more)
            if self._ours(place) and flags & os.O_CREAT:
                inode = os.fstat(handle).st_ino
                if fresh:
                    self._files[inode] = len(self.ops)
                    self._log(Op("create", place.parent, place.name, self._files[inode]))
                elif flags & os.O_TRUNC:
                    self._log(Op("truncate", file=self._files[inode]))
        return handle

    def _write(self, real: Callable[..., int], handle: int, data: bytes) -> int:
        with self._one:
            place, inode = self._of(handle)
            if not self._ours(place):
                return real(handle, data)
            offset = os.fstat(handle).st_size
            count = real(handle, data)
            self._log(Op("write", file=self._files[inode], offset=offset, data=data[:count]))
        return count

    def _ftruncate(self, real: Callable[..., None], handle: int, length: int) -> None:
        with self._one:
            real(handle, length)
            place, inode = self._of(handle)
            if self._ours(place):
                self._log(Op("truncate", file=self._files[inode], offset=length))

    def _fsync(self, real: Callable[..., None], handle: int) -> None:
        place, inode = self._of(handle)
        with self._one:
            known = len(self.ops)
        real(handle)
        if self._ours(place):
            folder = place.is_dir()
            op = Op("fsync_folder", place) if folder else Op("fsync", file=self._files[inode])
            with self._one:
                self._log(op._replace(offset=known))

    def _replace(self, real: Callable[..., None], source: Any, target: Any) -> None:
        with self._one:
            real(source, target)
            old, new = Path(source), Path(target)
            if not self._ours(new):
                return
            file = self._files[new.stat().st_ino]
            if old.parent == new.parent:
                self._log(Op("rename", new.parent, old.name, file, target=new.name))
            else:
                self._log(Op("create", new.parent, new.name, file))
                self._log(Op("unlink", old.parent, old.name))

    def _unlink(self, real: Callable[..., None], path: Any, **more: Any) -> None:
        with self._one:
            real(path, **more)
            if self._ours(Path(path)):
                self._log(Op("unlink", Path(path).parent, Path(path).name))

    def _mkdir(self, real: Callable[..., None], path: Any, *rest: Any, **more: Any) -> None:
        with self._one:
            real(path, *rest, **more)
            if self._ours(Path(path)):
                self._log(Op("mkdir", Path(path).parent, Path(path).name))


def left(recording: Recording, at: int, rng: Stream, harm: Harm, target: Path) -> None:
    """Write to `target` what a loss of power after `at` changes may leave of a recording.

    What was forced to the disk is there. Of other changes of names a random part happened. Files
    lack all, none or the end of what was written since; with `holes` any write may read as zeros.
    """
    ops = recording.ops[:at]
    forced = _forced(ops)
    names = _names(ops, forced, rng)
    contents: dict[int, list[tuple[int, Op]]] = defaultdict(list)
    for number, op in enumerate(ops):
        if op.kind in ("write", "truncate"):
            contents[op.file].append((number, op))
    _materialise(
        recording.root,
        target,
        names,
        lambda file: _content(contents[file], forced.get(file, 0), rng, harm),
    )


def _forced(ops: list[Op]) -> dict[int | Path, int]:
    """Before which change each file's content, and each folder's names, are on the disk."""
    forced: dict[int | Path, int] = {}
    for op in ops:
        if op.kind == "fsync":
            forced[op.file] = op.offset
        elif op.kind == "fsync_folder":
            forced[op.folder] = op.offset
    return forced


def _names(
    ops: list[Op], forced: dict[int | Path, int], rng: Stream
) -> dict[Path, dict[str, int | None]]:
    """What each folder holds: the files by name, None for folders."""
    share = rng.uniform()
    names: dict[Path, dict[str, int | None]] = defaultdict(dict)
    for number, op in enumerate(ops):
        if op.kind not in ("create", "unlink", "mkdir", "rename"):
            continue
        if number >= forced.get(op.folder, 0) and rng.uniform() < share:
            continue
        folder = names[op.folder]
        match op.kind:
            case "create":
                folder[op.name] = op.file
            case "unlink":
                folder.pop(op.name, None)
            case "mkdir":
                folder[op.name] = None
            case "rename":
                folder.pop(op.name, None)
                folder[op.target] = op.file
    return names


def _content(changes: list[tuple[int, Op]], forced: int, rng: Stream, harm: Harm) -> bytes:
    data = bytearray()
    for number, op in changes:
        if number < forced:
            _change(data, op)
    kept = len(data)
    for number, op in changes:
        if number >= forced:
            lost = harm == "holes" and rng.uniform() < 0.3
            _change(data, op._replace(data=bytes(len(op.data))) if lost else op)
    match rng.below(3):
        case 0:
            return bytes(data)
        case 1:
            return bytes(data[:kept])
    return bytes(data[: kept + rng.below(max(1, len(data) - kept + 1))])


def _change(data: bytearray, op: Op) -> None:
    if op.kind == "truncate":
        del data[op.offset :]
    else:
        data[op.offset : op.offset + len(op.data)] = op.data


def _materialise(
    source: Path,
    target: Path,
    names: dict[Path, dict[str, int | None]],
    content: Callable[[int], bytes],
) -> None:
    target.mkdir(parents=True)
    for name, file in names[source].items():
        if file is None:
            _materialise(source / name, target / name, names, content)
        else:
            (target / name).write_bytes(content(file))
