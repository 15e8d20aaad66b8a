"""Standings: players over many games of several roles, whoever sat where."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from polyathlon.analysis.cells import Cell
from polyathlon.analysis.labels import Stamp, known_env
from polyathlon.analysis.rows import EpisodeRow, RoleRow
from polyathlon.analysis.stats import wilson

if TYPE_CHECKING:
    from openskill.models import PlackettLuceRating

Entrant: TypeAlias = tuple[str, Stamp]
"""A player's name, and what it was given."""
PUBLISHED_GAMES = 50
"""What OmniPlay divides by for its standard error of win rates, whatever a player's own games."""


class Standing(msgspec.Struct, frozen=True):
    """One player of a tournament.

    `win_rate` is wins over games played; `sd` is √(p(1-p)), `sem` that over √games and
    `sem_published` over √50 as the paper prints it (section 9.4). `interval` is the 95 % Wilson
    interval. `mu` and `sigma` are the player's Plackett-Luce rating (25 ± 25/3 at the start), None
    where the library that rates is not installed (extra `report`).
    `rank` is its place among plain players, who alone are ranked; None for others.
    """

    player: str
    games: int
    wins: int
    win_rate: float
    interval: tuple[float, float]
    kills: float
    deaths: float
    mu: float | None
    sigma: float | None
    access: Stamp
    rank: int | None = None

    @property
    def sd(self) -> float:
        return math.sqrt(self.win_rate * (1 - self.win_rate))

    @property
    def sem(self) -> float:
        return self.sd / math.sqrt(self.games)

    @property
    def sem_published(self) -> float:
        return self.sd / math.sqrt(PUBLISHED_GAMES)

    @property
    def kd(self) -> float:
        """Kills per death; kills where nobody died (section 7.4)."""
        return self.kills / self.deaths if self.deaths else self.kills


def standings(rows: Iterable[EpisodeRow]) -> list[Standing]:
    """The players of counted games of several roles, best win rate first.

    A player is a model with its harness, or another kind of agent. All play and are rated, for
    whom one met matters; the ranks are those of plain players. Ratings take the games in the
    order of seed and attempt; a game is ranked by the roles' leading scores, equal ones tie.
    """
    games = sorted(
        (row for row in rows if row.counted and len(row.roles) > 1),
        key=lambda row: (row.env, row.level, row.condition, row.seed, row.attempt, row.id),
    )
    seats: dict[Entrant, list[tuple[EpisodeRow, RoleRow]]] = {}
    for game in games:
        for seat in game.roles.values():
            seats.setdefault(_entrant(seat), []).append((game, seat))
    ratings = _ratings(games)
    found = [_standing(who, played, ratings.get(who)) for who, played in seats.items()]
    return _ranked(sorted(found, key=lambda standing: (-standing.win_rate, standing.player)))


def admitted_first(found: Iterable[Standing]) -> list[Standing]:
    """Plain players, then those who are shown apart, each in the given order."""
    return sorted(found, key=lambda standing: standing.rank is None)


def tournaments(cells: Iterable[Cell]) -> dict[str, list[Standing]]:
    """The standings of every env of several roles that play against one another."""
    games: dict[str, dict[str, EpisodeRow]] = {}
    for cell in cells:
        for row in cell.rows:
            if len(row.roles) > 1 and not _cooperative(row.env):
                games.setdefault(row.env, {})[f"{row.run}/{row.id}"] = row
    return {env: standings(rows.values()) for env, rows in games.items()}


def _cooperative(env: str) -> bool:
    spec = known_env(env)
    return spec is not None and spec.cooperative


def player(seat: RoleRow) -> str:
    """What a standing calls a seat's player: its model and what its harness changes."""
    toggles = ", ".join(f"{key}={value}" for key, value in sorted(seat.harness.items()))
    return f"{seat.model} ({toggles})" if toggles else seat.model


def _entrant(seat: RoleRow) -> Entrant:
    return player(seat), seat.access


def _ranked(found: Sequence[Standing]) -> list[Standing]:
    """Standings in order of their win rates, with the ranks of plain players; equal ones share."""
    rates = [standing.win_rate for standing in found if standing.access == "plain"]
    return [
        msgspec.structs.replace(standing, rank=rates.index(standing.win_rate) + 1)
        if standing.access == "plain"
        else standing
        for standing in found
    ]


def _standing(
    who: Entrant, played: Sequence[tuple[EpisodeRow, RoleRow]], rating: PlackettLuceRating | None
) -> Standing:
    wins = sum(seat.role in game.winners for game, seat in played)
    name, access = who
    return Standing(
        name,
        len(played),
        wins,
        wins / len(played),
        wilson(wins, len(played)),
        sum(seat.metrics.get("kills", 0.0) for _, seat in played),
        sum(seat.metrics.get("deaths", 0.0) for _, seat in played),
        rating.mu if rating else None,
        rating.sigma if rating else None,
        access,
    )


def _ratings(games: Sequence[EpisodeRow]) -> dict[Entrant, PlackettLuceRating]:
    """Online ratings.

    A player in several seats of a game enters with the same rating in each and keeps the mean of
    what the seats became; a game of one player alone says nothing and is left out. Nobody has one
    where the library that rates is not installed.
    """
    try:
        from openskill.models import PlackettLuce
    except ModuleNotFoundError:
        return {}

    model = PlackettLuce()
    known: dict[Entrant, PlackettLuceRating] = {}
    for game in games:
        seats = list(game.roles.values())
        teams = [[known.setdefault(_entrant(seat), model.rating())] for seat in seats]
        if len({_entrant(seat) for seat in seats}) == 1:
            continue
        scores = [next(iter(seat.metrics.values()), 0.0) for seat in seats]
        rated = model.rate(teams, scores=scores)
        became: dict[Entrant, list[PlackettLuceRating]] = {}
        for seat, team in zip(seats, rated, strict=True):
            became.setdefault(_entrant(seat), []).append(team[0])
        for name, results in became.items():
            known[name] = model.rating(
                mu=sum(result.mu for result in results) / len(results),
                sigma=sum(result.sigma for result in results) / len(results),
            )
    return known
