"""`polyathlon run`: play episodes."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, NoReturn

from cyclopts import Parameter
from msgspec import to_builtins
from msgspec.structs import replace

from polyathlon.cli.output import print_json
from polyathlon.cli.terms import Budget, Given, check_imports, settled
from polyathlon.core.addresses import bared, logins
from polyathlon.core.console import counted, note, say
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError
from polyathlon.core.ownmodules import import_all
from polyathlon.core.slugs import slug
from polyathlon.experiments import amendments
from polyathlon.experiments import plan as planning
from polyathlon.experiments.answering import check_servers
from polyathlon.experiments.preflight import preflight
from polyathlon.experiments.provenance import provenance
from polyathlon.experiments.request import Overrides, override, parse_limits
from polyathlon.experiments.rundir import MARKER, RunDir, begun, create, open_run
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Progress, Settings
from polyathlon.experiments.spec import Experiment
from polyathlon.experiments.terms import Amendment, Terms, current
from polyathlon.experiments.trust import again, check, trusted_by
from polyathlon.runtime.caller import RetryPolicy

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
    call_seconds: float | None = None,
    concurrency: int = 8,
    workers: int = 1,
    import_: Annotated[tuple[str, ...], Parameter(name="--import", negative=())] = (),
    rate: Many = (),
    budget_usd: Budget | None = None,
    price: Many = (),
    media: Literal["keep", "hash"] | None = None,
    out: Path | None = None,
    trust: bool = False,
    resume: bool = False,
    amend: bool = False,
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
        At most this long one attempt at a model call; then it is tried again. 300 at first.
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
        Stop before the run costs more, in all its sittings; none drops a budget.
    price
        MODEL=INPUT,OUTPUT in US dollars per million tokens; MODEL=none forgets one.
    media
        keep (the default) stores what models were shown, hash only its digests.
    out
        The run directory.
    trust
        Let experiment files and the run directory name code that runs and hosts that get keys.
    resume
        Go on with the run in --out where it stopped, under its budget, prices, rates, call seconds
        and media unless they are named anew. Without --out: list the runs that can go on.
    amend
        With --resume: go on although other episodes are asked for than the run was begun with.
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
    import_all(import_)
    if resume and out is None:
        return _list_unfinished(bool(targets), json)
    if amend and not resume:
        raise UserError("--amend changes the plan of a run that goes on: add --resume --out RUN")
    limits = parse_limits(limit)
    if turns:
        limits["turns"] = turns
    if turn_seconds:
        limits["turn_s"] = turn_seconds
    changes = Overrides(
        agent, model, level, seeds or (f"0:{episodes}" if episodes else ""), attempts, set,
        intervene, harness, scheduler, schedule, limits,
    )  # fmt: skip
    given = Given(budget_usd, price, rate, call_seconds, media, import_)
    told: list[object] = [model]
    resumed = _recorded(out) if out is not None and resume and begun(out) else None
    remembered = current(resumed) if resumed else Terms()
    if resumed and not amend:
        check_imports(import_, remembered.imports, resumed.path)
    terms = settled(given, remembered)
    amendment = None
    if resumed:
        plan, amendment = amendments.resumed(resumed, targets, changes, amend)
        place = partial(open_run, resumed.path)
        if targets:
            told.append(override(planning.resolve(targets), changes).model_dump(mode="json"))
    elif targets:
        experiment = override(planning.resolve(targets), changes)
        plan = planning.episodes(experiment)
        place = partial(_directory, experiment, terms, out)
        told.append(experiment.model_dump(mode="json"))
    elif resume:
        raise UserError(f"{out} holds no run that could go on: name an env to begin one")
    else:
        raise UserError("what shall be played? name an env, a glob, a suite or a file")
    settings = replace(
        _settings(terms, concurrency, workers, retry_failed),
        logins=logins(told),
        trust=trusted_by(agent, model, trust),
    )
    check(plan, settings.trust, "the experiment" if targets else f"{out}/{MARKER}")
    return _carry_out(plan, settings, place, amendment, dry_run, json)


def _list_unfinished(meant_to_play: bool, json: bool) -> int:
    """Say which runs can go on, and start nothing."""
    from polyathlon.experiments.unfinished import unfinished

    found = unfinished(Path("runs"), Path())
    if json:
        print_json({"runs": found})
    else:
        say("\n".join(run.text() for run in found) or "no run here or in runs/ can go on")
    if meant_to_play:
        raise UserError("nothing was started: which run shall go on? --resume --out RUN")
    return 0


def _settings(terms: Terms, concurrency: int, workers: int, retry_failed: bool) -> Settings:
    return Settings(
        concurrency,
        workers,
        terms.budget_usd,
        terms.media,
        retry_failed,
        terms.prices,
        terms.rates,
        RetryPolicy(attempt_s=terms.attempt_s),
        terms.imports,
    )


def _carry_out(
    plan: Sequence[EpisodeSpec],
    settings: Settings,
    place: Callable[[], RunDir],
    amendment: Amendment | None,
    dry_run: bool,
    json: bool,
) -> int:
    from polyathlon.experiments.estimate import estimate

    if dry_run:
        forecast = estimate(plan, settings.prices)
        print_json(forecast) if json else say(forecast.text())
        return 0
    preflight(plan, settings)
    directory = place()
    _tell_cost(directory, plan, settings)
    check_answers(directory, plan, settings)
    return show_play(
        directory,
        len(plan),
        lambda tell, leave: run_plan(directory, plan, settings, tell, amendment, leave),
        json,
        again(plan),
    )


def check_answers(directory: RunDir, plan: Sequence[EpisodeSpec], settings: Settings) -> None:
    """Ask the servers of what is left to play. Raises UserError where one is dead."""
    try:
        check_servers(_left(directory, plan), settings.logins, _tell_silent)
    except UserError as dead:
        words = f"polyathlon run --out {shlex.quote(str(directory.path))} --resume{again(plan)}"
        raise UserError(f"{dead}; then go on with: {words}") from None


def _tell_silent(server: str) -> None:
    note(f"{server} does not answer yet: going on")


def _left(directory: RunDir, plan: Sequence[EpisodeSpec]) -> list[EpisodeSpec]:
    return [spec for spec in plan if not directory.sealed_path(spec.id).exists()]


def _tell_cost(directory: RunDir, plan: Sequence[EpisodeSpec], settings: Settings) -> None:
    """Say on stderr what the episodes that have not ended may cost, where anything costs."""
    from polyathlon.experiments.estimate import estimate, may_cost

    left = _left(directory, plan)
    if not may_cost(left, settings.prices):
        return
    forecast, budget = estimate(left, settings.prices), settings.budget_usd
    bounds = (
        "--price and --budget-usd bound it" if forecast.unknown_prices else "--budget-usd bounds it"
    )
    bound = bounds if budget is None else f"the run stops at {budget:g} USD"
    note(f"{counted(len(left), 'episode')} may cost: {forecast.cost()}; {bound}")


def _recorded(path: Path) -> RunDir:
    """A run to play on. Raises UserError where it holds a login: its ids depend on that."""
    run = open_run(path)
    if logins(run.request().get("experiment")):
        raise UserError(
            f"{path}/{MARKER} holds a login, as an earlier polyathlon kept it: the run can be "
            "reported, replayed and scored, but not played on; start a new one with --out"
        )
    return run


def _directory(experiment: Experiment, terms: Terms, out: Path | None) -> RunDir:
    name = f"{slug(experiment.name, 'run')}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    asked = {
        "experiment": bared(experiment.model_dump(mode="json")),
        "terms": to_builtins(terms),
    }
    return create(out or Path("runs") / name, {**asked, **provenance()})


def show_play(
    directory: RunDir,
    episodes: int,
    play: Callable[[Callable[[Progress], None], Callable[[], NoReturn]], Progress],
    json: bool = False,
    named: str = "",
) -> int:
    """Play with progress on stderr, then report; returns the exit code.

    `play` is told what to call with every change, and how to leave the process at once; `named`
    are words that a command that goes on must say again.
    """
    from polyathlon.cli.leaving import INTERRUPTED, LastWords
    from polyathlon.cli.mishaps import tell_mishaps
    from polyathlon.cli.progress import display
    from polyathlon.cli.report import report

    again = f"polyathlon run --out {shlex.quote(str(directory.path))} --resume{named}"
    last = LastWords(f"interrupted; go on with: {again}")
    try:
        with display(episodes) as on_progress:
            progress = play(on_progress, last.leave)
    except KeyboardInterrupt:
        last.say()
        return INTERRUPTED
    try:
        report(directory.path, json=json)
    except UserError as missing:
        note(missing)
    tell_mishaps(directory, progress)
    return 1 if progress.failed or progress.done < episodes else 0
