"""The action spaces of the players: `{"result": ...}` in action tags, read forgivingly."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Literal

import msgspec

from polyathlon.core.actions import Malformed, Reading, gbnf_literal
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.core.controls import Controls
from polyathlon.core.hidden import Hidden, revealed
from polyathlon.envs.gptnt.bomb.play.actions import (
    PRESSINGS,
    TURNINGS,
    UNPLACED,
    Action,
    Command,
    Flawed,
    Interact,
    Interaction,
    Mark,
    Message,
    Name,
    Size,
    Wait,
    as_json,
    bounds,
    pointed,
)
from polyathlon.envs.gptnt.bomb.play.catalogue import Thinking
from polyathlon.envs.gptnt.bomb.play.reading import command, read

if TYPE_CHECKING:
    from polyathlon.envs.gptnt.bomb.simulator import Scene

VIEW = "view"
"""The channel that shows the bomb as it is now."""

RANDOM_WORDS = ("Hello?", "What do you see?", "Which one?", "Yes.", "No.", "Please wait.")
_KEYS: dict[str, Name] = {
    "ArrowLeft": "rotate_left",
    "ArrowRight": "rotate_right",
    "ArrowUp": "roll_up",
    "ArrowDown": "roll_down",
    "f": "flip",
    "Escape": "zoom_out",
    "r": "release",
}
_WORDS = r"""[!#-[\]-~] ([^"\\\x00-\x1F\x7F] | "\\" ["\\/bfnrt]){0,300}"""
"""GBNF of a message inside a JSON string: begins with a visible character, and ends some time."""


class Hands(msgspec.Struct, frozen=True):
    """What the one who handles the bomb can do at a moment.

    `marks` are the marked elements in reading order and `holdable` those of them that tell a hold
    from a click; `scene` is what a click of a person is looked up in.
    """

    interaction: Interaction
    size_px: Size
    marks: tuple[Mark, ...]
    holdable: tuple[Mark, ...]
    holding: bool
    scene: Hidden[Scene]

    @property
    def reach(self) -> bool:
        """Whether any place can be named."""
        return self.interaction != "markers" or bool(self.marks)


class Commands(msgspec.Struct, frozen=True):
    """The answers of a player at one moment; `hands` is None for who cannot touch the bomb.

    `thinking` is the tag around thoughts. Every well-formed command is read; the rules judge what
    is not for this player.
    """

    hands: Hands | None = None
    thinking: Thinking = "thoughts"
    partner: ClassVar[bool] = False
    whole_reply: ClassVar[Literal["first", "only"]] = "only"

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The markers in the picture."""
        return self.hands.marks if self.hands else ()

    def parse(self, text: str) -> Action | Malformed:
        return command(text, self.marks)

    def read(self, reply: str, cut: bool) -> Reading:
        return read(reply, self.marks, cut)

    def write(self, action: Action) -> str:
        said = action.command if isinstance(action, Flawed) else action
        return f"<action>{json.dumps({'result': as_json(said)}, ensure_ascii=False)}</action>"

    def sample(self, rng: Stream) -> Command:
        """A plausible command, uniformly, as the random player of table 11 of the GPTNT paper.

        Of the bomb's handler: waiting; a click on each marked element, a hold too for the Button;
        release while something is held, and nothing else then; zooming out and the five turns,
        which zoom out by themselves. Of anybody else: waiting or a message.
        """
        if self.hands is None:
            return Message(rng.choice(RANDOM_WORDS)) if rng.below(2) else Wait()
        return rng.choice(_plausible(self.hands, rng))

    def describe(self) -> str:
        kinds = ["do_nothing"]
        kinds += ["send_message"] * self.partner
        kinds += ["interact_game"] * (self.hands is not None)
        return f"one command in <action> tags: {' or '.join(kinds)}"

    def schema(self) -> JSON:
        """The object inside the action tags."""
        results = [_schema("do_nothing")]
        if self.partner:
            results.append(_schema("send_message", message={"type": "string", "minLength": 1}))
        if self.hands is not None:
            results.append(_schema("interact_game", action={"enum": list(UNPLACED)}))
        if self.hands is not None and self.hands.reach:
            pressing: JSON = {"enum": list(PRESSINGS)}
            where = _where(self.hands)
            results.append(_schema("interact_game", action=pressing, location=where))
        return _object(result={"oneOf": results})

    def gbnf(self) -> str:
        data = [_generated("do_nothing", '""')]
        if self.partner:
            data.append(_generated("send_message", rf'"\"message\": \"" {_WORDS} "\""'))
        if self.hands is not None:
            data.append(_generated("interact_game", f"({_generated_interaction(self.hands)})"))
        head = gbnf_literal('<action>{"result": {"kind": ')
        return f"{head} ({' | '.join(data)}) {gbnf_literal('}}}</action>')}"

    def reply_gbnf(self) -> str:
        opening, closing = gbnf_literal(f"<{self.thinking}>"), gbnf_literal(f"</{self.thinking}>\n")
        return f"{opening} words {closing} {self.gbnf()}"

    def from_point(self, channel: str, x: float, y: float) -> Interact | None:
        """A click into the view: on the element there, or with points simply there."""
        if channel != VIEW or self.hands is None:
            return None
        if self.hands.interaction != "markers":
            place = pointed(x, y, self.hands.interaction, self.hands.size_px)
            return Interact("click_release", place)
        element = element_under(revealed(self.hands.scene), x, y)
        hit = next((mark for mark in self.hands.marks if mark.element == element), None)
        return None if hit is None else Interact("click_release", hit)

    def controls(self) -> Controls:
        """Keys and buttons for what needs no place, and a button for each part to be held."""
        wait = self.write(Wait())
        if self.hands is None:
            return Controls(buttons={"Wait": wait}, idle=wait)
        buttons = {"Wait": wait, **{_title(name): self.write(Interact(name)) for name in UNPLACED}}
        for mark in self.hands.holdable:
            buttons[f"Hold {mark.label}"] = self.write(Interact("hold", mark))
        keys = {key: self.write(Interact(name)) for key, name in _KEYS.items()}
        return Controls(buttons=buttons, keys=keys, idle=wait)


class PartnerCommands(Commands, frozen=True):
    """The answers of a player who has somebody to talk to."""

    partner: ClassVar[bool] = True

    def say(self, words: str) -> Message | Malformed:
        """The message of a person's words."""
        text = words.strip()
        return Message(text) if text else Malformed("its message was empty")


def element_under(scene: Scene, x: float, y: float) -> str | None:
    """The element at (x, y) in [0, 1]² of a scene, which is drawn for it."""
    from polyathlon.envs.gptnt.bomb.simulator import view

    drawn = view(scene)
    height, width = drawn.ids.shape
    row, column = min(height - 1, int(y * height)), min(width - 1, int(x * width))
    number = int(drawn.ids[row, column])
    return drawn.elements[number - 1] if number else None


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _plausible(hands: Hands, rng: Stream) -> list[Command]:
    if hands.holding:
        return [Wait(), Interact("release")]
    commands: list[Command] = [Wait(), Interact("zoom_out"), *map(Interact, TURNINGS)]
    if hands.interaction == "markers":
        commands += [Interact("click_release", mark) for mark in hands.marks]
        return commands + [Interact("hold", mark) for mark in hands.holdable]
    pressings = PRESSINGS if hands.holdable else PRESSINGS[:1]
    return commands + [
        Interact(name, pointed(rng.uniform(), rng.uniform(), hands.interaction, hands.size_px))
        for name in pressings
    ]


def _object(**properties: JSON) -> JSON:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _schema(kind: str, **data: JSON) -> JSON:
    return _object(kind={"const": kind}, data=_object(**data))


def _where(hands: Hands) -> JSON:
    if hands.interaction == "markers":
        return {"type": "string", "enum": [mark.label for mark in hands.marks]}
    kind = "number" if hands.interaction == "relative" else "integer"
    most_x, most_y = bounds(hands.interaction, hands.size_px)
    x: JSON = {"type": kind, "minimum": 0, "maximum": most_x}
    y: JSON = {"type": kind, "minimum": 0, "maximum": most_y}
    return _object(x=x, y=y)


def _generated(kind: str, data: str) -> str:
    return f"{gbnf_literal(json.dumps(kind) + ', ' + json.dumps('data') + ': {')} {data}"


def _generated_interaction(hands: Hands) -> str:
    action = gbnf_literal('"action": ')
    forms = [f"{action} ({_choice(map(json.dumps, UNPLACED))})"]
    if hands.reach:
        where = _generated_place(hands)
        pressing = f"{action} ({_choice(map(json.dumps, PRESSINGS))})"
        forms.append(f"{pressing} {gbnf_literal(', ' + json.dumps('location') + ': ')} {where}")
    return " | ".join(forms)


def _generated_place(hands: Hands) -> str:
    if hands.interaction == "markers":
        return f"({_choice(json.dumps(mark.label) for mark in hands.marks)})"
    if hands.interaction == "relative":
        x = y = '("0" | "1" | "0." [0-9] [0-9]? [0-9]? [0-9]?)'
    else:
        x, y = (_up_to(int(most)) for most in bounds(hands.interaction, hands.size_px))
    return f"""{gbnf_literal('{"x": ')} {x} {gbnf_literal(', "y": ')} {y} {gbnf_literal("}")}"""


def _choice(texts: Iterable[str]) -> str:
    return " | ".join(map(gbnf_literal, texts))


def _up_to(most: int) -> str:
    """GBNF of the integers from 0 to `most`, of at most four digits."""
    digits = str(most)
    forms = ["[0-9]"] + ["[1-9]" + " [0-9]" * n for n in range(1, len(digits) - 1)]
    for place, digit in enumerate(digits):
        low, high = (1 if place == 0 else 0), int(digit) - 1
        if high >= low and len(digits) > 1:
            head = f'"{digits[:place]}" ' if place else ""
            forms.append(f"{head}[{low}-{high}]" + " [0-9]" * (len(digits) - place - 1))
    return f"({' | '.join([*forms, gbnf_literal(digits)])})"
