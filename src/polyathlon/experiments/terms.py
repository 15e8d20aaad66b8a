"""Terms: what a run may spend and how it asks, since when, and what was played under which.

`experiment.yaml` holds the terms that a run begins under. `terms.jsonl` beside it is only ever
appended to: one line when play begins, and one for every change of the terms or the plan, written
before anything is played under it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from polyathlon import __version__
from polyathlon.core import trace
from polyathlon.core.errors import UserError, writing
from polyathlon.core.models import Price
from polyathlon.experiments.durable import sync_folder, write_all
from polyathlon.experiments.rundir import MARKER, RunDir
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.spending import costs_usd
from polyathlon.experiments.traces import lines, readable
from polyathlon.runtime.ratelimit import RateLimits

RECORD = "terms.jsonl"
SCHEMA = 1
MOST_BYTES, MOST_LINES = 32 << 20, 10_000


class Terms(msgspec.Struct, frozen=True, omit_defaults=True):
    """What holds until it is changed on purpose. `attempt_s` bounds one attempt at a call.

    `budget_usd` None is no budget. `imports` are kept to be asked for, never to be run unasked.
    """

    budget_usd: float | None = None
    prices: Mapping[str, Price] = {}
    rates: Mapping[str, RateLimits] = {}
    attempt_s: float = 300.0
    media: Literal["keep", "hash"] = "keep"
    imports: tuple[str, ...] = ()


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the record: from `at` (UTC) on the run is played under `terms`.

    By then it had cost `spent_usd`, beside `unpriced` replies whose price was unknown. `marks` are
    the events by then, the end left out, of each trace that has another number of them than at the
    line before; `ID.N` is the Nth beginning of episode ID. `experiment` is the plan from here on
    where that was amended, and `changes` say in words what is new.
    """

    at: str
    terms: Terms
    spent_usd: float = 0.0
    unpriced: int = 0
    marks: Mapping[str, int] = {}
    changes: tuple[str, ...] = ()
    experiment: Any = None
    polyathlon: str = ""
    schema: int = SCHEMA


class Amendment(msgspec.Struct, frozen=True):
    """Another plan for a run: its experiment, and in words how it differs."""

    experiment: Any
    changes: tuple[str, ...]


def terms_of(settings: Settings) -> Terms:
    """The part of settings that a run keeps."""
    return Terms(
        settings.budget_usd,
        settings.prices,
        settings.rates,
        settings.retry.attempt_s,
        settings.media,
        settings.imports,
    )


def entries(run: RunDir) -> list[Entry]:
    """The record of a run, oldest first; empty for runs that were begun without one.

    Raises UserError for a record that cannot be read.
    """
    return read(run.path / RECORD)


def read(path: Path) -> list[Entry]:
    """The lines of a record; one that a kill tore is left out. Raises UserError."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UserError(f"{path} is larger than {MOST_BYTES >> 20} MB: restore it")
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(f"cannot read {path} ({error.strerror}): restore it") from None
    if data.count(b"\n") > MOST_LINES:
        raise UserError(f"{path} has more than {MOST_LINES} lines: restore it")
    return [_entry(line, number, path) for number, line in enumerate(data.split(b"\n")[:-1], 1)]


def current(run: RunDir) -> Terms:
    """The terms that a run was last played under, or is to begin under.

    Those of a run that never wrote any down are the usual ones. Raises UserError.
    """
    found = entries(run)
    if found:
        return found[-1].terms
    try:
        return msgspec.convert(run.request().get("terms", {}), Terms)
    except msgspec.ValidationError as error:
        raise UserError(f"{run.path / MARKER}: terms: {error}") from None


def begin(run: RunDir, terms: Terms, amendment: Amendment | None = None) -> None:
    """Write down the terms that a run is played under from now on, unless they hold already.

    For the holder of the run's lock, before anything is played. Raises UserError, RunStopped when
    the record cannot be written.
    """
    before = entries(run)
    if before and amendment is None and before[-1].terms == terms and not _shrunk(run, before):
        return
    counts, spent_usd, unpriced = _standing(run)
    known = marks(before)
    entry = Entry(
        now(),
        terms,
        spent_usd,
        unpriced,
        {
            key: counts.get(key, 0)
            for key in {**known, **counts}
            if known.get(key, 0) != counts.get(key, 0)
        },
        (
            *(changed(before[-1].terms, terms) if before else ()),
            *(amendment.changes if amendment else ()),
        ),
        amendment.experiment if amendment else None,
        __version__,
    )
    append(run.path / RECORD, entry)


def append(path: Path, entry: Entry) -> None:
    """Add a line to a record for good, after cutting one that a kill tore. Raises RunStopped."""
    with writing(path):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            whole = path.read_bytes().rfind(b"\n") + 1
            os.ftruncate(handle, whole)
            os.lseek(handle, whole, os.SEEK_SET)
            write_all(handle, msgspec.json.encode(entry) + b"\n")
            os.fsync(handle)
        finally:
            os.close(handle)
        sync_folder(path.parent)


def now() -> str:
    """The time of a line, UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def changed(before: Terms, after: Terms) -> tuple[str, ...]:
    """In words what is new in terms, one item each."""
    return (
        *_differences("budget", {"": before.budget_usd}, {"": after.budget_usd}),
        *_differences("price of", before.prices, after.prices),
        *_differences("rate of", before.rates, after.rates),
        *_differences("seconds a call", {"": before.attempt_s}, {"": after.attempt_s}),
        *_differences("media", {"": before.media}, {"": after.media}),
        *_differences("imports", {"": before.imports}, {"": after.imports}),
    )


