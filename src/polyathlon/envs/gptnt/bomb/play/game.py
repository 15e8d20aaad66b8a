"""A game at the door of a simulator: what players do, what it counts, how it ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeAlias

import msgspec

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.percepts import Percept, text_percept
from polyathlon.core.world import Mail, Outcome, Role, Step
from polyathlon.envs.gptnt.bomb.bomb import Click, Hold, Phase, Release, TurnBomb, ZoomOut
from polyathlon.envs.gptnt.bomb.play.actions import (
    PRESSINGS,
    TURNINGS,
    Action,
    Command,
    Flawed,
    Interact,
    Mark,
    Message,
    Name,
    Point,
    Wait,
    relative,
)
from polyathlon.envs.gptnt.bomb.play.catalogue import FEEDBACK
from polyathlon.envs.gptnt.bomb.play.levels import Settings, mission_of, number_of
from polyathlon.envs.gptnt.bomb.play.report import Camera, Progress, camera, progress
from polyathlon.envs.gptnt.bomb.simulator import Scene, connect

Count: TypeAlias = Literal[
    "turns",
    "messages",
    "message_chars",
    "waits",
    "navigations",
    "interactions",
    "zoom_ins",
    "invalid_actions",
    "structural_errors",
    "unknown_labels",
    "soft_warnings",
]

REASONS: Mapping[Phase, str] = {
    "solved": "solved",
    "exploded_strikes": "strikeout",
    "exploded_time": "timeout",
}

_TOUCHES = frozenset({*PRESSINGS, "release"})


class Look(msgspec.Struct, frozen=True):
    """A scene that a player looked at, and its time."""

    scene: Scene
    time_us: int


class Game:
    """One bomb, the first of `roles`, who handles it, and perhaps a partner.

    The lights go on at reset, so that nothing has elapsed when play begins. Commands take effect
    at the moment they come in. Nobody is ever told what they brought: a legal command is `ok`
    whatever it met, and the only reward, the share of modules solved, comes with the end.
    `before` is what the first role saw last when it acted last, however long it thought. What it
    looks at is remembered for that alone: it is no part of the state.
    """

    roles: ClassVar[tuple[Role, ...]] = ()

    def __init__(self, level: str, **options: Any) -> None:
        self.level = level
        self.settings = Settings(**options)
        self.simulator = connect(self.settings.server)

    def reset(self, seed: int) -> None:
        self.mission = mission_of(self.level, seed, self.settings)
        self.number = number_of(seed, self.settings)
        self.simulator.start(self.mission, self.settings.rule_seed)
        self.simulator.lights_on()
        self._exported: Mapping[str, JSON] | None = None
        self.before: Look | None = None
        self._seen: Look | None = None
        self.counts: dict[Role, Counter[str]] = {role: Counter() for role in self.roles}

    @property
    def hand(self) -> Role:
        """Who sees and handles the bomb."""
        return self.roles[0]

    def reader(self) -> Role | None:
        """Who has the manual; None when nobody has."""
        return self.roles[-1]

    def partners(self, role: Role) -> tuple[Role, ...]:
        """Who `role` can talk to."""
        return tuple(other for other in self.roles if other != role)

    def turn(self, role: Role) -> int:
        return self.counts[role]["turns"]

    def time_us(self) -> int:
        return self.simulator.time_us

    def pending(self) -> tuple[Role, ...]:
        return () if self.outcome() else self.roles

    def outcome(self) -> Outcome | None:
        reason = REASONS.get(self.simulator.phase)
        if reason is None:
            return None
        return Outcome(reason, winners=self.roles if reason == "solved" else ())

    def act(self, role: Role, action: Action | Malformed) -> Step:
        """Carry out a command, or say in the past tense why nothing was done."""
        if self.outcome():
            return Step.illegal()
        self.counts[role]["turns"] += 1
        if role == self.hand:
            self.before = self._seen or self.look()
        if isinstance(action, Malformed):
            self._count(role, "structural_errors", "invalid_actions", "waits")
            return Step.malformed(feedback=_skipped(action.reason))
        command = action.command if isinstance(action, Flawed) else action
        flaws = action.flaws if isinstance(action, Flawed) else ()
        problem = self._problem(role, command)
        if problem:
            self._count(role, "invalid_actions", "waits")
            return Step.illegal(feedback=_skipped(" and ".join((*flaws, problem))))
        return self._carry_out(role, command, flaws)

    def advance_to(self, time_us: int) -> Step:
        running = self.outcome() is None
        self.simulator.advance_to(time_us)
        self._exported = None
        return Step.ok(self._rewards() if running else {})

    def next_event_us(self) -> int | None:
        return self.simulator.next_event_us()

    def look(self) -> Look:
        """What the first role sees at this moment."""
        self._seen = Look(self.simulator.shot(props=self.settings.props), self.time_us())
        return self._seen

    def camera(self) -> Camera:
        """How the bomb is held and looked at."""
        return camera(self.bomb_state())

    def progress(self) -> Progress:
        """How far the game has come."""
        return progress(self.bomb_state(), self.mission.modules)

    def bomb_state(self) -> Mapping[str, JSON]:
        """All about the bomb, exported once a moment."""
        if self._exported is None:
            self._exported = self.simulator.state()
        return self._exported

    def state(self) -> JSON:
        return {
            "bomb": self.bomb_state(),
            "elements": list(self.simulator.elements()),
            "counts": {role: dict(counts) for role, counts in self.counts.items()},
        }

    def _problem(self, role: Role, command: Command) -> str:
        """Why a command was not for this player at this moment; "" if it was."""
        match command:
            case Message() if not self.partners(role):
                return "there was nobody to receive a message"
            case Interact() if role != self.hand:
                return "the bomb was out of your reach"
            case Interact(name=name) if self.camera().held_element and name != "release":
                return "something was being held, which left only waiting and letting go"
            case Interact(name=name, at=None) if name in PRESSINGS:
                return f"{name} came without a location"
            case Interact(name=name, at=at) if at is not None and name not in PRESSINGS:
                return f"{name} came with a location, which it does not take"
            case Interact(at=Mark() as mark):
                return self._wrong_mark(role, mark)
            case Interact(at=Point() as point):
                return self._wrong_point(point)
        return ""

    def _wrong_mark(self, role: Role, mark: Mark) -> str:
        if self.settings.interaction != "markers":
            return "its location was a letter, where a point was asked for"
        if mark.element is None:
            self._count(role, "unknown_labels")
            return f"no marker with the label {mark.label} was in the picture"
        return ""

    def _wrong_point(self, point: Point) -> str:
        if self.settings.interaction == "markers":
            return "its location was a point, where a marker's letter was asked for"
        inside = relative(point, self.settings.interaction, self.settings.size_px)
        return "" if inside else "its point lay outside the picture"

    def _carry_out(self, role: Role, command: Command, flaws: tuple[str, ...]) -> Step:
        """Do what is legal. A message goes to the partner with the step."""
        self.counts[role]["soft_warnings"] += bool(flaws)
        mail: tuple[Mail, ...] = ()
        match command:
            case Wait():
                self._count(role, "waits")
            case Message(text=text):
                self._count(role, "messages")
                self.counts[role]["message_chars"] += len(text)
                mail = (Mail(role, self.partners(role), text),)
            case Interact(name=name, at=at):
                self._count(role, "interactions" if name in _TOUCHES else "navigations")
                self._handle(role, name, at)
        return Step.ok(self._rewards(), _carried_out(flaws), mail)

    def _handle(self, role: Role, name: Name, at: Mark | Point | None) -> None:
        zoomed = self.camera().zoomed_module
        self._exported = None
        match name, at:
            case "release", _:
                self.simulator.act(Release())
            case "zoom_out", _:
                self.simulator.act(ZoomOut())
            case "hold", Mark(element=str(element)):
                self.simulator.act(Hold(element))
            case "click_release", Mark(element=str(element)):
                self.simulator.act(Click(element))
            case ("click_release" | "hold") as press, Point():
                place = relative(at, self.settings.interaction, self.settings.size_px)
                if place is not None:
                    self.simulator.act_at(press, *place)
            case _ if name in TURNINGS:
                self.simulator.act(TurnBomb(name))
        self.counts[role]["zoom_ins"] += not zoomed and bool(self.camera().zoomed_module)

    def _rewards(self) -> Mapping[Role, float]:
        """The share of solved modules for everybody, once it is over."""
        if not self.outcome():
            return {}
        return dict.fromkeys(self.roles, self.progress().share)

    def _count(self, role: Role, *names: Count) -> None:
        for name in names:
            self.counts[role][name] += 1


def _skipped(problem: str) -> tuple[Percept, ...]:
    """What a player is told of a turn that was lost: nothing of the game, and no advice."""
    return _told(f"Your previous turn was skipped: {problem}.")


def _carried_out(flaws: tuple[str, ...]) -> tuple[Percept, ...]:
    """What a player is told of the form of a reply whose command was carried out."""
    if not flaws:
        return ()
    return _told(f"Your previous reply was carried out although {' and '.join(flaws)}.")


def _told(words: str) -> tuple[Percept, ...]:
    text = f"<execution-feedback>\n{words}\n</execution-feedback>"
    return (text_percept(FEEDBACK.name, text),)
