"""Sheets: the tables of a report as text cells, whatever they are printed on."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence

import msgspec

from polyathlon.analysis import labels
from polyathlon.analysis.against import HUMAN, RANDOM, Comparison, others
from polyathlon.analysis.cells import Cell
from polyathlon.analysis.effects import (
    Study,
    above_random,
    glass,
    paired_t,
    summarise_glass,
    summarise_variations,
    variations,
)
from polyathlon.analysis.labels import JOIN
from polyathlon.analysis.mishaps import Example
from polyathlon.analysis.report.format import (
    NONE,
    count,
    counts,
    mean_sd,
    number,
    percent,
    plus_minus,
    runs,
    seconds,
    span,
    usd,
)

OWN = "this run"
SHORT_ID = 12
SETTINGS = {
    "no_harness": "no harness",
    "memory": "+ memory",
    "perception": "+ perception",
    "harness": "harness",
}


class Sheet(msgspec.Struct, frozen=True):
    """A table of text. `words` counts the leading columns that hold words, not numbers.

    `best` are the cells to mark, as pairs of row and column.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    note: str = ""
    best: frozenset[tuple[int, int]] = frozenset()


Column = tuple[str, Callable[[Cell], str]]


def scores(cells: Sequence[Cell]) -> Sheet:
    """Leading metric, success and validity of every cell of one env."""
    declared = labels.declared(cells[0].env).get(cells[0].lead)
    direction = "" if declared is None or declared.higher_is_better else "Lower is better. "
    doc = f"{cells[0].lead}: {declared.doc}. " if declared else ""
    columns: list[Column] = [
        *_identity(cells),
        (cells[0].lead or "score", lambda cell: plus_minus(cell.score)),
        ("95 % interval", lambda cell: span(cell.score.interval if cell.score else None)),
        ("range", lambda cell: span((cell.score.min, cell.score.max) if cell.score else None)),
        ("episodes", lambda cell: str(cell.episodes)),
        ("failed", lambda cell: count(cell.failed)),
        ("stopped", lambda cell: count(cell.stopped)),
        *_successes(cells),
        ("invalid turns", _invalid),
    ]
    note = (
        f"{doc}{direction}Mean ± sd (n − 1) over episodes, failed ones included with the value "
        "their metric declares, but in no rate of how the rules ended an episode; stopped ones can "
        "be resumed and are in no mean. Intervals are 95 % bootstrap intervals of the mean over "
        "seeds; success has 95 % Wilson intervals."
    )
    return _sheet(f"{labels.title(cells[0].env)}: scores", columns, cells, note)


def brief(cells: Sequence[Cell]) -> Sheet:
    """What fits a terminal: leading metric, its interval, failures, validity and cost."""
    columns: list[Column] = [
        *_identity(cells),
        (cells[0].lead or "score", lambda cell: plus_minus(cell.score)),
        ("95 %", lambda cell: span(cell.score.interval if cell.score else None)),
        ("n", lambda cell: str(cell.episodes)),
        ("failed", lambda cell: count(cell.failed)),
        ("invalid", _invalid),
        ("cost", lambda cell: usd(cell.spend.cost_usd)),
    ]
    return _sheet(labels.title(cells[0].env), columns, cells, "")


def metrics(cells: Sequence[Cell]) -> Sheet:
    """All metrics of every cell of one env, and the scores of single episodes."""
    names = list(dict.fromkeys(name for cell in cells for name in cell.metrics))
    columns: list[Column] = [
        *_identity(cells),
        *((name, _metric(name)) for name in names),
        ("single scores", lambda cell: runs(cell.score)),
    ]
    declared = labels.declared(cells[0].env)
    docs = [f"{name}: {declared[name].doc}" for name in names if name in declared]
    return _sheet(f"{labels.title(cells[0].env)}: all metrics", columns, cells, "; ".join(docs))


def reliability(cells: Sequence[Cell]) -> Sheet:
    """What went wrong and was mended: malformed replies, repairs, failed attempts, causes."""
    columns: list[Column] = [
        ("env", lambda cell: labels.title(cell.env)),
        *_identity(cells),
        ("turns", lambda cell: str(sum(cell.statuses.values()))),
        ("ineffective", lambda cell: count(cell.statuses.get("ineffective", 0))),
        ("illegal", lambda cell: count(cell.statuses.get("illegal", 0))),
        ("malformed", lambda cell: count(cell.statuses.get("malformed", 0))),
        ("overdue", lambda cell: count(cell.overdue)),
        ("repaired replies", lambda cell: counts(cell.repairs)),
        ("failed attempts", lambda cell: counts(cell.spend.failed_attempts)),
        ("endings", lambda cell: counts(cell.causes)),
    ]
    note = "A repaired reply was mended before it was read; a failed attempt at a call was retried."
    return _sheet("Malformed replies, repairs, retries", columns, cells, note)


