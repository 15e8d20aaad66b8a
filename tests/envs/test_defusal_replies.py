"""Replies to the games with the bomb: what is mended in silence, warned of, and lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon.agents.models.gbnf import Grammar
from polyathlon.core.actions import Malformed
from polyathlon.core.chance import stream
from polyathlon.envs.gptnt.bomb.play import reading
from polyathlon.envs.gptnt.bomb.play.actions import (
    NAMES,
    PRESSINGS,
    TURNINGS,
    UNPLACED,
    Flawed,
    Interact,
    Interaction,
    Mark,
    Message,
    Point,
    Wait,
    marks,
    pointed,
    relative,
)
from polyathlon.envs.gptnt.bomb.play.commands import Commands, Hands, PartnerCommands
from polyathlon.envs.gptnt.bomb.simulator import Photo

SIZE = (640, 480)
WORN = marks(["m1/wire1", "m1/wire2", "m1/wire3"])
B = WORN[1]
WAIT = '{"result": {"kind": "do_nothing", "data": {}}}'
CLICK = (
    '{"result": {"kind": "interact_game", "data": {"action": "click_release", "location": "B"}}}'
)
SAY = '{"result": {"kind": "send_message", "data": {"message": "Cut the red one."}}}'
SAID = Message("Cut the red one.")
CLICKED = Interact("click_release", B)


def hands(interaction: Interaction = "markers", worn: tuple[Mark, ...] = WORN) -> Hands:
    return Hands(interaction, SIZE, worn, (), False, Photo(b""))


def tagged(action: str, thoughts: str = "<thoughts>So be it.</thoughts>\n") -> str:
    return f"{thoughts}<action>{action}</action>"


SILENT = {
    "as asked for": (tagged(WAIT), Wait()),
    "no words in the thoughts": (tagged(SAY, "<thoughts></thoughts>"), SAID),
    "no thoughts": (tagged(SAY, ""), SAID),
    "the tag thought": (tagged(SAY, "<thought>Hm.</thought>"), SAID),
    "the tag think": (tagged(SAY, "<think>Hm.</think>"), SAID),
    "tags in capitals with blanks": (f"<Thoughts>x</THOUGHTS>< ACTION >{SAY}</ Action>", SAID),
    "no closing tag": (f"<thoughts>x</thoughts><action>{SAY}", SAID),
    "a misspelt closing tag": (f"<thoughts>x</thoughts><action>{SAY}</acton>", SAID),
    "an opening tag for the closing one": (f"<thoughts>x</thoughts><action>{SAY}<action>", SAID),
    "a backslash in the closing tag": (f"<thoughts>x</thoughts><action>{SAY}<\\action>", SAID),
    "thoughts never closed": (f"<thoughts>x <action>{SAY}</action>", SAID),
    "a code fence": (tagged(f"```json\n{SAY}\n```"), SAID),
    "a trailing comma": (tagged('{"result": {"kind": "do_nothing", "data": {},},}'), Wait()),
    "missing braces": (tagged('{"result": {"kind": "do_nothing", "data": {}'), Wait()),
    "one brace too many": (tagged(SAY + "}"), SAID),
    "single quotes": (tagged(SAY.replace('"', "'")), SAID),
    "typographic quotes": (tagged("{“result”: {“kind”: “do_nothing”, “data”: {}}}"), Wait()),
    "a line break in a string": (
        tagged(SAY.replace("the red", "the\nred")),
        Message("Cut the\nred one."),
    ),
    "quotes in a string": (
        tagged(SAY.replace("the red one", 'the one that says "PRESS" twice')),
        Message('Cut the one that says "PRESS" twice.'),
    ),
    "an apostrophe in single quotes": (
        "<action>{'result': {'kind': 'send_message', 'data': {'message': 'Don't cut'}}}</action>",
        Message("Don't cut"),
    ),
    "Python's literals": (
        tagged('{"result": {"kind": "do_nothing", "data": None, "sure": True}}'),
        Wait(),
    ),
    "no result": (tagged('{"kind": "do_nothing", "data": {}}'), Wait()),
    "no data": (tagged('{"result": {"kind": "do_nothing"}}'), Wait()),
    "data beside the kind": (
        tagged('{"result": {"kind": "interact_game", "action": "flip"}}'),
        Interact("flip"),
    ),
    "the action for the kind": (
        tagged('{"result": {"kind": "click_release", "data": {"location": "B"}}}'),
        CLICKED,
    ),
    "words for data": (
        tagged('{"result": {"kind": "send_message", "data": "Yes."}}'),
        Message("Yes."),
    ),
    "names in other spelling": (
        tagged(CLICK.replace("interact_game", "Interact-Game").replace("click_", "click ")),
        CLICKED,
    ),
    "names with slips": (tagged(CLICK.replace("click_release", "click_relase")), CLICKED),
    "a small letter": (tagged(CLICK.replace('"B"', '"b"')), CLICKED),
    "a letter quoted twice": (tagged(CLICK.replace('"B"', "\"'B'\"")), CLICKED),
    "no location said as null": (
        tagged(
            '{"result": {"kind": "interact_game", "data": {"action": "flip", "location": null}}}'
        ),
        Interact("flip"),
    ),
    "a command in the thoughts": (tagged(SAY, f"<thoughts>Rather than {WAIT}</thoughts>"), SAID),
}


@pytest.mark.parametrize("case", SILENT)
def test_small_slips_are_mended_in_silence(case: str) -> None:
    reply, action = SILENT[case]
    assert PartnerCommands(hands()).parse(reply) == action


WARNED = {
    "the action first": (tagged(SAY, "") + "<thoughts>x</thoughts>", reading.EARLY),
    "the action within the thoughts": (f"<thoughts>x{tagged(SAY, '')}</thoughts>", reading.EARLY),
    "more behind the action": (tagged(SAY) + " Good luck!", reading.TRAILING),
    "JSON behind the action": (tagged(SAY) + ' {"note": 1}', reading.TRAILING),
    "no action tags": (f"<thoughts>x</thoughts>{SAY}", reading.UNTAGGED),
    "bare JSON": (SAY, reading.UNTAGGED),
    "other tags": (f"<thoughts>x</thoughts><command>{SAY}</command>", reading.UNTAGGED),
}


@pytest.mark.parametrize("case", WARNED)
def test_a_wrong_form_is_carried_out_with_a_warning(case: str) -> None:
    reply, flaw = WARNED[case]
    action = PartnerCommands(hands()).parse(reply)
    assert isinstance(action, Flawed)
    assert action.command == SAID
    assert flaw in action.flaws


LOST = {
    "nothing": ("", reading.NOTHING),
    "words only": ("<thoughts>I should wait.</thoughts> I wait.", reading.NOTHING),
    "cut off in the thoughts": ("<thoughts>The first wire is", reading.NOTHING),
    "an empty action": (tagged(""), reading.UNREADABLE),
    "an action without JSON": (tagged("cut the red wire"), reading.UNREADABLE),
    "an action in the thoughts and one without JSON": (
        tagged("cut it", f"<thoughts>Not <action>{WAIT}</action></thoughts>"),
        reading.UNREADABLE,
    ),
    "two actions": (tagged(WAIT) + tagged(SAY, ""), reading.SEVERAL),
    "two objects in one": (tagged(WAIT + SAY), reading.SEVERAL),
    "a list of results": (
        tagged('{"result": [{"kind": "do_nothing"}, {"kind": "do_nothing"}]}'),
        reading.SEVERAL,
    ),
    "an unknown kind": (tagged('{"result": {"kind": "look", "data": {}}}'), "the kind"),
    "an unknown game action": (tagged(CLICK.replace("click_release", "roll")), "its game action"),
    "an empty message": (tagged(SAY.replace("Cut the red one.", " ")), "its message was empty"),
    "a point without y": (tagged(CLICK.replace('"B"', '{"x": 3}')), "its location"),
    "a point that is none": (tagged(CLICK.replace('"B"', '{"x": 3, "y": "NaN"}')), "its location"),
}


@pytest.mark.parametrize("case", LOST)
def test_what_cannot_be_salvaged_says_why_in_the_past_tense(case: str) -> None:
    reply, reason = LOST[case]
    action = PartnerCommands(hands()).parse(reply)
    assert isinstance(action, Malformed)
    assert action.reason.startswith(reason)


def test_a_letter_that_nothing_wears_is_read_and_left_to_the_rules() -> None:
    action = Commands(hands()).parse(tagged(CLICK.replace('"B"', '"Q"')))
    assert action == Interact("click_release", Mark("Q"))


COMMAND = st.one_of(
    st.just(Wait()),
    st.text(min_size=1).map(str.strip).filter(bool).map(Message),
    st.sampled_from(UNPLACED).map(Interact),
    st.builds(Interact, st.sampled_from(PRESSINGS), st.sampled_from(WORN)),
)


@given(COMMAND)
def test_commands_read_back_as_written(command: object) -> None:
    space = PartnerCommands(hands())
    assert space.parse(space.write(command)) == command  # type: ignore[arg-type]


@given(st.text(alphabet="{}[]<>/\"'\\:,abc actionresultkind_thoughts\n", max_size=200))
@settings(max_examples=300)
def test_any_text_reads_to_an_action_or_a_malformed(text: str) -> None:
    action = PartnerCommands(hands()).parse(text)
    assert isinstance(action, Wait | Message | Interact | Flawed | Malformed)


@given(st.sampled_from([CLICK, SAY, WAIT]), st.data())
def test_a_reply_that_was_cut_never_raises(command: str, data: st.DataObject) -> None:
    reply = tagged(command)
    end = data.draw(st.integers(0, len(reply)))
    PartnerCommands(hands()).parse(reply[:end])


@pytest.mark.parametrize("hostile", ["{" * 20_000, "[" * 20_000, "<action>" * 3_000, '{"' * 9_000])
def test_hostile_replies_are_read_in_no_time(hostile: str) -> None:
    assert isinstance(PartnerCommands(hands()).parse(hostile), Malformed)
    assert isinstance(PartnerCommands(hands()).parse(f"<action>{hostile}"), Malformed)


SPACES = {
    "expert": PartnerCommands(None),
    "defuser": PartnerCommands(hands()),
    "an edge": PartnerCommands(hands(worn=())),
    "pixels": PartnerCommands(hands("absolute")),
    "thousandths": Commands(hands("scaled")),
    "shares": Commands(hands("relative")),
}


@pytest.mark.parametrize("name", SPACES)
def test_what_the_grammar_generates_is_read(name: str) -> None:
    space = SPACES[name]
    grammar = Grammar(f"root ::= {space.gbnf()}\n")
    rng = stream(1, "grammar", name)
    seen = set()
    for _ in range(150):
        text = grammar.write(rng.below)
        action = space.parse(text)
        assert isinstance(action, Wait | Message | Interact), text
        seen.add(type(action))
        at = action.at if isinstance(action, Interact) else None
        if isinstance(at, Point) and space.hands is not None:
            assert relative(at, space.hands.interaction, SIZE) is not None
    assert (Message in seen) == space.partner
    assert (Interact in seen) == (space.hands is not None)


@pytest.mark.parametrize("name", SPACES)
def test_samples_and_schema_fit_the_player(name: str) -> None:
    space = SPACES[name]
    rng = stream(2, "samples", name)
    for _ in range(100):
        action = space.sample(rng)
        assert space.parse(space.write(action)) == action
    listed = str(space.schema())
    assert ("send_message" in listed) == space.partner
    assert ("interact_game" in listed) == (space.hands is not None)


def test_while_something_is_held_only_waiting_and_letting_go_are_plausible() -> None:
    held = Hands("markers", SIZE, (), (), True, Photo(b""))
    rng = stream(3, "held")
    drawn = {Commands(held).sample(rng) for _ in range(50)}
    assert drawn == {Wait(), Interact("release")}


def test_turning_and_clicking_are_plausible_wherever_one_looks() -> None:
    rng = stream(4, "near")
    drawn = {Commands(hands()).sample(rng) for _ in range(200)}
    names = {action.name for action in drawn if isinstance(action, Interact)}
    assert names == {"zoom_out", "click_release", *TURNINGS}


@pytest.mark.parametrize("interaction", ["absolute", "scaled", "relative"])
@given(x=st.floats(0, 1), y=st.floats(0, 1))
def test_points_mean_their_place(interaction: Interaction, x: float, y: float) -> None:
    back = relative(pointed(x, y, interaction, SIZE), interaction, SIZE)
    assert back is not None
    assert back == pytest.approx((x, y), abs=0.002)


def test_points_outside_the_picture_mean_nothing() -> None:
    assert relative(Point(640, 0), "absolute", SIZE) is None
    assert relative(Point(0, -1), "scaled", SIZE) is None
    assert relative(Point(0.2, 1.01), "relative", SIZE) is None


def test_every_name_is_told_apart_from_its_neighbours() -> None:
    for name in NAMES:
        assert reading._nearest(name, NAMES) == name
        assert reading._nearest(name.replace("_", "-").upper(), NAMES) == name
