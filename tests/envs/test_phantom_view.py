"""Phantom Soldiers in the Fog: commands, percepts, and the map."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.agents.models import gbnf
from polyathlon.core.actions import Malformed
from polyathlon.core.chance import stream
from polyathlon.core.controls import Controlled
from polyathlon.core.parts import Video
from polyathlon.core.percepts import Percept
from polyathlon.envs.omniplay.phantom import SPEC, view
from polyathlon.envs.omniplay.phantom.rules import ROLE, Rules
from polyathlon.envs.omniplay.phantom.rules.command import ACTIONS, STATUS, Command
from polyathlon.envs.omniplay.phantom.rules.world import Threat
from polyathlon.envs.omniplay.phantom.view import report, tactical
from polyathlon.envs.omniplay.phantom.view.commands import Commands
from polyathlon.envs.omniplay.phantom.view.layout import HEIGHT_PX, WIDTH_PX, to_map, to_px
from polyathlon.media.speech import Spoken
from polyathlon.media.video import arrays

FOUR = Commands((0, 1, 2, 3))
places = st.integers(0, 1_000_000).map(lambda value: value / 10_000)
commands = st.builds(
    Command,
    st.sets(st.integers(0, 3)).map(lambda members: tuple(sorted(members))),
    st.sampled_from([action for action in ACTIONS if action != "status"]),
    places,
    places,
)


def started(level: str = "easy", seed: int = 0, **options: object) -> Rules:
    game = Rules(level, **SPEC.configure(options))
    game.reset(seed)
    return game


def played(level: str, seed: int, rounds: int) -> Rules:
    game, rng = started(level, seed), stream(seed, "view")
    for _ in range(rounds):
        game.act(ROLE, view.actions(game, ROLE).sample(rng))
    return game


def channels(game: Rules) -> dict[str, Percept]:
    return {percept.channel: percept for percept in view.percepts(game, ROLE)}


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("COMMAND: 0 move 40 55", Command((0,), "move", 40, 55)),
        ("COMMAND: all recon 0 100", Command((), "recon", 0, 100)),
        ("I think.\nCOMMAND: 2,0 attack 12.5 99.5", Command((0, 2), "attack", 12.5, 99.5)),
        ("**COMMAND:** 0, 1,3 defend 7, 8.", Command((0, 1, 3), "defend", 7, 8)),
        ("command: ALL Status", STATUS),
        ("`COMMAND: 1 status 5 5`", Command((1,), "status")),
        ('"COMMAND: 1 move 5 5."', Command((1,), "move", 5, 5)),
        ("So COMMAND: 3 move 1 2  \nThat is my choice.", Command((3,), "move", 1, 2)),
    ],
)
def test_one_well_formed_command_is_read(text: str, command: Command) -> None:
    assert FOUR.parse(text) == command


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0 move 40 55",
        "COMMAND:",
        "COMMAND: 0 move 40",
        "COMMAND: 0 move",
        "COMMAND: 4 move 1 1",
        "COMMAND: 0,9 move 1 1",
        "COMMAND: 0 run 1 1",
        "COMMAND: 0 move 101 5",
        "COMMAND: 0 status 101 5",
        "COMMAND: 0 move -1 5",
        "COMMAND: 0 move to 5 5",
        "COMMAND: [0] move 5 5",
        "COMMAND: 0 move 5 5 5",
        "COMMAND: 0 move 5 5\nCOMMAND: 1 move 5 5",
        "COMMAND: 0 move 5 5\nCOMMAND: nonsense",
        "COMMAND: move 5 5",
        "COMMAND: 0, move 5 5",
        "COMMAND: 0 move nan 5",
    ],
)
def test_anything_else_is_malformed(text: str) -> None:
    found = FOUR.parse(text)
    assert isinstance(found, Malformed)
    assert found.reason
    assert "\n" not in found.reason


def test_a_command_at_the_end_of_a_very_long_reply_is_read() -> None:
    found = FOUR.parse("I weigh this.\n" * 3_000 + "COMMAND: all status")
    assert found == Command((), "status")


@given(st.text() | st.text("COMAND: alstu0123,.5\n*`", max_size=60))
def test_parsing_never_raises(text: str) -> None:
    found = FOUR.parse(text)
    assert isinstance(found, Malformed) or FOUR.parse(FOUR.write(found)) == found


@given(commands, st.text(alphabet=st.characters(exclude_characters=":"), max_size=80))
def test_commands_read_back_as_written_also_after_a_text(command: Command, before: str) -> None:
    assert FOUR.parse(FOUR.write(command)) == command
    assert FOUR.parse(f"{before}\n{FOUR.write(command)}") == command


@given(st.integers(0, 10_000))
def test_what_the_grammar_allows_is_a_command(seed: int) -> None:
    living = ((0, 1, 2, 3), (1, 3), (2,))[seed % 3]
    space = Commands(living)
    text = gbnf.parse(f"root ::= {space.gbnf()}").write(stream(seed, "gbnf").below)
    assert isinstance(space.parse(text), Command)
    schema = space.schema()
    assert isinstance(schema, dict)
    assert re.fullmatch(str(schema["pattern"]), text)


def test_random_commands_are_uniform_over_forms_and_actions() -> None:
    rng = stream(0, "uniform")
    drawn = [FOUR.sample(rng) for _ in range(3_000)]
    forms = [sum(test) / 3_000 for test in zip(*map(_form, drawn), strict=True)]
    assert forms == pytest.approx([1 / 3] * 3, abs=0.03)
    for action in ACTIONS:
        share = sum(command.action == action for command in drawn) / 3_000
        assert share == pytest.approx(0.2, abs=0.03)
    assert {len(command.members) for command in drawn} == {0, 1, 2, 3, 4}
    assert all(command.x == int(command.x) and 0 <= command.x <= 100 for command in drawn)


def _form(command: Command) -> tuple[bool, bool, bool]:
    count = len(command.members)
    return count == 0, count == 1, count > 1


def test_a_lone_survivor_is_ordered_alone() -> None:
    rng = stream(0, "alone")
    assert {Commands((2,)).sample(rng).members for _ in range(50)} == {(), (2,)}


def test_every_answer_of_the_controls_is_a_command() -> None:
    for space in (FOUR, Commands((1,))):
        assert isinstance(space, Controlled)
        controls = space.controls()
        who, action, x, y = controls.fields
        for members, name in itertools.product(who.choices, action.choices):
            for value in (x.low, x.high, 50):
                text = controls.template.format(members=members, action=name, x=value, y=value)
                assert isinstance(space.parse(text), Command), text
        for text in (*controls.buttons.values(), *controls.keys.values()):
            assert space.parse(text) == STATUS
        assert (x.low, x.high, y.low, y.high) == (0, 100, 0, 100)


def test_a_click_means_the_place_on_the_map() -> None:
    (pointer,) = FOUR.controls().pointers
    for x, y in ((0, 0), (100, 100), (20, 70)):
        column, row = to_px(x, y)
        across, down = column / WIDTH_PX, row / HEIGHT_PX
        assert pointer.x[0] + (pointer.x[1] - pointer.x[0]) * across == pytest.approx(x)
        assert pointer.y[0] + (pointer.y[1] - pointer.y[0]) * down == pytest.approx(y)
        assert to_map(column, row) == pytest.approx((x, y))
        assert FOUR.from_point("map", across, down) == Command((), "move", x, y)
    assert FOUR.from_point("map", 0.99, 0.5) is None
    assert FOUR.from_point("state", 0.5, 0.5) is None


def test_the_state_has_the_lines_of_the_specification() -> None:
    game = started("easy")
    game.act(ROLE, Command((1,), "defend", 50, 50))
    game.members[0].health = 0
    lines = report.percept(game, 12.34, 8).meaning
    assert lines is not None
    assert lines.splitlines() == [
        "Team size: 2",
        "Member 0: 0% health, out, at (10,10)",
        f"Member 1: 100% health, defending, at ({game.members[1].x:g},{game.members[1].y:g})",
        "Rounds remaining: 99",
        "Score: 12.3/100",
        "Video: movement of the last round on the tactical map",
        "Hint: unusual activity in the North-East sector",
    ]


def test_the_inverted_state_turns_places_about_the_centre() -> None:
    percept = channels(played("hard", 1, 20))["state"]
    lie = percept.counterfactuals["inverted"]
    assert percept.meaning is not None
    assert lie.meaning is not None
    for true, false in zip(report.read(percept.meaning), report.read(lie.meaning), strict=True):
        assert (false.x, false.y) == pytest.approx((100 - true.x, 100 - true.y))
        assert (false.health, false.status) == (true.health, true.status)


def _clauses(game: Rules) -> str:
    words = channels(game)["guidance"].meaning
    assert words is not None
    return words


def test_guidance_speaks_of_threats_near_by() -> None:
    game = started("easy")
    game.threats = []
    assert "CLEAR" in _clauses(game)
    game.threats = [Threat(30.0, 10.0)]
    assert "CAUTION" in _clauses(game)
    game.threats *= 3
    assert "WARNING" in _clauses(game)
    assert "FORMATION" in _clauses(game)
    game.members[1].x = 25.0
    assert "FORMATION" not in _clauses(game)


def test_guidance_names_sector_and_task_but_no_place() -> None:
    game = started("easy")
    game.threats = []
    one, two, hidden = game.objectives
    two.done = hidden.done = True
    one.x, one.y, one.kind = 80.0, 85.0, "secure"
    words = _clauses(game)
    assert "TERRAIN, move to the North-East sector, hold the objective there." in words
    assert channels(game)["guidance"].facts["suggests"] == "COMMAND: all defend 83 83"
    assert not re.search(r"\d", words.removeprefix("Step number 0"))
    one.done, hidden.done = True, False
    hidden.x, hidden.y = 30.0, 20.0
    words = _clauses(game)
    assert "TERRAIN, move to the South-West sector, search for an objective there." in words
    assert "DISCOVERY, possible objective area in the South-West sector" in words
    assert words.endswith("Priority guidance ends.")
    assert "unusual activity in the South-West sector" in str(channels(game)["state"].meaning)


def test_guidance_does_not_know_late_objectives_before_they_appear() -> None:
    game = started("hard")
    for target in game.objectives[:-1]:
        target.done = True
    assert "TERRAIN" not in _clauses(game)
    game.objectives[-1].known = True
    assert "TERRAIN" in _clauses(game)


def test_opposite_guidance_turns_sectors_and_threat() -> None:
    game = started("easy")
    game.threats = []
    for target in game.objectives:
        target.x, target.y = 80.0, 85.0
    percept = channels(game)["guidance"]
    lie = percept.counterfactuals["opposite"]
    assert lie.meaning is not None
    assert "WARNING" in lie.meaning
    assert "TERRAIN, move to the South-West sector" in lie.meaning
    assert lie.facts["words"] == lie.meaning
    assert lie.facts["suggests"] != percept.facts["suggests"]


def test_spoken_percepts_can_be_spoken_again_from_their_words() -> None:
    game = started("easy", voice="piper")
    game.act(ROLE, Command((), "move", 50, 50))
    for name in ("guidance", "radio"):
        percept = channels(game)[name]
        assert percept.scene == Spoken(str(percept.facts["words"]), "piper")
        assert percept.meaning == percept.facts["words"]


def test_the_radio_tells_where_members_really_go_when_they_have_new_orders() -> None:
    game = started("medium")
    assert "radio" not in channels(game)
    game.act(ROLE, Command((0, 2), "recon", 50, 50))
    scout, heavy = game.members[0].goal, game.members[2].goal
    assert channels(game)["radio"].meaning == (
        f"Alpha scouting towards {scout[0]:g}, {scout[1]:g}. "
        f"Charlie scouting towards {heavy[0]:g}, {heavy[1]:g}."
    )
    assert heavy != (50, 50)
    game.act(ROLE, STATUS)
    assert "radio" not in channels(game)


def test_the_map_tells_no_task_no_health_and_nothing_undiscovered() -> None:
    game = started("hard", 4)
    told = channels(game)["map"].meaning
    assert told is not None
    assert told.count("Objective") == 4
    assert "Threat" not in told
    assert not re.search(r"health|secure|survey|eliminate|reach", told)
    read = tactical.read(told)
    assert [(unit.index, unit.letter, unit.action) for unit in read.units] == [
        (0, "S", "idle"),
        (1, "A", "idle"),
        (2, "H", "idle"),
        (3, "M", "idle"),
    ]
    assert len(read.open) == 4
    assert len(read.unseen) == 9


def test_threats_stay_on_the_map_where_they_were_seen() -> None:
    game = started("easy")
    game.threats = [Threat(20.0, 20.0)]
    game.act(ROLE, STATUS)
    assert "Threat at (20, 20): in sight." in str(channels(game)["map"].meaning)
    for member in game.members:
        member.x, member.y = member.goal = (80.0, 80.0)
    game.act(ROLE, STATUS)
    assert "Threat at (20, 20): seen earlier." in str(channels(game)["map"].meaning)


@pytest.mark.parametrize("level", SPEC.levels)
def test_turning_the_map_twice_gives_it_back(level: str) -> None:
    scene = channels(played(level, 2, 30))["map"].scene
    once = tactical.turn(scene)
    assert once != scene
    twice = tactical.turn(once)
    assert twice.explored == scene.explored
    for unit, same in zip(scene.units, twice.units, strict=True):
        assert same.at == pytest.approx(unit.at)
        assert same.aim == pytest.approx(unit.aim)


def test_the_mirrored_map_moves_objectives_across_the_centre() -> None:
    percept = channels(played("medium", 2, 10))["map"]
    true = tactical.read(str(percept.meaning))
    false = tactical.read(str(percept.counterfactuals["mirrored"].meaning))
    for (x, y), (u, v) in zip(true.open, false.open, strict=True):
        assert (u, v) == pytest.approx((100 - x, 100 - y), abs=1)


def test_the_clip_shows_the_movement_of_the_round() -> None:
    game = started("easy")
    percept = channels(game)["map"]
    still = percept.render()
    assert isinstance(still, Video)
    assert (still.width_px, still.height_px, still.fps, still.frames) == (640, 480, 8.0, 12)
    frames = arrays(still)
    assert all(np.array_equal(frames[0], frame) for frame in frames)
    game.act(ROLE, Command((), "move", 90, 10))
    moved = channels(game)["map"].render()
    assert isinstance(moved, Video)
    frames = arrays(moved)
    assert not np.array_equal(frames[0], frames[-1])
    column, row = (round(value) for value in to_px(game.members[0].x, game.members[0].y))
    ring = frames[-1][row, column - 8]
    assert not np.array_equal(frames[0][row, column - 8], ring)
    assert np.array_equal(frames[-2], frames[-1])


def test_fog_hides_the_ground_and_sight_lights_it() -> None:
    game = started("easy")
    frame = arrays(channels(game)["map"].render())[0]
    column, row = (round(value) for value in to_px(10, 20))
    far_column, far_row = (round(value) for value in to_px(55, 55))
    assert frame[row, column].sum() > 2 * frame[far_row, far_column].sum()
