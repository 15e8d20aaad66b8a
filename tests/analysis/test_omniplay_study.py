"""The study of own episodes, and the paper's own figures put through it."""

from __future__ import annotations

import json

import msgspec
import pytest
from tests.analysis.omniplay_made import FIGURES, of, published_results, published_study, row
from tests.analysis.test_omniplay_traces import recalled_as
from tests.analysis.test_standings import SEATS, game

from polyathlon.analysis.omniplay.arms import Treatment, arms, treatment
from polyathlon.analysis.omniplay.figures import FULL_RESULTS
from polyathlon.analysis.omniplay.published import STUDIES, caveats, printed
from polyathlon.analysis.omniplay.study import as_json, study

GAMES = tuple(FULL_RESULTS)


def test_published_results_as_own_runs_give_the_published_nps() -> None:
    found = {(one.entry.player, one.entry.task): one for one in published_results(*GAMES).results}
    for model, name in FIGURES.models.items():
        for task in FIGURES.tables["18"]:
            ours = found[name, task].nps
            assert ours is not None
            assert ours.mean == pytest.approx(FIGURES.nps(task, model)[0], abs=0.15)
    assert found["Gemini 2.5 Pro", "echoes/hard"].superhuman
    assert not found["VITA-1.5 7B", "echoes/hard"].superhuman
    assert found["human", "alchemist/medium"].nps.mean == pytest.approx(100)
    assert found["random", "alchemist/medium"].nps.mean == pytest.approx(0)


@pytest.mark.parametrize(
    ("kind", "games"), [("conflict", ["pathfinding"]), ("ablation", ["pathfinding", "echoes"])]
)
def test_published_studies_as_own_runs_give_the_published_scores(kind, games) -> None:
    contrasts = published_study(kind, *games).contrasts
    scores = {
        (result.entry.game, result.entry.player, result.treatment.name): spread
        for one in contrasts
        if one.after.entry.level == "hard"
        for result, spread in ((one.before, one.score_before), (one.after, one.score_after))
    }
    misprint = ("echoes", "MiniCPM-o-2.6 8B", "no text")
    compared = 0
    for name in games:
        for line in printed(FIGURES, kind, name):
            key = (name, line.who, line.treatment)
            if line.spread is not None and key != misprint:
                assert scores[key].mean == pytest.approx(line.spread.mean, abs=0.15)
                compared += 1
    assert compared == {"conflict": 12, "ablation": 31}[kind]


@pytest.mark.parametrize(("kind", "game"), STUDIES)
def test_scores_that_are_not_printed_follow_by_the_formula_of_own_ones(kind, game) -> None:
    theirs = {
        (line.who, line.level, line.treatment): line.score
        for line in printed(FIGURES, kind, game)
        if line.spread is None
    }
    for one in published_study(kind, game).contrasts:
        key = (one.after.entry.player, one.after.entry.level, one.after.treatment.name)
        if key in theirs:
            assert theirs.pop(key) == pytest.approx(one.score_after.mean)
    assert not [key for key in theirs if key[2] != "baseline"]


def test_published_noise_as_own_runs_gives_the_derived_drops() -> None:
    drops = {
        (one.after.entry.player, one.after.treatment.name): one.changes["normalized_score"].relative
        for one in published_study("noise", "phantom").contrasts
    }
    assert drops["Gemini 2.5 Pro", "audio noise"] == pytest.approx(-0.409, abs=0.001)
    assert drops["Gemini 2.5 Pro", "image noise"] == pytest.approx(-0.820, abs=0.001)
    assert drops["Qwen-2.5-Omni 7B", "image noise"] == -1
    assert drops["MiniCPM-o-2.6 8B", "audio noise"] == pytest.approx(0.224, abs=0.001)


def test_published_gains_as_own_runs() -> None:
    aided = {
        (one.after.entry.task, one.after.entry.player): one.changes
        for one in published_study("aid", "alchemist", "echoes").contrasts
    }
    pro = aided["alchemist/medium", "Gemini 2.5 Pro"]
    assert pro["completion_rate_pct"].difference == pytest.approx(80)
    assert pro["composite_score"].relative == pytest.approx(73.104 / 43.154 - 1)
    simple = published_study("simplification", "echoes").contrasts
    assert len(simple) == 12
    assert all(one.after.nps is None and one.before.nps is not None for one in simple)
    gains = {(one.after.entry.level, one.after.entry.player): one.changes for one in simple}
    flash = gains["hard", "Gemini 2.5 Flash"]["mean_score"]
    assert flash.difference == pytest.approx(1.55 - 1.90)
    swapped = published_study("substitution", "phantom").contrasts
    assert {one.after.treatment.name for one in swapped} == {"audio in words"}


