"""The defuser who tells what there is to see and does as it is told.

Its eyes are the bomb's state: it takes from it what pictures show, the lamps over the frames that
a player is given, and knows no rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, field

from polyathlon.envs.gptnt.bomb.bomb import (
    Act,
    Bomb,
    Click,
    Fitted,
    Hold,
    Release,
    TurnBomb,
    fitted,
)
from polyathlon.envs.gptnt.bomb.casing import EDGES, Edge, SerialNumber, Widget
from polyathlon.envs.gptnt.bomb.expert import button, casing
from polyathlon.envs.gptnt.bomb.expert.notes import Sight
from polyathlon.envs.gptnt.bomb.expert.phrases import UNCLEAR
from polyathlon.envs.gptnt.bomb.expert.topics import TOPICS
from polyathlon.envs.gptnt.bomb.missions import MODULES
from polyathlon.envs.gptnt.bomb.modules.morse import MorseModule
from polyathlon.envs.gptnt.bomb.modules.simon import SimonModule
from polyathlon.envs.gptnt.bomb.simulator import FRAME_US, MAX_FRAMES, quarters
from polyathlon.envs.gptnt.bomb.solver import approach, changing, target, towards


class Focus(Struct):
    """What is remembered of the module at hand.

    `told` is what was said of it last, `reply` the answer, `plan` what is left to press, `pressed`
    how often each part was, `watched` what its lamps showed by time.
    """

    module: str = ""
    strikes: int = 0
    told: str = ""
    reply: str = ""
    plan: list[str] = []
    pressed: Counter[str] = field(default_factory=Counter)
    watched: dict[int, Any] = {}


class Talker:
    """A defuser for one game.

    To follow blinking lamps it needs a turn every four seconds, the length of a player's frames.
    """

    def __init__(self) -> None:
        self._edges: dict[Edge, list[SerialNumber | Widget]] = {}
        self._asked: frozenset[casing.Fact] = frozenset()
        self._focus = Focus()

    def turn(self, bomb: Bomb, messages: Sequence[str]) -> Act | str | None:
        """An act, a message to the expert, or None to wait."""
        for message in messages:
            self._hear(message)
        self._look(bomb)
        if bomb.grip.held is not None:
            return self._holding(bomb)
        if self._asked:
            return self._about_edges(bomb)
        module = target(bomb, self._focus.module)
        if module is None:
            return None
        if bomb.grip.zoomed != module.placed.id:
            return approach(bomb.grip, module.placed)
        return self._working(bomb, module)

    def _hear(self, message: str) -> None:
        asked = casing.asked(message)
        if asked:
            self._asked |= asked
        elif message == UNCLEAR:
            self._focus.told = ""
        else:
            self._focus.reply = message

    def _look(self, bomb: Bomb) -> None:
        """Remember the edge in view."""
        for edge in EDGES:
            if edge == bomb.grip.pose.facing:
                mounted = bomb.plan.casing.mounted()
                self._edges[edge] = [widget for mount, widget in mounted if mount.edge == edge]

    def _about_edges(self, bomb: Bomb) -> Act | str:
        """Tell what the expert asked for, or turn towards an edge not seen yet."""
        seen = [widget for widgets in self._edges.values() for widget in widgets]
        serial = any(isinstance(widget, SerialNumber) for widget in seen)
        unseen = frozenset(EDGES).difference(self._edges)
        turn = towards(bomb.grip.pose, unseen) if unseen else None
        if turn is None or (serial and self._asked == {"serial"}):
            self._asked = frozenset()
            return casing.tell(seen, all_edges=not unseen)
        return TurnBomb(turn)

    def _holding(self, bomb: Bomb) -> Act | str | None:
        """Tell the strip's colour, then wait for the digit."""
        digit = button.digit(self._focus.reply)
        if digit is not None:
            return Release() if digit in bomb.clock.display(bomb.time_us) else None
        strip = button.describe(self._sight(bomb, fitted(bomb, self._focus.module)))
        return None if strip == self._focus.told else self._say(strip)

    def _working(self, bomb: Bomb, module: Fitted) -> Act | str | None:
        """Describe the module zoomed into, or do what was answered."""
        id = module.placed.id
        if (self._focus.module, self._focus.strikes) != (id, len(bomb.strikes)):
            self._focus = Focus(id, len(bomb.strikes))
        focus, topic = self._focus, TOPICS[MODULES[module.placed.type].kind]
        sight = self._sight(bomb, module)
        if changing(module.module, bomb.time_us):
            return None
        if focus.plan:
            return self._press(focus.plan.pop(0))
        told = topic.describe(sight)
        if told is not None and told != focus.told:
            return self._say(told)
        if told is not None and not focus.reply:
            return None
        if button.to_hold(focus.reply):
            return Hold(f"{id}/button")
        focus.plan = list(topic.steps(focus.reply, sight))
        return self._press(focus.plan.pop(0)) if focus.plan else None

    def _say(self, told: str) -> str:
        self._focus.told, self._focus.reply = told, ""
        return told

    def _press(self, part: str) -> Act:
        self._focus.pressed[part] += 1
        return Click(f"{self._focus.module}/{part}")

    def _sight(self, bomb: Bomb, module: Fitted) -> Sight:
        watched = self._watch(module.module, bomb)
        return Sight(module.module, len(bomb.strikes), watched, self._focus.pressed)

    def _watch(self, module: Any, bomb: Bomb) -> tuple[Any, ...]:
        """What the lamps showed frame by frame without a gap, since they began anew."""
        look: Callable[[int], Any]
        match module:
            case SimonModule():
                look, since_us = module.lamp, max(bomb.grip.moved_us, module.pressed_us)
            case MorseModule():
                look, since_us = module.lit, bomb.grip.moved_us
            case _:
                return ()
        frames = [t for t in quarters(bomb.time_us, MAX_FRAMES - 1) if t > since_us]
        watched = self._focus.watched
        watched.update({time_us: look(time_us) for time_us in frames})
        unbroken = []
        time_us = frames[-1] if frames else since_us
        while time_us > since_us and time_us in watched:
            unbroken.append(watched[time_us])
            time_us -= FRAME_US
        return tuple(reversed(unbroken))
