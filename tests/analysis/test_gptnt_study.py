"""GPTNT's results out of episodes: teams, outcomes, failures, talk, probes."""

from __future__ import annotations

from collections import Counter
from statistics import fmean

import pytest
from tests.analysis.gptnt_made import FIGURES, answer, asked, no_traces, of, row

from polyathlon import registry
from polyathlon.analysis.gptnt.figures import AVERAGE, MEAN, MODULES, level_of
from polyathlon.analysis.gptnt.games import Share, games
from polyathlon.analysis.gptnt.outcomes import errors
from polyathlon.analysis.gptnt.study import study
from polyathlon.analysis.gptnt.talk import DOINGS, done, thirds
from polyathlon.core import trace
from polyathlon.core.chance import stream
from polyathlon.core.episodes import SchedulerSpec
from polyathlon.envs.gptnt.bomb.missions import MODULES as PLAYED
from polyathlon.envs.gptnt.bomb.play import catalogue

PAIR = {"defuser": "a", "expert": "b"}


def test_modules_and_levels_are_those_of_the_envs() -> None:
    assert tuple(PLAYED) == MODULES
    assert tuple(map(level_of, MODULES)) == catalogue.SINGLE


@pytest.mark.parametrize("play", FIGURES.single)
def test_printed_means_follow_from_the_printed_modules(play) -> None:
    rows = FIGURES.single[play]
    for rates in rows.values():
        assert fmean(rates[module] for module in MODULES) == pytest.approx(rates[MEAN], abs=0.06)
    for module in MODULES:
        mean = fmean(rates[module] for who, rates in rows.items() if who != AVERAGE)
        assert mean == pytest.approx(rows[AVERAGE][module], abs=0.06)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_printed_outcomes_agree_with_the_printed_failures(mode) -> None:
    for who, failures in FIGURES.failures[f"multi, {mode}"].items():
        if who in FIGURES.multi[mode]:
            shares = FIGURES.multi[mode][who].shares()
            timeouts = 100 * shares["timeout"] / (100 - shares["solved"])
            assert timeouts == pytest.approx(failures["timeout_pct_of_failures"], abs=0.06)


def test_a_team_is_its_setup_mode_players_and_the_rest_of_the_condition() -> None:
    found = games(
        [
            row(),
            row(options={"manual": False}, condition="no manual · kind=stepped, dt_s=3.0"),
            row(env="defusal", models=PAIR, scheduler=SchedulerSpec("virtual"), condition="x"),
            row(env="defusal", condition="temperature=0.6 · pace=stepped, rule_seed=1"),
        ]
    )
    teams = sorted((one.team.play, one.team.who) for one in found)
    assert teams == [
        ("alone, sync", "m"),
        ("no manual, sync", "m"),
        ("pair, async", "a + b · x"),
        ("pair, sync", "m · temperature=0.6 · rule_seed=1"),
    ]


def test_bombs_of_several_modules_come_first_and_an_episode_counts_once() -> None:
    found = games([row(), row(level="2.3"), row(level="multi"), row(level="maze"), row()])
    assert [(one.bombs, len(one.rows)) for one in found] == [
        ("multi", 1),
        ("single", 2),
        ("2.3", 1),
    ]
    assert [one.bombs for one in found[1].by_level()] == ["wires", "maze"]


def test_games_cut_off_stay_in_the_denominator() -> None:
    rows = [row(seed=1, ending="solved"), row(seed=2), row(seed=3, ending="", status="failed")]
    study = of(rows)
    (record,), (ends,) = study.records, study.ends
    assert (record.solved.hits, record.solved.n) == (1, 3)
    assert record.timeouts.share == pytest.approx(1 / 3)
    assert ends.failures == 2
    assert ends.of_failures("timeout").share == 0.5
    assert ends.count("cut off") == 1


