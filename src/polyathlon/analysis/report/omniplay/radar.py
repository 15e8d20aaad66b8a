"""NPS over all tasks: as a radar with the rings of random play and the human, and as bars."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from polyathlon.analysis.omniplay.figures import TASKS
from polyathlon.analysis.report import marks
from polyathlon.analysis.report.marks import Record
from polyathlon.analysis.report.plots import INK, MUTED, RULE, Spec

Profile = Mapping[str, tuple[float, float]]
"""NPS and its standard error by task."""

CENTRE, RIM = -50, 200
RINGS = {0: "0 random", 50: "50", 100: "100 human", 150: "150", 200: "200"}
MARKED = {0: [4, 3], 100: [1, 0]}
WIDTH_PX, HEIGHT_PX = 460, 370
EDGE_X, EDGE_Y = 1.43, 1.15
RING_POINTS = 96
BAR_PX, GAP_PX = 14, 26
LABEL_PX = 108
LOWEST, HIGHEST = -60, 220


def radar(title: str, profiles: Mapping[str, Profile], first: int = 0) -> Spec:
    """Players' NPS on spokes from -50 in the middle to 200 at the rim.

    What lies beyond is drawn at the end of its scale with its value; tasks without a figure
    leave a gap.
    """
    points = [point for name, profile in profiles.items() for point in _points(name, profile)]
    line = {"type": "line", "strokeWidth": 2, "opacity": 0.9}
    dot = {"type": "point", "filled": True, "size": 34, "opacity": 1}
    layers = [
        *_frame(),
        _layer(points, line, player=profiles, first=first, detail="stroke"),
        _layer([p for p in points if not p["again"]], dot, player=profiles, first=first),
        *_told(_ring_names(), MUTED),
        *(
            layer
            for name in profiles
            for layer in _told(_beyond(points, name), marks.colour(list(profiles), name, first))
        ),
    ]
    return {
        "layer": layers,
        "width": WIDTH_PX,
        "height": HEIGHT_PX,
        "title": marks.heading(title),
        "view": {"stroke": None},
    }


def bars(title: str, profiles: Mapping[str, Profile], first: int = 0) -> Spec:
    """Players' NPS as bars in groups by task, with standard errors and lines at 0 and 100."""
    tasks = [task for task in TASKS if any(task in profile for profile in profiles.values())]
    records: list[Record] = [
        {
            "task": task,
            "player": name,
            "nps": min(max(nps, LOWEST), HIGHEST),
            "low": min(max(nps - sem, LOWEST), HIGHEST),
            "high": min(nps + sem, HIGHEST),
            "value": f"{nps:.0f}",
            "zero": 0,
        }
        for name, profile in profiles.items()
        for task, (nps, sem) in profile.items()
    ]
    x = marks.names(
        "task", tasks, axis={"labelAngle": 0, "domain": False, "ticks": False, "labelPadding": 16}
    )
    place: Spec = {"x": x, "xOffset": marks.names("player", list(profiles))}
    y = marks.amounts("nps", "NPS", LOWEST, HIGHEST)
    bar = {
        **marks.data(records),
        "mark": {"type": "bar"},
        "encoding": {
            **place, "y": y, "y2": {"datum": 0},
            "color": marks.colours("player", list(profiles), first=first),
        },
    }  # fmt: skip
    error = {
        **marks.data(records),
        "mark": {"type": "rule", "color": INK, "strokeWidth": 1},
        "encoding": {**place, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }
    above = {
        **marks.data([one for one in records if float(one["value"]) > HIGHEST]),
        "mark": marks.text(9, baseline="bottom", dy=-3),
        "encoding": {**place, "y": y, "text": {"field": "value"}},
    }
    below = {
        **marks.data([one for one in records if float(one["value"]) < LOWEST]),
        "mark": marks.text(9, baseline="top", dy=3),
        "encoding": {**place, "y": y, "text": {"field": "value"}},
    }
    lines = {
        **marks.data([{"nps": value} for value in MARKED]),
        "mark": {"type": "rule", "color": MUTED, "strokeDash": [4, 3]},
        "encoding": {"y": y},
    }
    width = len(tasks) * max(LABEL_PX, len(profiles) * BAR_PX + GAP_PX)
    return {
        "layer": [bar, lines, error, above, below],
        "width": min(width, 1_000),
        "height": 240,
        "title": marks.heading(title),
    }


def _points(name: str, profile: Profile) -> Iterator[Record]:
    """A player's points in order of the spokes; a full round comes back to its first."""
    closed = len(profile) == len(TASKS)
    stroke = 0
    for order in range(len(TASKS) + closed):
        place = order % len(TASKS)
        task = TASKS[place]
        if task not in profile:
            stroke += 1
            continue
        nps, _ = profile[task]
        shown = min(max(nps, CENTRE), RIM)
        radius = (shown - CENTRE) / (RIM - CENTRE)
        again = order == len(TASKS)
        yield {
            **_at(place, radius),
            "place": place,
            "radius": radius,
            "player": name,
            "order": order,
            "stroke": f"{name} {stroke}",
            "clipped": shown != nps and not again,
            "again": again,
            "value": f"{nps:.0f}",
        }


def _frame() -> Iterator[Spec]:
    """Rings, spokes and what they are called."""
    for value in RINGS:
        radius = (value - CENTRE) / (RIM - CENTRE)
        ring = [
            {**_at(turn * len(TASKS) / RING_POINTS, radius), "order": turn}
            for turn in range(RING_POINTS + 1)
        ]
        known = value in MARKED
        style = {
            "type": "line",
            "color": MUTED if known else RULE,
            "strokeWidth": 1.4 if known else 1,
            "strokeDash": MARKED.get(value, [1, 0]),
        }
        yield _layer(ring, style)
    spokes = [
        {**_at(place, radius), "spoke": place, "order": radius}
        for place in range(len(TASKS))
        for radius in (0, 1)
    ]
    yield _layer(spokes, {"type": "line", "color": RULE, "strokeWidth": 1}, detail="spoke")
    names = [
        {**_at(place, 1.09), "value": task.replace("/", " ")} for place, task in enumerate(TASKS)
    ]
    sides = {
        "center": [one for one in names if abs(one["x"]) < 0.05],
        "left": [one for one in names if one["x"] >= 0.05],
        "right": [one for one in names if one["x"] <= -0.05],
    }
    for side, found in sides.items():
        yield _layer(found, marks.text(10, INK, align=side), text="value")


def _ring_names() -> list[Record]:
    return [
        {**_at(0.5, (value - CENTRE) / (RIM - CENTRE)), "value": text}
        for value, text in RINGS.items()
    ]


def _beyond(points: Sequence[Record], name: str) -> list[Record]:
    """The values of a player's points off the scale, beside them on the side of the next spoke."""
    return [
        {**_at(one["place"] + 0.2, max(one["radius"] - 0.06, 0.1)), "value": one["value"]}
        for one in points
        if one["clipped"] and one["player"] == name
    ]


def _told(records: Sequence[Record], colour: str) -> Iterator[Spec]:
    """Texts that stay readable on lines."""
    halo = marks.text(9, "#ffffff", stroke="#ffffff", strokeWidth=3, strokeOpacity=0.85)
    yield _layer(records, halo, text="value")
    yield _layer(records, marks.text(9, colour, fontWeight="bold"), text="value")


def _layer(
    records: Sequence[Record],
    mark: Spec,
    player: Mapping[str, Profile] | None = None,
    first: int = 0,
    detail: str = "",
    text: str = "",
) -> Spec:
    encoding: Spec = {
        field: {
            "field": field, "type": "quantitative", "axis": None,
            "scale": {"domain": [-edge, edge], "nice": False},
        }
        for field, edge in (("x", EDGE_X), ("y", EDGE_Y))
    }  # fmt: skip
    if mark["type"] == "line":
        encoding["order"] = {"field": "order", "type": "quantitative"}
    if player is not None:
        encoding["color"] = marks.colours("player", list(player), first=first)
    if detail:
        encoding["detail"] = {"field": detail, "type": "nominal"}
    if text:
        encoding["text"] = {"field": text}
    return {**marks.data(records), "mark": mark, "encoding": encoding}


def _at(place: float, radius: float) -> Record:
    """Where a radius of a spoke lies; spokes go clockwise from the top."""
    angle = 2 * math.pi * place / len(TASKS)
    return {"x": radius * math.sin(angle), "y": radius * math.cos(angle)}
