"""`polyathlon branch`: begin episodes that share the past of a recorded one."""

from __future__ import annotations

from pathlib import Path

from polyathlon.cli.replay import matching
from polyathlon.core.errors import UserError
from polyathlon.experiments.branching import branches, seat, write
from polyathlon.experiments.provenance import provenance
from polyathlon.experiments.rundir import open_run


def branch(
    run: Path, episode: str, *, turn: int, out: Path, role: str = "", times: int = 1
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
    """
    if times < 1:
        raise UserError(f"--times counts from 1, not {times}")
    directory = open_run(run)
    ids = matching(directory, episode)
    if len(ids) > 1:
        raise UserError(f"which episode? one of: {', '.join(ids[:8])}")
    [id] = ids
    decider = seat(directory, id, role)
    begun = branches(directory, id, decider, turn, times)
    about = {**provenance(), "branched": f"{run} {id}, before decision {turn} of {decider}"}
    made = write(directory, begun, out, about)
    for name in made.episode_ids():
        print(name)
    print(f"play on with: polyathlon run --out {out} --resume")
