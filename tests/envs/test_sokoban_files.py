"""Sokoban: the reader of level files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon.core.errors import UserError
from polyathlon.envs.lmgame.sokoban.rules.generator import generate
from polyathlon.envs.lmgame.sokoban.rules.levels import (
    MAX_BYTES,
    MAX_LEVELS,
    built_in,
    load,
    parse,
    parse_file,
)

LINE = "#####\n#@$.#\n#####\n"


def refusal(text: str) -> str:
    with pytest.raises(UserError) as caught:
        parse_file(text)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_titles_comments_and_blank_lines_part_levels() -> None:
    text = f"; a set\nTitle: One\n\n{LINE}Author: me\n\nLevel #2\n{LINE}"
    assert len(parse_file(text)) == 2


def test_every_floor_and_dock_symbol_means_the_same() -> None:
    dotted = parse(["######", "#@ $.#", "######"])
    assert dotted == parse(["######", "#@-$?#", "######"]) == parse(["######", "#@_$.#", "######"])


def test_ragged_rows_and_unreachable_cells_become_wall() -> None:
    level = parse(["  #####", "###   #", "# $ .@#", "########", "   #   "])
    assert level.map[:2] == ("########", "###   ##")
    assert level.map[-1] == "########"


def test_maps_can_be_read_back() -> None:
    levels = (*built_in(), *(generate(seed, 9, 11, 2) for seed in range(5)))
    assert parse_file("\n\n".join("\n".join(level.map) for level in levels)) == levels


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "no level found"),
        ("nothing here", "no level found"),
        ("#####\n#@$.\n#####\n", r"level 1 (line 1): not closed"),
        ("\n\n#####\n# $.#\n#####\n", "level 1 (line 3): 0 workers"),
        ("######\n#@@$.#\n######\n", "2 workers"),
        ("######\n#@$..#\n######\n", "1 boxes, 2 docks"),
        (
            "\n".join(["#" * 40, *["#" + "$." * 19 + "#"] * 4, "#@" + " " * 37 + "#", "#" * 40]),
            "76 boxes",
        ),
        ("####\n#@*#\n####\n", "every box is on a dock"),
        ("#######\n#@$.#$.\n#######\n", "cannot reach"),
        ("######\n#@x$.#\n######\n", "symbol 'x'"),
        ("##\n#@\n", "3 to 64"),
        (f"{'#' * 80}\n#@$.#\n#####\n", "3 to 64"),
        ((LINE + "\n") * (MAX_LEVELS + 1), "split the file"),
    ],
)
def test_wrong_files_are_refused_with_a_hint(text: str, hint: str) -> None:
    assert hint in refusal(text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot read"):
        load(str(tmp_path / "missing"))
    with pytest.raises(UserError, match="cannot read"):
        load(str(tmp_path))
    with pytest.raises(UserError, match="cannot read"):
        load("a\0b")
    huge = tmp_path / "huge"
    huge.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(UserError, match="split it"):
        load(str(huge))


@given(st.binary(max_size=400))
@settings(max_examples=60)
def test_any_bytes_are_levels_or_a_user_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "fuzz.xsb"
    file.write_bytes(data)
    try:
        levels = load(str(file))
    except UserError:
        return
    assert levels


@given(st.text("#####  @$.?*+-_\n\r;x", max_size=200))
@settings(max_examples=50)
def test_any_drawing_is_levels_or_a_user_error(text: str) -> None:
    try:
        levels = parse_file(text)
    except UserError:
        return
    for level in levels:
        assert level.floor >> level.worker & 1
        assert level.boxes & ~level.floor == level.docks & ~level.floor == 0
        assert parse(level.map) == level


@given(st.integers(0, 1000), st.integers(0, 99), st.sampled_from("# @$.*+x\n"))
@settings(max_examples=50)
def test_one_changed_symbol_is_a_level_or_a_user_error(seed: int, at: int, symbol: str) -> None:
    text = "\n".join(generate(seed % 5, 8, 8, 2).map)
    changed = text[: at % len(text)] + symbol + text[at % len(text) + 1 :]
    try:
        levels = parse_file(changed)
    except UserError:
        return
    assert len(levels) <= 2
