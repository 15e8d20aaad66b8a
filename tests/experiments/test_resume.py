"""Resume: what failed is played again from where it failed, and nothing spent is forgotten."""

from __future__ import annotations

import asyncio

import pytest
from tests.experiments.test_runner import _specs
from tests.runtime.support import same

from polyathlon import registry
from polyathlon.cli import main
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec, Decision, PlayerLeft
from polyathlon.core.episodes import EpisodeSpec, Limits, SchedulerSpec
from polyathlon.core.models import ModelError, Price, Reply, Request, Usage, say, thread
from polyathlon.experiments.rundir import RunDir, create
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.spending import costs_usd, spent_usd

GAME = "lmgame/twenty48-v0"


class _Model:
    """Costs a cent a call; fails for the purposes and turns it is told to."""

    name, group, in_flight, latency = "shaky", "shaky", 8, "measured"
    price = Price(1.0, 1.0)
    failing: tuple[str, ...] = ()

    async def complete(self, request):
        text = request.thread.message.text
        if text in self.failing:
            raise ModelError("server_error", text, retryable=False)
        return Reply("up" if len(text) % 2 else "left", usage=Usage(1, 0, 1), cost_usd=0.01)

    async def close(self):
        pass


class _Tolerant:
    """Asks for advice, does without it where it fails, and then must have a decision."""

    access = "plain"
    replayable = True

    async def act(self, obs, last, ctx):
        try:
            advice = (await ctx.complete(_ask(f"advice {obs.turn}"), "shaky/m", "advise")).text
        except Exception:
            advice = "none"
        reply = await ctx.complete(_ask(f"decide {obs.turn} {advice}"), "shaky/m")
        return Decision(obs.actions.parse(reply.text), raw=reply.text)


class _Forgetful(_Tolerant):
    """Leaves in its third turn the first time."""

    replayable = False
    left = False

    async def act(self, obs, last, ctx):
        if obs.turn == 2 and not _Forgetful.left:
            _Forgetful.left = True
            raise PlayerLeft
        return await super().act(obs, last, ctx)


class _Cancels(_Tolerant):
    async def act(self, obs, last, ctx):
        raise asyncio.CancelledError


def _ask(text: str) -> Request:
    return Request(thread(say("user", text)))


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setitem(registry._registered, "models", {"shaky": lambda name: _Model()})
    agents = {"tolerant": _Tolerant, "forgetful": _Forgetful, "cancels": _Cancels}
    makers = {kind: (lambda spec, env, role, a=agent: a()) for kind, agent in agents.items()}
    monkeypatch.setitem(registry._registered, "agents", makers)
    monkeypatch.setattr(_Model, "failing", ())
    monkeypatch.setattr(_Forgetful, "left", False)


def _spec(kind: str, turns: int = 5, scheduler: str = "turns") -> EpisodeSpec:
    env = registry.env_spec(GAME)
    return EpisodeSpec(
        env.id, "standard", env.configure({}), 0, {"player": AgentSpec(kind)},
        scheduler=SchedulerSpec(scheduler), limits=Limits(turns=turns),
    )  # fmt: skip


def test_a_retry_keeps_the_failures_that_the_agent_lived_with(tmp_path, monkeypatch):
    run, spec = create(tmp_path / "run", {"experiment": {}}), _spec("tolerant")
    monkeypatch.setattr(_Model, "failing", ("advice 1", "decide 3 up", "decide 3 left"))
    assert run_plan(run, [spec], Settings()).failed == 1
    monkeypatch.setattr(_Model, "failing", ())
    again = run_plan(run, [spec], Settings(retry_failed=True))
    assert (again.done, again.failed, again.problems) == (1, 0, [])
    kept = [e for e in run.events(spec.id) if isinstance(e, trace.Attempted) and e.reply is None]
    failures = [(attempt.detail, attempt.final) for attempt in kept]
    assert failures == [("advice 1", True), ("decide 3 left", False)]
    ended = run.ended(spec.id)
    assert ended is not None
    assert spent_usd(run) == pytest.approx(ended.cost_usd)


def test_a_kill_while_a_failed_episode_is_reopened_loses_nothing(tmp_path, monkeypatch):
    run, spec = create(tmp_path / "run", {"experiment": {}}), _spec("tolerant")
    monkeypatch.setattr(_Model, "failing", ("decide 3 up", "decide 3 left"))
    run_plan(run, [spec], Settings())
    sealed = run.sealed_path(spec.id).read_bytes()
    run.reopen_failed(spec.id)
    run.sealed_path(spec.id).write_bytes(sealed)
    assert run_plan(run, [spec], Settings()).failed == 1
    assert run.ended(spec.id).status == "failed"
    monkeypatch.setattr(_Model, "failing", ())
    assert run_plan(run, [spec], Settings(retry_failed=True)).failed == 0


