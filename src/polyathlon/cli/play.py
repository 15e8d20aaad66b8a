"""`polyathlon play`: play yourself, on a page in the browser or in the terminal."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from polyathlon import registry
from polyathlon.cli.run import Many, run, show_play
from polyathlon.core.errors import UserError
from polyathlon.experiments import plan as planning
from polyathlon.experiments.preflight import preflight
from polyathlon.experiments.provenance import provenance
from polyathlon.experiments.request import Overrides, override
from polyathlon.experiments.rundir import create
from polyathlon.experiments.settings import Settings
from polyathlon.experiments.spec import Experiment


def play(
    *targets: str,
    level: Many = (),
    seeds: str = "",
    episodes: int = 0,
    set: Many = (),
    intervene: Many = (),
    agent: Many = ("human",),
    participant: str = "",
    age_group: str = "",
    gender: str = "",
    warm_up: bool = False,
    terminal: bool = False,
    port: int = 0,
    no_browser: bool = False,
    out: Path | None = None,
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
    """
    if not targets:
        raise UserError("what will you play? name an env, such as omniplay/echoes-v0, or a suite")
    if episodes and seeds:
        raise UserError("give --seeds or --episodes, not both")
    if not level and len(targets) == 1 and targets[0] in registry.env_specs():
        level = (registry.env_spec(targets[0]).levels[0],)
    seeds = seeds or (f"0:{episodes}" if episodes else "")
    if terminal:
        return run(
            *targets, agent=agent, level=level, seeds=seeds, set=set, intervene=intervene, out=out
        )
    changes = Overrides(
        agents=agent, levels=level, seeds=seeds, options=set, interventions=intervene
    )
    experiment = override(planning.resolve(targets), changes)
    form = {
        "participant": participant,
        "age_group": age_group,
        "gender": gender,
        "warm_up": "yes" if warm_up else "",
    }
    return _at_page(experiment, form, port, not no_browser, out)


def _at_page(
    experiment: Experiment, form: dict[str, str], port: int, browser: bool, out: Path | None
) -> int:
    import webbrowser

    from polyathlon.play.evening import host, people, wait_for_start, with_profile
    from polyathlon.play.seat import Table
    from polyathlon.play.server import Server

    plan = planning.episodes(experiment)
    preflight(plan, Settings())
    roles = people(plan)
    if not roles:
        raise UserError("nobody here plays: give --agent ROLE=human")
    title = ", ".join(dict.fromkeys(registry.env_spec(spec.env).title for spec in plan))
    table = Table(title, roles, form)
    with Server(table, port) as server:
        for role in roles:
            print(f"{role}: {server.url}?role={role}", flush=True)
        if browser:
            webbrowser.open(f"{server.url}?role={roles[0]}")
        wait_for_start(table)
        experiment = with_profile(experiment, table.form)
        path = out or Path("runs") / f"play-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        request = {"experiment": experiment.model_dump(mode="json"), **provenance()}
        directory = create(path, request)
        specs = planning.episodes(experiment)
        return show_play(directory, len(specs), lambda tell: host(table, specs, directory, tell))
