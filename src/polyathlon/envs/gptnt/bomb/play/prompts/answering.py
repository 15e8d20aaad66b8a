"""Components 3b, 3c, 5 and 6l: the commands and the form of a reply."""

from __future__ import annotations

import json

from polyathlon.envs.gptnt.bomb.play.actions import UNPLACED, Interact, as_json
from polyathlon.envs.gptnt.bomb.play.prompts.seat import (
    Component,
    Seat,
    anybody,
    component,
    hands,
    marker_user,
    talker,
)

_SAY = (
    '{"result": {"kind": "send_message", "data": {"message": "There are four wires, from the top: '
    'red, blue, blue, white."}}}'
)
_ASK = (
    '{"result": {"kind": "send_message", "data": {"message": "How many wires are there, and in '
    'which colours, from the top?"}}}'
)
_TURN = '{"result": {"kind": "interact_game", "data": {"action": "flip"}}}'
_PLACES = {"markers": '"B"', "absolute": '{"x": 212, "y": 140}', "scaled": '{"x": 331, "y": 291}'}


def _example(seat: Seat) -> tuple[str, str]:
    """A thought and the command that follows from it."""
    if not seat.partner:
        return "The serial number must be on an edge, and I have not seen the back yet.", _TURN
    if seat.hands:
        return "This module is not described yet, and the Expert needs its colours.", _SAY
    return "Which wire it is depends on their number and colours, and I know neither.", _ASK


def _reasoning(seat: Seat) -> str:
    thought, command = _example(seat)
    tag = seat.thinking
    manner = (
        "First let your inner voice speak" if tag == "think" else "First write down what you think"
    )
    return (
        f"{manner} between <{tag}> and </{tag}>, then write one command between <action> and "
        f"</action>:\n<{tag}>{thought}</{tag}>\n<action>{command}</action>"
    )


def _places(seat: Seat) -> str:
    where = _PLACES.get(seat.interaction, '{"x": 0.331, "y": 0.292}')
    named = "the letter of a marker" if seat.markers else "a point in the picture"
    return (
        f"interact_game with a location, {named}:\n"
        "- click_release presses something and lets go at once. On a module of the whole bomb it "
        "moves the view close to it.\n"
        "- hold presses something and keeps it pressed. From then on only do_nothing and release "
        "are possible.\n"
        '{"result": {"kind": "interact_game", "data": {"action": "click_release", '
        f'"location": {where}}}}}}}\n'
        '{"result": {"kind": "interact_game", "data": {"action": "hold", '
        f'"location": {where}}}}}}}'
    )


_UNPLACED = """interact_game without a location:
- rotate_left turns the bomb by 90 degrees about its upright axis, counter-clockwise seen from its \
top: from the front it shows the left edge.
- rotate_right turns it by 90 degrees the other way: from the front it shows the right edge.
- flip turns it by 180 degrees about the same axis: from the front it shows the back.
- roll_up tips it by 90 degrees towards the top of the picture: it shows the bottom edge.
- roll_down tips it by 90 degrees the other way: it shows the top edge. After a roll do not rotate \
or flip, but roll back first, or the bomb lies on its side.
- zoom_out moves the view from a module back to the whole bomb. Turning does that by itself.
- release lets go of what is held.
"""
_EACH = "\n".join(json.dumps({"result": as_json(Interact(name))}) for name in UNPLACED)


def _form(seat: Seat) -> str:
    return (
        f"Always the <{seat.thinking}> tags first, then the <action> tags, with one command as "
        "exact JSON, without code fences, and nothing behind it."
    )


COMPONENTS = (
    component(
        "5a-commands",
        anybody,
        "You give exactly one command a turn, as JSON of exactly the forms below. A strict "
        "validator reads it; what it cannot read costs the turn.",
    ),
    component(
        "5b-do-nothing",
        anybody,
        'do_nothing, when it is best to wait:\n{"result": {"kind": "do_nothing", "data": {}}}',
    ),
    component(
        "5c-send-message",
        talker,
        "send_message, to say what you found out or to ask, complete and short:\n"
        '{"result": {"kind": "send_message", "data": {"message": "your words"}}}',
    ),
    component("5d-without-location", hands, _UNPLACED + _EACH),
    Component("5e-5f-with-location", hands, _places),
    Component("3b-3c-form", anybody, _reasoning),
    Component("6l-formatting", anybody, _form),
)

MARKER_RULES = component(
    "6d-marker-actions",
    marker_user,
    "zoom_out and release take no location; with one they are rejected. Only what has a marker "
    "can be used from where you are. For anything else move the view first, closer or back.",
)
