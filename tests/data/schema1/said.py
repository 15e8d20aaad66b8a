"""What a run directory says of itself: its report, its scores, its money, and how it replays.

python -m tests.data.schema1.said RUN      as one JSON object
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from tests.data.schema1 import players

from polyathlon.cli.replay import replay as replay_command
from polyathlon.cli.report import report as report_command
from polyathlon.cli.score import score as score_command
from polyathlon.core import trace
from polyathlon.core.errors import UserError
from polyathlon.experiments.coordinator import spent_usd
from polyathlon.experiments.rundir import open_run
from polyathlon.media.fingerprint import (
    raster_fingerprint,
    render_fingerprint,
    sound_fingerprint,
)

SCORERS = ("loops", "reflections")
SOUNDS, PICTURES = "sounds", "pictures"


def said(run: Path) -> dict[str, Any]:
    """All of it; `shown` and `verified` are by episode."""
    ids = open_run(run).episode_ids()
    return {
        "report": report(run),
        "scores": {name: scores(run, name) for name in SCORERS},
        "spent_usd": spent_usd(open_run(run)),
        "shown": {id: shown(run, id) for id in ids},
        "verified": verified(run),
        "signals": {id: needed for id in ids if (needed := signals(run, id))},
        "fingerprints": fingerprints(),
    }


def report(run: Path) -> dict[str, Any]:
    """The object of `polyathlon report RUN --json` without the path."""
    found = json.loads(_told(run, report_command, json=True))
    return {key: value for key, value in found.items() if key not in ("run", "runs")}


def scores(run: Path, scorer: str) -> dict[str, Any] | str:
    """The object of `polyathlon score` without path and reuse, or why there is none."""
    text = _told(run, score_command, scorer=scorer, again=True, json=True)
    if not text.startswith("{"):
        return text
    return {key: value for key, value in json.loads(text).items() if key not in ("run", "reused")}


def shown(run: Path, id: str) -> list[str]:
    """The lines of `polyathlon replay RUN ID`."""
    return _told(run, replay_command, id).splitlines()


def verified(run: Path) -> dict[str, str]:
    """The verdicts of `polyathlon replay RUN --verify --trust` by episode."""
    lines = _told(run, replay_command, verify=True, trust=True).splitlines()
    return {id: verdict.strip() for id, verdict in (line.split(" ", 1) for line in lines)}


def signals(run: Path, id: str) -> list[str]:
    """What messages of an episode hold beside words: its verdict needs equal pixels or samples."""
    said = (event for event in open_run(run).events(id) if isinstance(event, trace.Said))
    kinds = {part.type for event in said for part in event.parts}
    return [SOUNDS] * ("audio" in kinds) + [PICTURES] * bool(kinds & {"image", "video"})


def fingerprints() -> dict[str, str]:
    """What decides the pixels and the samples of this machine."""
    return {
        SOUNDS: sound_fingerprint(),
        PICTURES: f"{render_fingerprint()} {raster_fingerprint()}",
    }


def _told(run: Path, command: Callable[..., object], *words: str, **options: object) -> str:
    """What a command prints, or its problem, with RUN for the path of the run."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        try:
            command(run, *words, **options)
        except UserError as problem:
            print(problem)
    return out.getvalue().replace(str(run), "RUN").strip()


if __name__ == "__main__":
    players.register()
    print(json.dumps(said(Path(sys.argv[1]).resolve()), indent=1, ensure_ascii=False))