def spend(cells: Sequence[Cell]) -> Sheet:
    """Calls, tokens, money and time of every cell, stopped episodes included."""
    columns: list[Column] = [
        ("env", lambda cell: labels.title(cell.env)),
        *_identity(cells),
        ("calls", lambda cell: count(cell.spend.calls)),
        ("attempts", lambda cell: count(cell.spend.attempts)),
        ("input tokens", lambda cell: count(cell.spend.usage.input)),
        ("cached", lambda cell: count(cell.spend.usage.cached)),
        ("output tokens", lambda cell: count(cell.spend.usage.output)),
        ("reasoning", lambda cell: count(cell.spend.usage.reasoning)),
        ("cost", lambda cell: usd(cell.spend.cost_usd)),
        ("seconds a call", _latency),
        ("wall time", lambda cell: seconds(cell.wall_s)),
    ]
    note = "All episodes, stopped ones too. An unknown price makes the cost unknown, not zero."
    return _sheet("Spend", columns, cells, note)


def published(cells: Sequence[tuple[Cell, Comparison]]) -> Sheet:
    """Own cells of one env beside the published figures of its game, by harness setting."""
    first = cells[0][1]
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for cell, found in cells:
        summary = cell.metrics.get(found.metric)
        if summary is not None:
            delta = "" if found.delta is None else f", δ {found.delta:+.2f}"
            text = f"{mean_sd(summary.mean, summary.sd)} ({summary.n}{delta})"
            who = JOIN.join(filter(None, [cell.who, others(cell)]))
            rows.setdefault((OWN, who), {})[found.setting or ""] = text
    for row in (first.random, first.human, *first.models):
        runs = "" if row.n is None else f" ({row.n})"
        spread = "" if row.n == 1 else f" ± {row.sd:,.1f}"
        text = f"{row.mean:,.1f}{spread}{runs}"
        rows.setdefault(("published", row.who), {})[row.setting or ""] = text
    offsets = [
        f"Our random play lies {found.random_sems:+.1f} standard errors from the published mean."
        for _, found in cells
        if found.random_sems is not None
    ]
    note = (
        f"{first.metric}: mean ± sd (runs). δ is Glass's delta against the published random runs "
        f"of {first.reference}."
    )
    return Sheet(
        f"{first.game}: published figures",
        ("source", "who", "no agent harness", *SETTINGS.values()),
        tuple(
            (*name, *(found.get(setting, "") for setting in ("", *SETTINGS)))
            for name, found in rows.items()
        ),
        2,
        " ".join([note, *offsets, *first.caveats]),
    )