def test_verdicts_of_the_published_ablations() -> None:
    found = {
        (one.entry.task, one.entry.player): one.verdict
        for one in published_study("ablation", "pathfinding", "echoes").ablations
    }
    assert found["pathfinding/hard", "Gemini 2.5 Pro"].necessity
    assert found["echoes/hard", "Gemini 2.5 Pro"].necessity
    assert found["echoes/medium", "Gemini 2.5 Pro"].less_is_more
    assert not found["echoes/easy", "Gemini 2.5 Pro"].necessity


def test_ablations_tell_the_change_of_unreadable_answers() -> None:
    rows = [
        row("echoes", raw_score=1.0, parse_failure=0.5),
        row("echoes", interventions=["ablate:audio"], raw_score=0.5, parse_failure=0.2),
    ]
    (found,) = of(rows).ablations
    assert found.parse_failures == {"no audio": pytest.approx(-30)}
    assert found.verdict.necessity


@pytest.mark.parametrize(
    ("game", "interventions", "options", "expected"),
    [
        ("pathfinding", [], {}, ("baseline", "baseline")),
        ("pathfinding", ["ablate:audio"], {}, ("ablation", "no audio")),
        ("pathfinding", ["ablate:guidance"], {}, ("ablation", "no audio")),
        ("pathfinding", ["ablate:view", "ablate:state"], {}, ("ablation", "no image + text")),
        ("echoes", ["ablate:video", "ablate:image"], {}, ("ablation", "no image")),
        ("echoes", ["ablate:sequence"], {}, ("ablation", "no sequence")),
        ("echoes", ["ablate:video"], {}, ("ablation", "no clip")),
        ("pathfinding", ["conflict:guidance=opposite"], {}, ("conflict", "audio conflict")),
        ("phantom", ["words:noise=0.4@guidance"], {}, ("noise", "audio noise")),
        ("phantom", ["words:noise=0.4"], {}, ("noise", "audio noise")),
        ("phantom", ["noise:blur=1@map"], {}, ("noise", "image noise")),
        ("phantom", ["noise:gaussian=0.1"], {}, ("noise", "image + audio noise")),
        ("phantom", ["substitute:audio"], {}, ("substitution", "audio in words")),
        ("echoes", ["aid:step"], {"phases": 2}, ("aid", "aid: step")),
        ("echoes", [], {"phases": 1}, ("simplification", "phase 1 only")),
        ("echoes", ["aid:step"], {"phases": 1}, ("mixed", "aid:step + phase 1")),
        ("echoes", ["ablate:audio", "aid:step"], {}, ("mixed", "ablate:audio + aid:step")),
        ("echoes", ["mine:x"], {}, ("mixed", "mine:x")),
    ],
)  # fmt: skip
def test_treatments_are_named_by_the_senses_they_touch(
    game, interventions, options, expected
) -> None:
    assert treatment(row(game, interventions=interventions, options=options)) == Treatment(
        *expected
    )


def test_harness_and_options_keep_entries_apart_and_phases_do_not() -> None:
    rows = [
        row("echoes", raw_score=1.0),
        row("echoes", condition="memory", raw_score=2.0),
        row("echoes", condition="match=positional, phases=1", options={"phases": 1}, raw_score=3.0),
        row("echoes", condition="match=positional", raw_score=1.5),
    ]
    found = of(rows)
    assert {one.entry.setting for one in found.results} == {"", "memory", "match=positional"}
    (contrast,) = found.contrasts
    assert contrast.before.raw.mean == 1.5
    assert contrast.after.raw.mean == 3.0


def test_an_episode_in_two_runs_counts_once_and_levels_come_in_order() -> None:
    rows = [row(level=level, run=run, steps=9.0) for level in ("hard", "easy") for run in "ab"]
    assert [(arm.entry.level, len(arm.seats)) for arm in arms(rows)] == [("easy", 1), ("hard", 1)]


