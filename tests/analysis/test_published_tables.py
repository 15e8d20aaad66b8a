"""The published tables follow from the published runs by our statistics."""

import math
import statistics

import pytest

from polyathlon.analysis import effects, reference
from polyathlon.analysis.stats import summary

LMGAME = reference.load("lmgame")
GLASS_GAMES = ("2048", "candy_crush", "tetris", "super_mario_bros")
THREE_EQUAL_RUNS = ("gemini-2.5-flash-preview-04-17", "harness", "2048")
OWN_MISPRINT = ("claude-3-7-sonnet-20250219", "harness", "2048")


def with_the_printed_cell(study):
    """The study with the one misprinted cell's runs replaced by three of its printed moments."""
    model, setting, game = THREE_EQUAL_RUNS
    mean, sd = LMGAME.table1[model][setting][game]
    pair = study.models[model]
    mended = effects.Pair({**pair.harness, game: (mean - sd, mean, mean + sd)}, pair.no_harness)
    return effects.Study({**study.models, model: mended}, study.random)


STUDY = with_the_printed_cell(LMGAME.study())
SEM_OF_A_ROUNDED_SD = 0.05 + 0.05 / math.sqrt(3)


def cells(table):
    return [
        (model, setting, game)
        for model, settings in table.items()
        for setting, games in settings.items()
        for game in games
    ]


def runs(model, setting, game):
    return LMGAME.scores(game, LMGAME.runs[model][setting][game])


def moments(values):
    cell = summary(values, range(len(values)))
    return cell.mean, cell.sd or 0.0, cell.sem or 0.0


@pytest.mark.parametrize(
    "cell", [c for c in cells(LMGAME.table1) if c != THREE_EQUAL_RUNS], ids=str
)
def test_table_1(cell):
    model, setting, game = cell
    mean, sd, _ = moments(runs(*cell))
    assert (mean, sd) == pytest.approx(LMGAME.table1[model][setting][game], abs=0.0501)


@pytest.mark.parametrize(
    "cell", [c for c in cells(LMGAME.table19) if c not in (THREE_EQUAL_RUNS, OWN_MISPRINT)], ids=str
)
def test_table_19(cell):
    model, setting, game = cell
    mean, _, sem = moments(runs(*cell))
    printed_mean, printed_sem = LMGAME.table19[model][setting][game]
    assert mean == pytest.approx(printed_mean, abs=0.0501)
    assert sem == pytest.approx(printed_sem, abs=SEM_OF_A_ROUNDED_SD)


def test_the_random_row_of_tables_1_and_7():
    for game, (mean, sd, count) in LMGAME.random.items():
        scores = LMGAME.random_scores()[game]
        own_mean, own_sd, _ = moments(scores)
        assert len(scores) == count == 30
        assert (own_mean, own_sd) == pytest.approx((mean, sd), abs=0.0501)
    for game, printed in LMGAME.table7.random.items():
        assert effects.variation(LMGAME.random_scores()[game]) == pytest.approx(printed, abs=0.01)


def test_table_5_without_its_mario_column():
    own = {(row.model, row.game): row for row in effects.glass(STUDY)}
    for model, settings in LMGAME.table5.items():
        for game in ("2048", "candy_crush", "tetris"):
            row = own[model, game]
            wanted = settings["harness"][game]
            exact = (model, "harness", game) != THREE_EQUAL_RUNS
            assert row.harness == pytest.approx(wanted, abs=0.002 if exact else 0.01)
            assert row.no_harness == pytest.approx(settings["no_harness"][game], abs=0.002)


def test_the_summary_of_table_5_in_the_text():
    text = effects.summarise_glass(effects.glass(STUDY))
    assert text is not None
    assert (text.pairs, text.positive_harness, text.positive_no_harness) == (40, 38, 26)
    assert text.harness_better == 29
    own = (text.mean_harness, text.mean_no_harness, text.difference)
    assert own == pytest.approx((3.334, 0.750, 2.585), abs=0.005)


def test_table_6():
    own = {row.game: row for row in effects.paired_t(STUDY)}
    for game, (difference, t, p) in LMGAME.table6.items():
        assert own[game].models == 10
        assert own[game].difference == pytest.approx(difference, abs=0.05)
        assert own[game].t == pytest.approx(t, abs=0.012)
        assert own[game].p == pytest.approx(p, abs=0.001)


def test_table_7():
    own = {(row.model, row.game): row for row in effects.variations(STUDY)}
    for model, settings in LMGAME.table7.models.items():
        for game, printed in settings["harness"].items():
            if (model, "harness", game) != THREE_EQUAL_RUNS:
                assert own[model, game].harness == pytest.approx(printed, abs=0.01)
        for game, printed in settings["no_harness"].items():
            assert own[model, game].no_harness == pytest.approx(printed, abs=0.01)


def test_the_counts_of_table_7():
    rows = [r for r in effects.variations(STUDY) if r.model in LMGAME.table7.models]
    rows = [r for r in rows if r.game in GLASS_GAMES]
    counts = {row.game: row for row in effects.summarise_variations(rows, STUDY.random)}
    assert [counts[game].models for game in GLASS_GAMES] == [8, 8, 8, 8]
    assert [counts[game].below_random for game in GLASS_GAMES] == [8, 6, 5, 6]
    assert [counts[game].below_no_harness for game in GLASS_GAMES] == [6, 8, 4, 4]


def test_how_many_means_beat_random_play():
    beat = effects.above_random(STUDY)
    assert (beat.cells, beat.cells - beat.no_harness, beat.harness) == (60, 24, 52)


def test_a_baseline_without_variance_has_no_delta():
    with pytest.raises(ValueError, match="variance"):
        effects.glass_delta([1.0, 2.0], [0.0, 0.0])
    assert {row.game for row in effects.glass(STUDY)} == set(GLASS_GAMES)


def test_log2_of_the_merged_sum():
    assert LMGAME.scores("2048", [2560, 0]) == pytest.approx((113.2, 0.0), abs=0.05)
    assert statistics.mean(runs("o1-2024-12-17", "harness", "2048")) == pytest.approx(
        10 * math.log2(7580)
    )
