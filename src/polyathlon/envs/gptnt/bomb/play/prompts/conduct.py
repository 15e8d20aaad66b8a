"""Component 6: how to behave."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.play.prompts.answering import MARKER_RULES
from polyathlon.envs.gptnt.bomb.play.prompts.seat import (
    Component,
    Seat,
    anybody,
    component,
    defuser,
    expert,
    hands,
    marker_user,
)

_WORDS_ONLY = (
    "Rely on what you see, not on what you may know about this game from elsewhere: that is "
    "outdated or wrong. "
)
_OBSERVING = (
    "Assume nothing that you have not seen. Copper plates cover empty places, brackets and "
    "screws hold the casing: ignore them. Serial number, batteries, indicators and ports are on "
    "the edges, never on the front or back, and there may be several of a kind on several edges. "
    "Name colours as you see them. Watch for what blinks or changes. Do not confuse the status "
    "light of a module with the lamps of its puzzle. Modules whose status light is green need no "
    "more attention. Each red X above the timer is a strike. Read the timer anew whenever you "
    "need it; never work out what it should show by now."
)


def _observations(seat: Seat) -> str:
    """Who plays from memory is not told to forget."""
    from_memory = not seat.partner and not seat.manual
    return _OBSERVING if from_memory else _WORDS_ONLY + _OBSERVING


def _haste(seat: Seat) -> str:
    lengthy = "long thoughts and long messages" if seat.partner else "long thoughts"
    return f"The timer never stops. Work quickly: {lengthy} may cost the game."


_EXPERT_TALK = (
    "Use only the manual and what the Defuser tells you, nothing you know from elsewhere. Ask "
    "for exactly what the manual needs, and give a clear instruction as soon as that is known. "
    "Work on one module at a time. When the Defuser is silent, wait instead of repeating "
    "yourself: several actions may be needed before an answer. Explain words that only the "
    "manual uses. Begin at once: no greeting, no word about having the manual, no question "
    "whether the other is ready. Say what is to be pressed or cut in plain words and never guess "
    "at the other's commands. Describe modules by what they look like instead of asking for their "
    "names. A green status light means that a module is solved, a red X above the timer that "
    "something was wrong. Never read the manual out; turn its tables and drawings into simple "
    "steps. When a description fits nothing in the manual or contradicts itself, ask to have the "
    "odd details looked at again."
)
_DEFUSER_TALK = (
    "Send messages only to report what you see and to ask, never in place of an action and never "
    "to guess how something will end. Ask when you are unsure. Before you answer a question, look, "
    "over several turns if need be. Be short and factual, and report at once whether an attempt "
    "worked, by its sign: the status light of the module, not a lamp of the puzzle, or a new X "
    "above the timer. No greetings, no word about pictures having arrived, no lists, no "
    "paragraphs. When there is no answer yet, wait instead of repeating yourself. Describe every "
    "single thing on its own. Never name a module or guess what it is called."
)

COMPONENTS = (
    component(
        "6a-general", anybody, "Keep to all of what follows. Whoever does not keep to it loses."
    ),
    component(
        "6b-actions",
        hands,
        "Use interact_game to act. Look at all sides of the bomb, and beware of positions that are "
        "hard to leave or to read. Move the view close to a module before you press anything in "
        "it.",
    ),
    Component("6c-real-time", lambda seat: seat.pace == "realtime", _haste),
    MARKER_RULES,
    Component("6e-observations", hands, _observations),
    component(
        "6f-marker-observations",
        marker_user,
        "Before you take a letter for a part of the bomb, make sure that it is not a marker. "
        "Report only what is really there.",
    ),
    component("6g-talk-expert", expert, _EXPERT_TALK),
    component("6h-talk-defuser", defuser, _DEFUSER_TALK),
    component(
        "6i-talk-markers",
        lambda seat: defuser(seat) and seat.markers,
        "Never mention markers, their letters or their colours in a message: the Expert knows of "
        "none.",
    ),
    component(
        "6j-completion-expert",
        expert,
        "The bomb is not defused before the game is over. If every module seems to be solved and "
        "the game goes on, have the Defuser look for one that is not, on both faces.",
    ),
    component(
        "6k-completion-hands",
        hands,
        "The bomb is not defused before the game is over. If every module seems to be solved and "
        "the game goes on, look at front and back again for a status light that is dark.",
    ),
)