@pytest.mark.parametrize("scheduler", ["turns", "realtime"])
def test_what_a_restarted_episode_cost_is_not_forgotten(scheduler, tmp_path):
    run, spec = create(tmp_path / "run", {"experiment": {}}), _spec("forgetful", 4, scheduler)
    assert run_plan(run, [spec], Settings()).stopped == 1
    before = spent_usd(run)
    assert before == pytest.approx(0.04)
    progress = run_plan(run, [spec], Settings(budget_usd=1.0))
    assert progress.done == 1
    assert spent_usd(run) == pytest.approx(before + 0.08)
    assert run.episode_ids() == [spec.id]


def test_a_further_attempt_in_flight_is_booked_like_the_first():
    call = ("player", 0, "decide", 0)
    events = [
        trace.Called(*call, "m", "request", "head", most_usd=0.25),
        trace.Attempted(*call, 1, cause="rate_limited"),
        trace.Retried(*call, 2),
    ]
    assert [sum(costs_usd(events[:n])) for n in range(4)] == [0, 0.25, 0, 0.25]
    killed = [*events, trace.Interrupted(*call, 1, booked_usd=0.25)]
    assert sum(costs_usd(killed)) == 0.5
    reply = Reply("up", cost_usd=0.01)
    ended = [*killed, trace.Attempted(*call, 2, final=True, reply=reply)]
    assert sum(costs_usd(ended)) == 0.26


def _verify(run: RunDir, capsys) -> tuple[int, str]:
    code = main(["replay", str(run.path), "--verify"])
    return code, capsys.readouterr().out


def test_every_kind_of_run_can_be_verified(tmp_path, monkeypatch, capsys):
    run = create(tmp_path / "run", {"experiment": {}})
    monkeypatch.setattr(_Model, "failing", ("advice 1", "decide 3 up", "decide 3 left"))
    failed, left, whole, poor = (
        _spec("tolerant"), _spec("forgetful"), _spec("random"), _spec("tolerant", 3),
    )  # fmt: skip
    run_plan(run, [failed, left, whole], Settings())
    assert run_plan(run, [poor], Settings(budget_usd=0.03)).stopped == 1
    code, out = _verify(run, capsys)
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert code == 0, out
    assert "failed (model:server_error)" in lines[failed.id]
    assert "truncated (limit:turns)" in lines[whole.id]
    assert "skipped" in lines[left.id]
    assert "unfinished: the same for its" in lines[poor.id]


def test_verify_goes_on_past_an_empty_and_a_damaged_trace(tmp_path, capsys):
    run, specs = create(tmp_path / "run", {"experiment": {}}), _specs(episodes=4)
    run_plan(run, specs, Settings())
    empty, headless, damaged, _ = specs
    run.sealed_path(empty.id).unlink()
    run.trace_path(empty.id).touch()
    lines = list(run.lines(headless.id))
    run.sealed_path(headless.id).unlink()
    run.trace_path(headless.id).write_bytes(b"".join(line + b"\n" for line in lines[1:]))
    run.sealed_path(damaged.id).write_bytes(b"rot")
    code, out = _verify(run, capsys)
    assert code == 1
    assert len(out.splitlines()) == 4
    assert "same: " in out
    assert "nothing is recorded yet" in out
    assert "no header" in out
    assert "damaged" in out


def test_verify_notices_what_the_trace_holds_too_much(tmp_path, capsys):
    run, spec = create(tmp_path / "run", {"experiment": {}}), _spec("tolerant", 2)
    run_plan(run, [spec], Settings())
    lines = list(run.lines(spec.id))
    called = next(e for e in run.events(spec.id) if isinstance(e, trace.Called))
    extra = trace.Called("player", 1, "reflect", 0, called.model, called.request, called.head)
    run.sealed_path(spec.id).unlink()
    more = [*lines[:-1], trace.encode(extra), lines[-1]]
    run.trace_path(spec.id).write_bytes(b"".join(line + b"\n" for line in more))
    code, out = _verify(run, capsys)
    assert code == 1
    assert "call/player/1/reflect/0" in out


def test_a_run_of_agents_that_cancel_themselves_ends_with_every_episode(tmp_path):
    run = create(tmp_path / "run", {"experiment": {}})
    specs = [_spec("cancels"), _spec("random"), _spec("tolerant")]
    progress = run_plan(run, specs, Settings(concurrency=2))
    assert (progress.done, progress.failed) == (3, 1)
    assert same(run.events(specs[1].id))


@pytest.mark.parametrize("remains", [(), ("episodes",), ("episodes", "experiment.yaml.tmp")])
def test_a_kill_while_a_directory_is_made_does_not_block_it(remains, tmp_path):
    out = tmp_path / "run"
    out.mkdir()
    for name in remains:
        (out / name).write_bytes(b"sche") if "." in name else (out / name).mkdir()
    command = ["run", GAME, "--agent", "random", "--turns", "2", "--json", "--out", str(out)]
    assert main([*command, "--resume"]) == 0
    assert len(RunDir(out).episode_ids()) == 1
