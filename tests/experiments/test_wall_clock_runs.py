"""Wall-clock games of the bomb, through run directories: each is the same when it is played again.

POLYATHLON_WALL_CLOCK_BOMBS says how many games are played.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from polyathlon.cli import main
from polyathlon.experiments.rundir import open_run

BOMBS = int(os.environ.get("POLYATHLON_WALL_CLOCK_BOMBS", "3"))
AT_ONCE = 25
PAIRS = {
    "words": ("--agent", "defuser=talker", "--agent", "expert=manual", "--level", "wires"),
    "many modules": ("--agent", "defuser=talker", "--agent", "expert=manual", "--level", "multi"),
    "strikes": ("--agent", "defuser=stochastic", "--agent", "expert=random", "--set", "needy=2"),
}
LIMITS = ("--turns", "12", "--limit", f"wall_s={1 if BOMBS < 10 else 6}")


@pytest.mark.parametrize("pair", PAIRS)
def test_a_bomb_on_the_walls_clock_verifies(
    pair: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    level = () if "--level" in PAIRS[pair] else ("--level", "random")
    main([
        "run", "gptnt/defusal-v0", *PAIRS[pair], *level, *LIMITS, "--scheduler", "realtime",
        "--episodes", str(-(-BOMBS // len(PAIRS))), "--concurrency", str(AT_ONCE), "--json",
        "--out", str(out),
    ])  # fmt: skip
    run = open_run(out)
    ends = Counter(ended.cause for id in run.episode_ids() if (ended := run.ended(id)))
    assert sum(ends.values()) == -(-BOMBS // len(PAIRS))
    assert ends.keys() <= {"solved", "strikeout", "limit:turns", "limit:wall_s"}
    capsys.readouterr()
    for id in run.episode_ids():
        assert main(["replay", str(out), id, "--verify"]) == 0
    assert capsys.readouterr().out.count("same: ") == sum(ends.values())
    print(f"{pair}: {sum(ends.values())} wall-clock games of the bomb verify: {dict(ends)}")
