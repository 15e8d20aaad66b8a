"""The answers of a player: one bare JSON object, a move or a bomb."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from polyathlon.core.actions import Malformed, gbnf_literal, tidy
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.core.controls import Controls
from polyathlon.envs.omniplay.showdown.rules.arena import CELLS, SIZE, xy
from polyathlon.envs.omniplay.showdown.rules.pieces import PLACE, Action, Move, Place
from polyathlon.envs.omniplay.showdown.view.window import window

BOMB = '{"action_type": 1, "target_x": 0, "target_y": 0}'
_TO, _AND, _END = '{"action_type": 0, "target_x": ', ', "target_y": ', "}"
_ARROWS = {
    "ArrowUp": (0, -1),
    "ArrowDown": (0, 1),
    "ArrowLeft": (-1, 0),
    "ArrowRight": (1, 0),
}

_Coordinate = Annotated[int, Meta(ge=0, le=SIZE - 1)]


class _Answer(msgspec.Struct, forbid_unknown_fields=True):
    action_type: Annotated[int, Meta(ge=0, le=1)]
    target_x: _Coordinate
    target_y: _Coordinate


_decode = msgspec.json.Decoder(_Answer).decode


def move_text(x: object, y: object) -> str:
    """The answer that moves towards (x, y)."""
    return f"{_TO}{x}{_AND}{y}{_END}"


class Orders(msgspec.Struct, frozen=True):
    """A move towards any cell of the arena, or a bomb on the own cell.

    `at` is the own cell, `near` are the cells within reach, itself first; `armed` says whether a
    bomb may be placed now. `radius` is that of the picture.
    """

    at: int
    near: tuple[int, ...]
    armed: bool
    radius: int = 0
    whole_reply: ClassVar[Literal["first", "only"]] = "first"

    def parse(self, text: str) -> Action | Malformed:
        answer = tidy(text).removeprefix("json ")
        if answer.count("{") != 1 or "[" in answer or "." in answer:
            return Malformed("not one bare JSON object with three whole numbers", text)
        try:
            read = _decode(answer)
        except (msgspec.MsgspecError, UnicodeEncodeError) as error:
            return Malformed(f"not an action: {error}", text)
        return PLACE if read.action_type else Move(read.target_x, read.target_y)

    def write(self, action: Action) -> str:
        return BOMB if isinstance(action, Place) else move_text(action.x, action.y)

    def sample(self, rng: Stream) -> Action:
        """Uniform over the cells within reach and, where it is possible, a bomb."""
        index = rng.below(len(self.near) + self.armed)
        return PLACE if index == len(self.near) else Move(*xy(self.near[index]))

    def describe(self) -> str:
        return (
            f"one JSON object: {move_text('x', 'y')} to move towards (x, y), whole numbers "
            f"from 0 to {SIZE - 1}; or {BOMB} to place a bomb on your cell"
        )

    def schema(self) -> JSON:
        coordinate: JSON = {"type": "integer", "minimum": 0, "maximum": SIZE - 1}
        return {
            "type": "object",
            "properties": {
                "action_type": {"type": "integer", "enum": [0, 1]},
                "target_x": coordinate,
                "target_y": coordinate,
            },
            "required": ["action_type", "target_x", "target_y"],
            "additionalProperties": False,
        }

    def gbnf(self) -> str:
        number = " | ".join(f'"{n}"' for n in range(SIZE))
        bomb, to, and_, end = map(gbnf_literal, (BOMB, _TO, _AND, _END))
        return f"{bomb} | {to} ({number}) {and_} ({number}) {end}"

    def from_point(self, channel: str, x: float, y: float) -> Action | None:
        """A move to the cell that is pointed at in the picture."""
        cell = window(self.at, self.radius).cell(x, y) if channel == "arena" else None
        return None if cell is None else Move(*xy(cell))

    def controls(self) -> Controls:
        """Arrow keys walk one cell, the space bar or `b` places a bomb; cells are clicked."""
        x, y = xy(self.at)
        steps = {key: (x + dx, y + dy) for key, (dx, dy) in _ARROWS.items()}
        keys = {
            key: self.write(Move(*to))
            for key, to in steps.items()
            if min(to) >= 0 and max(to) < SIZE
        }
        buttons = {"Bomb": BOMB, "Stay": self.write(Move(x, y))}
        return Controls(buttons=buttons, keys={**keys, " ": BOMB, "b": BOMB})

    @property
    def offered(self) -> tuple[str, ...]:
        """The answers that `sample` draws from."""
        moves = tuple(self.write(Move(*xy(cell))) for cell in self.near)
        return (*moves, BOMB) if self.armed else moves

    @property
    def everything(self) -> tuple[str, ...]:
        """Every answer of every moment: 225 moves, cell by cell, and the bomb."""
        return EVERYTHING


EVERYTHING = (*(move_text(*xy(cell)) for cell in range(CELLS)), BOMB)
