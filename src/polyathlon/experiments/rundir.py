"""Run directories: traces, media, index and the resolved request of one run."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml

from polyathlon.core import trace
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import RunStopped, UserError, writing
from polyathlon.core.parts import Part, Text
from polyathlon.core.pieces import Pieces
from polyathlon.experiments import traces
from polyathlon.experiments.durable import make_folder, move, sync_folder, write_whole
from polyathlon.experiments.measure import check_end
from polyathlon.experiments.media import MediaStore
from polyathlon.experiments.packs import Damaged
from polyathlon.experiments.tidy import check_readable
from polyathlon.experiments.yamls import MOST_BYTES, written_by_us

MARKER = "experiment.yaml"
_UNBORN = f"{MARKER}.tmp"
SCHEMA = 2


class RunDir:
    """One run directory, for reading; see `create` and `open_run`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.episodes = path / "episodes"
        self.abandoned = path / "abandoned"
        self.kept = MediaStore(path / "media")

    def request(self) -> dict[str, Any]:
        """The resolved request with its provenance, as `experiment.yaml` holds it."""
        loaded: dict[str, Any] = written_by_us(self.path / MARKER)
        return loaded

    def episode_ids(self) -> list[str]:
        """The ids of all episodes with a trace, sorted."""
        found = [*self.episodes.glob("*.jsonl"), *self.episodes.glob("*.jsonl.zst")]
        return sorted({path.name.split(".")[0] for path in found})

    def trace_path(self, id: str) -> Path:
        """The open trace of an episode."""
        return self.episodes / f"{id}.jsonl"

    def sealed_path(self, id: str) -> Path:
        """The compressed trace of an ended episode."""
        return self.episodes / f"{id}.jsonl.zst"

    def _trace(self, id: str) -> Path:
        sealed = self.sealed_path(id)
        return sealed if sealed.exists() else self.trace_path(id)

    def lines(self, id: str) -> Iterator[bytes]:
        """The whole lines of a trace; a torn last line is left out."""
        return traces.lines(self._trace(id))

    def events(self, id: str, pieces: Pieces | None = None) -> Iterator[trace.Event]:
        """The events of a trace. Raises UserError where a line is no event of this schema.

        `pieces` learns those of the texts, so that more lines can be written.
        """
        for event in traces.events(self._trace(id), pieces or Pieces()):
            if isinstance(event, trace.Header) and event.schema > trace.SCHEMA:
                raise traces.DamagedTrace(
                    f"episode {id} was made by a newer polyathlon (trace schema {event.schema}, "
                    f"this one reads up to {trace.SCHEMA}): upgrade polyathlon"
                )
            yield event

    def header(self, id: str) -> trace.Header:
        """The first event of a trace."""
        first = next(self.events(id), None)
        if not isinstance(first, trace.Header):
            raise traces.DamagedTrace(
                f"{self._trace(id)} has no header: delete it to play the episode again"
            )
        return first

    def ended(self, id: str) -> trace.Ended | None:
        """The end of an episode, or None while it has none.

        Raises UserError for an ended trace that was never sealed and has a line that is no event.
        """
        last = None
        for line in self.lines(id):
            last = line
        if last is None or not last.startswith(b'{"event":"end"'):
            if self.sealed_path(id).exists():
                raise traces.DamagedTrace(
                    f"{self.sealed_path(id)} has no end: restore it, or delete it to play it again"
                )
            return None
        if not self.sealed_path(id).exists():
            for _ in self.events(id):
                pass
        event = traces.event(last, f"the last line of {self._trace(id)}")
        if not isinstance(event, trace.Ended):
            return None
        check_end(event)
        return event

    def media(self, digest: str) -> bytes | None:
        """A medium as one file (PNG for pictures), or None. Raises UserError where damaged."""
        try:
            return self.kept.encoded(digest)
        except Damaged as error:
            raise _damaged(digest, error) from None

    def load(self, ref: trace.Ref) -> Part:
        """The part that a trace names. Raises UserError when its medium is not there whole."""
        if ref.type == "text":
            return Text(ref.text)
        try:
            part = self.kept.load(ref)
        except Damaged as error:
            raise _damaged(ref.digest, error) from None
        if part is None:
            raise UserError(
                f"{self.path} does not hold medium {ref.digest[:12]} ({ref.type} {ref.shape}): it "
                "was made with --media hash or lost it, so tool results with media cannot be "
                "replayed; restore it, or start a new run"
            )
        return part

    def store(self, part: Part) -> None:
        """Keep a medium under the hash of its raw signal, losslessly, once; in any thread."""
        self.kept.store(part)

    def sync(self) -> None:
        """Force the media, then the names of the traces, to the disk; blocks for milliseconds."""
        self.kept.sync()
        with writing(self.episodes):
            sync_folder(self.episodes)

    def cut_torn_line(self, id: str) -> None:
        """Remove an unfinished last line of an open trace."""
        path = self.trace_path(id)
        if not path.exists():
            return
        traces.check_size(path)
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            with path.open("r+b") as file:
                file.truncate(whole)

    def seal(self, id: str) -> None:
        """Compress an ended trace and put it in place of the open one, after the media it names."""
        import zstandard

        source, target = self.trace_path(id), self.sealed_path(id)
        compressor = zstandard.ZstdCompressor(6, write_checksum=True)
        self.kept.sync()
        with writing(target):
            write_whole(target, compressor.compress(source.read_bytes()))
        source.unlink()

    def reopen_failed(self, id: str) -> None:
        """Turn the sealed trace of a failed episode into an open one that ends before the fault."""
        lines, target = _before_failure(list(self.lines(id))), self.trace_path(id)
        with writing(target):
            write_whole(target, b"".join(line + b"\n" for line in lines))
            self.sealed_path(id).unlink(missing_ok=True)
            sync_folder(self.episodes)

    def set_aside(self, id: str) -> None:
        """Put the open trace of an episode that starts afresh away: what it cost stays known."""
        if not self.trace_path(id).exists():
            return
        number = len(list(self.abandoned.glob(f"{id}.*")))
        target = self.abandoned / f"{id}.{number}.jsonl"
        with writing(target):
            move(self.trace_path(id), target)

    def traces(self) -> Iterator[Iterator[trace.Event]]:
        """The events of every trace that the run ever wrote, those put away too."""
        for id in self.episode_ids():
            yield self.events(id)
        for path in sorted(self.abandoned.glob("*.jsonl")):
            what = f"a line of {path}"
            yield (traces.event(line, what) for line in traces.lines(path))


