"""The table of a tournament's players."""

from __future__ import annotations

from collections.abc import Sequence

from polyathlon.analysis.report.format import number, span
from polyathlon.analysis.report.sheets import Sheet
from polyathlon.analysis.standings import PUBLISHED_GAMES, Standing


def standings(title: str, found: Sequence[Standing]) -> Sheet:
    """Players by win rate, at least one, with the best rate marked once somebody has won."""
    rows = tuple(
        (
            one.player,
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
            f"{one.mu:.1f} ± {one.sigma:.1f}",
        )
        for one in found
    )
    note = (
        f"SEM is √(p(1 - p)) over √(own games); that of {PUBLISHED_GAMES} divides by "
        f"√{PUBLISHED_GAMES} instead, as OmniPlay prints it. K/D is kills over deaths, kills where "
        "nobody died; the rating is Plackett-Luce's, 25 at the start."
    )
    names = (
        "who", "games", "wins", "win rate %", "95 % interval", "sd", "SEM",
        f"SEM of {PUBLISHED_GAMES}", "kills", "deaths", "K/D", "rating",
    )  # fmt: skip
    top = max(one.win_rate for one in found)
    best = frozenset(
        (row, names.index("win rate %"))
        for row, one in enumerate(found)
        if one.wins and one.win_rate == top
    )
    return Sheet(f"{title}: standings", names, rows, 1, note, best)