def test_strikes_are_counted_by_ending_and_followed() -> None:
    ended = [("solved", 0), ("solved", 1), ("timeout", 1), ("timeout", 2), ("strikeout", 3)]
    rows = [
        row(seed=seed, ending=ending, strikes=float(strikes), time_share=0.25 * (seed + 1))
        for seed, (ending, strikes) in enumerate(ended)
    ]
    (ends,) = of(rows).ends
    assert ends.strikes == {"solved": (1, 1), "timeout": (0, 1, 1), "strikeout": (0, 0, 0, 1)}
    assert [ends.reached(strikes) for strikes in range(4)] == [5, 4, 2, 1]
    assert ends.at("timeout", 2).share == 0.5
    assert ends.at("strikeout", 9).share == 0
    assert ends.time_share["timeout"] == pytest.approx(0.875)


def test_missions_sum_up_several_games_each() -> None:
    rows = [
        row(env="defusal", level="multi", seed=seed, ending=ending, mission=number, modules=3.0,
            modules_solved=solved)
        for seed, (number, ending, solved) in enumerate(
            [(1.0, "solved", 3.0), (1.0, "timeout", 1.0), (4.0, "strikeout", 0.0)]
        )
    ]  # fmt: skip
    (found,) = of(rows).missions
    assert [one.number for one in found.missions] == [1, 4]
    assert found.missions[0].endings == {"solved": 1, "timeout": 1}
    assert (found.modules_solved, found.modules) == (2.0, 6)
    assert of([row(env="defusal")]).missions == ()


def test_random_play_is_compared_alone_in_sync_with_nothing_changed() -> None:
    def played(**how: object):
        rows = [
            row(seed=seed, agent="random", ending="solved" if seed < 5 else "timeout", **how)
            for seed in range(20)
        ]
        return of(rows).deviations

    (found,) = played()
    assert (found.module, found.published, found.own) == ("Wires", 13.8, Share(5, 20))
    pooled = (5 + 138) / 1020
    error = (pooled * (1 - pooled) * (1 / 20 + 1 / 1000)) ** 0.5
    assert found.errors == pytest.approx((0.25 - 0.138) / error)
    assert played(scheduler=SchedulerSpec("virtual")) == ()
    assert played(condition="time_limit=table") == ()
    assert played(env="defusal") == ()
    assert errors(Share(0, 20), Share(0, 1000)) is None


def test_pairings_need_two_models_in_a_pair() -> None:
    mixed = [row(env="defusal", seed=seed, models=PAIR, ending="solved") for seed in range(2)]
    own = [row(env="defusal", models={"defuser": "a", "expert": "a"})]
    found = {(one.defuser, one.expert): one.solved for one in of([*mixed, *own]).pairings}
    assert found == {("a", "b"): Share(2, 2), ("a", "a"): Share(0, 1)}
    assert of(own).pairings == ()


def test_talk_is_counted_for_both_and_for_each_role() -> None:
    mine = {"turns": 10.0, "messages": 4.0, "message_chars": 80.0, "interactions": 3.0}
    roles = {"defuser": {**mine, "unknown_labels": 1.0, "invalid_actions": 2.0}}
    other = {"turns": 10.0, "messages": 1.0, "message_chars": 10.0}
    whole = {"turns": 20.0, "messages": 5.0, "message_chars": 90.0, "interactions": 3.0}
    both, defuser, expert = of(
        [row(env="defusal", roles={**roles, "expert": other}, unknown_labels=1.0, **whole)]
    ).talk
    assert (both.role, both.sent, both.chars) == ("both", Share(5, 20), 18)
    assert (defuser.sent, defuser.invented, defuser.lost) == (
        Share(4, 10), Share(1, 4), Share(2, 10)
    )  # fmt: skip
    assert expert.sent == Share(1, 10)


def test_a_game_is_cut_into_thirds_of_all_its_turns() -> None:
    acts = [trace.Acted("defuser", turn, 0, None, "malformed") for turn in range(7)]
    assert [third for _, third, _ in thirds(acts)] == [
        *["early"] * 3,
        *["middle"] * 2,
        *["late"] * 2,
    ]
    assert list(thirds([])) == []


