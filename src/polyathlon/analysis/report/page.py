"""The page: one self-contained HTML file that asks nothing of the network.

Everything a model, a server or a task wrote is untrusted: text goes through Jinja's escaping or,
for replays, as JSON data that the script shows by `textContent` alone. A content security policy
allows the page's own script by its hash and no other.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

import msgspec

from polyathlon import __version__
from polyathlon.analysis import labels
from polyathlon.analysis.against import compare, own_study
from polyathlon.analysis.cells import Cell
from polyathlon.analysis.mishaps import examples
from polyathlon.analysis.omniplay.arms import game_of
from polyathlon.analysis.reference import Reference
from polyathlon.analysis.report import sheets, trust
from polyathlon.analysis.report.chapters import Family
from polyathlon.analysis.report.format import UNKNOWN, count, percent, seconds, usd
from polyathlon.analysis.report.history import histories
from polyathlon.analysis.report.players import standings
from polyathlon.analysis.report.plots import Plot, plots
from polyathlon.analysis.report.replay import Replay, choose, replay
from polyathlon.analysis.report.sheets import Sheet
from polyathlon.analysis.rows import EpisodeRow, Spend, invalid_rate, tally
from polyathlon.analysis.standings import tournaments
from polyathlon.experiments.rundir import RunDir

REPLAY_BYTES, ONE_REPLAY_BYTES = 20_000_000, 5_000_000
MOST_REPLAYS = 60
WHOLE_REPLAYS = 10
"""Up to so many replays show all that one may; more share that, for drawing again takes time."""
_SCRIPT_UNSAFE = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


class Section(msgspec.Struct, frozen=True):
    """Tables and plots of one env."""

    title: str
    id: str
    sheets: tuple[Sheet, ...]
    plots: tuple[Plot, ...]


def html(
    runs: Sequence[RunDir],
    rows: Sequence[EpisodeRow],
    cells: Sequence[Cell],
    reference: Reference | None,
    damaged: Sequence[str] = (),
    families: Sequence[Family] = (),
) -> str:
    """The report as a page."""
    import jinja2

    loader = jinja2.PackageLoader("polyathlon.analysis.report", "templates")
    env = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    script, style = _asset("replay.js"), _asset("style.css")
    chosen = choose(cells)
    shown, untold = _replays(runs, chosen)
    return env.get_template("page.html").render(
        title=", ".join(run.path.resolve().name for run in runs),
        policy=f"'sha256-{_hash(script)}'",
        script=script,
        style=style,
        tiles=_tiles(rows),
        runs=[(run.path.name, _provenance(run)) for run in runs],
        seeds=_seeds(rows),
        sections=[
            *(_section(n, group) for n, group in enumerate(sheets.by_env(cells).values())),
            *(section for family in families for section in _chapters(family)),
        ],
        common=[*_mishaps(rows), *common(cells, reference), *trust.sheets(runs), *histories(runs)],
        replays=[(item, data_json(item.data)) for item in shown],
        left_out=max(0, len(chosen) - MOST_REPLAYS),
        damaged=[*damaged, *untold],
        version=__version__,
    )


def common(cells: Sequence[Cell], reference: Reference | None) -> list[Sheet]:
    """The tables that cover all envs: comparisons, standings, reliability, spend."""
    if not cells:
        return []
    return [
        *comparisons(cells, reference),
        *tournament_sheets(cells),
        sheets.reliability(cells),
        sheets.spend(cells),
    ]


def _mishaps(rows: Sequence[EpisodeRow]) -> list[Sheet]:
    found = examples(rows)
    return [sheets.mishaps(found)] if found else []


def comparisons(cells: Sequence[Cell], reference: Reference | None) -> list[Sheet]:
    """Published figures per game, and the harness effect."""
    effect = sheets.effect(own_study(cells, reference))
    return effect if reference is None else [*published(cells, reference), *effect]


def tournament_sheets(cells: Sequence[Cell]) -> list[Sheet]:
    """The standings of every env of several roles; OmniPlay's have a chapter of their own."""
    found = tournaments(cell for cell in cells if not game_of(cell.env))
    return [standings(labels.title(env), players) for env, players in found.items()]