class Index:
    """One row an episode in sqlite; rebuilt from the traces at any time."""

    _TABLE = """CREATE TABLE IF NOT EXISTS episodes (
        id TEXT PRIMARY KEY, env TEXT, level TEXT, seed INTEGER, status TEXT, cause TEXT,
        score REAL, calls INTEGER, cost_usd REAL)"""

    def __init__(self, run: RunDir) -> None:
        self._path = run.path / "index.sqlite"
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise self._stopped(error) from error
            for name in (self._path, *self._path.parent.glob(f"{self._path.name}-*")):
                name.unlink(missing_ok=True)
            self._open()

    def _open(self) -> None:
        self._db = sqlite3.connect(self._path, isolation_level=None)
        self._db.execute("PRAGMA trusted_schema=OFF")
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute(self._TABLE)
        self._check()

    def _check(self) -> None:
        """Raises DatabaseError where there is anything but the table: a trigger would run."""
        known = self._db.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
        rest = [row for row in known if row[1] != "sqlite_autoindex_episodes_1"]
        made = self._TABLE.replace("IF NOT EXISTS ", "")
        if rest != [("table", "episodes", made)]:
            self._db.close()
            raise sqlite3.DatabaseError("it is not the index of a run")

    def put(self, spec: EpisodeSpec, status: str, cause: str, end: trace.Ended | None) -> None:
        """Note where an episode stands. Raises RunStopped when it cannot be written."""
        score = next(iter(end.metrics.values()), None) if end else None
        row = (
            spec.id, spec.env, spec.level, spec.seed, status, cause, score,
            end.calls if end else 0, end.cost_usd if end else None,
        )  # fmt: skip
        try:
            self._db.execute("INSERT OR REPLACE INTO episodes VALUES (?,?,?,?,?,?,?,?,?)", row)
        except sqlite3.DatabaseError as error:
            raise self._stopped(error) from error

    def _stopped(self, error: Exception) -> RunStopped:
        return RunStopped(
            f"cannot write {self._path} ({error}): mend that, then go on with --resume"
        )

    def close(self) -> None:
        """Release the file."""
        self._db.close()


def begun(path: Path) -> bool:
    """Whether there is more at a place than what `create`, killed on its way, leaves behind."""
    if not path.is_dir():
        return path.exists()
    remains = {"episodes", _UNBORN}
    return any(entry.name not in remains for entry in path.iterdir()) or any(
        path.glob("episodes/*")
    )


def create(path: Path, request: dict[str, Any]) -> RunDir:
    """A new run directory. Raises UserError when the place is taken or cannot be written."""
    if begun(path):
        raise UserError(
            f"{path} exists already: continue it with --resume, or choose another --out"
        )
    text = yaml.safe_dump({"schema": SCHEMA, **request}, sort_keys=False)
    if len(text) > MOST_BYTES:
        raise UserError(f"the experiment takes more than {MOST_BYTES} bytes to say: split it")
    try:
        make_folder(path / "episodes")
        write_whole(path / MARKER, text.encode())
    except OSError as error:
        raise UserError(f"cannot write {path} ({error.strerror}): choose another --out") from None
    return RunDir(path)


def open_run(path: Path) -> RunDir:
    """An existing run directory. Raises UserError for anything else, changing nothing."""
    marker = path / MARKER
    if not marker.is_file():
        raise UserError(f"{path} is no run directory: it has no {MARKER}")
    check_readable(path)
    run = RunDir(path)
    request = run.request()
    if request is None:
        raise UserError(f"{marker} is empty: restore it, or choose another --out")
    if not isinstance(request, dict) or not isinstance(request.get("schema"), int):
        raise UserError(f"{path} is no run directory: {MARKER} names no schema")
    if request["schema"] > SCHEMA:
        raise UserError(
            f"{path} was made by a newer polyathlon (schema {request['schema']}, this one reads "
            f"up to {SCHEMA}): upgrade polyathlon"
        )
    return run


def _damaged(digest: str, error: Damaged) -> UserError:
    return UserError(
        f"medium {digest[:12]} is damaged in {error}: restore that file, or delete it and go on "
        "with polyathlon run --resume, which draws again what can be drawn"
    )


def _before_failure(lines: Sequence[bytes]) -> list[bytes]:
    """The lines without the end, where failed calls that their role did not survive go on."""
    kept: list[bytes] = []
    survived: set[str] = set()
    for line in reversed(lines):
        event = traces.event(line, "a line of a failed trace")
        if isinstance(event, trace.Ended):
            continue
        role = getattr(event, "role", "")
        failed = isinstance(event, trace.Attempted) and event.final and event.reply is None
        if failed and role not in survived:
            line = trace.encode(msgspec.structs.replace(event, final=False))
        else:
            survived.add(role)
        kept.append(line)
    return kept[::-1]
