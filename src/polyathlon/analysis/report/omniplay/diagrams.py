"""Diagrams: grouped bars, profiles over conditions, memory curves and tournament bars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from polyathlon.analysis.omniplay.recall import Curve
from polyathlon.analysis.report import marks
from polyathlon.analysis.report.marks import Record
from polyathlon.analysis.report.plots import INK, MUTED, RULE, Spec

BAR_PX, GROUP_GAP_PX = 30, 26
LEAST_GROUP_PX = 112
HEIGHT_PX = 210
CONDITION_COLOURS = ("#8a94a6", "#d9822b", "#3a6ea5", "#4c9f70", "#b5495b")
"""The first, of the baseline, stands back."""
FULL = 100.0
HEADROOM = 1.08
"""Room above the highest bar for its value."""
LEAST_RATE = 25.0
SPAN = (5, 9)
"""The span of human short-term memory, 7 ± 2 items (section 11)."""
LINE_LEGEND = {
    "symbolType": "stroke", "symbolStrokeColor": INK, "symbolStrokeWidth": 2, "symbolSize": 300,
    "symbolFillColor": "transparent",
}  # fmt: skip
LINE_PX = 13
DIGITS_ABOVE = 20
"""Standard errors have one decimal where scores reach above this, else two."""
ROUND = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)


class Score(msgspec.Struct, frozen=True):
    """A player's mean score under one condition, with its standard error where it is known."""

    who: str
    condition: str
    mean: float
    sem: float | None

    @property
    def low(self) -> float:
        return self.mean - (self.sem or 0)

    @property
    def high(self) -> float:
        return self.mean + (self.sem or 0)

    def told(self, digits: int = 1) -> str:
        """The standard error in figures, nothing where it is not known."""
        return "" if self.sem is None else f"±{self.sem:.{digits}f}"


class Won(msgspec.Struct, frozen=True):
    """A player's win rate in [0, 1], its standard error, and kills over deaths."""

    who: str
    win_rate: float
    sem: float
    kd: float


def grouped(title: str, scores: Sequence[Score], unit: str = "efficiency %") -> Spec:
    """Bars by player and condition: the value above, ± SEM below the axis (Figure 4b)."""
    players = list(dict.fromkeys(score.who for score in scores))
    conditions = _conditions(scores)
    high = FULL if unit.endswith("%") else _rounded(max(one.high for one in scores))
    ticks = {"values": [high * part / 5 for part in range(6)]}
    records = [
        {
            "who": one.who,
            "condition": one.condition,
            "mean": min(max(one.mean, 0), high),
            "low": max(one.low, 0),
            "high": min(one.high, high),
            "value": f"{one.mean:.1f}",
            "sem": one.told(),
            "zero": 0,
        }
        for one in scores
    ]
    axis = {"labelAngle": 0, "labelPadding": 20, "ticks": False, "labelLimit": LEAST_GROUP_PX - 4}
    place: Spec = {
        "x": marks.names("who", players, axis=axis),
        "xOffset": marks.names("condition", conditions),
    }
    y = marks.amounts("mean", unit, 0, high * HEADROOM, **ticks)
    fill = marks.names(
        "condition", conditions, scale={"range": list(CONDITION_COLOURS[: len(conditions)])}
    )
    layers = [
        _encoded(records, {"type": "bar", "cornerRadiusEnd": 2}, **place, y=y, color=fill),
        _encoded(
            records,
            {"type": "rule", "color": INK, "strokeWidth": 1.2},
            **place, y={**y, "field": "low"}, y2={"field": "high"},
        ),
        _encoded(
            records,
            marks.text(baseline="bottom", dy=-3, fontWeight="bold"),
            **place, y={**y, "field": "high"}, text={"field": "value"},
        ),
        _encoded(
            records,
            marks.text(9, MUTED, baseline="top", dy=6),
            **place, y={**y, "field": "zero"}, text={"field": "sem"},
        ),
    ]  # fmt: skip
    group = max(LEAST_GROUP_PX, len(conditions) * BAR_PX + GROUP_GAP_PX)
    return {
        "layer": layers, "width": len(players) * group, "height": HEIGHT_PX,
        "title": marks.heading(title)
    }  # fmt: skip


def profiles(title: str, scores: Sequence[Score], unit: str, bound: float | None) -> Spec:
    """Lines over conditions, one a player, with bands of ± SEM and the SEM below (Figure 5)."""
    players = list(dict.fromkeys(score.who for score in scores))
    conditions = _conditions(scores)
    high = bound or _rounded(max(one.high for one in scores))
    records = [
        {
            "who": one.who,
            "condition": "full" if one.condition == "baseline" else one.condition,
            "order": conditions.index(one.condition),
            "mean": min(one.mean, high),
            "low": max(one.low, 0),
            "high": min(one.high, high),
            "sem": one.told(1 if high > DIGITS_ABOVE else 2),
            "row": players.index(one.who),
        }
        for one in scores
    ]
    shown = ["full" if name == "baseline" else name for name in conditions]
    x = marks.names("condition", shown, axis={"labelAngle": 0, "ticks": False, "grid": True})
    y = marks.amounts("mean", unit, 0, high)
    colour = marks.colours("who", players)
    main = {
        "layer": [
            _encoded(
                records,
                {"type": "area", "opacity": 0.16},
                x=x, y={**y, "field": "low"}, y2={"field": "high"},
                color=colour,
            ),
            _encoded(
                records,
                {"type": "line", "strokeWidth": 2, "point": {"size": 46, "filled": True}},
                x=x, y=y, color=colour,
            ),
        ],
        "width": 90 * len(conditions),
        "height": HEIGHT_PX,
        "title": marks.heading(title),
    }  # fmt: skip
    numbers = _encoded(
        records,
        marks.text(),
        x=marks.names("condition", shown, axis=None),
        y={
            "field": "row", "type": "ordinal", "axis": None,
            "scale": {"domain": list(range(len(players)))},
        },
        color=colour,
        text={"field": "sem"},
    )  # fmt: skip
    below = {**numbers, "width": 90 * len(conditions), "height": LINE_PX * len(players)}
    return {"vconcat": [main, below], "spacing": 6}