def test_what_was_done_agrees_with_the_metrics_of_a_game() -> None:
    env = registry.make("gptnt/defusal-v0", "button", {})
    env.reset(3)
    rng = stream(3, "test")
    counts: Counter[str] = Counter()
    for turn in range(30):
        role = ("defuser", "expert")[turn % 2]
        space = env.observe(role).actions
        action = space.sample(rng)
        step = env.act(role, action)
        counts[done(trace.Acted(role, turn, 0, space.write(action), step.status))] += 1
        env.advance_to(500_000 * (turn + 1))
    metrics = env.metrics()
    names = ("waits", "messages", "navigations", "interactions")
    assert {doing: counts[doing] for doing in DOINGS} == {
        doing: metrics[name] for doing, name in zip(DOINGS, names, strict=True)
    }
    assert counts["navigate"]
    assert counts["message"]


def test_lost_turns_are_waits() -> None:
    pressed = '<action>{"result": {"kind": "send_message", "data": {"message": "x"}}}</action>'
    assert done(trace.Acted("player", 0, 0, pressed, "ok")) == "message"
    assert done(trace.Acted("player", 0, 0, pressed, "illegal")) == "wait"
    assert done(trace.Acted("player", 0, 0, None, "malformed")) == "wait"


def test_questions_are_counted_by_category_module_and_difficulty() -> None:
    asking = {
        0: asked(module="Maze", difficulty="easy"),
        1: asked(module="Maze", difficulty="hard"),
        2: asked(module="Wires", difficulty="hard"),
    }
    rows = [answer(level="procedural", seed=seed, correct=seed > 0) for seed in asking]
    rows.append(answer(seed=0, chance=0.5))
    (probe,) = of(rows, lambda one: asking[one.seed]).probes
    assert (probe.all.hits, probe.all.n, probe.all.chance) == (3, 4, 0.3125)
    assert {name: one.n for name, one in probe.categories.items()} == {
        "procedural": 3,
        "reading": 1,
    }
    assert probe.modules["Maze"].share == pytest.approx(2 / 3)
    assert {name: one.hits for name, one in probe.difficulties.items()} == {
        "procedural, easy": 0,
        "procedural, hard": 2,
    }
    assert probe.answerable is None


def test_a_condition_is_what_was_changed_about_the_question() -> None:
    noise = "noise:blur=1@manual_pages"
    changed = answer(
        condition=f"zs, temperature=0.6 · manual=none · {noise} · limit turns=1",
        interventions=(noise,),
    )
    (probe,) = of([changed]).probes
    assert probe.who == "m · zs, temperature=0.6 · limit turns=1"
    assert probe.condition == f"manual=none · {noise}"


def test_questions_keep_their_facts_when_they_are_ablated() -> None:
    (told,) = asked(module="Maze")
    hidden = [trace.Observed("reader", 0, 0, (), told.percepts)]
    (probe,) = of([answer()], lambda one: hidden).probes
    assert set(probe.modules) == {"Maze"}


def test_instructions_without_a_place_are_no_part_of_the_modules() -> None:
    levels = ("reading", "position", "ambiguity", "hallucination")
    rows = [answer("localisation", level, correct=level == "reading") for level in levels]
    (probe,) = of(rows, lambda one: asked(module="Keypad")).probes
    assert probe.all.n == 4
    assert probe.answerable is not None
    assert (probe.answerable.hits, probe.answerable.n) == (1, 2)
    assert probe.modules["Keypad"].n == 2


def test_open_questions_are_counted_by_whether_the_game_was_named() -> None:
    scores = {"named": 0.5, "unnamed": 0.0}
    rows = [
        answer("exposure", level, raw_score=score, mentions_game=float(level == "named"))
        for level, score in scores.items()
    ]
    named, unnamed = of(rows, lambda one: asked(module="Memory")).exposures
    assert (named.level, named.mentions.share, named.rules) == ("named", 1.0, {"Memory": 0.5})
    assert unnamed.mentions == Share(0, 1)


def test_other_families_and_stopped_episodes_are_no_study() -> None:
    assert study([row(status="stopped")], no_traces, FIGURES) is None
    assert study([], no_traces, FIGURES) is None
