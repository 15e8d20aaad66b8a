"""Numbers as people read them."""

from __future__ import annotations

from collections.abc import Mapping

from polyathlon.analysis.stats import Summary

UNKNOWN = "unknown"
NONE = "–"
SHOWN_RUNS = 12


def number(value: float) -> str:
    """Three or four significant figures, thousands apart, no exponent for everyday sizes."""
    if value and (abs(value) >= 1e7 or abs(value) < 1e-4):
        return f"{value:.3g}"
    text = f"{value:,.{_digits(value)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def plus_minus(summary: Summary | None) -> str:
    """Mean ± sd with equal decimals; the bare mean of one episode."""
    return NONE if summary is None else mean_sd(summary.mean, summary.sd)


def mean_sd(mean: float, sd: float | None) -> str:
    """Mean ± sd with equal decimals; the bare mean where there is no sd."""
    if sd is None:
        return number(mean)
    digits = _digits(max(abs(mean), sd))
    return f"{mean:,.{digits}f} ± {sd:,.{digits}f}"


def span(bounds: tuple[float, float] | None) -> str:
    """Low to high with equal decimals."""
    if bounds is None:
        return NONE
    digits = _digits(max(map(abs, bounds)))
    return f"{bounds[0]:,.{digits}f} to {bounds[1]:,.{digits}f}"


def runs(summary: Summary | None) -> str:
    """The single values, a dozen at most."""
    if summary is None:
        return NONE
    values = ", ".join(number(value) for value in summary.values[:SHOWN_RUNS])
    return f"{values}, …" if summary.n > SHOWN_RUNS else values


def percent(share: float) -> str:
    """A share in percent."""
    return f"{100 * share:.1f} %"


def count(value: int) -> str:
    """A count; a dash for none, so that what happened stands out."""
    return f"{value:,}" if value else NONE


def counts(values: Mapping[str, int]) -> str:
    """Counts by kind, most frequent first."""
    ordered = sorted(values.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{kind} {n}" for kind, n in ordered if n) or NONE


def usd(value: float | None) -> str:
    """US dollars, or that they are unknown."""
    if value is None:
        return UNKNOWN
    return "$0" if not value else f"${value:,.2f}" if value >= 1 else f"${value:.2g}"


def seconds(value: float) -> str:
    """A duration in the unit that suits it."""
    if value < 1:
        return f"{1_000 * value:.0f} ms"
    return f"{value:.1f} s" if value < 120 else f"{value / 60:.1f} min"


def plain(text: str) -> str:
    """`text` on one line, without characters that drive a terminal or that XML forbids."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _digits(value: float) -> int:
    size = abs(value)
    return 0 if size >= 1_000 or not size else 1 if size >= 10 else 2 if size >= 1 else 3
