"""Episode rows and cells of synthetic runs."""

import math
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analysis import synthetic as made

from polyathlon.analysis import cells, tables
from polyathlon.analysis.cells import usage_json
from polyathlon.analysis.fold import fold
from polyathlon.analysis.report.sheets import scores
from polyathlon.analysis.stats import summary, wilson
from polyathlon.analysis.table import episodes
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import Limits
from polyathlon.core.errors import UserError
from polyathlon.core.models import Reply, Usage

PRICED = Reply("down", usage=Usage(input=100, output=10), latency_s=0.5, cost_usd=0.01)
UNPRICED = Reply("down", usage=Usage(input=100, output=10), latency_s=0.5)


def cell_of(tmp_path: Path, *runs: list[trace.Event]):
    made.write(tmp_path / "run", runs)
    (cell,) = cells(episodes(tmp_path / "run").episodes)
    return cell


def test_failed_episodes_stay_in_the_mean_and_stopped_ones_do_not(tmp_path):
    cell = cell_of(
        tmp_path,
        made.episode(made.spec(seed=0), 90.0),
        made.episode(made.spec(seed=1), 60.0, "truncated"),
        made.episode(made.spec(seed=2), 0.0, "failed"),
        made.episode(made.spec(seed=3), None),
        made.episode(made.spec(seed=4), 1_000.0, "stopped"),
    )
    assert (cell.episodes, cell.failed, cell.truncated, cell.stopped) == (3, 1, 1, 2)
    assert cell.score.values == (90.0, 60.0, 0.0)
    assert (cell.score.mean, cell.score.sd) == (50.0, pytest.approx(45.826, abs=0.001))


def test_a_failed_episode_without_metrics_scores_what_its_env_declares(tmp_path):
    spec = made.spec()
    header = trace.Header(trace.SCHEMA, spec.id, spec)
    cell = cell_of(tmp_path, [header, trace.Ended("failed", "crash")])
    assert cell.metrics["raw_score"].mean == 0.0
    assert cell.metrics["invalid_rate"].mean == 1.0


def test_an_unknown_price_makes_the_cost_unknown(tmp_path):
    priced, unpriced = made.spec(made.llm()), made.spec(made.llm(), seed=1)
    cell = cell_of(
        tmp_path,
        made.episode(priced, calls=made.call(0, PRICED), turns=[made.acted(0)]),
        made.episode(unpriced, calls=made.call(0, UNPRICED), turns=[made.acted(0)]),
    )
    assert cell.spend.cost_usd is None
    assert cell.to_json()["usage"]["cost_usd"] is None
    assert [row.spend.cost_usd for row in cell.rows].count(None) == 1
    assert cell.spend.usage == Usage(input=200, output=20)


def test_no_call_costs_nothing(tmp_path):
    assert cell_of(tmp_path, made.episode(made.spec())).spend.cost_usd == 0.0


def test_attempts_failures_repairs_and_statuses_are_counted(tmp_path):
    calls = [
        *made.call(0, None, "rate_limit"),
        trace.Attempted("player", 0, "decide", 0, 2, True, PRICED),
    ]
    turns = [
        made.acted(0, repairs=("fence: removed", "case")),
        made.acted(1, "malformed", malformed="empty"),
        made.acted(2, "ineffective", repairs=("fence: other",)),
    ]
    cell = cell_of(tmp_path, made.episode(made.spec(made.llm()), calls=calls, turns=turns))
    assert cell.statuses == {"ok": 1, "ineffective": 1, "illegal": 0, "malformed": 1}
    assert cell.invalid_rate == pytest.approx(2 / 3)
    assert cell.repairs == {"fence": 2, "case": 1}
    assert (cell.spend.calls, cell.spend.attempts) == (1, 2)
    assert cell.spend.failed_attempts == {"rate_limit": 1}
    assert cell.spend.latency_s == 0.5


def test_calls_after_the_last_act_are_spent_too(tmp_path):
    run = made.episode(made.spec(made.llm()), None, turns=[], calls=made.call(0, PRICED))
    cell = cell_of(tmp_path, run)
    assert cell.spend.cost_usd == 0.01


