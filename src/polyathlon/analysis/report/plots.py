"""Plots as SVG: Vega-Lite specifications rendered in the process, no browser, no network."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from polyathlon.analysis.cells import Cell
from polyathlon.analysis.report.format import plain
from polyathlon.analysis.report.sheets import short_label
from polyathlon.analysis.rows import EpisodeRow

Spec = dict[str, Any]

WIDTH_PX, HEIGHT_PX = 420, 210
BAR_WIDTH_PX, BAND_PX = 300, 30
MOST_CELLS = 24
MOST_EPISODES = 8
CURVE_POINTS = 80
LOG_ABOVE = 30
INK, MUTED, RULE = "#1f2430", "#667085", "#e6e8ee"
PALETTE = (
    "#3a6ea5", "#d9822b", "#4c9f70", "#b5495b", "#7a5ea8",
    "#8a6d3b", "#2f9da6", "#c26aa5", "#6b7f2a", "#7b8494",
)  # fmt: skip
STATUS_COLOURS = {
    "ok": "#b9cfe4",
    "ineffective": "#efc96b",
    "illegal": "#e08a3c",
    "malformed": "#c14953",
}
STYLE: Spec = {
    "font": "Helvetica, Arial, sans-serif",
    "background": "transparent",
    "view": {"stroke": None},
    "axis": {
        "domainColor": RULE, "gridColor": RULE, "tickColor": RULE, "labelColor": MUTED,
        "titleColor": MUTED, "titleFontWeight": "normal", "labelLimit": 200,
        "labelFontSize": 11, "titleFontSize": 11,
    },
    "legend": {
        "orient": "bottom", "columns": 2, "labelLimit": 190, "labelColor": INK, "title": None,
        "labelFontSize": 11, "symbolType": "circle", "symbolOpacity": 1, "symbolStrokeWidth": 3,
        "symbolSize": 60,
    },
}  # fmt: skip


class Plot(msgspec.Struct, frozen=True):
    """A chart with its caption; `svg` is a complete SVG document. A `wide` one takes a row."""

    caption: str
    svg: str
    wide: bool = False

    @property
    def data_uri(self) -> str:
        """The chart for the `src` of an image, where no script in it could ever run."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg.encode()).decode()


def plots(cells: Sequence[Cell]) -> list[Plot]:
    """The charts of one env's cells; a chart that would be empty is left out."""
    shown = [cell for cell in cells if cell.score is not None][:MOST_CELLS]
    if not shown:
        return []
    names = [plain(short_label(cell, shown)) for cell in shown]
    charts = [
        _by_condition(shown, names),
        _over_turns(shown, names),
        _validity(shown, names),
        _spend_against_score(shown, names),
    ]
    more = f" ({MOST_CELLS} of {len(cells)} cells)" if len(cells) > len(shown) else ""
    return [Plot(caption + more, svg(spec)) for caption, spec in filter(None, charts)]


def _by_condition(cells: Sequence[Cell], names: Sequence[str]) -> tuple[str, Spec]:
    episodes, means = [], []
    for cell, name in zip(cells, names, strict=True):
        score = cell.score
        assert score is not None
        for row, seat in cell.seats:
            value = seat.metrics.get(cell.lead)
            if row.counted and value is not None:
                episodes.append({"cell": name, "score": value, "failed": row.status == "failed"})
        low, high = score.interval or (score.mean, score.mean)
        means.append({"cell": name, "mean": score.mean, "low": low, "high": high})
    y = _bands(names)
    dots = {
        **_values(episodes),
        "mark": {"type": "point", "filled": True, "size": 42, "opacity": 0.5},
        "encoding": {
            "x": _amount("score", cells[0].lead, zero=False),
            "y": y,
            "color": _coded("failed", {False: PALETTE[0], True: STATUS_COLOURS["malformed"]}),
            "shape": _coded("failed", {False: "circle", True: "cross"}),
        },
    }
    rules = {
        **_values(means),
        "mark": {"type": "rule", "strokeWidth": 2.5, "color": INK},
        "encoding": {"x": _amount("low", cells[0].lead), "x2": {"field": "high"}, "y": y},
    }
    marks = {
        **_values(means),
        "mark": {"type": "point", "filled": True, "size": 90, "color": INK, "opacity": 1},
        "encoding": {"x": _amount("mean", cells[0].lead), "y": y},
    }
    caption = "Score by condition: episodes (red: failed), mean, 95 % interval"
    return caption, {"layer": [dots, rules, marks], **_banded(cells)}


def _over_turns(cells: Sequence[Cell], names: Sequence[str]) -> tuple[str, Spec] | None:
    single, mean = [], []
    for cell, name in zip(cells, names, strict=True):
        rows = [row for row in cell.rows if row.counted and row.curve]
        for row in rows[:MOST_EPISODES]:
            for turn, score in _thinned(row.curve):
                point = {"cell": name, "turn": turn, "score": score, "episode": row.id}
                single.append(point)
        for turn, score in _mean_curve(rows):
            mean.append({"cell": name, "turn": turn, "score": score})
    if not single:
        return None
    encoding = {
        "x": _amount("turn", "turn"),
        "y": _amount("score", cells[0].lead),
        "color": _colours(names),
    }
    thin = {
        **_values(single),
        "mark": {"type": "line", "strokeWidth": 1, "opacity": 0.25, "interpolate": "step-after"},
        "encoding": {**encoding, "detail": {"field": "episode", "type": "nominal"}},
    }
    thick = {
        **_values(mean),
        "mark": {"type": "line", "strokeWidth": 2.5},
        "encoding": encoding,
    }
    caption = "Score over turns: single episodes, and the mean of all"
    return caption, {"layer": [thin, thick], "width": WIDTH_PX, "height": HEIGHT_PX}


