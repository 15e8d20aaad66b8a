"""Every block of README and `docs/`, typed line by line over a wheel with all extras."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.core_install import declared, every_extra, wheel
from tests.cli.core_install import environment as installed
from tests.cli.doc_commands import Block, blocks
from tests.cli.providers import environment, providers
from tests.cli.test_doc_commands import polyathlon
from tests.cli.typing_desk import Desk

from polyathlon import cli

pytestmark = pytest.mark.slow
GAME = ("lmgame/twenty48-v0", "--agent", "random", "--seeds", "0", "--turns", "3")
ENV = "lmgame/sokoban-v0"


def ours() -> list[Block]:
    """The blocks of shell and the commands in sentences that call this program."""
    return [block for block in blocks() if any(map(polyathlon, block.commands))]


def pieces() -> list[Block]:
    """The blocks of Python that are no file."""
    return [block for block in blocks() if block.kind == "python" and block.module is None]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("all")
    return installed(folder / "env", wheel(folder), [*declared(), *every_extra()])


@pytest.fixture
def desk(programs: Path, tmp_path: Path) -> Iterator[Desk]:
    with providers() as url:
        made = Desk(tmp_path, programs, environment(url), url)
        yield made
        made.close()


def names(desk: Desk, words: list[str]) -> dict[str, str]:
    """What the words in capitals stand for; the runs among them are played first."""
    known = {"ENV": ENV, "family/name-v0": ENV, "N": "1"}
    if {"RUN", "DIR"} & set(words):
        desk.call("polyathlon", "run", *GAME, "--out", "RUN")
        (trace,) = (desk.folder / "RUN" / "episodes").iterdir()
        known["EPISODE"] = trace.name.partition(".")[0]
    if "DIR" in words and "--resume" in words:
        branch = ("branch", "RUN", known["EPISODE"], "--turn", "1", "--out", "DIR")
        desk.call("polyathlon", *branch)
    return known


@pytest.mark.parametrize("block", ours(), ids=str)
def test_it_does_what_it_shows(block: Block, desk: Desk) -> None:
    for other in blocks():
        if other.module and other.file == block.file:
            (desk.folder / other.module).write_text(other.text)
    for command in block.commands:
        words = polyathlon(command)
        if words is None:
            continue
        if block.kind == "inline" and (words[1:] == [] or "TARGET..." in words):
            assert words[0] in cli.COMMANDS
            desk.call("polyathlon", words[0], "--help")
        else:
            known = names(desk, words)
            desk.type([known.get(word, word) for word in words])


@pytest.mark.parametrize("block", pieces(), ids=str)
def test_a_piece_of_python_runs(block: Block, desk: Desk) -> None:
    desk.call("python", "-c", block.text)
