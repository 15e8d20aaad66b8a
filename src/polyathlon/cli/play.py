"""`polyathlon play`: play an env yourself, in the terminal."""

from __future__ import annotations

from pathlib import Path

from polyathlon import registry
from polyathlon.cli.run import Many, run


def play(
    env: str,
    *,
    level: str = "",
    seed: int = 0,
    set: Many = (),
    intervene: Many = (),
    out: Path | None = None,
) -> int:
    """Play an env yourself, in the terminal; it is recorded like any other episode.

    Parameters
    ----------
    env
        An env id.
    level
        A level; without it the first one.
    seed
        The seed of the episode.
    set
        An option of the env, NAME=VALUE.
    intervene
        An intervention, such as ablate:board; several apply together.
    out
        The run directory.
    """
    chosen = level or registry.env_spec(env).levels[0]
    return run(
        env,
        agent=("human",),
        level=(chosen,),
        seeds=str(seed),
        set=set,
        intervene=intervene,
        out=out,
    )