def test_cells_differ_in_harness_options_interventions_and_limits(tmp_path):
    base = made.spec(made.llm())
    changed = msgspec.structs.replace
    others = [
        made.spec(made.llm(perception="symbolic")),
        changed(base, options={**base.options, "stuck": 5}),
        changed(base, interventions=("ablate:board",)),
        changed(base, limits=Limits(turns=20)),
        changed(base, seed=1),
    ]
    made.write(tmp_path / "run", [made.episode(spec) for spec in (base, *others)])
    conditions = {
        cell.condition: cell.episodes for cell in cells(episodes(tmp_path / "run").episodes)
    }
    assert conditions == {
        "zs": 2,
        "perception": 1,
        "zs · stuck=5": 1,
        "zs · ablate:board": 1,
        "zs · limit turns=20": 1,
    }


def test_every_role_is_its_own_cell():
    lineup = {"defuser": AgentSpec("llm", "a"), "expert": AgentSpec("random")}
    spec = msgspec.structs.replace(made.spec(), env="else/where-v0", lineup=lineup)
    header = trace.Header(trace.SCHEMA, spec.id, spec)
    turn = trace.Acted("expert", 0, 0, "say", "ok", rewards={"defuser": 2.0, "expert": 1.0})
    end = trace.Ended("done", "", {"solved": 1.0}, {"expert": {"words": 3.0}})
    row, turns = fold("run", spec.id, [header, turn, end])
    defuser, expert = cells([row])
    assert (defuser.role, defuser.model, defuser.lead) == ("defuser", "a", "solved")
    assert expert.metrics["words"].mean == 3.0
    assert "words" not in defuser.metrics
    assert row.lineup == "defuser=a, expert=random"
    assert turns[0].reward == 1.0


def test_torn_lines_and_traces_without_a_header(tmp_path):
    run = made.write(tmp_path / "run", [made.episode(made.spec(), turns=[made.acted(0)])])
    path = next(run.episodes.iterdir())
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    (run.episodes / "empty.jsonl").write_bytes(b'{"event":"hea')
    found = tables(tmp_path / "run")
    assert [row.status for row in found.episodes] == ["running"]
    assert len(found.turns) == 1
    [damaged] = found.damaged
    assert damaged.startswith(f"{run.path} empty: its trace has no header")


def test_compressed_traces_read_alike(tmp_path):
    run = made.write(tmp_path / "run", [made.episode(made.spec(), turns=[made.acted(0)])])
    before = tables(run.path)
    run.seal(made.spec().id)
    assert tables(run.path) == before


def test_an_empty_run_has_no_cells(tmp_path):
    made.write(tmp_path / "run", [])
    assert cells(tables(tmp_path / "run").episodes) == []


def test_a_foreign_directory_is_refused(tmp_path):
    with pytest.raises(UserError, match="no run directory"):
        tables(tmp_path)


def test_records_and_data_frames(tmp_path):
    made.write(tmp_path / "run", [made.played(made.spec(made.llm()), 6, "down")])
    found = tables(tmp_path / "run")
    (record,) = found.episode_records()
    assert record["metric.raw_score"] == found.episodes[0].metrics["raw_score"]
    assert record["turns"] == len(found.turn_records()) == 6
    assert record["turns.malformed"] == 1
    pytest.importorskip("pandas")
    frames = found.to_pandas()
    assert [len(frame) for frame in frames] == [1, 6]
    assert frames[1]["cost_usd"].sum() == pytest.approx(record["cost_usd"])


def test_the_json_of_a_cell_has_what_was_promised(tmp_path):
    cell = cell_of(tmp_path, made.episode(made.spec(), 90.0), made.episode(made.spec(seed=1), 70.0))
    found = msgspec.json.decode(msgspec.json.encode(cell.to_json()))
    named = {"env", "level", "lineup", "role", "model", "condition", "episodes", "failed"}
    assert named <= set(found)
    assert {"mean", "sd", "sem", "min", "max", "n"} <= set(found["metrics"]["raw_score"])
    assert found["metrics"]["raw_score"]["mean"] == 80.0
    assert found["lineup"] == "player=random"
    assert usage_json(cell.spend, 0.0).keys() == found["usage"].keys()


def test_success_has_a_wilson_interval_and_scores_have_none(tmp_path):
    cell = cell_of(
        tmp_path, *(made.episode(made.spec(seed=s), 50.0 + s, reached_2048=s % 2) for s in range(6))
    )
    assert cell.metrics["raw_score"].wilson is None
    assert cell.metrics["reached_2048"].wilson == wilson(3, 6)


