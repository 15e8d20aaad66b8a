"""`polyathlon run`: play episodes."""

from __future__ import annotations

import importlib
import shlex
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, NoReturn

from cyclopts import Parameter

from polyathlon.cli.output import print_json
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError
from polyathlon.core.models import Price
from polyathlon.experiments import plan as planning
from polyathlon.experiments.answering import check_servers
from polyathlon.experiments.preflight import preflight
from polyathlon.experiments.provenance import provenance
from polyathlon.experiments.request import Overrides, override, parse_limits
from polyathlon.experiments.rundir import RunDir, begun, create, open_run
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Progress, Settings
from polyathlon.experiments.spec import Experiment
from polyathlon.runtime.caller import RetryPolicy
from polyathlon.runtime.ratelimit import RateLimits

Many = Annotated[tuple[str, ...], Parameter(negative=())]


def run(
    *targets: str,
    agent: Many = (),
    model: Many = (),
    level: Many = (),
    seeds: str = "",
    episodes: int = 0,
    attempts: int = 0,
    set: Many = (),
    intervene: Many = (),
    harness: Many = (),
    scheduler: str = "",
    schedule: str = "",
    turns: int = 0,
    turn_seconds: float = 0.0,
    limit: Many = (),
    call_seconds: float = 300.0,
    concurrency: int = 8,
    workers: int = 1,
    import_: Annotated[tuple[str, ...], Parameter(name="--import", negative=())] = (),
    rate: Many = (),
    budget_usd: float | None = None,
    price: Many = (),
    media: Literal["keep", "hash"] = "keep",
    out: Path | None = None,
    resume: bool = False,
    retry_failed: bool = False,
    dry_run: bool = False,
    json: bool = False,
) -> int:
    """Play the episodes of an env, a glob, a suite or an experiment file.

    Parameters
    ----------
    targets
        Env ids, globs such as 'lmgame/*', suites, or experiment files (.yaml).
    agent
        Who plays: random, oracle, human, llm, another policy of the env, or module:function;
        ROLE=NAME for one seat.
    model
        The model of an llm agent, PROVIDER/NAME; ROLE=PROVIDER/NAME for one seat.
    level
        A level; without it every level is played.
    seeds
        Seeds: 7, 0:50 or 1,4,9.
    episodes
        The same as seeds 0:N.
    attempts
        How often each seed is played.
    set
        An option of the env, NAME=VALUE.
    intervene
        An intervention, such as ablate:board; several apply together.
    harness
        A preset (off, memory, perception, both) or NAME=VALUE on top of the presets.
    scheduler
        turns, stepped:SECONDS, realtime, virtual or virtual:SECONDS.
    schedule
        How several players meet: product, crossplay, drawn (a tournament), rotated (each draw
        in every seating).
    turns
        At most this many decisions an episode.
    turn_seconds
        At most this long a decision; a later one counts as malformed.
    limit
        Another bound of each episode, NAME=VALUE: wall_s, tokens, cost_usd, calls.
    call_seconds
        At most this long one attempt at a model call; then it is tried again.
    concurrency
        Episodes at once, over all workers; fewer where the machine allows too few open files.
    workers
        Worker processes. One that dies is replaced, and its episodes go on.
    import_
        A Python module to import first, such as one that registers envs.
    rate
        Bounds of a provider, over all workers: GROUP=IN_FLIGHT[,REQUESTS[,TOKENS]] (the latter
        per minute). GROUP is a provider such as openai, or a server: vllm@http://host:8000/v1.
    budget_usd
        Stop before the run costs more.
    price
        MODEL=INPUT,OUTPUT in US dollars per million tokens.
    media
        keep stores what models were shown, hash only its digests.
    out
        The run directory.
    resume
        Go on with the run in --out where it stopped.
    retry_failed
        With --resume: play failed episodes again from where they failed.
    dry_run
        Print the episodes and what they may cost, and play nothing.
    json
        Print one JSON object on stdout.
    """
    if episodes and seeds:
        raise UserError("give --seeds or --episodes, not both")
    if min(concurrency, workers) < 1 or min(episodes, turns, attempts) < 0:
        raise UserError("--concurrency, --workers, --episodes, --turns and --attempts count from 1")
    _import(import_)
    limits = parse_limits(limit)
    if turns:
        limits["turns"] = turns
    if turn_seconds:
        limits["turn_s"] = turn_seconds
    changes = Overrides(
        agent, model, level, seeds or (f"0:{episodes}" if episodes else ""), attempts, set,
        intervene, harness, scheduler, schedule, limits,
    )  # fmt: skip
    settings = Settings(
        concurrency,
        workers,
        budget_usd,
        media,
        retry_failed,
        _prices(price),
        _rates(rate),
        RetryPolicy(attempt_s=call_seconds),
        import_,
    )
    resumed = out is not None and resume and begun(out)
    if targets:
        experiment = override(planning.resolve(targets), changes)
        plan = planning.episodes(experiment)
        place = partial(_directory, experiment, out, resumed)
    elif resumed and out is not None:
        plan = planning.planned(open_run(out).request(), str(out))
        place = partial(open_run, out)
    else:
        raise UserError("what shall be played? name an env, a glob, a suite or a file")
    return _carry_out(plan, settings, place, dry_run, json)


