"""Texts of messages in pieces: a file tells each once, and reading puts them together again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core import trace
from polyathlon.core.pieces import Pieces

TEXTS = st.lists(
    st.lists(
        st.sampled_from(["## Now\n", "## ", "turn 1\nboard\n\n", "\n\n", "\n", "a", "é\n\n", ""])
    ).map("".join),
    max_size=12,
)


def _said(texts: list[str]) -> list[trace.Event]:
    return [
        trace.Said(f"{number}", "", "user", (trace.Ref("text", text=text), trace.Ref("image")))
        for number, text in enumerate(texts)
    ]


@given(TEXTS, st.integers(0, 12))
def test_texts_come_back_whole_however_the_writing_is_interrupted(texts, stop):
    events = _said(texts)
    writer, lines = Pieces(), []
    for number, event in enumerate(events):
        if number == stop:
            writer = Pieces()
            for line in lines:
                writer.restored(trace.decode(line))
        lines.append(trace.encode(writer.shortened(event)))
    reader = Pieces()
    assert [reader.restored(trace.decode(line)) for line in lines] == events


def test_what_came_before_costs_a_number():
    pieces = Pieces()
    history = [f"turn {n}\nrow: 2 4 8 16\naction: left; reward: 0; valid\n\n" for n in range(50)]
    sizes = []
    for turn in range(10, 50):
        text = "## Earlier\n" + "".join(history[turn - 10 : turn]) + "## Now\nrow\n\n"
        (event,) = _said([text])
        sizes.append(len(trace.encode(pieces.shortened(event))))
    assert max(sizes[1:]) < sizes[0] / 2


@given(st.lists(st.one_of(st.integers(-3, 9), st.text(max_size=3)), max_size=5))
def test_numbers_of_no_piece_are_refused(told):
    line = trace.encode(trace.Said("0", "", "user", (trace.Ref("text", pieces=tuple(told)),)))
    known: set[str] = set()
    wrong = False
    for piece in told:
        if isinstance(piece, str):
            known.add(piece)
        elif not 0 <= piece < len(known):
            wrong = True
            break
    if not wrong:
        Pieces().restored(trace.decode(line))
        return
    with pytest.raises(ValueError, match="names piece"):
        Pieces().restored(trace.decode(line))