def _validity(cells: Sequence[Cell], names: Sequence[str]) -> tuple[str, Spec] | None:
    bars = [
        {"cell": name, "status": status, "order": place, "share": n / turns}
        for cell, name in zip(cells, names, strict=True)
        if (turns := sum(cell.statuses.values()))
        for place, (status, n) in enumerate(cell.statuses.items())
    ]
    if not bars:
        return None
    share = {**_amount("share", "share of turns"), "scale": {"domain": [0, 1]}}
    colours = {"domain": list(STATUS_COLOURS), "range": list(STATUS_COLOURS.values())}
    return "Turns by what the rules made of them", {
        **_values(bars),
        "mark": {"type": "bar", "height": 15},
        "encoding": {
            "x": {**share, "axis": {"format": "%", "tickCount": 5}},
            "y": _bands(names),
            "color": {
                "field": "status", "type": "nominal", "scale": colours, "legend": {"columns": 4}
            },
            "order": {"field": "order", "type": "quantitative"},
        },
        **_banded(cells),
    }  # fmt: skip


def _spend_against_score(cells: Sequence[Cell], names: Sequence[str]) -> tuple[str, Spec] | None:
    named = list(zip(names, cells, strict=True))
    priced = [(name, cell, cost) for name, cell in named if (cost := cell.spend.cost_usd)]
    if priced:
        without = sum(cell.spend.cost_usd is None for cell in cells)
        more = f" ({without} of unknown cost left out)" if without else ""
        caption = f"Cost of an episode against its score{more}"
        return caption, _scatter(priced, "US dollars an episode")
    used = [
        (name, cell, float(tokens))
        for name, cell in named
        if (tokens := cell.spend.usage.input + cell.spend.usage.output)
    ]
    caption = "Tokens of an episode against its score (no cost is known)"
    return (caption, _scatter(used, "tokens an episode")) if used else None


def _scatter(spent: Sequence[tuple[str, Cell, float]], unit: str) -> Spec:
    points = [
        {"cell": name, "spent": total / len(cell.rows), "score": cell.score.mean}
        for name, cell, total in spent
        if cell.score is not None
    ]
    totals = [total / len(cell.rows) for _, cell, total in spent]
    scale = "log" if max(totals) > LOG_ABOVE * min(totals) else "linear"
    return {
        **_values(points),
        "mark": {"type": "point", "filled": True, "size": 110, "opacity": 0.9},
        "encoding": {
            "x": {**_amount("spent", unit), "scale": {"type": scale}},
            "y": _amount("score", spent[0][1].lead, zero=False),
            "color": _colours([name for name, _, _ in spent]),
        },
        "width": WIDTH_PX,
        "height": HEIGHT_PX,
    }


def _thinned(curve: Sequence[float]) -> Iterator[tuple[int, float]]:
    """At most CURVE_POINTS of a curve and its last one; turns count from 1."""
    step = max(1, -(-len(curve) // CURVE_POINTS))
    for turn in sorted({*range(0, len(curve), step), len(curve) - 1}):
        yield turn + 1, curve[turn]


def _mean_curve(rows: Sequence[EpisodeRow]) -> Iterator[tuple[int, float]]:
    """The mean score after each turn; an episode that is over keeps its last score."""
    longest = max((row.curve for row in rows), key=len, default=())
    for turn, _ in _thinned(longest) if longest else ():
        scores = [row.curve[min(turn, len(row.curve)) - 1] for row in rows]
        yield turn, sum(scores) / len(scores)


def _values(values: Sequence[Mapping[str, Any]]) -> Spec:
    return {"data": {"values": values}}


def _amount(field: str, title: str, zero: bool = True) -> Spec:
    return {"field": field, "type": "quantitative", "title": plain(title), "scale": {"zero": zero}}


def _bands(names: Sequence[str]) -> Spec:
    # a fixed domain, for a sort by values would be compiled into an expression that holds them
    scale = {"domain": list(names)}
    return {"field": "cell", "type": "nominal", "title": None, "scale": scale, "sort": None}


def _banded(cells: Sequence[Cell]) -> Spec:
    return {"width": BAR_WIDTH_PX, "height": max(60, BAND_PX * len(cells))}


def _coded(field: str, codes: Mapping[bool, str]) -> Spec:
    scale = {"domain": list(codes), "range": list(codes.values())}
    return {"field": field, "type": "nominal", "scale": scale, "legend": None}


def _colours(names: Sequence[str]) -> Spec:
    colours = [PALETTE[place % len(PALETTE)] for place in range(len(names))]
    return {
        "field": "cell",
        "type": "nominal",
        "scale": {"domain": list(names), "range": colours},
        **({"legend": None} if len(names) == 1 else {}),
    }


def svg(spec: Spec) -> str:
    """A Vega-Lite specification as an SVG document."""
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(
        {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "config": STYLE, **spec}
    )
    return svg
