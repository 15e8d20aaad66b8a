"""The charts of the studies: what they draw, and that they draw nothing from nothing."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
from tests.analysis.omniplay_made import FIGURES, of, published_results, published_study, row
from tests.analysis.test_report import HOSTILE
from tests.analysis.test_standings import SEATS, game

from polyathlon.analysis.omniplay.recall import Curve
from polyathlon.analysis.report.omniplay import diagrams, radar
from polyathlon.analysis.report.omniplay.chapters import chapters
from polyathlon.analysis.report.omniplay.charts import CHARTS, charts
from polyathlon.analysis.report.plots import svg

ALL = ("pathfinding", "echoes", "alchemist", "phantom")


def words(plot) -> str:
    """All text of a chart, in order."""
    root = ElementTree.fromstring(plot.svg)
    return " ".join(filter(None, (node.text for node in root.iter() if node.tag.endswith("text"))))


def test_the_radar_marks_random_play_and_the_human_and_names_what_it_clips() -> None:
    figure, *bars = charts("nps", published_results(*ALL), FIGURES)
    text = words(figure)
    assert figure.wide
    assert text.count("100 human") == 4  # each once as a halo, in both panels
    assert text.count("0 random") == 4
    assert "399" in text
    assert len(bars) == 2
    assert "echoes/hard" in words(bars[0])


def test_spokes_go_round_and_radii_follow_nps() -> None:
    tasks = dict.fromkeys(radar.TASKS, (100.0, 1.0))
    points = list(radar._points("m", tasks))
    assert len(points) == 11
    radii = {round(math.hypot(one["x"], one["y"]), 9) for one in points}
    assert radii == {0.6}
    assert (points[0]["x"], points[0]["y"]) == (points[-1]["x"], points[-1]["y"])
    low, high = radar._points("m", {"echoes/easy": (-80.0, 1.0), "phantom/hard": (399.0, 1.0)})
    assert (low["radius"], high["radius"]) == (0.0, 1.0)
    assert low["clipped"]
    assert high["clipped"]
    assert low["stroke"] != high["stroke"]


def test_few_tasks_make_no_radar() -> None:
    study = of([row(steps=20.0), row(level="easy", steps=9.0)])
    assert [plot.caption for plot in charts("nps", study, None)] == ["NPS ± SEM by task, this run"]


def test_conflict_bars_carry_values_and_errors() -> None:
    plots = list(charts("conflict", published_study("conflict", "pathfinding"), FIGURES))
    assert len(plots) == 3
    text = words(plots[2])
    assert text.count("89.4") == 2
    assert "±0.8" in text
    assert "published, hard" in text


def test_ablation_plots_set_games_side_by_side() -> None:
    plots = list(charts("ablation", published_study("ablation", "pathfinding", "echoes"), FIGURES))
    text = words(plots[-1])
    assert "Whispered Pathfinding, this run, hard" in text
    assert "Myriad Echoes, published, hard" in text
    assert "±2.4" in text


def test_the_tournament_is_in_order_of_win_rates_with_kills_over_deaths() -> None:
    players = dict(zip(SEATS, "abcd", strict=True))
    study = of([game(seed, players, "red", kills=2.0, deaths=1.0) for seed in range(4)])
    (plot,) = charts("tournament", study, FIGURES)
    text = words(plot)
    assert "100.0 ± 0.0" in text
    assert "36.1 ± 6.8" in text
    assert "K/D 2.38" in text
    assert "K/D 2.00" in text


def test_memory_curves_show_the_span_of_memory_on_long_lists_alone() -> None:
    def drawn(places: int) -> str:
        share = tuple(1 / (1 + place) for place in range(places))
        return svg(diagrams.curves({"m": Curve(share, share, 3)}))

    assert "7 ± 2" in drawn(15)
    assert "7 ± 2" not in drawn(4)


@pytest.mark.parametrize(
    ("value", "expected"), [(0.3, 0.3), (1.0, 1.0), (7.2, 8.0), (12.1, 15.0), (42.9, 50.0)]
)
def test_axes_end_at_round_numbers(value: float, expected: float) -> None:
    assert diagrams._rounded(value) == pytest.approx(expected)


def test_scores_beyond_the_axis_and_all_zero_ones_can_be_drawn() -> None:
    scores = [
        diagrams.Score("m", name, mean, 0.0) for name, mean in (("baseline", 0.0), ("x", 0.0))
    ]
    assert "m" in svg(diagrams.grouped("t", scores, "raw score"))
    assert "m" in svg(diagrams.profiles("t", scores, "raw score", None))
    over = [diagrams.Score("m", "baseline", 103.0, 1.0), diagrams.Score("m", "x", -4.0, 9.0)]
    assert "103.0" in svg(diagrams.grouped("t", over))


def test_hostile_names_stay_text() -> None:
    rows = [row(who=HOSTILE, seed=s, level=level, steps=30.0, interventions=treated)
            for level in ("easy", "medium", "hard") for s in (0, 1)
            for treated in ((), ("conflict:state=inverted",), ("ablate:audio",))]  # fmt: skip
    study = of(rows)
    found = [plot for chapter in CHARTS for plot in charts(chapter, study, None)]
    assert len(found) >= 3
    for plot in found:
        assert ElementTree.fromstring(plot.svg).tag.endswith("svg")
        assert "<script" not in plot.svg
        assert "<img" not in plot.svg


def test_every_chart_belongs_to_a_chapter_and_tables_alone_draw_nothing() -> None:
    everything = published_study("ablation", "pathfinding", "echoes")
    ids = {one.id for one in chapters(everything, None)}
    assert ids == {"nps", "results", "ablation"}
    assert list(charts("results", everything, None)) == []
    assert list(charts("people", everything, None)) == []
    assert list(charts("memory", everything, FIGURES)) == []
