"""GPTNT in reports: tables beside the published ones, charts, and every form of the report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from xml.etree import ElementTree

import pytest
from tests.analysis import synthetic as made
from tests.analysis.gptnt_made import (
    FIGURES,
    STEPPED,
    answer,
    asked,
    of,
    published_multi,
    published_single,
    row,
)
from tests.analysis.test_report import HOSTILE

from polyathlon import registry
from polyathlon.analysis.gptnt.games import Share
from polyathlon.analysis.report.gptnt.chapters import chapters, told
from polyathlon.analysis.report.gptnt.lines import Line, sheet, with_interval
from polyathlon.cli.report import report
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import EpisodeSpec, SchedulerSpec
from polyathlon.core.errors import UserError

TEXTLESS = "ablate:manual_text"


def sheets(study, chapter: str, figures=None):
    found = {one.id: one for one in chapters(study, figures)}
    return {one.title: one for one in found[chapter].sheets} if chapter in found else {}


def rows_of(sheet, source: str) -> list[tuple[str, ...]]:
    return sorted(line[1:] for line in sheet.rows if line[0] == source)


def cell(sheet, column: str, **words: str) -> str:
    """The one cell of a column in the row with the given words."""
    places = {sheet.columns.index(name): word for name, word in words.items()}
    (found,) = [one for one in sheet.rows if all(one[at] == word for at, word in places.items())]
    return found[sheet.columns.index(column)]


def words(plot) -> str:
    """All text of a chart."""
    root = ElementTree.fromstring(plot.svg)
    return " ".join(filter(None, (node.text for node in root.iter() if node.tag.endswith("text"))))


@pytest.mark.parametrize(
    ("play", "how"),
    [
        ("pair, sync", {"env": "defusal"}),
        ("pair, async", {"env": "defusal", "scheduler": SchedulerSpec("virtual")}),
        ("alone, sync", {}),
        ("no manual, sync", {"options": {"manual": False}}),
    ],
)
def test_published_rates_as_own_games_print_the_published_rows(play, how) -> None:
    """Tables 4, 5 and 11 come out digit by digit."""
    found = sheets(of(published_single(play, **how)), "outcomes", None)
    (own,) = [one for title, one in found.items() if title.startswith("Success")]
    beside = sheets(of(published_single(play, **how)), "outcomes", FIGURES)[own.title]
    others = ("mean of models", "random play")
    published = [line for line in rows_of(beside, "published") if line[0] not in others]
    assert sorted(own.rows) == rows_of(beside, "this run") == published
    assert ("random play" in {line[1] for line in beside.rows}) == play.endswith(", sync")


@pytest.mark.parametrize(
    ("mode", "scheduler"), [("sync", STEPPED), ("async", SchedulerSpec("virtual"))]
)
def test_published_missions_as_own_games_print_the_published_outcomes(mode, scheduler) -> None:
    """Tables 2 and 3 as own ones: the endings, the number solved, and the failures."""
    study = of(published_multi(mode, scheduler))
    found = sheets(study, "outcomes", FIGURES)[f"Bombs of several modules: pair, {mode}"]
    endings = {source: [] for source in ("this run", "published")}
    for line in found.rows:
        endings[line[0]].append((line[1], *(text.split()[0] for text in line[2:12]), line[12]))
    assert sorted(endings["this run"]) == sorted(endings["published"])
    failures = sheets(study, "failures", FIGURES)["Failures"]
    for who in ("Sonnet 4.6", "Qwen3.5 (27B)"):
        shares = [cell(failures, "timeouts %", source=source, who=who) for source in endings]
        assert shares[0] == shares[1]


def test_outcomes_stand_beside_those_of_the_same_bombs_and_play() -> None:
    rows = [row(env="defusal", seed=seed, ending="strikeout", strikes=3.0) for seed in range(4)]
    found = sheets(of(rows), "outcomes", FIGURES)["Outcomes"]
    assert cell(found, "strikeouts %", source="this run", who="m") == "100.0"
    assert cell(found, "solved %", source="this run", who="m") == "0.0 (0–49)"
    sonnet = {"source": "published", "who": "Sonnet 4.6"}
    assert cell(found, "solved %", **sonnet) == "39.1"
    assert cell(found, "strikeouts %", **sonnet) == "41.8"  # 68.7 % of the 60.9 % not solved
    assert "source" not in sheets(of(rows), "outcomes")["Outcomes"].columns


def test_random_play_shows_its_standard_errors() -> None:
    rows = [
        row(seed=seed, agent="random", ending="solved" if seed < 5 else "timeout")
        for seed in range(20)
    ]
    (found,) = sheets(of(rows), "modules", FIGURES).values()
    assert cell(found, "random %", module="Wires") == "13.8"
    assert cell(found, "SE", module="Wires") == "+1.4"
    (alone,) = sheets(of(rows), "modules").values()
    assert "SE" not in alone.columns


def test_pairs_are_a_matrix_with_means() -> None:
    rows = [
        row(env="defusal", seed=seed, ending=ending, models={"defuser": one, "expert": other})
        for seed, (one, other, ending) in enumerate(
            [("a", "a", "solved"), ("a", "b", "timeout"), ("b", "a", "solved"),
             ("b", "b", "solved")]
        )
    ]  # fmt: skip
    own, published = sheets(of(rows), "pairs", FIGURES).values()
    assert own.columns == ("Defuser", "a", "b", "mean")
    assert [line[3] for line in own.rows] == ["50.0", "100.0", "75.0"]
    assert own.rows[2][1:3] == ("100.0", "50.0")
    assert cell(published, "Gemini 3 Flash", Defuser="Sonnet 4.6") == "40.9"


def test_questions_stand_beside_those_of_their_condition() -> None:
    rows = [
        answer(condition=f"zs · {TEXTLESS}", interventions=(TEXTLESS,), seed=seed, correct=seed < 3)
        for seed in range(4)
    ]
    (found,) = sheets(of(rows), "questions", FIGURES).values()
    assert cell(found, "reading", source="this run", who="m · zs") == "75.0 (30–95)"
    assert cell(found, "reading", source="this run", who="blind guess") == "25.0"
    assert cell(found, "reading", who="GPT-5.2", condition=TEXTLESS) == "65.4"
    assert "procedural" not in found.columns


def test_places_stand_beside_the_paradigm_they_were_named_by() -> None:
    def modules(*conditions: str):
        rows = [answer("localisation", condition=one, seed=n) for one in conditions for n in (0, 1)]
        study = of(rows, lambda row: asked(module=("Wires", "Maze")[row.seed]))
        return sheets(study, "topics", FIGURES)["Localisation by module, %"]

    assert cell(modules("default"), "Wires", who="mean of models") == "62.9"
    assert cell(modules("paradigm=scaled"), "Wires", who="mean of models") == "12.5"
    both = modules("default", "paradigm=scaled")
    assert cell(both, "Wires", who="mean of models", condition="coordinates") == "12.5"


def test_descriptions_of_symbols_stand_beside_the_published_ones() -> None:
    rows = [answer("keypad", level, correct=False) for level in ("choice", "open")]
    study = of(rows, lambda one: asked(module="Keypad"))
    (found,) = sheets(study, "questions", FIGURES).values()
    assert cell(found, "open", who="Gemini 3 Flash") == "67.5"
    assert cell(found, "choice", source="this run", who="m") == "0.0 (0–79)"
    assert "scorer descriptions" in found.note
    assert "topics" not in {one.id for one in chapters(study, None)}


def test_open_questions_stand_beside_the_published_ones() -> None:
    rows = [answer("exposure", "unnamed", mentions_game=1.0)]
    found = sheets(of(rows, lambda one: asked(module="Maze")), "exposure", FIGURES)
    unnamed = {"who": "InternVL 3.5 (38B)", "question": "unnamed"}
    assert cell(found["Open questions"], "names the game %", **unnamed) == "30.0"


def test_columns_and_words_that_say_nothing_are_left_out() -> None:
    lines = [Line("this run", ("a", ""), ("–", "1")), Line("this run", ("b", ""), ("–", "–"))]
    found = sheet("t", ("who", "condition"), ("x", "y"), lines)
    assert found is not None
    assert found.columns == ("who", "y")
    assert found.rows == (("a", "1"), ("b", "–"))
    assert found.words == 1
    assert sheet("t", ("who",), ("x",), [Line("published", ("a",), ("1",))]) is None
    assert with_interval(Share(0, 0)) == "–"


def acts(pattern: Sequence[str]) -> list[trace.Event]:
    said = {
        "m": '{"kind": "send_message", "data": {"message": "hm"}}',
        "n": '{"kind": "interact_game", "data": {"action": "flip"}}',
        "i": '{"kind": "interact_game", "data": {"action": "release"}}',
        "w": '{"kind": "do_nothing", "data": {}}',
    }
    return [
        trace.Acted("player", turn, 0, f'<action>{{"result": {said[one]}}}</action>', "ok")
        for turn, one in enumerate(pattern)
    ]


def test_actions_are_told_by_third() -> None:
    study = of([row()], lambda one: acts("mmninnwww"))
    found = sheets(study, "behaviour")["Actions by third"]
    assert cell(found, "message", who="m") == "66.7 / 0.0 / 0.0"
    assert cell(found, "navigate", who="m") == "33.3 / 66.7 / 0.0"
    whole = sheets(study, "behaviour", None)["Actions"]
    assert cell(whole, "wait", who="m") == "33.3"


def test_charts_show_own_and_published_results() -> None:
    rows = [*published_multi("sync", STEPPED), row(env="defusal", ending="solved")]
    family = told(of(rows, lambda one: acts("mnnw")), FIGURES)
    rates, board = family.charts("outcomes")
    assert "published mean of models" in words(rates)
    assert "Wires" in words(rates)
    assert "GPT-5.2, published sync" in words(board)
    multi, single = family.charts("failures")
    assert "Sonnet 4.6, published" in words(multi)
    assert "mean of models, published" in words(single)
    courses = list(family.charts("behaviour"))
    assert "navigate" in words(courses[0])
    assert list(family.charts("pairs")) == []


def test_charts_of_questions_need_several_categories() -> None:
    one, two = answer(seed=0), answer(level="grounding", seed=1)
    assert list(told(of([one]), None).charts("questions")) == []
    (plot,) = told(of([one, two]), FIGURES).charts("questions")
    assert "blind guess" in words(plot)
    assert not list(told(of([row()]), None).charts("questions"))


def test_hostile_names_stay_words() -> None:
    study = of([row(models={"player": HOSTILE}), answer(who=HOSTILE), answer("simulator-vqa")])
    family = told(study, FIGURES)
    for chapter in family.chapters:
        for plot in family.charts(chapter.id):
            assert "<script" not in plot.svg


@pytest.fixture
def run(tmp_path):
    """A run directory of games and questions, made of traces."""
    traces = []
    for env, level, role in (
        ("gptnt/solo-v0", "wires", "player"),
        ("gptnt/manual-vqa-v0", "reading", "reader"),
    ):
        spec = registry.env_spec(env)
        lineup = {role: AgentSpec("random")}
        for seed in range(2):
            episode = EpisodeSpec(env, level, spec.configure({}), seed, lineup, scheduler=STEPPED)
            metrics = {"correct": 1.0, "timeout": 1.0, "time_share": 1.0, "strikes": 0.0}
            traces.append(made.episode(episode, 0.0, **metrics))
    return made.write(tmp_path / "run", traces).path


def test_every_form_of_the_report_holds_the_results(run, capsys) -> None:
    report(run, json=True, against="gptnt")
    found = json.loads(capsys.readouterr().out)["gptnt"]
    assert found["records"][0]["solved"] == {
        "hits": 0, "n": 2, "share": 0.0, "interval": [0.0, pytest.approx(0.6576, abs=1e-4)],
    }  # fmt: skip
    assert found["published"]["random"]["Wires"] == 13.8
    report(run, md=True, against="gptnt")
    text = capsys.readouterr().out
    assert "## Success by module, %: alone, sync" in text
    assert "| published | random play |" in text
    report(run, html=run / "page.html", against="gptnt")
    page = (run / "page.html").read_text(encoding="utf-8")
    assert 'id="gptnt-outcomes"' in page
    assert "GPTNT: Questions" in page
    capsys.readouterr()
    report(run)
    terminal = capsys.readouterr().out
    assert "Single modules: alone, sync" in terminal
    assert "published" not in terminal
    assert "Actions by third" not in terminal


def test_the_reference_is_offered_by_name(run) -> None:
    with pytest.raises(UserError, match="did you mean gptnt"):
        report(run, against="gptn")
