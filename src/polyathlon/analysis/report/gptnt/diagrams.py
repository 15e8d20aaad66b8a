"""Diagrams: rates with intervals, endings as bars and as a board, and the course of games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from polyathlon.analysis.gptnt.games import Ending
from polyathlon.analysis.gptnt.talk import DOINGS, THIRDS, Doing, Doings
from polyathlon.analysis.report import marks
from polyathlon.analysis.report.marks import Record
from polyathlon.analysis.report.plots import MUTED, Spec

HEIGHT_PX = 220
LEAST_GROUP_PX, POINT_PX = 66, 14
"""The least width of a group, and that of a point in it."""
FULL = 100
BAR_PX, CELL_PX = 26, 74
THIRD_PX, COURSE_PX = 34, 110
ENDINGS: Mapping[Ending, str] = {
    "solved": "#4c9f70",
    "timeout": "#d9a441",
    "strikeout": "#b5495b",
    "cut off": "#8a94a6",
}
COLOURS: Mapping[Doing, str] = {
    "wait": "#c3c8d2",
    "message": "#3a6ea5",
    "navigate": "#d9822b",
    "interact": "#4c9f70",
}
LEVELS = (MUTED, "#1f2430")
"""The colours of guessing and of published means."""


class Rate(msgspec.Struct, frozen=True):
    """A share in [0, 1] with its interval, of somebody at something."""

    who: str
    what: str
    share: float
    interval: tuple[float, float]


class Level(msgspec.Struct, frozen=True):
    """A share in [0, 1] to compare with, drawn as a line across the group."""

    name: str
    what: str
    share: float


class Bar(msgspec.Struct, frozen=True):
    """How somebody's games ended, in percent by ending."""

    who: str
    shares: Mapping[str, float]


class Tile(msgspec.Struct, frozen=True):
    """How somebody's game at a mission ended, and what is written there."""

    who: str
    mission: int
    ending: str
    text: str


def rates(found: Sequence[Rate], levels: Sequence[Level], unit: str) -> Spec:
    """Points with intervals by what was done, beside the levels to compare with."""
    players = list(dict.fromkeys(one.who for one in found))
    groups = list(dict.fromkeys(one.what for one in found))
    points: list[Record] = [
        {
            "who": one.who, "what": one.what, "share": 100 * one.share,
            "low": 100 * one.interval[0], "high": 100 * one.interval[1],
        }
        for one in found
    ]  # fmt: skip
    lines: list[Record] = [
        {"who": one.name, "what": one.what, "share": 100 * one.share}
        for one in levels
        if one.what in groups
    ]
    names = list(dict.fromkeys(one["who"] for one in lines))
    colours = [marks.colour(players, name) for name in players] + [*LEVELS[: len(names)]]
    colour = marks.names("who", [*players, *names], scale={"range": colours})
    x = marks.names("what", groups, axis={"labelAngle": 0, "ticks": False})
    place = {"x": x, "xOffset": marks.names("who", players)}
    y = marks.amounts("share", unit, 0, FULL)
    width = max(LEAST_GROUP_PX, POINT_PX * (len(players) + 1))
    layers = [
        _encoded(
            lines,
            {"type": "tick", "orient": "horizontal", "size": width - 10, "thickness": 2},
            x=x, y=y, color=colour,
        ),
        _encoded(
            points,
            {"type": "rule", "strokeWidth": 2},
            **place, y={**y, "field": "low"}, y2={"field": "high"}, color=colour,
        ),
        _encoded(
            points,
            {"type": "point", "filled": True, "size": 60, "opacity": 1},
            **place, y=y, color=colour,
        ),
    ]  # fmt: skip
    return {
        "layer": layers if lines else layers[1:],
        "width": width * len(groups),
        "height": HEIGHT_PX,
    }


def endings(found: Sequence[Bar]) -> Spec:
    """Stacked bars, one a player."""
    records: list[Record] = [
        {"who": bar.who, "ending": name, "share": bar.shares[name], "order": order}
        for bar in found
        for order, name in enumerate(ENDINGS)
        if name in bar.shares
    ]
    players = [bar.who for bar in found]
    return {
        **_encoded(
            records,
            {"type": "bar", "height": BAR_PX - 8},
            y=marks.names("who", players, axis={"ticks": False, "domain": False}),
            x=marks.amounts("share", "% of games", 0, FULL),
            color=_endings(),
            order={"field": "order", "type": "quantitative"},
        ),
        "width": 280,
        "height": BAR_PX * len(players),
    }


def board(found: Sequence[Tile]) -> Spec:
    """A tile a mission, coloured by how it ended, a row a player."""
    records: list[Record] = [msgspec.structs.asdict(one) for one in found]
    players = list(dict.fromkeys(one.who for one in found))
    missions = sorted({one.mission for one in found})
    x: Spec = {
        "field": "mission", "type": "ordinal", "title": "mission", "scale": {"domain": missions},
        "axis": {"labelAngle": 0, "orient": "top", "ticks": False, "domain": False},
    }  # fmt: skip
    y = marks.names("who", players, axis={"ticks": False, "domain": False})
    return {
        "layer": [
            _encoded(
                records,
                {"type": "rect", "stroke": "white", "strokeWidth": 2, "opacity": 0.8},
                x=x, y=y, color=_endings(),
            ),
            _encoded(records, marks.text(), x=x, y=y, text={"field": "text"}),
        ],
        "width": CELL_PX * len(missions),
        "height": BAR_PX * len(players),
    }  # fmt: skip


def course(found: Sequence[Doings]) -> Spec:
    """What was done early, midway and late, a panel a role and ending."""
    records: list[Record] = [
        {
            "role": one.role, "ending": one.ending, "third": one.third, "doing": doing,
            "share": FULL * one.turns.get(doing, 0) / sum(one.turns.values()), "order": order,
        }
        for one in found
        for order, doing in enumerate(DOINGS)
    ]  # fmt: skip
    bars = {
        "mark": {"type": "bar"},
        "encoding": {
            "x": marks.names("third", THIRDS, axis={"labelAngle": 0, "ticks": False}),
            "y": marks.amounts("share", "% of turns", 0, FULL),
            "color": marks.names("doing", DOINGS, scale={"range": list(COLOURS.values())}),
            "order": {"field": "order", "type": "quantitative"},
        },
        "width": THIRD_PX * len(THIRDS),
        "height": COURSE_PX,
    }
    ended = [name for name in ENDINGS if any(one.ending == name for one in found)]
    return {
        **marks.data(records),
        "facet": {
            "row": {"field": "role", "title": None},
            "column": {"field": "ending", "title": None, "sort": ended},
        },
        "spec": bars,
    }


def _endings() -> Spec:
    return marks.names(
        "ending", list(ENDINGS), scale={"range": list(ENDINGS.values())}, legend={"columns": 4}
    )


def _encoded(records: Sequence[Record], mark: Spec, **encoding: Spec) -> Spec:
    return {**marks.data(records), "mark": mark, "encoding": encoding}
