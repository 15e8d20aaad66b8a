"""Every env played shortly and reported through the command line; what came of it, as JSON.

A program of its own, so that it runs over any install: `python plays_every_env.py PLAYER...` with
the options that name the player, such as `--agent random`.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import traceback
from pathlib import Path

from polyathlon import cli, registry


def play(env: str, player: list[str]) -> dict[str, object]:
    spec = registry.env_spec(env)
    out = Path(env.replace("/", "-"))
    short = ["--level", spec.levels[0], "--seeds", "0", "--turns", "2", "--out", str(out)]
    said, told = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(told):
        try:
            code: object = cli.main(["run", env, *player, *short])
        except Exception:
            code = traceback.format_exc()
    return {"env": env, "code": code, "said": said.getvalue(), "told": told.getvalue()}


if __name__ == "__main__":
    print(json.dumps([play(env, sys.argv[1:]) for env in registry.built_in_env_specs()]))
