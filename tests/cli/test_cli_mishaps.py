"""What the terminal says at the end of a run that did not go well, and what tables leave out."""

from __future__ import annotations

import shlex

import pytest
from tests.experiments.servers import server_thread

from polyathlon.analysis import table
from polyathlon.analysis.cells import cells
from polyathlon.analysis.mishaps import examples
from polyathlon.cli import main
from polyathlon.experiments.rundir import open_run

SOKOBAN = ["run", "lmgame/sokoban-v0", "--level", "level-1"]
GAME = ["run", "lmgame/twenty48-v0"]


def broken(obs):
    return {}["no such"]


def broken_late(obs):
    return "right" if obs.turn < 2 else broken(obs)


BROKEN = [*SOKOBAN, "--agent", f"{__name__}:broken"]


def _shown(lines, capsys):
    """What the command in the last line prints."""
    command = shlex.split(lines[-1])
    assert command[0] == "polyathlon"
    assert main(command[1:]) == 0
    return capsys.readouterr().out


def test_a_fault_ends_the_output_with_its_cause_count_place_and_command(tmp_path, capsys):
    assert main([*BROKEN, "--episodes", "3", "--out", str(tmp_path / "a run")]) == 1
    lines = capsys.readouterr().err.splitlines()[-3:]
    assert lines[0] == "3 episodes failed: KeyError: 'no such'"
    assert lines[1].strip() == f'{_file()}:21 in broken: return {{}}["no such"]'
    assert "in broken" in _shown(lines, capsys)


def _file():
    return "tests/cli/test_cli_mishaps.py"


def test_a_refusing_server_is_quoted(tmp_path, capsys):
    with server_thread("every:1=400", "move: up") as url:
        code = main([*GAME, "--model", f"vllm/any@{url}", "--seeds", "0", "--out", str(tmp_path)])
    assert code == 1
    lines = capsys.readouterr().err.splitlines()[-3:]
    assert lines[0] == "1 episode failed: model:bad_request"
    assert "HTTP 400" in lines[1]
    assert "failed (model:bad_request)\n      HTTP 400" in _shown(lines, capsys)


def test_a_limit_is_named(tmp_path, capsys):
    arguments = ["--agent", "random", "--turns", "3", "--episodes", "2", "--out", str(tmp_path)]
    assert main([*SOKOBAN, *arguments]) == 0
    lines = capsys.readouterr().err.splitlines()[-2:]
    assert lines[0] == "2 episodes cut off: limit:turns"
    assert "limit:turns" in _shown(lines, capsys)


def test_what_went_well_says_nothing(tmp_path, capsys):
    assert main([*SOKOBAN, "--agent", "oracle", "--seeds", "0", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().err.splitlines()[-1].startswith("1/1 episodes")


def test_the_json_object_stays_alone_on_stdout(tmp_path, capsys):
    main([*BROKEN, "--seeds", "0", "--json", "--out", str(tmp_path)])
    said = capsys.readouterr()
    assert said.out.startswith("{")
    assert said.out.rstrip().endswith("}")
    assert "polyathlon replay" in said.err


@pytest.mark.parametrize("price", [1.0, 1e6], ids=["used up", "one call is dearer"])
def test_a_budget_stop_says_what_was_there_and_what_to_type(price, tmp_path, capsys):
    with server_thread("", "move: up,move: left") as url:
        model = f"vllm/any@{url}"
        code = main(
            [
                *GAME, "--model", model, "--seeds", "0", "--price", f"{model}={price},{price}",
                "--budget-usd", "0.01", "--harness", "max_tokens=1000", "--out", str(tmp_path),
            ]
        )  # fmt: skip
    assert code == 1
    said = capsys.readouterr().err
    assert "1 episode stopped: budget_usd" in said
    assert "--harness max_tokens=N" in said
    assert "--budget-usd" in said
    assert ("more than the whole budget of 0.01 USD" in said) == (price > 1)
    assert ("were spent and 0 reserved" in said) == (price == 1)


def test_a_failed_row_tells_no_outcome_of_the_rules(tmp_path, capsys):
    arguments = ["--agent", f"{__name__}:broken_late", "--episodes", "2", "--out", str(tmp_path)]
    main([*SOKOBAN, *arguments])
    [cell] = cells(table.episodes(tmp_path).episodes)
    assert cell.score.n == 2
    assert "deadlocked" not in cell.metrics
    capsys.readouterr()
    main(["report", str(tmp_path), "--md"])
    said = capsys.readouterr().out
    assert "deadlocked" not in said
    main(["replay", str(tmp_path), open_run(tmp_path).episode_ids()[0]])
    assert "deadlocked" not in capsys.readouterr().out
    assert [one.what for one in examples(table.episodes(tmp_path).episodes)] == ["failed"]


def test_the_page_names_causes_and_shows_a_traceback(tmp_path):
    main([*BROKEN, "--seeds", "0", "--out", str(tmp_path)])
    page = (tmp_path / "report.html").read_text()
    assert "Failed and cut off" in page
    assert "in broken: return" in page
    assert "deadlocked" not in page
