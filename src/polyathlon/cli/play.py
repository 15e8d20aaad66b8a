"""`polyathlon play`: play yourself, on a page in the browser or in the terminal."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from polyathlon import registry
from polyathlon.cli.run import Many, show_play
from polyathlon.core.addresses import bared, logins
from polyathlon.core.console import say
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError
from polyathlon.core.world import Role
from polyathlon.experiments import plan as planning
from polyathlon.experiments.preflight import preflight
from polyathlon.experiments.provenance import provenance
from polyathlon.experiments.request import Overrides, override
from polyathlon.experiments.rundir import RunDir, begun, create
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.spec import Experiment
from polyathlon.experiments.trust import check, trusted_by


def play(
    *targets: str,
    level: Many = (),
    seeds: str = "",
    episodes: int = 0,
    set: Many = (),
    intervene: Many = (),
    agent: Many = ("human",),
    model: Many = (),
    scheduler: str = "",
    participant: str = "",
    age_group: str = "",
    gender: str = "",
    warm_up: bool = False,
    terminal: bool = False,
    port: int = 0,
    no_browser: bool = False,
    out: Path | None = None,
    trust: bool = False,
) -> int:
    """Play yourself; it is recorded like any other run.

    Starts a page on this machine that shows pictures and videos, plays sounds and takes your
    actions. Its address holds a random token.

    Parameters
    ----------
    targets
        An env id, a glob, a suite or an experiment file.
    level
        A level; without it the first one of a single env, and every one of the rest.
    seeds
        Seeds: 7, 0:10 or 1,4,9; without them what the target says, or 0.
    episodes
        The same as seeds 0:N.
    set
        An option of the env, NAME=VALUE.
    intervene
        An intervention, such as ablate:board; several apply together.
    agent
        Who else plays: ROLE=NAME; people are ROLE=human.
    model
        The model of a seat that an llm agent plays, ROLE=PROVIDER/NAME.
    scheduler
        How time passes: turns, stepped:DT or realtime. Without it a single env whose world has a
        clock runs in real time, and all else as the target says.
    participant
        A name or number of the person, for the recording.
    age_group
        An age group, such as 20-35.
    gender
        A gender.
    warm_up
        Mark the episodes as warm-up.
    terminal
        Play in words in the terminal, without a page.
    port
        The page's port; 0 takes a free one.
    no_browser
        Print the address of the page and open nothing.
    out
        The run directory.
    trust
        Let experiment files name code that runs and hosts that get keys.
    """
    if not targets:
        raise UserError("what will you play? name an env, such as omniplay/echoes-v0, or a suite")
    if episodes and seeds:
        raise UserError("give --seeds or --episodes, not both")
    if len(targets) == 1 and targets[0] in registry.env_specs():
        spec = registry.env_spec(targets[0])
        level = level or spec.levels[:1]
        scheduler = scheduler or ("realtime" if spec.clock == "real" else "")
    changes = Overrides(
        agents=agent,
        models=model,
        levels=level,
        seeds=seeds or (f"0:{episodes}" if episodes else ""),
        options=set,
        interventions=intervene,
        scheduler=scheduler,
    )
    experiment = override(planning.resolve(targets), changes)
    form = {
        "participant": participant,
        "age_group": age_group,
        "gender": gender,
        "warm_up": "yes" if warm_up else "",
    }
    path = out or Path("runs") / f"play-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    if begun(path):
        raise UserError(f"{path} exists already: choose another --out")
    settings = Settings(
        concurrency=1,
        logins=logins(experiment.model_dump(mode="json")),
        trust=trusted_by(agent, everything=trust),
    )
    if terminal:
        return _in_terminal(experiment, form, path, settings)
    return _at_page(experiment, form, path, settings, port, not no_browser)


def _in_terminal(
    experiment: Experiment, form: dict[str, str], path: Path, settings: Settings
) -> int:
    _planned(experiment, settings)
    directory, plan = _begun(experiment, form, path)
    return show_play(
        directory,
        len(plan),
        lambda tell, leave: run_plan(directory, plan, settings, tell, leave=leave),
    )


def _at_page(
    experiment: Experiment,
    form: dict[str, str],
    path: Path,
    settings: Settings,
    port: int,
    browser: bool,
) -> int:
    import webbrowser

    from polyathlon.play.evening import host, live, together, wait_for_start
    from polyathlon.play.seat import Table
    from polyathlon.play.server import Server

    roles, plan = _planned(experiment, settings)
    title = ", ".join(dict.fromkeys(registry.env_spec(spec.env).title for spec in plan))
    table = Table(title, roles, form, live(plan))
    with Server(table, port) as server:
        say(f"{' or '.join(roles)}: {server.url}")
        for role in roles if together(plan) else ():
            say(f"only {role}: {server.url}?role={role}")
        if browser:
            webbrowser.open(server.url)
        wait_for_start(table)
        directory, plan = _begun(experiment, table.form, path)
        return show_play(
            directory, len(plan), lambda tell, _: host(table, plan, directory, tell, settings)
        )


def _planned(
    experiment: Experiment, settings: Settings
) -> tuple[tuple[Role, ...], list[EpisodeSpec]]:
    """The roles that people play and the episodes. Raises UserError for what cannot be played."""
    from polyathlon.play.evening import people

    plan = planning.episodes(experiment)
    check(plan, settings.trust, "what you play")
    preflight(plan, settings)
    roles = people(plan)
    if not roles:
        raise UserError("nobody here plays: give --agent ROLE=human")
    return roles, plan


def _begun(
    experiment: Experiment, form: dict[str, str], path: Path
) -> tuple[RunDir, list[EpisodeSpec]]:
    """The run directory of what the person of the form plays, and its episodes."""
    from polyathlon.play.evening import with_profile

    known = with_profile(experiment, form)
    request = {"experiment": bared(known.model_dump(mode="json")), **provenance()}
    return create(path, request), planning.episodes(known)
