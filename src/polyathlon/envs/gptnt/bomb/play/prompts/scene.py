"""Components 1, 2 and 4: the game, the seat in it, and what goes on there."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.play.prompts.seat import (
    Component,
    Seat,
    alone,
    anybody,
    component,
    defuser,
    expert,
    hands,
    marker_user,
    talker,
)

GAME = "Keep Talking And Nobody Explodes (KTANE)"

_BOMB = (
    "The bomb is a box with six sides. Its front and its back carry modules, the front also "
    "a timer that counts down. Every module is a puzzle of its own; they can be solved in any "
    "order. A small status light in the upper right corner of a module turns bright green once "
    "it is solved. A mistake is a strike: a red X lights up above the timer, and the countdown "
    "runs faster from then on. {strikes} The four edges carry "
    "exactly one serial number, on a label of red and white, and perhaps batteries, indicator "
    "lamps with a label beside them, and ports, several of a kind at times. Some modules can "
    "only be solved with what stands there."
)


def _bomb(seat: Seat) -> str:
    ordinal = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth"}[seat.strike_limit]
    return _BOMB.format(strikes=f"The {ordinal} strike sets the bomb off.")


def _called(seat: Seat) -> str:
    return f"This is {GAME}. " if seat.named else ""


def _scenario_two(seat: Seat) -> str:
    return (
        f"{_called(seat)}Two players defuse a bomb together: the Defuser has it before them, the "
        f"Expert has the manual. They can only send each other messages. {_bomb(seat)}"
    )


def _scenario_solo(seat: Seat) -> str:
    return f"{_called(seat)}One player defuses a bomb. {_bomb(seat)}"


_EXPERT = (
    "You are the Expert. You and the Defuser win or lose together: every module must be solved "
    "before the timer shows 0:00 and before the strikes are used up. The Defuser sees and handles "
    "the bomb and has no manual. You have the manual and can neither see the bomb nor touch it, "
    "so you must ask for what you need to know, and turn the manual into instructions: what is to "
    "be done, not by which command. The manual stands in the first message of this conversation; "
    "the game put it there, not the Defuser. Write simply, clearly and briefly, without lists. Do "
    "not suppose that the Defuser knows what a module is called. Misunderstandings are likely: "
    "ask back whenever something can be read in two ways, and question what cannot be right."
)
_DEFUSER = (
    "You are the Defuser. You and the Expert win or lose together: every module must be solved "
    "before the timer shows 0:00 and before the strikes are used up. You see and handle the bomb "
    "and have no manual. The Expert has the manual and sees nothing, so describe exactly what is "
    "there. The Expert can only say what has to be achieved; you turn that into commands. Take "
    "the lead in exploring the bomb and in acting on it. Ask back whenever something can be read "
    "in two ways, and question instructions that do not fit what you see."
)
_SOLO_BARE = (
    "You see the bomb and handle it, and there is nobody to ask and no manual to look into. Use "
    "what you know about this game and its manual. Solve every module before the timer shows 0:00 "
    "and before the strikes are used up."
)
_SOLO_MANUAL = (
    "You see the bomb and handle it, and you have the manual, which stands in the first message "
    "of this conversation. There is nobody to ask. Follow the manual and solve every module "
    "before the timer shows 0:00 and before the strikes are used up."
)


def _thinking(seat: Seat) -> str:
    apart = " They reach nobody else, and they do not belong in messages." if seat.partner else ""
    return (
        "Think about the situation before you decide, in few words, without going in circles and "
        f"without repeating yourself. Thoughts are for yourself.{apart}"
    )


COMPONENTS = (
    Component("1a-scenario-two", talker, _scenario_two),
    Component("1b-scenario-solo", alone, _scenario_solo),
    component("2a-role-expert", expert, _EXPERT),
    component("2b-role-defuser", defuser, _DEFUSER),
    component("2c-role-solo-bare", lambda s: alone(s) and not s.manual, _SOLO_BARE),
    component("2d-role-solo-manual", lambda s: alone(s) and s.manual, _SOLO_MANUAL),
    Component("3a-reasoning", anybody, _thinking),
)

_COSTS = {
    "any": "Time goes on with every turn, whatever the command is: a fixed span, or the time that "
    "you take to answer.",
    "stepped": "Every command, of whatever kind, takes 3 seconds on the timer, or more after a "
    "strike. The timer stands while you think.",
    "realtime": "The timer runs while you think and write: a command costs as much time as it "
    "takes you to answer.",
}
_SEEING = (
    " After each command you get a new picture of the bomb, the view, and with it the previous "
    "one, from before that command: apart from the timer and from what blinks by itself, the "
    "difference between the two is what the command did. In front of a module that has to be "
    "watched over time you also get a burst, a series of pictures from the last seconds, a quarter "
    "of a second apart, oldest first. It may begin in the middle of a signal; then wait and look "
    "again."
)
_PLACES = {
    "absolute": "whole numbers of pixels, x from 0 to {x} and y from 0 to {y}",
    "scaled": "whole numbers from 0 to 1000 on both axes, whatever the size of the picture",
    "relative": "decimal numbers from 0 to 1 on both axes",
}


def _time(seat: Seat) -> str:
    return _COSTS[seat.pace] + _SEEING


def _coordinates(seat: Seat) -> str:
    width, height = seat.size_px
    numbers = _PLACES[seat.interaction].format(x=width - 1, y=height - 1)
    return (
        f"The picture of the bomb is {width} pixels wide and {height} high. You name a place on it "
        f"by x, counted from the left edge, and y, counted from the top edge: {numbers}. The point "
        "must lie inside what you want to press."
    )


MECHANICS = (
    component(
        "4a-mechanics-expert",
        expert,
        "A countdown in minutes and seconds is running that you cannot see. You may ask for "
        "anything, but an answer can take the Defuser several actions, and these take time.",
    ),
    Component("4b-4c-time", hands, _time),
    component(
        "4d-props",
        hands,
        "What lies or stands on the table and in the room around the bomb never changes and does "
        "not matter; a clock there is not the timer. Leave it alone and never mention it.",
    ),
    component(
        "4e-markers",
        marker_user,
        "The view of the bomb, and no earlier picture, carries location markers: an outline around "
        "each thing that can be pressed now, and a box of the same colour with a letter beside it. "
        "They are drawn over the picture for your commands alone. Their colours mean nothing, "
        "although a marker may have the colour of what it marks, and a letter may stand for "
        "another thing in the next picture. Do not take them for labels, lamps or letters of the "
        "bomb. Outside commands treat them as if they were invisible.",
    ),
    Component("4f-coordinates", lambda s: s.hands and not s.markers, _coordinates),
)
