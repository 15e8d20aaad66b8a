"""Tetris: words, picture, actions, prompts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon import registry
from polyathlon.core.actions import Repeat
from polyathlon.core.chance import stream
from polyathlon.envs.lmgame.tetris import SPEC, prompts, view
from polyathlon.envs.lmgame.tetris.pieces import BLANK, PIECES, Active, painted, rotations
from polyathlon.envs.lmgame.tetris.rules import COMMANDS, ROLE, SIZES, Rules
from polyathlon.envs.lmgame.tetris.view import Well
from polyathlon.media import png

EMPTY = (BLANK * 10,) * 20
REPEATS = st.builds(Repeat, st.sampled_from(COMMANDS), st.integers(1, 10))
ANSWERS = st.lists(REPEATS, min_size=1, max_size=10)


@st.composite
def wells(draw: st.DrawFn) -> Well:
    width, height = draw(st.sampled_from([*SIZES.values(), (4, 6), (20, 30)]))
    marks = st.lists(st.sampled_from([*BLANK * 4, *PIECES]), min_size=width, max_size=width)
    some = draw(st.lists(marks.map("".join), min_size=4, max_size=4))
    rows = (*[BLANK * width] * (height - len(some)), *some)
    piece = draw(st.sampled_from(PIECES))
    rotation = draw(st.integers(0, len(rotations(piece)) - 1))
    shape = rotations(piece)[rotation]
    columns = [c for _, c in shape]
    row = draw(st.integers(-shape[0][0], height - 1 - shape[-1][0]))
    col = draw(st.integers(-min(columns), width - 1 - max(columns)))
    active = draw(st.sampled_from([None, Active(piece, rotation, row, col)]))
    if active is not None:
        rows = painted(rows, active, BLANK)
    queue = draw(st.text(alphabet="".join(PIECES), max_size=6))
    return Well(rows, active, queue, draw(st.integers(0, 9_999)), draw(st.integers(0, 999)))


@settings(max_examples=50, deadline=None)
@given(wells(), st.sampled_from(["profile", "full", "off"]))
def test_read_inverts_tell(well: Well, previews: str) -> None:
    assert view.read(view.tell((well, previews))) == well


@pytest.mark.parametrize("text", ["", "row  0: ....", "row  0: ....\nrow  1: ...\nnext: I"])
def test_read_refuses_other_texts(text: str) -> None:
    with pytest.raises(ValueError, match="not a Tetris well"):
        view.read(text)


def test_words() -> None:
    rows = (*EMPTY[:2], "J.........", *EMPTY[3:])
    lines = view.tell((Well(rows, Active("T", 0, 0, 0), "IS", 5, 12), "profile")).splitlines()
    assert lines[:3] == ["row  0: .T........", "row  1: TTT.......", "row  2: J........."]
    assert lines[20:] == [
        "active T rotation 0 at rows 0-1, cols 0-2",
        "rotation 1: cols 1-2, rows 0-2 1-1",
        "rotation 2: cols 0-2, rows 1-1 1-2 1-1",
        "rotation 3: cols 0-1, rows 1-1 0-2",
        "next: I, S",
        "placed 5, lines 12, level 2",
    ]


def test_a_rotation_that_collides_is_said_to() -> None:
    rows = (*EMPTY[:2], ".J........", *EMPTY[3:])
    text = view.tell((Well(rows, Active("T", 0, 0, 0), "", 5, 12), "profile"))
    assert text.count("would collide") == 3
    assert "next: hidden" in text


def test_rotations_in_full_and_off() -> None:
    well = Well(EMPTY, Active("I", 0, 0, 3), "O", 0, 0)
    assert "rotation 1:\n  .....I....\n  .....I....\n" in view.tell((well, "full"))
    assert "\nrotation" not in view.tell((well, "off"))


def test_no_piece_is_active_when_the_game_is_over() -> None:
    rules = Rules("standard", **SPEC.configure({}))
    rules.reset(1)
    while rules.pending():
        rules.act(ROLE, (Repeat("hard_drop"),))
    assert "active none" in str(view.percepts(rules, ROLE)[0].meaning)


@pytest.mark.parametrize("options", [{}, {"width": 4, "height": 6}, {"width": 20, "height": 30}])
@pytest.mark.parametrize("preview", [0, 6])
def test_pictures(options: dict[str, int], preview: int) -> None:
    env = registry.make(SPEC.id, options={**options, "preview": preview})
    env.reset(3)
    percept = env.observe(ROLE).percepts[0]
    picture = percept.render()
    assert (picture.width_px, picture.height_px) == SPEC.channel("board").size_px
    assert picture == percept.render()
    assert png.decode(png.encode(picture)) == picture
    env.act(ROLE, (Repeat("left"),))
    assert env.observe(ROLE).percepts[0].render() != picture


@given(ANSWERS)
def test_answers_parse(pairs: list[Repeat]) -> None:
    assert view.ACTIONS.parse(view.ACTIONS.write(pairs)) == tuple(pairs)


@given(st.integers(0, 2**32))
def test_sampled_actions_are_accepted(seed: int) -> None:
    rules = Rules("standard", **SPEC.configure({}))
    rules.reset(seed)
    assert rules.act(ROLE, view.ACTIONS.sample(stream(seed, "sample"))).status == "ok"


@pytest.mark.parametrize("gravity", [True, False])
def test_the_brief_names_every_action_and_no_other(gravity: bool) -> None:
    rules = Rules("wide", **SPEC.configure({"gravity": gravity}))
    rules.reset(0)
    brief = prompts.brief(rules, ROLE)
    text = f"{brief.task} {brief.rules} {brief.answer}"
    assert all(name in text for name in COMMANDS)
    assert "14 columns" in text
    assert ("After every action" in text) is gravity
    assert not {"swap", "hold", "move_left", "rotate_clockwise"} & set(text.split())
