"""Runs: budgets, several processes, interruption, index, torn lines."""

from __future__ import annotations

import signal
import sqlite3
import time

import msgspec
import pytest
from tests.experiments.servers import polyathlon, server_thread
from tests.runtime.support import same

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import EpisodeSpec, Limits, SchedulerSpec
from polyathlon.core.errors import UserError
from polyathlon.core.models import Price
from polyathlon.experiments.packs import scan
from polyathlon.experiments.preflight import preflight
from polyathlon.experiments.replaying import check_media, named_media
from polyathlon.experiments.rundir import create, open_run
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.spending import spent_usd

WORDS = "move: up,move: down,move: left,move: right"
MODEL = "scripted/random:move: up,move: left,move: down"


def _specs(
    model: str = MODEL, episodes: int = 4, turns: int = 10, perception: str = "symbolic"
) -> list[EpisodeSpec]:
    env = registry.env_spec("lmgame/twenty48-v0")
    lineup = {"player": AgentSpec("llm", model, {"perception": perception, "max_tokens": 20})}
    return [
        EpisodeSpec(env.id, "standard", env.configure({}), s, lineup, limits=Limits(turns=turns))
        for s in range(episodes)
    ]


def test_an_episode_has_the_same_id_wherever_its_values_came_from():
    [spec] = _specs(episodes=1)
    again = msgspec.json.decode(msgspec.json.encode(spec), type=EpisodeSpec)
    explicit = msgspec.structs.replace(spec, scheduler=SchedulerSpec("".join(["tu", "rns"]), -0.0))
    assert spec.id == again.id == explicit.id


def test_a_budget_stops_the_run_and_more_money_resumes_it(tmp_path):
    with server_thread("", WORDS) as url:
        model = f"vllm/any@{url}"
        specs = _specs(model)
        prices = {model: Price(100.0, 100.0)}
        run = create(tmp_path / "run", {"experiment": {}})
        poor = run_plan(run, specs, Settings(2, budget_usd=1.0, prices=prices))
        assert poor.stopped == len(specs) - poor.done > 0
        assert poor.problems == ["budget_usd"]
        assert 0 < spent_usd(run) <= 1.0
        rich = run_plan(run, specs, Settings(2, budget_usd=100.0, prices=prices))
    assert (rich.done, rich.stopped) == (len(specs), 0)
    assert spent_usd(run) == pytest.approx(rich.spent_usd)


def test_a_money_budget_needs_prices():
    model = "vllm/any@http://127.0.0.1:9/v1"
    with pytest.raises(UserError, match="--price"):
        preflight(_specs(model), Settings(budget_usd=1.0))
    preflight(_specs(model), Settings(budget_usd=1.0, prices={model: Price(1.0, 1.0)}))


def test_worker_processes_make_the_same_traces_and_keep_packs_of_their_own(tmp_path):
    specs = _specs(perception="native")
    one, two = (create(tmp_path / name, {"experiment": {}}) for name in ("one", "two"))
    run_plan(one, specs, Settings(4))
    progress = run_plan(two, specs, Settings(4, workers=2, budget_usd=5.0))
    assert (progress.done, progress.failed) == (4, 0)
    for id in one.episode_ids():
        assert same(two.events(id)) == same(one.events(id))
        assert named_media(two.events(id))
        check_media(open_run(two.path), two.events(id))
    assert all(scan(pack).whole for pack in two.kept.root.glob("*.pack"))


def test_the_index_has_a_row_an_episode_and_can_be_rebuilt(tmp_path):
    run = create(tmp_path / "run", {"experiment": {}})
    specs = _specs()
    run_plan(run, specs, Settings())
    rows = _rows(run.path)
    assert {row[0] for row in rows} == {spec.id for spec in specs}
    (run.path / "index.sqlite").unlink()
    run_plan(run, specs, Settings())
    assert sorted(_rows(run.path)) == sorted(rows)


def _rows(path):
    with sqlite3.connect(path / "index.sqlite") as db:
        return db.execute("SELECT * FROM episodes").fetchall()


def test_a_torn_last_line_is_cut_and_played_again(tmp_path):
    specs = _specs(episodes=1)
    whole, torn = (create(tmp_path / name, {"experiment": {}}) for name in ("whole", "torn"))
    run_plan(whole, specs, Settings())
    lines = [line + b"\n" for line in whole.lines(specs[0].id)]
    for kept in (0, 1, 5, len(lines) - 1):
        torn.sealed_path(specs[0].id).unlink(missing_ok=True)
        partial = b"".join(lines[:kept]) + lines[kept][: len(lines[kept]) // 2]
        torn.trace_path(specs[0].id).write_bytes(partial)
        run_plan(torn, specs, Settings())
        assert same(torn.events(specs[0].id)) == same(whole.events(specs[0].id))


def test_callables_with_memory_restart_instead_of_resuming(tmp_path):
    env = registry.env_spec("lmgame/twenty48-v0")
    lineup = {"player": AgentSpec("tests.experiments.players:alternating")}
    spec = EpisodeSpec(env.id, "standard", env.configure({}), 0, lineup, limits=Limits(turns=8))
    run = create(tmp_path / "run", {"experiment": {}})
    run_plan(run, [spec], Settings())
    first = same(run.events(spec.id))
    lines = list(run.lines(spec.id))
    run.sealed_path(spec.id).unlink()
    run.trace_path(spec.id).write_bytes(b"".join(line + b"\n" for line in lines[:9]))
    run_plan(run, [spec], Settings())
    assert same(run.events(spec.id)) == first


@pytest.mark.slow
def test_ctrl_c_leaves_a_run_that_resumes(tmp_path):
    out = tmp_path / "run"
    with server_thread("", WORDS) as url:
        command = [
            "run", "lmgame/twenty48-v0", "--model", f"vllm/any@{url}", "--harness", "both",
            "--episodes", "16", "--turns", "40", "--out", str(out),
        ]  # fmt: skip
        process = polyathlon(*command)
        while not list(out.glob("episodes/*")):
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 130, errors
        assert "--resume" in errors
        assert "Traceback" not in errors
        again = polyathlon("run", "--out", str(out), "--resume", "--json")
        _, errors = again.communicate(timeout=120)
    assert again.returncode == 0, errors
    run = open_run(out)
    ends = [run.ended(id) for id in run.episode_ids()]
    assert len(ends) == 16
    assert all(isinstance(end, trace.Ended) for end in ends)