def _carry_out(
    plan: Sequence[EpisodeSpec],
    settings: Settings,
    place: Callable[[], RunDir],
    dry_run: bool,
    json: bool,
) -> int:
    from polyathlon.experiments.estimate import estimate

    if dry_run:
        forecast = estimate(plan, settings.prices)
        print_json(forecast) if json else print(forecast.text())
        return 0
    preflight(plan, settings)
    directory = place()
    check_answers(directory, plan)
    return show_play(
        directory,
        len(plan),
        lambda tell, leave: run_plan(directory, plan, settings, tell, leave),
        json,
    )


def check_answers(directory: RunDir, plan: Sequence[EpisodeSpec]) -> None:
    """Ask the servers of what is left to play. Raises UserError where one is dead."""
    left = [spec for spec in plan if not directory.sealed_path(spec.id).exists()]
    try:
        check_servers(left, _tell_silent)
    except UserError as dead:
        again = f"polyathlon run --out {shlex.quote(str(directory.path))} --resume"
        raise UserError(f"{dead}; then go on with: {again}") from None


def _tell_silent(server: str) -> None:
    print(f"{server} does not answer yet: going on", file=sys.stderr, flush=True)


def _directory(experiment: Experiment, out: Path | None, resumed: bool) -> RunDir:
    path = out or Path("runs") / f"{experiment.name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    if resumed:
        return open_run(path)
    return create(path, {"experiment": experiment.model_dump(mode="json"), **provenance()})


def show_play(
    directory: RunDir,
    episodes: int,
    play: Callable[[Callable[[Progress], None], Callable[[], NoReturn]], Progress],
    json: bool = False,
) -> int:
    """Play with progress on stderr, then report; returns the exit code.

    `play` is told what to call with every change, and how to leave the process at once.
    """
    from polyathlon.cli.leaving import INTERRUPTED, LastWords
    from polyathlon.cli.mishaps import tell_mishaps
    from polyathlon.cli.progress import display
    from polyathlon.cli.report import report

    last = LastWords(f"interrupted; go on with: polyathlon run --out {directory.path} --resume")
    try:
        with display(episodes) as on_progress:
            progress = play(on_progress, last.leave)
    except KeyboardInterrupt:
        last.say()
        return INTERRUPTED
    try:
        report(directory.path, json=json)
    except UserError as missing:
        print(missing, file=sys.stderr)
    sys.stdout.flush()
    tell_mishaps(directory, progress)
    return 1 if progress.failed or progress.done < episodes else 0


def _import(modules: tuple[str, ...]) -> None:
    sys.path.insert(0, "")
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise UserError(f"--import {name}: {error}") from None


def _prices(items: tuple[str, ...]) -> dict[str, Price]:
    prices: dict[str, Price] = {}
    for item in items:
        name, _, values = item.rpartition("=")
        try:
            dollars, out, *rest = [float(value) for value in values.split(",")]
        except ValueError:
            raise UserError(f"--price takes MODEL=INPUT,OUTPUT, not {item!r}") from None
        if not name or len(rest) > 1 or min(dollars, out, *rest) < 0:
            raise UserError(f"--price takes MODEL=INPUT,OUTPUT, not {item!r}")
        prices[name] = Price(dollars, out, cached=rest[0] if rest else None)
    return prices


def _rates(items: tuple[str, ...]) -> dict[str, RateLimits]:
    rates: dict[str, RateLimits] = {}
    for item in items:
        group, _, values = item.partition("=")
        try:
            in_flight, *per_minute = [float(value) for value in values.split(",")]
            rates[group] = RateLimits(int(in_flight), *per_minute)
        except (ValueError, TypeError):
            raise UserError(
                f"--rate takes GROUP=IN_FLIGHT[,REQUESTS[,TOKENS]], not {item!r}"
            ) from None
    return rates