def test_a_score_that_happens_to_be_0_or_1_is_no_success_rate(tmp_path):
    cell = cell_of(tmp_path, *(made.episode(made.spec(seed=s), s % 2) for s in range(6)))
    assert cell.score.wilson is None


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_agrees_with_scipy(counts):
    from scipy.stats import binomtest

    expected = binomtest(*counts).proportion_ci(method="wilson")
    assert wilson(*counts) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_attempts_at_one_seed_are_drawn_together():
    values = [0.0] * 6 + [10.0] * 6
    apart = summary(values, "abcdefghijkl").interval
    together = summary(values, "aaaaaabbbbbb").interval
    assert together == (0.0, 10.0)
    assert 0.0 < apart[0] < apart[1] < 10.0
    assert summary(values, "aaaaaaaaaaaa").interval is None


def test_the_bootstrap_covers_the_mean_of_a_known_distribution():
    from polyathlon.core.chance import stream

    hits = 0
    for trial in range(200):
        rng = stream(trial, "coverage")
        low, high = summary([rng.normal(5.0) for _ in range(30)], range(30)).interval
        hits += low <= 5.0 <= high
    assert 0.88 <= hits / 200 <= 0.99


SCORES = st.floats(-1e9, 1e9, allow_nan=False)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(SCORES, st.integers(0, 5)), min_size=1, max_size=30))
def test_a_summary_holds_together(pairs):
    values = [value for value, _ in pairs]
    found = summary(values, [seed for _, seed in pairs])
    assert min(values) == found.min <= found.mean <= found.max == max(values)
    assert found.n == len(values)
    assert (found.sd is None) == (len(values) == 1)
    if found.interval:
        slack = 1e-9 * max(1.0, abs(found.min), abs(found.max))
        assert found.min - slack <= found.interval[0] <= found.interval[1] <= found.max + slack
    if found.sd is not None:
        assert found.sem == pytest.approx(found.sd / math.sqrt(found.n))


ENDINGS = st.tuples(st.sampled_from(["done", "truncated", "failed", "stopped", None]), SCORES)


@settings(max_examples=40, deadline=None)
@given(st.lists(ENDINGS, min_size=1, max_size=12))
def test_counts_add_up_and_failures_weigh_in_the_mean(endings):
    rows = []
    for seed, (status, score) in enumerate(endings):
        spec = made.spec(seed=seed)
        events = made.episode(spec, None if status is None else score, status or "")
        rows.append(fold("run", spec.id, events)[0])
    (cell,) = cells(rows)
    counted = [score for status, score in endings if status in ("done", "truncated", "failed")]
    assert cell.episodes + cell.stopped == len(endings)
    assert cell.failed == sum(status == "failed" for status, _ in endings)
    assert list(cell.score.values if cell.score else ()) == counted


@pytest.mark.parametrize(
    ("kind", "stamp", "access", "who"),
    [
        ("my_agent:act", "informed", "informed", "my_agent:act (informed)"),
        ("my_agent:act", "plain", "plain", "my_agent:act"),
        ("my_agent:act", None, "unstamped", "my_agent:act (unstamped)"),
        ("full", None, "unstamped", "full (unstamped)"),
        ("random", None, "plain", "random"),
        ("oracle", None, "privileged", "oracle (privileged)"),
    ],
)
def test_who_was_given_more_than_percepts_is_marked(tmp_path, kind, stamp, access, who):
    header, *events = made.episode(made.spec(AgentSpec(kind)))
    stamped = {} if stamp is None else {"player": stamp}
    cell = cell_of(tmp_path, [msgspec.structs.replace(header, access=stamped), *events])
    assert (cell.access, cell.who, cell.to_json()["access"]) == (access, who, access)
    assert scores([cell]).rows[0][0] == who


def test_what_was_given_tells_cells_apart(tmp_path):
    header, *events = made.episode(made.spec(AgentSpec("my_agent:act")))
    other, *more = made.episode(made.spec(AgentSpec("my_agent:act"), seed=1))
    plain = [msgspec.structs.replace(header, access={"player": "plain"}), *events]
    informed = [msgspec.structs.replace(other, access={"player": "informed"}), *more]
    made.write(tmp_path / "run", [plain, informed])
    found = cells(episodes(tmp_path / "run").episodes)
    assert [cell.who for cell in found] == ["my_agent:act (informed)", "my_agent:act"]
