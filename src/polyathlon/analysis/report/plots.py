"""Plots as SVG pictures: Altair charts rendered in the process, no browser, no network."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from polyathlon.analysis.cells import Cell
from polyathlon.analysis.report.sheets import short_label
from polyathlon.analysis.rows import EpisodeRow

if TYPE_CHECKING:
    import altair as alt

WIDTH_PX = 420
BAR_WIDTH_PX = 300
MOST_CELLS = 24
MOST_EPISODES = 8
CURVE_POINTS = 80
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


class Plot(msgspec.Struct, frozen=True):
    """A chart with its caption; `svg` is a complete SVG document."""

    caption: str
    svg: str

    @property
    def data_uri(self) -> str:
        """The chart for the `src` of an image, where no script in it could ever run."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg.encode()).decode()


def plots(cells: Sequence[Cell]) -> list[Plot]:
    """The charts of one env's cells; charts without anything to show are left out."""
    shown = [cell for cell in cells if cell.score is not None][:MOST_CELLS]
    if not shown:
        return []
    names = {id(cell): short_label(cell, shown) for cell in shown}
    charts = [
        (
            "Score by condition: episodes (× failed), mean, 95 % interval",
            _by_condition(shown, names),
        ),
        ("Score over turns: single episodes, and the mean of all", _over_turns(shown, names)),
        ("Turns by what the rules made of them", _validity(shown, names)),
        _spend_against_score(shown, names),
    ]
    more = f" ({MOST_CELLS} of {len(cells)} cells)" if len(cells) > len(shown) else ""
    return [Plot(caption + more, _svg(chart)) for caption, chart in charts if chart is not None]


def _by_condition(cells: Sequence[Cell], names: dict[int, str]) -> alt.Chart:
    import altair as alt

    episodes, means = [], []
    for cell in cells:
        name, score = names[id(cell)], cell.score
        assert score is not None
        for row in cell.rows:
            value = row.roles[cell.role].metrics.get(cell.lead)
            if row.counted and value is not None:
                episodes.append({"cell": name, "score": value, "failed": row.status == "failed"})
        low, high = score.interval or (score.mean, score.mean)
        means.append({"cell": name, "mean": score.mean, "low": low, "high": high})
    y = alt.Y("cell:N", title=None, sort=list(names.values()))
    x = alt.X("score:Q", title=cells[0].lead, scale=alt.Scale(zero=False, nice=True))
    shape = alt.Scale(domain=[False, True], range=["circle", "cross"])
    colour = alt.Scale(domain=[False, True], range=[PALETTE[0], STATUS_COLOURS["malformed"]])
    dots = (
        _chart(episodes, len(cells))
        .mark_point(filled=True, size=42, opacity=0.5)
        .encode(
            x=x,
            y=y,
            color=alt.Color("failed:N", scale=colour, legend=None),
            shape=alt.Shape("failed:N", scale=shape, legend=None),
        )
    )
    rules = (
        _chart(means, len(cells))
        .mark_rule(strokeWidth=2.5, color=INK)
        .encode(x=alt.X("low:Q", title=cells[0].lead), x2="high:Q", y=y)
    )
    ticks = (
        _chart(means, len(cells))
        .mark_point(filled=True, size=90, color=INK, shape="diamond", opacity=1)
        .encode(x="mean:Q", y=y)
    )
    return dots + rules + ticks


def _over_turns(cells: Sequence[Cell], names: dict[int, str]) -> alt.Chart | None:
    import altair as alt

    single, mean = [], []
    for cell in cells:
        rows = [row for row in cell.rows if row.counted and row.curve]
        for row in rows[:MOST_EPISODES]:
            for turn, score in _thinned(row.curve):
                point = {"cell": names[id(cell)], "turn": turn, "score": score, "episode": row.id}
                single.append(point)
        for turn, score in _mean_curve(rows):
            mean.append({"cell": names[id(cell)], "turn": turn, "score": score})
    if not single:
        return None
    colour = _colour([names[id(cell)] for cell in cells])
    x, y = alt.X("turn:Q", title="turn"), alt.Y("score:Q", title=cells[0].lead)
    thin = (
        _chart(single)
        .mark_line(strokeWidth=1, opacity=0.25, interpolate="step-after")
        .encode(x=x, y=y, color=colour, detail="episode:N")
    )
    thick = _chart(mean).mark_line(strokeWidth=2.5).encode(x=x, y=y, color=colour)
    return thin + thick


