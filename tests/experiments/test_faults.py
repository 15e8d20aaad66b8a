"""Every fault of a model server, seen from a whole run."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.experiments.servers import server_thread

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import EpisodeSpec, Limits
from polyathlon.core.models import Price
from polyathlon.experiments.rundir import create
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.spending import spent_usd
from polyathlon.runtime.caller import RetryPolicy
from polyathlon.testing.faults import FAULTS

WORDS = "move: up,move: down,move: left,move: right"
FATAL = {"400", "401", "flood"}
REPLIES = {"refusal", "trickle"}
CAUSES = {
    "429": "rate_limited",
    "401": "auth",
    "400": "bad_request",
    "500": "server_error",
    "hang": "timeout",
    "cut": "connection",
    "truncated": "bad_json",
    "bad_json": "bad_json",
    "empty": "empty_reply",
    "html": "wrong_content_type",
    "flood": "too_large",
}


def _run(path: Path, url: str, episodes: int = 3, attempt_s: float = 0.5):
    model = f"vllm/any@{url}"
    env = registry.env_spec("lmgame/twenty48-v0")
    lineup = {"player": AgentSpec("llm", model, {"perception": "symbolic"})}
    specs = [
        EpisodeSpec(env.id, "standard", env.configure({}), seed, lineup, limits=Limits(turns=4))
        for seed in range(episodes)
    ]
    policy = RetryPolicy(3, 20.0, attempt_s, first_backoff_s=0.02)
    run = create(path, {"experiment": {}})
    settings = Settings(concurrency=3, prices={model: Price(1.0, 2.0)}, retry=policy)
    return run, run_plan(run, specs, settings)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_now_and_then_is_survived_or_named(fault, tmp_path):
    with server_thread(f"2={fault},5={fault}", WORDS) as url:
        run, progress = _run(tmp_path / "run", url)
    ends = [run.ended(id) for id in run.episode_ids()]
    assert progress.done == len(ends) == 3
    if fault not in FATAL:
        assert progress.failed == 0
    costs = sum(end.cost_usd for end in ends)
    assert costs == pytest.approx(progress.spent_usd)
    assert costs == pytest.approx(spent_usd(run))
    assert costs > 0


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - REPLIES))
def test_a_fault_that_never_ends_fails_the_episode_with_its_cause(fault, tmp_path):
    with server_thread(f"every:1={fault}", WORDS) as url:
        attempt_s = 0.1 if fault == "hang" else 20.0
        run, progress = _run(tmp_path / "run", url, episodes=1, attempt_s=attempt_s)
    assert progress.failed == progress.done == 1
    [id] = run.episode_ids()
    ended = run.ended(id)
    assert ended is not None
    assert ended.cause == f"model:{CAUSES[fault]}"
    assert ended.metrics["raw_score"] == 0.0
    attempts = [e for e in run.events(id) if isinstance(e, trace.Attempted)]
    assert [attempt.final for attempt in attempts][-1]
    assert len(attempts) == (1 if fault in FATAL else attempts[-1].number)


def test_failed_episodes_are_played_again_on_request(tmp_path):
    with server_thread("1-3=500", WORDS) as url:
        run, progress = _run(tmp_path / "run", url, episodes=1)
        assert progress.failed == 1
        [id] = run.episode_ids()
        spec = run.header(id).episode
        again = run_plan(run, [spec], Settings(retry_failed=True))
    assert (again.done, again.failed) == (1, 0)
    ended = run.ended(id)
    assert ended is not None
    assert ended.status == "truncated"


def test_a_refusal_is_a_malformed_reply(tmp_path):
    with server_thread("every:1=refusal", WORDS) as url:
        run, progress = _run(tmp_path / "run", url, episodes=1)
    acts = [e for e in run.events(run.episode_ids()[0]) if isinstance(e, trace.Acted)]
    assert {act.malformed for act in acts} == {"refusal"}
    assert progress.failed == 0
