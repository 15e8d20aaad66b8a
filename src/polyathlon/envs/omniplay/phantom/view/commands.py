"""The commander's answers: exactly one `COMMAND:` line."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from typing import ClassVar, Literal

import msgspec

from polyathlon.core.actions import MAX_ACTION_CHARS, Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.core.controls import Controls, Field, Pointer
from polyathlon.envs.omniplay.phantom.rules.command import ACTIONS, MAP_SIZE, STATUS, Command
from polyathlon.envs.omniplay.phantom.view.layout import HEIGHT_PX, WIDTH_PX, to_map

DECIMALS = 4
_MARKS = str.maketrans("", "", "*`'\"")
_LABEL = re.compile(r"\bCOMMAND[ \t]*:", re.I)
_COMMAND = re.compile(
    r"(all|\d{1,3}(?:[ \t]*,[ \t]*\d{1,3})*)[ \t]+([a-z]+)"
    r"(?:[ \t]+(\d{1,3}(?:\.\d{1,12})?)[ \t]*,?[ \t]+(\d{1,3}(?:\.\d{1,12})?))?[ \t]*[.;]?[ \t]*",
    re.I,
)
_MOVING = tuple(action for action in ACTIONS if action != STATUS.action)
_CANON = "COMMAND: {members} {action} {x} {y}"


class Commands(msgspec.Struct, frozen=True):
    """One command to one member, several, or all; `members` are the numbers of the living.

    A text is a command when `COMMAND:` occurs exactly once in it and the rest of that line is
    well-formed: `0 move 40 55`, `0,2 recon 12.5 80`, `all status`.
    """

    members: tuple[int, ...]
    whole_reply: ClassVar[Literal["first", "only"]] = "only"

    def parse(self, text: str) -> Command | Malformed:
        plain = text[-MAX_ACTION_CHARS:].translate(_MARKS)
        labels = list(_LABEL.finditer(plain))
        if len(labels) != 1:
            count = "several" if labels else "no"
            return Malformed(f"{count} COMMAND: in the reply, exactly one is needed", text)
        line = plain[labels[0].end() :].split("\n", 1)[0].strip()
        match = _COMMAND.fullmatch(line)
        if match is None:
            return Malformed(f"not well-formed; answer {self.describe()}", text)
        command = self._command(*match.groups())
        return Malformed(command, text) if isinstance(command, str) else command

    def _command(self, who: str, action: str, x: str | None, y: str | None) -> Command | str:
        """The command, or what is wrong with it."""
        everyone = who.lower() == "all"
        members = () if everyone else tuple(sorted({int(number) for number in who.split(",")}))
        strangers = [number for number in members if number not in self.members]
        if strangers:
            return f"member {strangers[0]} is unknown or out"
        action = action.lower()
        if action not in ACTIONS:
            return f"unknown action {action!r}, known: {', '.join(ACTIONS)}"
        place = round(float(x or 0), DECIMALS), round(float(y or 0), DECIMALS)
        if max(place) > MAP_SIZE:
            return f"coordinates reach from 0 to {MAP_SIZE:g}"
        if action == STATUS.action:
            return Command(members, action)
        if x is None or y is None:
            return f"{action} needs x and y"
        return Command(members, action, *place)

    def write(self, action: Command) -> str:
        who = ",".join(map(str, action.members)) or "all"
        if action.action == STATUS.action:
            return f"COMMAND: {who} {action.action}"
        return f"COMMAND: {who} {action.action} {action.x:g} {action.y:g}"

    def sample(self, rng: Stream) -> Command:
        """Uniform over the forms (one, several, all), their members, actions and integer places."""
        forms = 3 if len(self.members) > 1 else 2
        form = rng.below(forms)
        members: tuple[int, ...] = ()
        if form == 1:
            members = (rng.choice(self.members),)
        elif form == 2:
            members = rng.choice(groups(self.members))
        action = rng.choice(ACTIONS)
        if action == STATUS.action:
            return Command(members, action)
        side = int(MAP_SIZE) + 1
        return Command(members, action, float(rng.below(side)), float(rng.below(side)))

    def describe(self) -> str:
        return (
            "one line COMMAND: WHO ACTION X Y, where WHO is all or members of "
            f"{','.join(map(str, self.members))} joined by commas, ACTION one of "
            f"{', '.join(ACTIONS)}, X and Y from 0 to 100 (status needs none)"
        )

    def schema(self) -> JSON:
        who, place = "|".join(self._who()), r"(100|[1-9]?[0-9](\.[0-9])?)"
        return {
            "type": "string",
            "pattern": f"^COMMAND: ({who}) (({'|'.join(_MOVING)}) {place} {place}|status)$",
        }

    def gbnf(self) -> str:
        who = " | ".join(f'"{each}"' for each in self._who())
        moves = " | ".join(f'"{action}"' for action in _MOVING)
        place = '("100" | [1-9]? [0-9] ("." [0-9])?)'
        return f'"COMMAND: " ({who}) " " (({moves}) " " {place} " " {place} | "status")'

    def from_point(self, channel: str, x: float, y: float) -> Command | None:
        """All move to the place that was clicked on the map."""
        east, north = to_map(x * WIDTH_PX, y * HEIGHT_PX)
        if channel != "map" or not (0 <= east <= MAP_SIZE and 0 <= north <= MAP_SIZE):
            return None
        return Command((), "move", float(round(east)), float(round(north)))

    def controls(self) -> Controls:
        west, top = to_map(0, 0)
        east, bottom = to_map(WIDTH_PX, HEIGHT_PX)
        return Controls(
            template=_CANON,
            fields=(
                Field("members", "Who", "all", self._who()),
                Field("action", "Action", "move", ACTIONS),
                Field("x", "x (east)", "50", low=0, high=MAP_SIZE, step=1),
                Field("y", "y (north)", "50", low=0, high=MAP_SIZE, step=1),
            ),
            pointers=(Pointer("map", "x", "y", x=(west, east), y=(top, bottom)),),
            buttons={"Wait a round": self.write(STATUS)},
            keys={"w": self.write(STATUS)},
        )

    def _who(self) -> tuple[str, ...]:
        several = [",".join(map(str, group)) for group in groups(self.members)]
        return ("all", *map(str, self.members), *several)


@cache
def groups(members: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every choice of two or more members."""
    sizes = range(2, len(members) + 1)
    return [group for size in sizes for group in combinations(members, size)]
