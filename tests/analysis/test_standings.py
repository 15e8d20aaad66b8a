"""Standings: win rates over own games, ratings that order players rightly, seats that cancel."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping

import msgspec
import pytest

from polyathlon.analysis.omniplay.figures import load
from polyathlon.analysis.report.players import standings as table_of
from polyathlon.analysis.rows import EpisodeRow, RoleRow, Spend
from polyathlon.analysis.standings import admitted_first, standings
from polyathlon.core import extras
from polyathlon.core.agents import Access
from polyathlon.core.chance import stream

SEATS = ("red", "blue", "green", "yellow")


def seat(role: str, name: str, **metrics: float) -> RoleRow:
    access: Access = "privileged" if name == "oracle" else "plain"
    return RoleRow(role, "llm", name, {}, metrics, {}, {}, 0, 0, {}, 0, Spend(), access)


def game(seed: int, players: Mapping[str, str], winner: str | None, **metrics: float) -> EpisodeRow:
    roles = {
        role: seat(role, name, raw_score=float(role == winner), **metrics)
        for role, name in players.items()
    }
    return EpisodeRow(
        "run", f"{seed}", "omniplay/showdown-v0", "standard", {}, "", "", seed, 0, "done", "won",
        {}, (winner,) if winner else (), roles, (), 0.0, "", "",
    )  # fmt: skip


def test_win_rates_are_over_own_games() -> None:
    games = [
        game(0, dict(zip(SEATS, "abcd", strict=True)), "red", kills=2.0, deaths=1.0),
        game(1, dict(zip(SEATS, "abce", strict=True)), None, kills=1.0, deaths=0.0),
        game(2, dict(zip(SEATS, "bcde", strict=True)), "red"),
    ]
    table = {standing.player: standing for standing in standings(games)}
    assert (table["a"].games, table["a"].wins, table["a"].win_rate) == (2, 1, 0.5)
    assert table["a"].sd == 0.5
    assert table["a"].sem == pytest.approx(0.5 / math.sqrt(2))
    assert table["a"].sem_published == pytest.approx(0.5 / math.sqrt(50))
    assert table["a"].kd == 3.0
    assert table["e"].kd == 1.0
    assert [standing.player for standing in standings(games)][:2] == ["a", "b"]


def test_the_published_spread_is_that_of_the_published_rates() -> None:
    for row in load().tables["20"].values():
        rate = row["win_rate_pct"] / 100
        sd = math.sqrt(rate * (1 - rate))
        assert sd == pytest.approx(row["sd"], abs=0.001)
        assert 100 * sd / math.sqrt(50) == pytest.approx(row["sem_pct"], abs=0.06)


def test_ratings_find_the_order_of_strength() -> None:
    strength = {"strong": 6, "good": 3, "fair": 2, "weak": 1}
    games = []
    for seed in range(200):
        rng = stream(seed, "test")
        names = list(strength)
        rng.shuffle(names)
        tickets = [
            role for role, name in zip(SEATS, names, strict=True) for _ in range(strength[name])
        ]
        games.append(game(seed, dict(zip(SEATS, names, strict=True)), rng.choice(tickets)))
    table = standings(games)
    assert [standing.player for standing in table] == list(strength)
    rated = sorted(table, key=lambda standing: -standing.mu)
    assert [standing.player for standing in rated] == list(strength)
    assert all(standing.sigma < 3 for standing in table)


def test_a_player_in_every_seat_wins_a_quarter_and_keeps_its_rating() -> None:
    games = [game(seed, dict.fromkeys(SEATS, "same"), SEATS[seed % 4]) for seed in range(20)]
    (only,) = standings(games)
    assert (only.games, only.wins) == (80, 20)
    assert only.mu == 25


def test_without_the_library_that_rates_all_else_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    games = [game(0, dict(zip(SEATS, "abcd", strict=True)), "red")]
    rated = standings(games)
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    unrated = standings(games)
    assert [(one.mu, one.sigma) for one in unrated] == [(None, None)] * 4
    assert [one.player for one in unrated] == [one.player for one in rated]
    table = table_of("Showdown", unrated)
    assert {row[-1] for row in table.rows} == {"–"}
    assert extras.install("report") in table.note
    assert extras.install("report") not in table_of("Showdown", rated).note


def test_only_plain_players_are_ranked_and_others_are_shown_apart_and_marked() -> None:
    games = [
        game(0, dict(zip(SEATS, ("oracle", "a", "b", "c"), strict=True)), "red"),
        game(1, dict(zip(SEATS, ("oracle", "a", "b", "c"), strict=True)), "red"),
        game(2, dict(zip(SEATS, ("oracle", "a", "b", "c"), strict=True)), "blue"),
    ]
    found = standings(games)
    assert [(one.player, one.rank) for one in found] == [
        ("oracle", None), ("a", 1), ("b", 2), ("c", 2)
    ]  # fmt: skip
    assert [one.player for one in admitted_first(found)] == ["a", "b", "c", "oracle"]
    sheet = table_of("Arena", found)
    assert [row[0] for row in sheet.rows] == ["a", "b", "c", "oracle (privileged)"]
    assert {row for row, _ in sheet.best} == {0}
    assert "Ranked are plain agents" in sheet.note


def test_where_nobody_is_plain_nobody_is_best() -> None:
    sheet = table_of("Arena", standings([game(0, dict.fromkeys(SEATS, "oracle"), "red")]))
    assert [row[0] for row in sheet.rows] == ["oracle (privileged)"]
    assert not sheet.best


def test_a_name_that_was_given_more_in_some_games_is_two_players() -> None:
    plain = game(0, dict(zip(SEATS, "abcd", strict=True)), "red")
    informed = game(1, dict(zip(SEATS, "abcd", strict=True)), "red")
    seats = {
        role: msgspec.structs.replace(each, access="informed")
        for role, each in informed.roles.items()
    }
    found = standings([plain, msgspec.structs.replace(informed, roles=seats)])
    assert [(one.player, one.access, one.games) for one in found[:2]] == [
        ("a", "plain", 1), ("a", "informed", 1)
    ]  # fmt: skip
