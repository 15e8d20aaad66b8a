"""The tables of the studies: columns, marks, published rows, caveats, and where they are shown."""

from __future__ import annotations

import json

import pytest
from tests.analysis import synthetic as made
from tests.analysis.omniplay_made import FIGURES, of, published_results, published_study, row
from tests.analysis.test_omniplay_traces import person, recalled_as
from tests.analysis.test_standings import SEATS, game

from polyathlon import registry
from polyathlon.analysis.report.omniplay.chapters import chapters
from polyathlon.analysis.report.omniplay.lines import Line, Shown, sheet
from polyathlon.analysis.report.players import standings
from polyathlon.analysis.report.text import markdown
from polyathlon.analysis.standings import tournaments
from polyathlon.cli.report import report
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError


def told(study, figures=None):
    return {one.id: one for one in chapters(study, figures)}


def cell(sheet, column, **words):
    """The one cell of a column in the row with the given words."""
    places = {sheet.columns.index(name): word for name, word in words.items()}
    rows = [one for one in sheet.rows if all(one[at] == word for at, word in places.items())]
    assert len(rows) == 1, rows
    return rows[0][sheet.columns.index(column)]


def test_the_nps_table_has_tasks_as_columns_and_published_models_beside() -> None:
    study = of([row(seed=seed, steps=13.9) for seed in range(3)])
    (overview, spread), figures = told(study)["nps"].sheets, told(study, FIGURES)["nps"].sheets[0]
    assert overview.columns == ("who", "pathfinding/hard")
    assert overview.rows == (("m", "100.0 ± 0.0"),)
    assert cell(spread, "episodes", who="m") == "3"
    assert figures.columns == ("source", "who", "pathfinding/hard")
    assert cell(figures, "pathfinding/hard", who="Gemini 2.5 Pro") == "95.2 ± 1.2"
    assert len(figures.rows) == 7


def test_full_results_stand_beside_the_published_ones_with_offsets_of_anchors() -> None:
    rows = [
        row(who="random", agent="random", seed=seed, steps=480.0 + seed, success=0.0)
        for seed in range(3)
    ]
    (found,) = told(of(rows), FIGURES)["results"].sheets
    assert cell(found, "trimmed mean", source="published", who="human") == "13.9"
    assert cell(found, "success %", source="published", who="human") == "–"
    assert cell(found, "trimmed mean", source="this run", who="random") == "481.0"
    assert "raw score 481.00, published 482.70 (-1.70, -2.9 SEM)" in found.note
    assert "drop one episode at each end" in found.note
    (alone,) = told(of(rows))["results"].sheets
    assert "source" not in alone.columns
    assert "published" not in alone.note


@pytest.mark.parametrize("place", ["pathfinding", "echoes", "alchemist", "phantom"])
def test_published_results_as_own_runs_print_the_published_rows(place) -> None:
    """The paper's own figures come out digit by digit (the mean of steps is not fed in)."""
    (found,) = told(published_results(place), FIGURES)["results"].sheets
    at = {name: found.columns.index(name) for name in found.columns}
    unprinted = ("source", "episodes", "mean steps", "success %", "parse failures %")
    left_out = {at[name] for name in unprinted if name in at}
    own, published = (
        sorted(
            tuple(text for column, text in enumerate(line) if column not in left_out)
            for line in found.rows
            if line[0] == source
        )
        for source in ("this run", "published")
    )
    assert own == published


def test_the_ablation_table_prints_scores_changes_and_verdicts() -> None:
    columns, steps, *_, memory, verdicts = told(
        published_study("ablation", "pathfinding", "echoes"), FIGURES
    )["ablation"].sheets  # fmt: skip
    for source in ("this run", "published"):
        pro = {"source": source, "who": "Gemini 2.5 Pro", "level": "hard", "condition": "no audio"}
        assert cell(columns, "trimmed mean", **pro) == "99.4"
        assert cell(steps, "efficiency %", **pro) == "48.9"
    published = {"source": "published", "who": "Gemini 2.5 Pro", "level": "hard"}
    assert cell(steps, "change", condition="no audio", **published) == "-37.80"
    assert cell(steps, "change of SEM", condition="no audio", **published) == "1.20"
    assert "own worst cell" not in memory.note
    assert "0.40" in memory.note
    hard = {"game": "Myriad Echoes", "level": "hard", "who": "Gemini 2.5 Pro"}
    assert cell(verdicts, "necessity", **hard) == "yes"


def test_the_conflict_table_and_the_noise_table_know_their_inconsistencies() -> None:
    conflict, scores = told(published_study("conflict", "pathfinding"), FIGURES)["conflict"].sheets
    assert "almost deaf" in conflict.note
    assert "89.4" in scores.note
    noise = told(published_study("noise", "phantom"), FIGURES)["noise"].sheets[0]
    assert "-82.0 %" in noise.note
    relative = {"who": "Gemini 2.5 Flash", "condition": "image noise"}
    for source in ("this run", "published"):
        assert cell(noise, "relative %", source=source, **relative) == "-90.7"
        assert cell(noise, "success rate", source=source, **relative) == "0.050"


