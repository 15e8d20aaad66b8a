"""Pieces of Vega-Lite that several charts of the studies share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from polyathlon.analysis.report.plots import INK, MUTED, PALETTE, Spec

Record = dict[str, Any]

SMALL_PX = 10


def data(records: Iterable[Mapping[str, Any]]) -> Spec:
    """Records as the data of a layer."""
    return {"data": {"values": list(records)}}


def names(field: str, domain: Sequence[str], title: str | None = None, **more: Any) -> Spec:
    """A nominal channel in a given order.

    The domain is fixed, for a sort by values would be compiled into an expression that holds
    names of players.
    """
    scale = {"domain": list(domain), **more.pop("scale", {})}
    return {
        "field": field, "type": "nominal", "title": title, "scale": scale, "sort": None, **more
    }  # fmt: skip


def amounts(field: str, title: str | None, low: float, high: float, **axis: Any) -> Spec:
    """A quantitative channel over a given domain."""
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"domain": [low, high], "nice": False, "zero": False},
        "axis": axis or {"tickCount": 5},
    }


def colours(field: str, domain: Sequence[str], legend: bool = True, first: int = 0) -> Spec:
    """A colour for each name, from a place of the palette on."""
    used = [colour(domain, name, first) for name in domain]
    more: Spec = {} if legend else {"legend": None}
    return names(field, domain, scale={"range": used}, **more)


def colour(domain: Sequence[str], name: str, first: int = 0) -> str:
    """The colour that `colours` gives a name."""
    return PALETTE[(first + domain.index(name)) % len(PALETTE)]


def text(size_px: int = SMALL_PX, colour: str = INK, **more: Any) -> Spec:
    """A text mark."""
    return {"type": "text", "fontSize": size_px, "color": colour, **more}


def side_by_side(panels: Sequence[Spec], spacing_px: int = 36) -> Spec:
    """Panels in a row, each with legends and colours of its own; one alone stays as it is."""
    return _concat("hconcat", panels, spacing_px)


def stacked(panels: Sequence[Spec], spacing_px: int = 30) -> Spec:
    """Panels one below the other, otherwise like `side_by_side`."""
    return _concat("vconcat", panels, spacing_px)


def _concat(how: str, panels: Sequence[Spec], spacing_px: int) -> Spec:
    if len(panels) == 1:
        return panels[0]
    resolve = {"scale": {"color": "independent"}, "legend": {"color": "independent"}}
    return {how: list(panels), "spacing": spacing_px, "resolve": resolve}


def heading(title: str) -> Spec:
    """The title of a panel."""
    return {
        "text": title, "fontSize": 12, "fontWeight": "normal", "color": MUTED, "anchor": "start",
        "offset": 10,
    }  # fmt: skip