def published(cells: Sequence[Cell], reference: Reference) -> list[Sheet]:
    """Own cells beside published figures, one table a game."""
    found: list[Sheet] = []
    for group in sheets.by_env(cells).values():
        pairs = [(cell, compare(cell, reference)) for cell in group]
        matched = [(cell, comparison) for cell, comparison in pairs if comparison]
        found += [sheets.published(matched)] if matched else []
    return found


def data_json(value: Any) -> str:
    """JSON for a script element: no `<`, `>` or `&` is left that could end or begin anything."""
    return json.dumps(value, ensure_ascii=True).translate(_SCRIPT_UNSAFE)


def _section(place: int, cells: Sequence[Cell]) -> Section:
    return Section(
        labels.title(cells[0].env),
        f"env-{place}",
        (sheets.scores(cells), sheets.metrics(cells)),
        tuple(plots(cells)),
    )


def _chapters(family: Family) -> Iterator[Section]:
    for one in family.chapters:
        title, id = f"{family.title}: {one.title}", f"{family.name}-{one.id}"
        yield Section(title, id, one.sheets, tuple(family.charts(one.id)))


def _replays(
    runs: Sequence[RunDir], chosen: Sequence[tuple[str, EpisodeRow]]
) -> tuple[list[Replay], list[str]]:
    """The replays of the chosen, and lines about those that cannot be shown."""
    by_path = {str(run.path): run for run in runs}
    shown = chosen[:MOST_REPLAYS]
    budget = min(ONE_REPLAY_BYTES, REPLAY_BYTES // max(1, len(shown)))
    share = min(1.0, WHOLE_REPLAYS / max(1, len(shown)))
    made: list[Replay] = []
    untold: list[str] = []
    for title, row in shown:
        try:
            made.append(replay(by_path[row.run], row, title, budget, share))
        except Exception as error:  # whatever an episode holds must not cost the page
            untold.append(f"{row.run} {row.id}: no replay: {type(error).__name__}: {error}")
    return made, untold


def _tiles(rows: Sequence[EpisodeRow]) -> list[tuple[str, str, str]]:
    """What the page says first: label, value, and a class that marks what needs attention."""
    counted = [row for row in rows if row.counted]
    failed = sum(row.status == "failed" for row in rows)
    stopped = len(rows) - len(counted)
    statuses = tally(role.statuses for row in rows for role in row.roles.values())
    spend = sum((row.spend for row in rows), Spend())
    return [
        ("episodes", f"{len(counted):,}", ""),
        ("failed", str(failed), "bad" if failed else ""),
        ("stopped", str(stopped), "warn" if stopped else ""),
        ("turns", f"{sum(row.turns for row in rows):,}", ""),
        ("invalid turns", percent(invalid_rate(statuses)), ""),
        ("model calls", count(spend.calls), ""),
        ("cost", usd(spend.cost_usd), "warn" if usd(spend.cost_usd) == UNKNOWN else ""),
        ("playing time", seconds(sum(row.wall_s for row in rows)), ""),
    ]


def _provenance(run: RunDir) -> list[tuple[str, str]]:
    request = {
        key: value for key, value in run.request().items() if key not in ("experiment", "terms")
    }
    return [(key, _said(value)) for key, value in request.items() if value not in (None, "")]


def _said(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_said(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_said, value))
    return str(value)


def _seeds(rows: Sequence[EpisodeRow]) -> str:
    seeds = sorted({row.seed for row in rows})
    if len(seeds) > 2 and seeds == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds[:40])) + (", …" if len(seeds) > 40 else "")


def _asset(name: str) -> str:
    return (files("polyathlon.analysis.report") / "templates" / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
