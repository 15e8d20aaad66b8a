"""GPTNT episodes made for tests, and the paper's own figures as if we had played them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from polyathlon.analysis.gptnt.figures import MODULES, Figures, level_of, load
from polyathlon.analysis.gptnt.study import Study, study
from polyathlon.analysis.rows import EpisodeRow, RoleRow, Spend
from polyathlon.core import trace
from polyathlon.core.episodes import SchedulerSpec

FIGURES = load()
STEPPED, TURNS = SchedulerSpec("stepped", 3.0), SchedulerSpec()
GAME = {"modules": 1.0, "modules_solved": 0.0, "strikes": 0.0, "time_share": 1.0, "turns": 20.0}


def row(
    env: str = "solo",
    level: str = "wires",
    seed: int = 0,
    models: Mapping[str, str] | None = None,
    agent: str = "llm",
    ending: str = "timeout",
    scheduler: SchedulerSpec = STEPPED,
    condition: str = "kind=stepped, dt_s=3.0",
    options: Mapping[str, object] | None = None,
    roles: Mapping[str, Mapping[str, float]] | None = None,
    status: str = "done",
    **metrics: float,
) -> EpisodeRow:
    """One counted game that ended so; `models` by role, `roles` their own metrics."""
    seats = models or ({"defuser": "m", "expert": "m"} if env == "defusal" else {"player": "m"})
    solved = float(ending == "solved")
    found = {
        **GAME, "solved": solved, "modules_solved": solved, "modules_solved_share": solved,
        "strikeout": float(ending == "strikeout"), "timeout": float(ending == "timeout"), **metrics,
    }  # fmt: skip
    return _row(env, level, seed, condition, status, found, seats, agent, options, scheduler, roles)


def answer(
    env: str = "manual-vqa", level: str = "reading", seed: int = 0, correct: bool = True,
    who: str = "m", condition: str = "default", interventions: tuple[str, ...] = (),
    **metrics: float,
) -> EpisodeRow:  # fmt: skip
    """One answer to a question of four options."""
    found = {"raw_score": float(correct), "correct": float(correct), "chance": 0.25, **metrics}
    options = {"manual": "whole", "paradigm": "markers"}
    return _row(
        env, level, seed, condition, "done", found, {"reader": who}, options=options,
        interventions=interventions,
    )  # fmt: skip


def _row(
    env, level, seed, condition, status, metrics, models, agent="llm", options=None,
    scheduler=TURNS, roles=None, interventions=(),
) -> EpisodeRow:  # fmt: skip
    seats = {
        role: RoleRow(
            role, agent, model, {}, {**metrics, **(roles or {}).get(role, {})}, {}, {}, 0, 0, {},
            0, Spend(), "plain",
        )
        for role, model in models.items()
    }  # fmt: skip
    lineup = ", ".join(f"{role}={model}" for role, model in models.items())
    id = "-".join([env, level, lineup, str(seed), condition])
    return EpisodeRow(
        "run", id, f"gptnt/{env}-v0", level, options or {}, lineup, condition, seed, 0, status, "",
        metrics, (), seats, (), 0.0, "", "", interventions, scheduler,
    )  # fmt: skip


def no_traces(row: EpisodeRow) -> Iterable[trace.Event]:
    return ()


def asked(**facts: str) -> list[trace.Event]:
    """The trace of a question with these facts."""
    pages = trace.Sensed("manual_text", "text")
    return [trace.Observed("reader", 0, 0, (pages, trace.Sensed("question", "text", facts)))]


def of(rows: Iterable[EpisodeRow], events=no_traces, figures: Figures = FIGURES) -> Study:
    found = study(rows, events, figures)
    assert found is not None
    return found


def published_single(play: str, **how: object) -> Iterator[EpisodeRow]:
    """The ten games a module of every published model, solved as often as printed."""
    for who, rates in FIGURES.single[play].items():
        for module in MODULES if who != "Average" else ():
            for seed in range(10):
                ending = "solved" if seed < rates[module] / 10 else "timeout"
                yield row(level=level_of(module), seed=seed, ending=ending, **models(who, **how))


def published_multi(mode: str, scheduler: SchedulerSpec) -> Iterator[EpisodeRow]:
    """The ten bombs of several modules of every published model."""
    for who, found in FIGURES.multi[mode].items():
        for place, ending in enumerate(found.outcomes):
            yield row(
                level="multi", seed=place, ending=ending, scheduler=scheduler, mission=place + 1.0,
                **models(who, env="defusal"),
            )  # fmt: skip


def models(who: str, env: str = "solo", **how: object) -> dict[str, object]:
    roles = ("defuser", "expert") if env == "defusal" else ("player",)
    return {"env": env, "models": dict.fromkeys(roles, who), **how}