def _validity(cells: Sequence[Cell], names: dict[int, str]) -> alt.Chart | None:
    import altair as alt

    bars = [
        {"cell": names[id(cell)], "status": status, "order": place, "share": n / turns}
        for cell in cells
        if (turns := sum(cell.statuses.values()))
        for place, (status, n) in enumerate(cell.statuses.items())
    ]
    if not bars:
        return None
    scale = alt.Scale(domain=list(STATUS_COLOURS), range=list(STATUS_COLOURS.values()))
    return (
        _chart(bars, len(cells))
        .mark_bar(height=15)
        .encode(
            x=alt.X(
                "share:Q",
                title="share of turns",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            y=alt.Y("cell:N", title=None, sort=list(names.values())),
            color=alt.Color("status:N", title=None, scale=scale),
            order="order:Q",
        )
    )


def _spend_against_score(
    cells: Sequence[Cell], names: dict[int, str]
) -> tuple[str, alt.Chart | None]:
    priced = [(cell, cell.spend.cost_usd) for cell in cells if cell.spend.cost_usd]
    if priced:
        left_out = sum(cell.spend.cost_usd is None for cell in cells)
        unknown = f" ({left_out} with unknown cost left out)" if left_out else ""
        points = [(cell, cost or 0.0) for cell, cost in priced]
        caption = f"Cost of an episode against its score{unknown}"
        return caption, _scatter(points, names, "US dollars an episode")
    used = [
        (cell, float(tokens))
        for cell in cells
        if (tokens := cell.spend.usage.input + cell.spend.usage.output)
    ]
    caption = "Tokens of an episode against its score (no cost is known)"
    return caption, _scatter(used, names, "tokens an episode") if used else None


def _scatter(spent: Sequence[tuple[Cell, float]], names: dict[int, str], unit: str) -> alt.Chart:
    import altair as alt

    points = [
        {"cell": names[id(cell)], "spent": total / len(cell.rows), "score": cell.score.mean}
        for cell, total in spent
        if cell.score is not None
    ]
    values = [point["spent"] for point in points]
    log = max(values) > 30 * min(values)
    return (
        _chart(points)
        .mark_point(filled=True, size=110, opacity=0.9)
        .encode(
            x=alt.X("spent:Q", title=unit, scale=alt.Scale(type="log" if log else "linear")),
            y=alt.Y("score:Q", title=spent[0][0].lead, scale=alt.Scale(zero=False)),
            color=_colour([names[id(cell)] for cell, _ in spent]),
        )
    )


def _thinned(curve: Sequence[float]) -> Iterator[tuple[int, float]]:
    """At most CURVE_POINTS of a curve, its last one included; turns count from 1."""
    step = max(1, -(-len(curve) // CURVE_POINTS))
    for turn in sorted({*range(0, len(curve), step), len(curve) - 1}):
        yield turn + 1, curve[turn]


def _mean_curve(rows: Sequence[EpisodeRow]) -> Iterator[tuple[int, float]]:
    """The mean score after each turn; an episode that is over keeps its last score."""
    longest = max((len(row.curve) for row in rows), default=0)
    for turn, _ in _thinned([0.0] * longest) if longest else ():
        scores = [row.curve[min(turn, len(row.curve)) - 1] for row in rows]
        yield turn, sum(scores) / len(scores)


def _colour(names: list[str]) -> alt.Color:
    import altair as alt

    scale = alt.Scale(domain=names, range=[PALETTE[n % len(PALETTE)] for n in range(len(names))])
    shown = alt.Legend(title=None) if len(names) > 1 else None
    return alt.Color("cell:N", scale=scale, legend=shown)


def _chart(values: list[dict[str, Any]], bands: int = 0) -> alt.Chart:
    import altair as alt

    size = {"width": BAR_WIDTH_PX, "height": max(60, 30 * bands)} if bands else {
        "width": WIDTH_PX, "height": 210,
    }  # fmt: skip
    return alt.Chart(alt.Data(values=values)).properties(**size)


def _svg(chart: alt.Chart) -> str:
    import vl_convert

    axis = {
        "domainColor": RULE, "gridColor": RULE, "tickColor": RULE, "labelColor": MUTED,
        "titleColor": MUTED, "titleFontWeight": "normal", "labelLimit": 200,
        "labelFontSize": 11, "titleFontSize": 11,
    }  # fmt: skip
    legend = {
        "orient": "bottom", "columns": 2, "labelLimit": 200, "labelColor": INK,
        "labelFontSize": 11, "symbolType": "circle",
        "symbolOpacity": 1, "symbolStrokeWidth": 3, "symbolSize": 60,
    }  # fmt: skip
    styled = chart.configure(font="Helvetica, Arial, sans-serif", background="transparent")
    styled = styled.configure_axis(**axis).configure_legend(**legend).configure_view(stroke=None)
    svg: str = vl_convert.vegalite_to_svg(styled.to_dict())
    return svg
