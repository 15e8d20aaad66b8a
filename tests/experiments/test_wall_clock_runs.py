"""Wall-clock games of the bomb, through a run directory: each is the same when it is played again.

POLYATHLON_WALL_CLOCK_BOMBS says how many games are played.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
import yaml

from polyathlon.cli import main
from polyathlon.experiments.rundir import open_run

BOMBS = int(os.environ.get("POLYATHLON_WALL_CLOCK_BOMBS", "3"))
AT_ONCE = 25
PAIRS = {
    "words": ("talker", "manual", {"levels": ["wires"]}),
    "many modules": ("talker", "manual", {"levels": ["multi"]}),
    "strikes": ("stochastic", "random", {"levels": ["random"], "options": {"needy": 2}}),
}
EACH = -(-BOMBS // len(PAIRS))


def test_bombs_on_the_walls_clock_verify(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, file = tmp_path / "run", tmp_path / "bombs.yaml"
    groups = [_group(*pair) for pair in PAIRS.values()]
    file.write_text(yaml.safe_dump({"groups": groups}), encoding="utf-8")
    main(["run", str(file), "--concurrency", str(AT_ONCE), "--json", "--out", str(out)])
    run = open_run(out)
    ends = Counter(ended.cause for id in run.episode_ids() if (ended := run.ended(id)))
    assert sum(ends.values()) == EACH * len(PAIRS)
    assert ends.keys() <= {"solved", "strikeout", "limit:turns", "limit:wall_s"}
    capsys.readouterr()
    assert main(["replay", str(out), "--verify"]) == 0
    assert capsys.readouterr().out.count("same: ") == sum(ends.values())
    print(f"{sum(ends.values())} wall-clock games of the bomb verify: {dict(ends)}")


def _group(defuser: str, expert: str, more: dict[str, object]) -> dict[str, object]:
    return {
        "targets": ["gptnt/defusal-v0"],
        "lineups": [{"defuser": {"kind": defuser}, "expert": {"kind": expert}}],
        "seeds": f"0:{EACH}",
        "scheduler": {"kind": "realtime"},
        "limits": {"turns": 12, "wall_s": 1 if BOMBS < 10 else 6},
        **more,
    }