def baselines(sheet: Sheet) -> Sheet:
    """A sheet of published figures without the models, and without columns left empty by that."""
    rows = [row for row in sheet.rows if row[0] == OWN or row[1] in (RANDOM, HUMAN)]
    kept = [place for place in range(len(sheet.columns)) if any(row[place] for row in rows)]
    return msgspec.structs.replace(
        sheet,
        columns=tuple(sheet.columns[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in rows),
    )


def effect(study: Study) -> list[Sheet]:
    """The harness effect in a study, one sheet a statistic; none without paired cells."""
    if not study.models:
        return []
    return [_paired(study), _glass(study), _variations(study)]


def by_env(cells: Iterable[Cell]) -> dict[str, list[Cell]]:
    """Cells by env, in order."""
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(cell.env, []).append(cell)
    return groups


def short_label(cell: Cell, peers: Sequence[Cell]) -> str:
    """What tells a cell from its peers in a plot: model, then whatever differs among them."""
    parts = [cell.who, cell.condition if cell.condition != labels.DEFAULT else ""]
    for name in ("level", "role"):
        if len({getattr(peer, name) for peer in peers}) > 1:
            parts.append(str(getattr(cell, name)))
    return " · ".join(part for part in parts if part)


def mishaps(found: Sequence[Example]) -> Sheet:
    """Why episodes failed or were cut at a limit, and the command that shows one of each."""
    rows = tuple((one.what, one.cause, str(one.count), one.detail, command(one)) for one in found)
    note = "One example each; its traceback, or what the server said, is in the trace."
    return Sheet(
        "Failed and cut off", ("how", "cause", "episodes", "where", "show it"), rows, 2, note
    )


def command(one: Example) -> str:
    """What to type to see the example."""
    return f"polyathlon replay {shlex.quote(one.run)} {one.id[:SHORT_ID]}"


def _identity(cells: Sequence[Cell]) -> list[Column]:
    """The columns that name a cell, without those that would say the same in every row."""
    columns: list[Column] = [("model", lambda cell: cell.who)]
    if any(cell.condition != labels.DEFAULT for cell in cells):
        columns.append(("condition", lambda cell: cell.condition))
    if len({cell.level for cell in cells}) > 1:
        columns.append(("level", lambda cell: cell.level))
    if len({(cell.role, cell.lineup) for cell in cells}) > len({cell.who for cell in cells}):
        columns += [("role", lambda cell: cell.role), ("lineup", lambda cell: cell.lineup)]
    return columns


def _successes(cells: Sequence[Cell]) -> list[Column]:
    names = dict.fromkeys(
        name for cell in cells for name, found in cell.metrics.items() if found.wilson
    )
    return [(name, _success(name)) for name in names]


def _success(name: str) -> Callable[[Cell], str]:
    def show(cell: Cell) -> str:
        found = None if cell.all_failed else cell.metrics.get(name)
        if found is None or found.wilson is None:
            return NONE if found is None else percent(found.mean)
        low, high = found.wilson
        return f"{percent(found.mean)} ({100 * low:.0f}–{100 * high:.0f})"

    return show


def _metric(name: str) -> Callable[[Cell], str]:
    def show(cell: Cell) -> str:
        silent = cell.all_failed and name != cell.lead
        return plus_minus(None if silent else cell.metrics.get(name))

    return show


def _invalid(cell: Cell) -> str:
    return percent(cell.invalid_rate) if any(cell.statuses.values()) else NONE


def _latency(cell: Cell) -> str:
    return number(cell.spend.latency_s / cell.spend.calls) if cell.spend.calls else NONE


def _sheet(title: str, columns: Sequence[Column], cells: Sequence[Cell], note: str) -> Sheet:
    words = sum(name in _WORDS for name, _ in columns)
    rows = tuple(tuple(show(cell) for _, show in columns) for cell in cells)
    return Sheet(title, tuple(name for name, _ in columns), rows, words, note)


_WORDS = ("env", "model", "condition", "level", "role", "lineup")


def _paired(study: Study) -> Sheet:
    rows = [
        (
            row.game,
            str(row.models),
            f"{row.difference:+.2f}",
            NONE if row.percent is None else f"{row.percent:+.0f} %",
            NONE if row.t is None else f"{row.t:.2f}",
            NONE if row.p is None else f"{row.p:.4f}",
        )
        for row in paired_t(study)
    ]
    note = (
        "Paired t-test over the models' cell means, harness minus none (two-sided). Exploratory: "
        f"{len(rows)} tests, not corrected for their number."
    )
    columns = ("game", "models", "difference", "gain", "t", "p")
    return Sheet("Harness effect", columns, tuple(rows), 1, note)


def _glass(study: Study) -> Sheet:
    contrasts = glass(study)
    rows = tuple(
        (row.game, row.model, f"{row.no_harness:.3f}", f"{row.harness:.3f}") for row in contrasts
    )
    found, beat = summarise_glass(contrasts), above_random(study)
    note = "(mean − random mean) / random sd; games whose random play does not vary are left out."
    if found is not None:
        note += (
            f" Means {found.mean_no_harness:.3f} and {found.mean_harness:.3f}; harness better in "
            f"{found.harness_better} of {found.pairs} pairs. Above random play: "
            f"{beat.no_harness} of {beat.cells} means without, {beat.harness} with harness."
        )
    return Sheet(
        "Glass's delta against random play",
        ("game", "model", "no harness", "harness"),
        rows,
        2,
        note,
    )


def _variations(study: Study) -> Sheet:
    rows = variations(study)
    counted = [
        f"{row.game}: {row.below_no_harness} of {row.models} below no harness"
        + ("" if row.random is None else f", {row.below_random} below random ({row.random:.1f} %)")
        for row in summarise_variations(rows, study.random)
    ]
    return Sheet(
        "Coefficient of variation",
        ("game", "model", "no harness", "harness"),
        tuple(
            (row.game, row.model, f"{row.no_harness:.1f} %", f"{row.harness:.1f} %") for row in rows
        ),
        2,
        "; ".join(counted),
    )