def marks(record: Iterable[Entry]) -> dict[str, int]:
    """The events of each trace at the last line of a record."""
    found: dict[str, int] = {}
    for entry in record:
        found |= entry.marks
    return found


def played(run: RunDir, record: Sequence[Entry]) -> list[dict[str, range]]:
    """The events of each trace that were made under each entry, as `ID.N`; first those before.

    An event's number counts from 0. The end of an episode is left out: it follows from the rest.
    So are traces that cannot be read.
    """
    counts = _counts(run)
    found: list[dict[str, range]] = [{} for _ in range(len(record) + 1)]
    known: dict[str, list[tuple[int, int]]] = {key: [] for key in counts}
    for era, entry in enumerate(record):
        for key, count in entry.marks.items():
            known.setdefault(key, []).append((era, count))
    for key, bounds in known.items():
        for era, events in _parts([*bounds, (len(record), counts.get(key, 0))]):
            found[era][key] = events
    found[0] = {key: events for key, events in found[0].items() if not _copied(run, key, events)}
    return found


def _copied(run: RunDir, key: str, events: range) -> bool:
    """Whether events are those that a branch begins with: they were made in another run."""
    try:
        header = run.header(key.rpartition(".")[0])
    except UserError:
        return False
    return events.stop <= 1 + header.copied


def _parts(bounds: Sequence[tuple[int, int]]) -> Iterator[tuple[int, range]]:
    """The events made in each era, from how many there were at its end; none are left out."""
    [*earlier, (era, end)] = bounds
    for before, count in reversed([(-1, 0), *earlier]):
        begin = min(count, end)  # what was lost was played again
        if begin < end:
            yield era, range(begin, end)
        era, end = before, begin


def episodes(made: Mapping[str, range]) -> list[str]:
    """The episodes that traces such as `ID.N` are of, sorted."""
    return sorted({key.rpartition(".")[0] for key in made})


def _standing(run: RunDir) -> tuple[dict[str, int], float, int]:
    """Events of each trace, US dollars spent, and replies of unknown price."""
    counts: dict[str, int] = {}
    spent_usd, unpriced = 0.0, 0
    for key, events in _traces(run):
        found = list(readable(events))
        counts[key] = sum(not isinstance(event, trace.Ended) for event in found)
        spent_usd += sum(costs_usd(found))
        unpriced += sum(_is_unpriced(event) for event in found)
    return counts, spent_usd, unpriced


def _is_unpriced(event: trace.Event) -> bool:
    reply = event.reply if isinstance(event, trace.Attempted) else None
    return reply is not None and reply.cost_usd is None


def _counts(run: RunDir) -> dict[str, int]:
    """Events of each trace that can be read, told from its lines alone."""
    begun = _abandoned(run)
    found: dict[str, int] = {}
    for path in run.abandoned.glob("*.jsonl"):
        with suppress(UserError):
            found[path.stem] = sum(1 for _ in lines(path))
    for id in run.episode_ids():
        with suppress(UserError):
            found[f"{id}.{begun[id]}"] = _before_end(run.lines(id))
    return found


def _before_end(lines: Iterable[bytes]) -> int:
    return sum(not line.startswith(b'{"event":"end"') for line in lines)


def _traces(run: RunDir) -> Iterator[tuple[str, Iterator[trace.Event]]]:
    """Every trace with its name: the episode, and which of its beginnings it is."""
    begun = _abandoned(run)
    live = [f"{id}.{begun[id]}" for id in run.episode_ids()]
    aside = [path.stem for path in sorted(run.abandoned.glob("*.jsonl"))]
    yield from zip([*live, *aside], run.traces(), strict=True)


def _abandoned(run: RunDir) -> Counter[str]:
    return Counter(path.name.split(".")[0] for path in run.abandoned.glob("*.jsonl"))


def _shrunk(run: RunDir, record: Sequence[Entry]) -> bool:
    """Whether a loss of power took from an open trace what was played under earlier terms."""
    begun = _abandoned(run)
    for key, known in marks(record).items():
        id, _, beginning = key.rpartition(".")
        if beginning != str(begun[id]) or run.sealed_path(id).exists():
            continue
        path = run.trace_path(id)
        if known > (sum(1 for _ in lines(path)) if path.exists() else 0):
            return True
    return False


def _differences(
    what: str, before: Mapping[str, object], after: Mapping[str, object]
) -> Iterator[str]:
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old != new:
            yield " ".join(filter(None, (what, name))) + f": {_said(old)} -> {_said(new)}"


def _said(value: object) -> str:
    match value:
        case None | ():
            return "none"
        case float() | int():
            return f"{value:g}"
        case tuple():
            return ", ".join(map(str, value))
        case Price() | RateLimits():
            fields = msgspec.to_builtins(value)
            return " ".join(f"{name} {value}" for name, value in fields.items())
    return str(value)


def _entry(line: bytes, number: int, path: Path) -> Entry:
    try:
        entry = msgspec.json.decode(line, type=Entry)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"line {number} of {path} cannot be read ({error}): restore it") from None
    if entry.schema > SCHEMA:
        raise UserError(f"line {number} of {path} is of a newer polyathlon: upgrade polyathlon")
    return entry