def test_best_values_are_marked_among_contestants_of_equal_conditions() -> None:
    lines = [
        Line("this run", "a", "hard", "baseline", {"steps": 9.0}),
        Line("this run", "b", "hard", "baseline", {"steps": 12.0}),
        Line("this run", "random", "hard", "baseline", {"steps": 1.0}, contestant=False),
        Line("this run", "a", "easy", "baseline", {"steps": 3.0}),
        Line("published", "c", "hard", "baseline", {"steps": 2.0}),
        Line("published", "d", "hard", "baseline", {"steps": 2.0}),
    ]
    found = sheet("t", lines, [("steps", Shown("steps", 0, "lowest"))], "")
    marked = [found.rows[at][1:3] for at, _ in found.best]
    assert marked == [("a", "hard")]
    assert found.rows[0][2] == "easy"
    assert "**9**" in markdown("t", [found])


def test_standings_stand_beside_the_published_tournament() -> None:
    players = dict(zip(SEATS, "abcd", strict=True))
    games = [game(seed, players, "red", kills=1.0, bombs=3.0) for seed in range(3)]
    (found,) = told(of(games), FIGURES)["tournament"].sheets
    assert cell(found, "win rate %", who="a") == "100.00"
    assert cell(found, "K/D", who="Gemini 2.5 Pro") == "2.38"
    assert cell(found, "wins", who="Gemini 2.5 Pro") == "13"
    assert "rates of 50 games" in found.note
    ((row, column),) = found.best
    assert found.rows[row][column] == "100.00"


def test_passive_wins_name_how_the_others_fell() -> None:
    players = dict(zip(SEATS, "abcd", strict=True))
    quiet = game(3, players, "red", kills=0.0, bombs=1.0, death_self=1.0, moves=9.0)
    _, found = told(of([quiet]))["tournament"].sheets
    assert cell(found, "the others", who="a") == "blue: self, green: self, yellow: self"


def test_a_lost_first_item_is_marked_in_the_truth() -> None:
    lost = recalled_as("Sequence analysis: [(1,2) (2,1) (2,2)] Sequence icons: [cat, cow, bird]")
    _, patterns, cases = told(of([row("echoes", raw_score=0.0)], lambda one: lost))["memory"].sheets
    assert cell(patterns, "systematic", who="m") == "first missing (100.0 %)"
    true, written, *_ = (one[4:9] for one in cases.rows)
    assert true == ("true", "1,1", "1,2", "2,1", "2,2")
    assert written == ("written", "1,2", "2,1", "2,2", "")
    assert (0, cases.columns.index("1")) in cases.best


def test_people_stand_beside_the_published_ones() -> None:
    found = told(of([person("p1", 4.0, 0), person("p2", 4.4, 0)]), FIGURES)["people"].sheets[0]
    assert cell(found, "mean", source="this run") == "4.20"
    assert cell(found, "SEM", source="published") == "0.11"


def test_standings_of_any_env_of_several_roles() -> None:
    players = dict(zip(SEATS, "aabb", strict=True))
    found = standings("Duel", of([game(0, players, "blue")]).standings)
    assert found.rows[0][:3] == ("a", "2", "1")
    assert tournaments([]) == {}


@pytest.fixture
def run(tmp_path):
    """A run directory of echoes, made of traces."""
    spec = registry.env_spec("omniplay/echoes-v0")
    traces = []
    for agent, score in (("random", 0.0), ("oracle", 6.0)):
        for treated in ((), ("ablate:audio",)):
            options, lineup = spec.configure({}), {"player": AgentSpec(agent)}
            episode = EpisodeSpec(spec.id, "easy", options, 1, lineup, interventions=treated)
            metrics = {"success": score / 6, "parse_failure": 0.0}
            traces.append(made.episode(episode, score, **metrics))
    return made.write(tmp_path / "run", traces).path


def test_every_form_of_the_report_holds_the_study(run, capsys) -> None:
    report(run, json=True, against="omniplay")
    found = json.loads(capsys.readouterr().out)
    assert {"run", "runs", "cells", "omniplay"} == set(found)
    assert len(found["omniplay"]["results"]) == 4
    report(run, md=True, against="omniplay")
    text = capsys.readouterr().out
    assert "## NPS by task" in text
    assert "| published | Gemini 2.5 Pro |" in text
    report(run, html=run / "page.html", against="omniplay")
    page = (run / "page.html").read_text(encoding="utf-8")
    assert 'id="omniplay-ablation"' in page
    assert 'class="wide"' in page
    capsys.readouterr()
    report(run)
    terminal = capsys.readouterr().out
    assert "Verdicts on removed senses" in terminal
    assert "NPS by task" in terminal
    assert "NPS under every condition" not in terminal


def test_other_references_keep_working_and_unknown_ones_name_both(run, capsys) -> None:
    report(run, md=True, against="lmgame")
    assert "| published |" not in capsys.readouterr().out
    with pytest.raises(UserError, match="known: gptnt, lmgame, omniplay"):
        report(run, against="nothing like it")
    with pytest.raises(UserError, match="did you mean omniplay"):
        report(run, against="omnipaly")


def test_runs_of_other_families_have_no_chapter(tmp_path, capsys) -> None:
    made.write(tmp_path / "run", [made.episode(made.spec(), 9.0)])
    report(tmp_path / "run", json=True)
    assert "omniplay" not in json.loads(capsys.readouterr().out)
