"""Replies to the games with the bomb: what is mended in silence, warned of, and lost."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon.agents.harness import protocol
from polyathlon.agents.models.gbnf import Grammar
from polyathlon.core.actions import Malformed
from polyathlon.core.chance import stream
from polyathlon.core.hidden import Hidden
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
    return Hands(interaction, SIZE, worn, (), False, Hidden(Photo(b"")))


def tagged(action: str, thoughts: str = "<thoughts>So be it.</thoughts>\n") -> str:
    return f"{thoughts}<action>{action}</action>"


SILENT = {
    "as asked for": (tagged(WAIT), Wait()),
    "no words in the thoughts": (tagged(SAY, "<thoughts></thoughts>"), SAID),
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
        tagged("{'result': {'kind': 'send_message', 'data': {'message': 'Don't cut'}}}"),
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
    "the tag thinking": (tagged(SAY, "<thinking>Hm.</thinking>"), SAID),
    "thinking before the thoughts": (
        tagged(SAY, f"<think>Or <action>{WAIT}</action></think>\n<thoughts>No.</thoughts>"),
        SAID,
    ),
    "thoughts never opened": (f"Hm.</thoughts><action>{SAY}</action>", SAID),
    "a byte order mark": ("\ufeff" + tagged(SAY), SAID),
    "a code fence around everything": (f"```xml\n{tagged(SAY)}\n```", SAID),
    "back quotes around the action": (f"<thoughts>x</thoughts>`<action>{SAY}</action>`", SAID),
    "bold tags": (f"**<thoughts>**x**</thoughts>**\n**<action>**{SAY}**</action>**", SAID),
    "a heading of XML": ('<?xml version="1.0"?>' + tagged(SAY), SAID),
    "entities in the JSON": (tagged(SAY.replace('"', "&quot;")), SAID),
    "entities everywhere": (tagged(SAY).replace("<", "&lt;").replace(">", "&gt;"), SAID),
    "Chinese brackets": (
        tagged("｛“result”：｛“kind”：“do_nothing”，“data”：｛｝｝｝"),
        Wait(),
    ),
    "Chinese angle brackets": (tagged(SAY).replace("<", "＜").replace(">", "＞"), SAID),
    "quotes with backslashes": (tagged(SAY.replace('"', '\\"')), SAID),
    "JSON as a string": (tagged('"' + SAY.replace('"', '\\"') + '"'), SAID),
    "a list of one": (tagged(f"[{SAY}]"), SAID),
    "a result in a result": (tagged(f'{{"result": {SAY}}}'), SAID),
    "a result in an action": (tagged(f'{{"action": {SAY}}}'), SAID),
    "a kind for the result": (tagged('{"result": "do_nothing"}'), Wait()),
    "a game action for the kind": (tagged('{"kind": "rotate-left"}'), Interact("rotate_left")),
    "a location with a label": (tagged(CLICK.replace('"B"', '{"label": "B"}')), CLICKED),
    "a location in a list": (tagged(CLICK.replace('"B"', '["B"]')), CLICKED),
    "a marker by its name": (tagged(CLICK.replace('"B"', '"marker B"')), CLICKED),
    "a comment before the JSON": (tagged(f"// wait\n{WAIT}"), Wait()),
    "tags and braces in a message": (
        tagged(SAY.replace("the red one", "} </action> {")),
        Message("Cut } </action> {."),
    ),
    "a quote that never closes": (tagged(SAY.replace('."', ".")), SAID),
    "garbage of 100 kB before it": ("x{y}<" * 20_000 + tagged(SAY), SAID),
}
UNMENDED = {"as asked for", "no words in the thoughts", "the tag thought", "the tag think"}
UNMENDED |= {"a command in the thoughts", "tags and braces in a message", "one brace too many"}


@pytest.mark.parametrize("case", SILENT)
def test_small_slips_are_mended_in_silence(case: str) -> None:
    reply, action = SILENT[case]
    reading = PartnerCommands(hands()).read(reply, cut=False)
    assert (reading.action, reading.warnings) == (action, ())
    assert bool(reading.repairs) == (case not in UNMENDED)
    assert PartnerCommands(hands()).parse(reply) == action


@pytest.mark.parametrize(
    ("case", "repairs"),
    [
        ("a code fence", ("tags",)),
        ("no closing tag", ("tags",)),
        ("single quotes", ("json",)),
        ("a line break in a string", ("json",)),
        ("no result", ("command",)),
        ("a small letter", ("command",)),
        ("missing braces", ("json",)),
        ("entities in the JSON", ("characters",)),
    ],
)
def test_what_was_mended_is_noted(case: str, repairs: tuple[str, ...]) -> None:
    assert PartnerCommands(hands()).read(SILENT[case][0], cut=False).repairs == repairs


@pytest.mark.parametrize(
    ("before", "thought"),
    [
        ("<thoughts>\nThe first one?\n</thoughts>", "The first one?"),
        ("<think>Why not.</think>", "Why not."),
        ("<thoughts></thoughts>", ""),
        ("<thoughts>Never closed.", "Never closed."),
        ("Not in tags.\n", "Not in tags."),
        ("", ""),
    ],
)
def test_thoughts_are_kept(before: str, thought: str) -> None:
    assert PartnerCommands(None).read(tagged(SAY, before), cut=False).thought == thought
    assert PartnerCommands(None).read(before, cut=True).thought == thought


def test_a_recovered_reply_at_the_token_limit_is_warned_of_and_a_lost_one_says_so() -> None:
    space = PartnerCommands(hands())
    cut = space.read(f"<thoughts>x</thoughts><action>{SAY[:-4]}", cut=True)
    assert cut.action == Flawed(SAID, (reading.CUT,))
    assert cut.warnings == (reading.CUT,)
    bare = space.read(SAY[:-4], cut=True)
    assert bare.warnings == (reading.THOUGHTLESS, reading.UNTAGGED, reading.CUT)
    for reply in (
        "<thoughts>The first wire is",
        f"<thoughts>Perhaps {SAY}, or",
        "<thoughts>x</thoughts><action>{",
    ):
        lost = space.read(reply, cut=True).action
        assert isinstance(lost, Malformed)
        assert lost.reason == reading.CUT_OFF


WARNED = {
    "no thoughts": (tagged(SAY, ""), reading.THOUGHTLESS),
    "words for thoughts": (tagged(SAY, "I will tell.\n"), reading.THOUGHTLESS),
    "JSON that holds all": (f'{{"thoughts": "x", "action": {SAY}}}', reading.UNTAGGED),
    "tags in other brackets": (f"<thoughts>x</thoughts>[action]{SAY}[/action]", reading.UNTAGGED),
    "a tag with attributes": (f'<thoughts>x</thoughts><action a="b">{SAY}', reading.UNTAGGED),
    "an end token": (tagged(SAY) + "<|im_end|>", reading.TRAILING),
    "a tag around all": (f"<response>{tagged(SAY)}</response>", reading.TRAILING),
    "a comment behind the JSON": (tagged(SAY + " // done"), reading.TRAILING),
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
    found = PartnerCommands(hands()).read(reply, cut=False)
    assert isinstance(found.action, Flawed)
    assert found.action.command == SAID
    assert flaw in found.action.flaws
    assert found.warnings == found.action.flaws


def test_who_answers_without_a_model_needs_no_thoughts() -> None:
    assert PartnerCommands(hands()).parse(tagged(SAY, "")) == SAID


LOST = {
    "a refusal": ("I cannot help with that.", reading.NOTHING),
    "a call of a tool": (
        '<tool_call>{"name": "send_message", "arguments": {"message": "Hi"}}</tool_call>',
        reading.NOTHING,
    ),
    "garbage of 100 kB": ("x{y}<" * 20_000, reading.NOTHING),
    "YAML": (tagged("result:\n  kind: do_nothing"), reading.UNREADABLE),
    "XML": (tagged("<kind>do_nothing</kind>"), reading.UNREADABLE),
    "the same action twice": (tagged(SAY) + tagged(SAY, ""), reading.SEVERAL),
    "two actions without tags": (f"{SAY}\n{WAIT}", reading.SEVERAL),
    "no kind": (tagged('{"action": "flip"}'), "the kind"),
    "a list for a message": (
        tagged('{"result": {"kind": "send_message", "data": ["Hi"]}}'),
        "its message was empty",
    ),
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
    found = PartnerCommands(hands()).read(reply, cut=False)
    assert isinstance(found.action, Malformed)
    assert found.action.reason.startswith(reason)
    assert found.warnings == ()


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
@settings(max_examples=100)
def test_any_text_reads_to_an_action_or_a_malformed(text: str) -> None:
    for cut in (False, True):
        action = PartnerCommands(hands()).read(text, cut).action
        assert isinstance(action, Wait | Message | Interact | Flawed | Malformed)


@given(st.sampled_from([CLICK, SAY, WAIT]), st.data())
def test_a_reply_that_was_cut_never_raises(command: str, data: st.DataObject) -> None:
    reply = tagged(command)
    end = data.draw(st.integers(0, len(reply)))
    found = PartnerCommands(hands()).read(reply[:end], cut=True).action
    assert isinstance(found, Flawed | Malformed)


@pytest.mark.parametrize("seed", range(5))
def test_garbage_is_read_in_no_time(seed: int) -> None:
    rng = stream(seed, "garbage")
    pieces = [
        "{",
        "}",
        '"',
        "<action>",
        "</thoughts>",
        "kind",
        ":",
        ",",
        "\\",
        "\n",
        "a",
        "[",
        "True",
    ]
    garbage = "".join(rng.choice(pieces) for _ in range(8_000))[:20_000]
    spent_s = []
    for _ in range(5):
        started_s = time.process_time()
        PartnerCommands(hands()).read(garbage, cut=False)
        spent_s.append(time.process_time() - started_s)
    assert min(spent_s) < 0.05


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
    grammar = Grammar(protocol.grammar(space, 200))
    rng = stream(1, "grammar", name)
    seen = set()
    for _ in range(150):
        text = grammar.write(rng.below)
        found = space.read(text, cut=False)
        action = found.action
        assert isinstance(action, Wait | Message | Interact), text
        assert found.thought
        assert not {"tags", "json", "characters"} & set(found.repairs)
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
    held = Hands("markers", SIZE, (), (), True, Hidden(Photo(b"")))
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
