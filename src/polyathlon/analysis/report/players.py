"""The table of a tournament's players."""

from __future__ import annotations

from collections.abc import Sequence

from polyathlon.analysis.labels import marked
from polyathlon.analysis.report.format import NONE, number, span
from polyathlon.analysis.report.sheets import Sheet
from polyathlon.analysis.standings import PUBLISHED_GAMES, Standing, admitted_first
from polyathlon.core.extras import install


def standings(title: str, found: Sequence[Standing]) -> Sheet:
    """Players by win rate, at least one, with the best rate marked once somebody has won.

    Those who were given more than plain agents stand below, are marked, and are never the best.
    """
    found = admitted_first(found)
    rows = tuple(
        (
            marked(one.player, one.access),
            str(one.games),
            str(one.wins),
            f"{100 * one.win_rate:.2f}",
            span((100 * one.interval[0], 100 * one.interval[1])),
            f"{one.sd:.3f}",
            f"{100 * one.sem:.1f}",
            f"{100 * one.sem_published:.1f}",
            number(one.kills),
            number(one.deaths),
            f"{one.kd:.2f}",
            _rating(one),
        )
        for one in found
    )
    note = (
        f"SEM is √(p(1 - p)) over √(own games); that of {PUBLISHED_GAMES} divides by "
        f"√{PUBLISHED_GAMES} instead, as OmniPlay prints it. K/D is kills over deaths, kills where "
        "nobody died; the rating is Plackett-Luce's, 25 at the start."
    )
    if any(one.mu is None for one in found):
        note += f" Ratings need openskill: {install('report')}."
    if found[-1].rank is None:
        note += (
            " Ranked are plain agents, given nothing but delivered percepts; others stand below, "
            "with what they were given."
        )
    names = (
        "who", "games", "wins", "win rate %", "95 % interval", "sd", "SEM",
        f"SEM of {PUBLISHED_GAMES}", "kills", "deaths", "K/D", "rating",
    )  # fmt: skip
    top = max((one.win_rate for one in found if one.rank is not None), default=0.0)
    best = frozenset(
        (row, names.index("win rate %"))
        for row, one in enumerate(found)
        if one.wins and one.rank is not None and one.win_rate == top
    )
    return Sheet(f"{title}: standings", names, rows, 1, note, best)


def _rating(one: Standing) -> str:
    return NONE if one.mu is None else f"{one.mu:.1f} ± {one.sigma:.1f}"
