"""Myriad Echoes: reading and writing answers."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.agents.harness.protocol import parse as read_reply
from polyathlon.agents.models import gbnf
from polyathlon.core.actions import Malformed
from polyathlon.core.chance import stream
from polyathlon.envs.omniplay.echoes.answers import (
    KINDS,
    MOST_ITEMS,
    Click,
    Clicking,
    Transcribing,
    Transcription,
)
from polyathlon.envs.omniplay.echoes.rules import GRIDS, Rules

WRITING = Transcribing(2, 3, ("dog", "cat", "bird", "cow", "piano", "drum"))
CLICKING = Clicking(2, 3)
ANSWER = Transcription(((2, 1), (1, 3)), ("dog", "cat"))

SPELLINGS = [
    "Sequence analysis: [(2,1) (1,3)]\nSequence icons: [dog, cat]",
    "sequence ANALYSIS: [(2, 1), (1, 3)] SEQUENCE icons: ['Dog', \"CAT\"]",
    "**Sequence analysis:** [( 2 , 1 );(1,3),]\n**Sequence icons:** [dog cat]",
    "Sequence icons: [dog, cat]\nSequence analysis: [(2,1)(1,3)]",
    "`Sequence_analysis`: [(2,1) (1,3)]\n- `Sequence_icons`: [`dog`, `cat`].",
    "Sequence analysis：［（2，1）、（1，3）］\nSequence icons：【“dog”，‘cat’】",
    "(2,1) dog (1,3) cat",
    " ( 2, 1 ) Dog, (1,3)cat. ",
]
UNREADABLE = [
    "",
    "Sequence analysis: [(2,1) (1,3)]",
    "Sequence icons: [dog, cat]",
    "Sequence analysis: [] Sequence icons: []",
    "Sequence analysis: [(row1,col1) (row2,col2)] Sequence icons: [icon1, icon2]",
    "Sequence analysis: [(2,1) (1,3) Sequence icons: [dog, cat",
    "I think it was (2,1) dog (1,3) cat",
    "(2,1) dog (1,3)",
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_spellings(text: str) -> None:
    assert WRITING.parse(text) == ANSWER


@pytest.mark.parametrize("text", UNREADABLE)
def test_unreadable(text: str) -> None:
    assert isinstance(WRITING.parse(text), Malformed)


def test_the_last_lists_count() -> None:
    first = "Sequence analysis: [(1,1)]\nSequence icons: [cow]\n"
    assert WRITING.parse(first + "No, wait.\n" + SPELLINGS[0]) == ANSWER
    echoed = "\nSequence analysis: [(row1,col1)]\nSequence icons: [icon1]"
    assert WRITING.parse(SPELLINGS[0] + echoed) == ANSWER


def test_wrong_content_is_read_not_refused() -> None:
    """What is wrong is for the rules to count: too short, outside the grid, an unknown name."""
    read = WRITING.parse("Sequence analysis: [(0,0) (9,12)] Sequence icons: [unicorn]")
    assert read == Transcription(((0, 0), (9, 12)), ("unicorn",))


def test_lists_are_bounded() -> None:
    most = "(1,1) dog " * MOST_ITEMS
    assert isinstance(WRITING.parse(most), Transcription)
    assert isinstance(WRITING.parse(most + "(1,1) dog"), Malformed)


@pytest.mark.parametrize(
    "text",
    [
        "(2,3)",
        "( 2 , 3 ).",
        "Suggested click: (2,3)",
        "first (1,1), so\n**Suggested Click:** (2, 3)",
        "Suggested click: (1,1)\nSuggested click: (2,3)",
    ],
)
def test_clicks(text: str) -> None:
    assert CLICKING.parse(text) == Click(2, 3)


@pytest.mark.parametrize("text", ["", "2,3", "it is (2,3)", "Suggested click: (row,col)", "(2;3)"])
def test_unreadable_clicks(text: str) -> None:
    assert isinstance(CLICKING.parse(text), Malformed)


PIECES = st.sampled_from(
    ["Sequence analysis", "Sequence icons", "Suggested click", ":", "[", "]", "(", ")", ",", " ",
     "1", "23", "4567", "dog", "cat", "\n", "*", "'", "٣", "\ud800", "："]
)  # fmt: skip
TEXTS = st.text() | st.lists(PIECES, max_size=60).map("".join)


@given(TEXTS)
def test_any_text_is_read_or_refused(text: str) -> None:
    for space, kind in ((WRITING, Transcription), (CLICKING, Click)):
        read = space.parse(text)
        assert isinstance(read, kind | Malformed)
        if isinstance(read, kind):
            assert space.parse(space.write(read)) == read


CELLS = st.tuples(st.integers(0, 999), st.integers(0, 999))
NAMES = st.sampled_from(KINDS) | st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12)


@given(st.lists(CELLS, min_size=1, max_size=20), st.lists(NAMES, min_size=1, max_size=20))
def test_written_answers_read_back(cells: list[tuple[int, int]], icons: list[str]) -> None:
    answer = Transcription(tuple(cells), tuple(icons))
    assert WRITING.parse(WRITING.write(answer)) == answer


@given(CELLS)
def test_written_clicks_read_back(cell: tuple[int, int]) -> None:
    assert CLICKING.parse(CLICKING.write(Click(*cell))) == Click(*cell)


@pytest.mark.parametrize("level", GRIDS)
def test_grammar_and_schema_hold_what_is_written(level: str) -> None:
    rows, columns = GRIDS[level]
    rng = stream(0, "test", level)
    for space in (Transcribing(rows, columns, KINDS[:1] * rows * columns), Clicking(rows, columns)):
        grammar = gbnf.parse(f"root ::= {space.gbnf()}")
        pattern = re.compile(space.schema()["pattern"])
        for _ in range(50):
            generated = grammar.write(rng.below)
            assert not isinstance(space.parse(generated), Malformed)
            assert pattern.fullmatch(generated)
            assert pattern.fullmatch(space.write(space.sample(rng)))


def test_a_whole_reply_is_read_by_the_protocol() -> None:
    for reply in (f"thought: it lit up\nmove: {SPELLINGS[0]}", SPELLINGS[0]):
        assert read_reply(reply, WRITING).action == ANSWER


def test_long_text_is_read_quickly() -> None:
    started = time.process_time()
    for text in ("sequence analysis: [" * 20_000, "(1,1) dog" * 20_000, "[ " * 100_000):
        WRITING.parse(text)
        CLICKING.parse(text)
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize("level", GRIDS)
def test_a_person_gathers_clicks_on_the_clip(level: str) -> None:
    rules = Rules(level, phases=2, sequence_source="own", match="leading")
    rules.reset(5)
    controls = Transcribing(rules.rows, rules.columns, rules.layout).controls()
    assert controls.gather
    fragments = {
        tuple(map(int, re.findall(r"\d", region.text))): region.text for region in controls.regions
    }
    gathered = " ".join(fragments[cell] for cell in rules.order)
    read = WRITING.parse(gathered)
    assert read == Transcription(rules.order, rules.icons(rules.order))


@pytest.mark.parametrize("level", GRIDS)
def test_a_person_clicks_where_the_clip_had_the_icon(level: str) -> None:
    rows, columns = GRIDS[level]
    space = Clicking(rows, columns)
    regions = Transcribing(rows, columns, ("dog",) * rows * columns).controls().regions
    assert len(regions) == rows * columns
    for region in regions:
        x, y = (region.left + region.right) / 2, (region.top + region.bottom) / 2
        clicked = space.from_point("screen", x, y)
        assert clicked is not None
        assert region.text == f"({clicked.row},{clicked.column}) dog"
        assert space.from_point("clip", x, y) is None
    assert space.from_point("screen", 0.0, 0.0) is None