def curves(found: Mapping[str, Curve]) -> Spec:
    """Accuracy by place in the sequence: cells as lines, icons dashed, and the span of 7 ± 2."""
    players = list(found)
    records: list[Record] = [
        {"who": who, "list": kind, "place": place + 1, "right": 100 * share}
        for who, curve in found.items()
        for kind, shares in (("cells", curve.cells), ("icons", curve.icons))
        for place, share in enumerate(shares)
    ]
    last = max((one["place"] for one in records), default=1)
    x = {
        "field": "place",
        "type": "quantitative",
        "title": "place in the sequence",
        "scale": {"domain": [1, last], "nice": False, "zero": False},
        "axis": {"values": list(range(1, last + 1)), "format": "d", "grid": False},
    }
    y = marks.amounts("right", "right, %", 0, FULL)
    dash = marks.names(
        "list",
        ["cells", "icons"],
        scale={"range": [[1, 0], [4, 3]]},
        legend=LINE_LEGEND,
    )
    low, high = SPAN[0], min(SPAN[1], last)
    layers: list[Spec] = []
    if low < last:
        span = {**marks.data([{"low": low, "high": high}]), "mark": {"type": "rect", "color": RULE}}
        sides = {"x": {**x, "field": "low"}, "x2": {"field": "high"}}
        told = [{"place": low, "right": 52, "text": "7 ± 2"}]
        layers += [
            {**span, "mark": {"type": "rect", "color": RULE, "opacity": 0.6}, "encoding": sides},
            _encoded(
                told, marks.text(9, MUTED, align="left", dx=4), x=x, y=y, text={"field": "text"}
            ),
        ]
    layers.append(
        _encoded(
            records,
            {"type": "line", "strokeWidth": 2, "point": {"size": 30, "filled": True}},
            x=x, y=y, color=marks.colours("who", players), strokeDash=dash,
        )
    )  # fmt: skip
    return {"layer": layers, "width": 440, "height": HEIGHT_PX}


def tournament(title: str, found: Sequence[Won]) -> Spec:
    """Win rates in the given order, ± SEM and K/D in figures (Figure 3b)."""
    players = [one.who for one in found]
    high = _rounded(max(LEAST_RATE, *(100 * (one.win_rate + one.sem) for one in found)))
    records: list[Record] = [
        {
            "who": one.who,
            "rate": 100 * one.win_rate,
            "low": max(100 * (one.win_rate - one.sem), 0),
            "high": 100 * (one.win_rate + one.sem),
            "value": f"{100 * one.win_rate:.1f} ± {100 * one.sem:.1f}",
            "kd": f"K/D {one.kd:.2f}",
        }
        for one in found
    ]
    y = marks.names("who", players, axis={"ticks": False, "domain": False, "labelLimit": 150})
    x = marks.amounts("rate", "win rate, %", 0, high)
    right = {**x, "field": "high"}
    layers = [
        _encoded(
            records,
            {"type": "bar", "height": 18, "cornerRadiusEnd": 2},
            y=y, x=x, color=marks.colours("who", players, legend=False),
        ),
        _encoded(
            records,
            {"type": "rule", "color": INK, "strokeWidth": 1.2},
            y=y, x={**x, "field": "low"}, x2={"field": "high"},
        ),
        _encoded(
            records,
            marks.text(align="left", dx=6, dy=-6, fontWeight="bold"),
            y=y, x=right, text={"field": "value"},
        ),
        _encoded(
            records,
            marks.text(9, MUTED, align="left", dx=6, dy=7),
            y=y, x=right, text={"field": "kd"},
        ),
    ]  # fmt: skip
    return {
        "layer": layers, "width": 330, "height": 36 * len(players), "title": marks.heading(title)
    }  # fmt: skip


def _conditions(scores: Sequence[Score]) -> list[str]:
    """Conditions in the order first met, the baseline before all."""
    found = list(dict.fromkeys(score.condition for score in scores))
    return sorted(found, key=lambda name: name != "baseline")


def _rounded(value: float) -> float:
    """The next round number, where an axis can end; 1 for nothing."""
    if value <= 0:
        return 1.0
    unit: float = 10.0 ** math.floor(math.log10(value))
    return next(unit * part for part in ROUND if unit * part >= value)


def _encoded(records: Sequence[Record], mark: Spec, **encoding: Spec) -> Spec:
    return {**marks.data(records), "mark": mark, "encoding": encoding}
