"""`polyathlon branch`: begin episodes that share the past of a recorded one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polyathlon.cli.replay import matching
from polyathlon.core.console import say
from polyathlon.core.errors import UserError
from polyathlon.core.ownmodules import import_all
from polyathlon.experiments.branching import branches, seat, write
from polyathlon.experiments.provenance import provenance
from polyathlon.experiments.rundir import open_run
from polyathlon.experiments.trust import trusted_by


def branch(
    run: Path,
    episode: str,
    *,
    turn: int,
    out: Path,
    role: str = "",
    times: int = 1,
    agent: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    import_: Annotated[tuple[str, ...], Parameter(name="--import", negative=())] = (),
    trust: bool = False,
) -> None:
    """Begin episodes that share the past of a recorded one and go on in their own way.

    Each is a copy up to a decision, which `polyathlon run --out OUT --resume` plays on from
    there, with sampling seeds of its own. What is copied was paid for and is not asked for again.

    Parameters
    ----------
    run
        A run directory.
    episode
        An episode id or its beginning.
    turn
        The first decision that is made anew, counted from 0 as `polyathlon replay` shows it.
    out
        The run directory of the branches.
    role
        Whose decision, where several play.
    times
        How many branches.
    agent
        Code that the trace may name, module:function as it names it.
    import_
        A Python module to import first, such as one that registers envs.
    trust
        Let the trace run whatever code it names.
    """
    import_all(import_)
    if times < 1:
        raise UserError(f"--times counts from 1, not {times}")
    directory = open_run(run)
    ids = matching(directory, episode)
    if len(ids) > 1:
        raise UserError(f"which episode? one of: {', '.join(ids[:8])}")
    [id] = ids
    decider = seat(directory, id, role)
    begun = branches(directory, id, decider, turn, times, trusted_by(agent, everything=trust))
    about = {**provenance(), "branched": f"{run} {id}, before decision {turn} of {decider}"}
    made = write(directory, begun, out, about)
    for name in made.episode_ids():
        say(name)
    say(f"play on with: polyathlon run --out {out} --resume")
