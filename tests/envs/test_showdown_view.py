"""Blasting Showdown: what is seen, heard, read and answered."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon import registry
from polyathlon.core.actions import Malformed
from polyathlon.core.chance import stream
from polyathlon.core.compose import ComposedEnv
from polyathlon.core.controls import Controlled
from polyathlon.core.parts import Audio, Image
from polyathlon.core.percepts import Percept
from polyathlon.envs.omniplay.showdown import SPEC
from polyathlon.envs.omniplay.showdown.rules.arena import CELLS, CRATE, cell_at, xy
from polyathlon.envs.omniplay.showdown.rules.bombs import Bomb
from polyathlon.envs.omniplay.showdown.rules.pieces import PLACE, ROLES, Event, Move
from polyathlon.envs.omniplay.showdown.view import hearing
from polyathlon.envs.omniplay.showdown.view.orders import BOMB, EVERYTHING, Orders
from polyathlon.envs.omniplay.showdown.view.window import WHOLE, window

ORDERS = Orders(0, (0, 1, 15), True)
MOVE = '{"action_type": 0, "target_x": 12, "target_y": 3}'
actions = st.just(PLACE) | st.builds(Move, st.integers(0, 14), st.integers(0, 14))


def started(seed: int = 0, **options: Any) -> Any:
    env = registry.make(SPEC.id, options=options)
    assert isinstance(env, ComposedEnv)
    env.reset(seed)
    return env


def seen(env: Any, role: str = "red") -> dict[str, Percept]:
    return {percept.channel: percept for percept in env.observe(role).percepts}


def told(env: Any, channel: str, role: str = "red") -> str:
    return seen(env, role)[channel].meaning or ""


def picture(env: Any, role: str = "red") -> Any:
    part = seen(env, role)["arena"].render()
    assert isinstance(part, Image)
    return np.frombuffer(part.rgb, np.uint8).reshape(part.height_px, part.width_px, 3)


def cell_of(shot: Any, cell: int, view: Any = WHOLE) -> Any:
    left, top = view.place_px(cell)
    return shot[top : top + view.cell_px, left : left + view.cell_px]


@given(actions)
def test_answers_read_back(action: Any) -> None:
    assert ORDERS.parse(ORDERS.write(action)) == action


@given(st.text() | st.text(' {}":,.0123456789-eE[]actionyp_trgxe', max_size=80))
def test_parse_never_raises(text: str) -> None:
    read = ORDERS.parse(text)
    if not isinstance(read, Malformed):
        assert ORDERS.parse(ORDERS.write(read)) == read


@pytest.mark.parametrize(
    "text",
    [
        MOVE,
        f"  {MOVE}\n",
        f"```json\n{MOVE}\n```",
        f"```\n{MOVE}\n```",
        f"**{MOVE}**",
        MOVE.replace(" ", "\n  "),
        '{"target_y":3,"target_x":12,"action_type":0}',
    ],
)
def test_a_bare_or_fenced_object_is_an_answer(text: str) -> None:
    assert ORDERS.parse(text) == Move(12, 3)


def test_a_bomb_lies_on_the_own_cell_whatever_its_target() -> None:
    assert ORDERS.parse(BOMB) == PLACE
    assert ORDERS.parse(BOMB.replace('"target_x": 0', '"target_x": 7')) == PLACE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "bomb",
        f"I move. {MOVE}",
        f"{MOVE} is best",
        f"[{MOVE}]",
        MOVE + MOVE,
        MOVE.replace("12", "12.0"),
        MOVE.replace("12", "1e1"),
        MOVE.replace("12", '"12"'),
        MOVE.replace("12", "15"),
        MOVE.replace("12", "-1"),
        MOVE.replace("12", "true"),
        MOVE.replace("12", "null"),
        MOVE.replace('"action_type": 0', '"action_type": 2'),
        MOVE.replace("target_x", "x"),
        MOVE.replace("}", ', "why": 1}'),
        '{"action_type": 0, "target_x": 1}',
    ],
)
def test_anything_else_is_none(text: str) -> None:
    assert isinstance(ORDERS.parse(text), Malformed)


def test_the_grammar_generates_exactly_the_answers() -> None:
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|[()|]', ORDERS.gbnf())
    pattern = "".join(t if len(t) == 1 else re.escape(json.loads(t)) for t in tokens)
    assert all(re.fullmatch(pattern, text) for text in EVERYTHING)
    for text in (MOVE.replace("12", "15"), MOVE.replace("12", "-1"), MOVE[:-1], f"{MOVE} "):
        assert not re.fullmatch(pattern, text)


def test_the_schema_asks_for_the_three_keys() -> None:
    schema = ORDERS.schema()
    assert isinstance(schema, dict)
    assert schema["required"] == list(schema["properties"]) == list(json.loads(BOMB))


def test_samples_are_uniform_over_what_can_be_done() -> None:
    rng = stream(0, "test")
    counts = dict.fromkeys((PLACE, Move(0, 0), Move(1, 0), Move(0, 1)), 0)
    for _ in range(4_000):
        counts[ORDERS.sample(rng)] += 1
    assert all(900 < count < 1_100 for count in counts.values())
    unarmed = Orders(0, (0, 1), False)
    assert {unarmed.sample(rng) for _ in range(100)} == {Move(0, 0), Move(1, 0)}


def test_every_answer_is_listed_once() -> None:
    assert len(set(EVERYTHING)) == CELLS + 1
    assert {ORDERS.parse(text) for text in EVERYTHING} >= {PLACE, Move(0, 0), Move(14, 14)}
    assert set(ORDERS.offered) == {
        ORDERS.write(a) for a in (PLACE, Move(0, 0), Move(1, 0), Move(0, 1))
    }
    assert BOMB not in Orders(0, (0,), False).offered


@pytest.mark.parametrize("radius", [0, 3, 5, 14])
def test_a_click_on_a_cell_moves_there(radius: int) -> None:
    at = cell_at(13, 6)
    orders, view = Orders(at, (at,), True, radius), window(at, radius)
    for cell in view.cells:
        left, top = view.place_px(cell)
        x, y = (left + view.cell_px / 2) / 536, (top + view.cell_px / 2) / 568
        assert orders.from_point("arena", x, y) == Move(*xy(cell))
    assert orders.from_point("arena", 0.0, 0.0) is None
    assert orders.from_point("state", 0.5, 0.5) is None


def test_keys_and_buttons_make_answers() -> None:
    assert isinstance(ORDERS, Controlled)
    controls = ORDERS.controls()
    assert controls.keys[" "] == BOMB == controls.buttons["Bomb"]
    assert ORDERS.parse(controls.keys["ArrowDown"]) == Move(0, 1)
    assert ORDERS.parse(controls.buttons["Stay"]) == Move(0, 0)
    assert "ArrowUp" not in controls.keys
    for text in (*controls.keys.values(), *controls.buttons.values()):
        assert not isinstance(ORDERS.parse(text), Malformed)


def test_the_state_says_what_a_turn_needs() -> None:
    env = started(crates=0.0)
    text = told(env, "state")
    assert "Round 0 of 100" in text
    assert "You: Red, player 1, alive, at (0, 0)" in text
    assert "Fire power 2; bomb count 1; bombs placed 0; speed 1; trapped 0" in text
    assert "Danger: your cell is in no blast" in text
    assert "at most 5 cells" in text
    assert "Blue at (14, 0); Green at (0, 14); Yellow at (14, 14)" in text
    assert "which nobody can pass: none" in text
    assert text.endswith(
        "Changes since your last turn: none\nEvents since your last turn: no special events\n"
        "Your last actions: none yet"
    )


def test_danger_changes_events_and_history_are_told() -> None:
    env = started(crates=0.0)
    env.rules.players[1].cell = cell_at(2, 0)
    env.act("red", Move(3, 0))
    env.act("blue", PLACE)
    assert "Events since your last turn: Blue placed a bomb at (2, 0)" in told(env, "state")
    env.act("green", Move(0, 14))
    env.act("yellow", Move(14, 14))
    text = told(env, "state")
    assert "YOUR CELL IS IN THE BLAST OF A LIVE BOMB, rounds to explosion 2" in text
    assert "- Blue's at (2, 0), rounds to explosion 2, range 2, x 0 to 4 and y 0 to 2" in text
    assert "bombs on field 0 -> 1" in text
    assert "Your last actions: round 0: move to (3, 0)" in text


def test_a_pillar_shelters_from_danger() -> None:
    env = started(crates=0.0)
    env.rules.bombs = [Bomb(cell_at(1, 0), 1, 2, 5)]
    env.rules.players[0].cell = cell_at(1, 2)
    assert "your cell is in no blast" in told(env, "state")


def test_with_a_view_radius_only_near_things_are_written_and_drawn() -> None:
    env = started(crates=0.0, view_radius=5)
    env.act("red", PLACE)
    env.act("blue", PLACE)
    text = told(env, "state")
    assert "Red's at (0, 0)" in text
    assert "Blue" not in text
    assert "blue" not in told(env, "arena").partition("players:")[2]
    assert "y 5:" in told(env, "arena")
    assert "y 6:" not in told(env, "arena")


def test_out_of_turn_there_is_an_observing_variant() -> None:
    env = started()
    assert "What do you do?" in env.observe("red").ask
    assert env.observe("blue").ask == "It is Red's turn; you watch. No action is asked of you."
    assert told(env, "state", "blue").startswith("Round 0")
    env.rules.players[1].alive = False
    assert "You are eliminated" in env.observe("blue").ask


def test_the_picture_shows_players_bombs_crates_power_ups_and_flames() -> None:
    env = started(crates=0.0)
    bare = picture(env)
    where = {"bomb": 60, "crate": 64, "flame": 68, "power-up": 72}
    env.rules.bombs = [Bomb(60, 2, 3, 2)]
    env.rules.ground[64] = CRATE
    env.rules.flames = frozenset({68})
    env.rules.ground[72] = ord("s")
    shot = picture(env)
    for cell in where.values():
        assert not np.array_equal(cell_of(shot, cell), cell_of(bare, cell))
    changed = {cell for cell in WHOLE.cells
               if not np.array_equal(cell_of(shot, cell), cell_of(bare, cell))}  # fmt: skip
    assert changed == set(where.values())


def test_countdowns_kinds_and_players_look_different() -> None:
    env = started(crates=0.0)
    looks = []
    for countdown in (1, 2, 3):
        for owner in (0, 1):
            env.rules.bombs = [Bomb(60, owner, countdown, 2)]
            looks.append(cell_of(picture(env), 60).tobytes())
    for kind in b"fbs":
        env.rules.ground[60] = kind
        env.rules.bombs = []
        looks.append(cell_of(picture(env), 60).tobytes())
    looks += [cell_of(picture(env), player.cell).tobytes() for player in env.rules.players]
    looks.append(cell_of(picture(env, "blue"), env.rules.players[1].cell).tobytes())
    assert len(set(looks)) == len(looks)


def test_a_window_is_drawn_around_the_player() -> None:
    env = started(view_radius=3)
    env.rules.players[0].cell = cell_at(4, 4)
    view = window(cell_at(4, 4), 3)
    assert (view.count, view.cell_px) == (7, 68)
    shot = picture(env)
    assert shot.shape == (568, 536, 3)
    assert not np.array_equal(
        cell_of(shot, cell_at(4, 4), view), cell_of(shot, cell_at(4, 2), view)
    )


def test_silence_is_no_percept() -> None:
    env = started(crates=0.0)
    assert "sounds" not in seen(env)
    env.act("red", PLACE)
    assert told(env, "sounds", "blue") == "you hear: a bomb is placed"


def test_events_are_heard_in_order_then_the_fuse() -> None:
    env = started(crates=0.0)
    red = env.rules.players[0]
    kinds = ("bomb", "explosion", "out", "crate", "pickup")
    red.news = [Event(kind, 30, "blue") for kind in kinds]
    env.rules.bombs = [Bomb(2, 1, 1, 2), Bomb(15, 1, 2, 2)]
    assert told(env, "sounds") == (
        "you hear: a bomb is placed; an explosion; a player is eliminated; a crate breaks; "
        "a power-up is taken; a fuse that threatens you ticks very fast"
    )
    sound = seen(env)["sounds"].render()
    assert isinstance(sound, Audio)
    assert sound.channels == 1
    assert 1.5 < sound.duration_s < 4.0


def heard(right: int, away: int) -> tuple[float, float]:
    """The loudness at the left and the right ear."""
    sound = hearing.draw(((hearing.Cue("explosion", right, away),), True))
    ears = np.frombuffer(sound.pcm, "<i2").reshape(-1, 2).astype(float)
    left, other = np.sqrt((ears**2).mean(axis=0))
    return float(left), float(other)


def test_side_and_distance_are_heard_with_a_view_radius() -> None:
    assert heard(-7, 7)[0] > 5 * heard(-7, 7)[1]
    assert heard(7, 7)[1] > 5 * heard(7, 7)[0]
    assert heard(0, 0)[0] == pytest.approx(heard(0, 0)[1])
    assert heard(0, 2)[0] > 1.5 * heard(0, 9)[0]
    env = started(crates=0.0, view_radius=4)
    env.act("red", PLACE)
    assert told(env, "sounds", "blue") == "you hear: a bomb is placed (left, far)"


def test_a_fuse_is_heard_that_is_out_of_sight() -> None:
    env = started(crates=0.0, view_radius=1)
    env.rules.bombs = [Bomb(3, 1, 2, 4)]
    assert "no blast" in told(env, "state")
    assert told(env, "sounds") == ("you hear: a fuse that threatens you ticks fast (right, near)")


def test_every_role_is_told_its_seat() -> None:
    env = started(view_radius=5, cap=40)
    for seat, role in enumerate(ROLES):
        brief = env.brief(role)
        assert f"You are {role.title()}, player {seat + 1} of 4" in brief.task
        assert "You see 5 cells around you" in brief.rules
        assert "after 40 rounds" in brief.rules
