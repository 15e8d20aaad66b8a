"""An evening at the table: wait for the person, play the plan, show how it went."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from polyathlon import registry
from polyathlon.core.agents import AgentSpec
from polyathlon.core.canonical import JSON
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Role
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.settings import Progress, Settings
from polyathlon.experiments.spec import Experiment, Player
from polyathlon.play.agent import PageAgent
from polyathlon.play.seat import Table

LOOK_S = 0.1
GOODBYE_S = 5.0
ONE_BY_ONE = Settings(concurrency=1)


def people(specs: Sequence[EpisodeSpec]) -> tuple[Role, ...]:
    """The roles that people play in a plan."""
    seats = ((role, agent) for spec in specs for role, agent in spec.lineup.items())
    return tuple(dict.fromkeys(role for role, agent in seats if agent.kind == "human"))


def together(specs: Sequence[EpisodeSpec]) -> bool:
    """Whether several people play in one episode."""
    return any(len(people([spec])) > 1 for spec in specs)


def live(specs: Sequence[EpisodeSpec]) -> bool:
    """Whether time goes on while people look."""
    return all(spec.scheduler.kind == "realtime" for spec in specs)


def with_profile(experiment: Experiment, form: Mapping[str, str]) -> Experiment:
    """The experiment whose people are who the form says; the day belongs to the profile.

    Signs that cannot be printed are left out of what the form says.
    """
    said = {name: "".join(filter(str.isprintable, text)).strip() for name, text in form.items()}
    said["day"] = f"{datetime.now(UTC):%Y-%m-%d}"
    profile = {name: text for name, text in said.items() if text}

    def known(player: Player) -> Player:
        return player.model_copy(update={"profile": profile}) if player.kind == "human" else player

    groups = tuple(
        group.model_copy(
            update={
                "lineups": tuple(
                    {role: known(player) for role, player in lineup.items()}
                    for lineup in group.lineups
                )
            }
        )
        for group in experiment.groups
    )
    return experiment.model_copy(update={"groups": groups})


def wait_for_start(table: Table) -> None:
    """Until the person has pressed Start; ctrl-C gets through."""
    while not table.started.wait(LOOK_S):
        pass


def host(
    table: Table,
    specs: Sequence[EpisodeSpec],
    run: RunDir,
    on_progress: Callable[[Progress], None],
    settings: Settings = ONE_BY_ONE,
) -> Progress:
    """Play a plan one episode after another with the people at the table."""

    def seat(spec: AgentSpec, env: EnvSpec, role: Role) -> PageAgent:
        return PageAgent(table.seats[role])

    rows: dict[str, dict[str, JSON]] = {}

    def told(progress: Progress) -> None:
        rows.update(results([spec for spec in specs if spec.id not in rows], run))
        table.results = [rows[spec.id] for spec in specs if spec.id in rows]
        on_progress(progress)

    registry.register("agents", "human", seat)
    table.total = len(specs)
    progress = run_plan(run, specs, settings, told)
    table.finish(str(run.path))
    table.seen_end.wait(GOODBYE_S)
    return progress


def results(specs: Sequence[EpisodeSpec], run: RunDir) -> dict[str, dict[str, JSON]]:
    """What was played and its metrics, for those of the episodes that have ended, by id."""
    rows: dict[str, dict[str, JSON]] = {}
    for spec in specs:
        ended = run.ended(spec.id)
        if ended is not None:
            metrics = {name: round(value, 3) for name, value in ended.metrics.items()}
            rows[spec.id] = {"env": spec.env, "level": spec.level, "seed": spec.seed, **metrics}
    return rows