def test_people_are_one_player_and_warm_ups_are_left_out() -> None:
    rows = [
        row(who="human", agent="human", seed=0, harness={"participant": "p1"}, steps=10.0),
        row(who="human", agent="human", seed=1, harness={"participant": "p2"}, steps=20.0,
            condition="agent=human, participant=p2"),
        row(who="human", agent="human", seed=2, harness={"warm_up": "yes"}, steps=400.0),
    ]  # fmt: skip
    found = of(rows)
    (one,) = found.results
    assert (one.entry.who, one.episodes, one.raw.mean) == ("human", 2, 15.0)
    assert [person.participants for person in found.people] == [2]


def test_contrasts_know_whether_the_seeds_agree() -> None:
    rows = [row(seed=1, steps=9.0), row(seed=2, steps=9.0, interventions=["ablate:audio"])]
    (found,) = of(rows).contrasts
    assert not found.same_seeds


def test_a_study_has_its_own_worst_cell() -> None:
    rows = [
        *(row(seed=seed, steps=20.0 + seed) for seed in range(3)),
        *(row(seed=seed, steps=100.0, interventions=["ablate:audio"]) for seed in range(3)),
        *(
            row(seed=seed, steps=200.0, interventions=["conflict:state=inverted"])
            for seed in (0, 1)
        ),
        row(who="elsewhere", steps=500.0),
    ]
    scores = {one.kind: (one.score_before, one.score_after) for one in of(rows).contrasts}
    assert scores["ablation"][0].mean == pytest.approx(100 * (100 - 21) / (100 - 13.9))
    assert scores["conflict"][0].mean == pytest.approx(100 * (200 - 21) / (200 - 13.9))
    assert scores["ablation"][1].mean == scores["conflict"][1].mean == 0


def test_where_nobody_is_worse_than_a_person_there_is_no_efficiency() -> None:
    rows = [row(steps=10.0), row(steps=12.0, interventions=["ablate:audio"])]
    found = of(rows)
    assert found.contrasts[0].score_after is None
    assert found.contrasts[0].change is None
    assert found.contrasts[0].changes["trimmed_mean_steps"].difference == 2
    assert found.ablations == ()


def test_recall_is_read_from_traces() -> None:
    events = recalled_as("Sequence analysis: [(1,2) (2,1) (2,2)] Sequence icons: [cat, cow, bird]")
    (found,) = of([row("echoes", raw_score=0.0)], lambda one: events).recalls
    assert found.systematic == ("first missing", 1.0)
    assert found.patterns == {"first missing": 1}
    assert found.curve.cells == (0.0, 0.0, 0.0, 0.0)


def test_tournaments_have_standings_and_passive_wins() -> None:
    players = dict(zip(SEATS, "abcd", strict=True))
    found = of([game(0, players, "red", kills=0.0, bombs=0.0), game(1, players, "blue", kills=1.0)])
    assert [one.player for one in found.standings] == ["a", "b", "c", "d"]
    assert [one.player for one in found.passive_wins] == ["a"]
    assert found.results == ()


def test_other_families_and_stopped_episodes_are_no_study() -> None:
    stopped = msgspec.structs.replace(row(steps=9.0), status="stopped")
    elsewhere = msgspec.structs.replace(row(steps=9.0), env="lmgame/twenty48-v0")
    assert study([stopped, elsewhere], lambda one: (), FIGURES) is None


def test_results_as_json_hold_what_is_derived() -> None:
    found = json.loads(json.dumps(as_json(published_study("ablation", "pathfinding"))))
    assert found["results"][0]["nps"]["sem"] >= 0
    assert found["results"][0]["entry"]["who"] == found["results"][0]["entry"]["player"]
    assert {"change", "sem_change", "kind"} <= set(found["contrasts"][0])
    assert found["ablations"][0]["verdict"]["removals"][0]["modality"] == "no audio"


def test_every_published_study_is_read_whole_and_caveats_exist() -> None:
    counts = {place: len(list(printed(FIGURES, *place))) for place in STUDIES}
    assert sum(counts.values()) == 36 + 48 + 48 + 12 + 24 + 12 + 24 + 8
    assert list(printed(FIGURES, "noise", "echoes")) == []
    assert "0.25" in caveats("17")
    assert caveats("2") == ""
