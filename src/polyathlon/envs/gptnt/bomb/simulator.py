"""The door between an env and wherever its bomb is: in this process, or behind a server.

Whoever plays through a `Simulator` cannot tell which; what a bomb behind a server cannot promise
is said by `remote`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.core.errors import UserError
from polyathlon.core.parts import Image
from polyathlon.envs.gptnt.bomb import bomb as bombs
from polyathlon.envs.gptnt.bomb.bomb import OVER, Act, Bomb, Click, Hold, Phase
from polyathlon.envs.gptnt.bomb.export import export
from polyathlon.envs.gptnt.bomb.missions import MissionSpec
from polyathlon.envs.gptnt.bomb.modules.base import Verdict, index_of
from polyathlon.envs.gptnt.bomb.modules.button import ButtonModule
from polyathlon.envs.gptnt.bomb.modules.complicated import ComplicatedModule
from polyathlon.envs.gptnt.bomb.modules.sequence import SequenceModule
from polyathlon.envs.gptnt.bomb.modules.simon import SimonModule
from polyathlon.envs.gptnt.bomb.modules.wires import WiresModule

if TYPE_CHECKING:
    from polyathlon.envs.gptnt.bomb.looks.frames import Shot, View
    from polyathlon.envs.gptnt.bomb.sounds import Heard

FRAME_US = 250_000
MAX_FRAMES = 16
"""A frame every quarter of a second, the last 16: section 3.2 of the GPTNT paper."""
MEMORY_US = MAX_FRAMES * FRAME_US

PointAct: TypeAlias = Literal["click_release", "hold"]


class Reply(msgspec.Struct, frozen=True):
    """What an act brought, and the element it met, if any. Never told to a player."""

    verdict: Verdict
    element: str | None = None


class Target(msgspec.Struct, frozen=True):
    """Something that can be pressed now.

    `type` is the type of its module as missions write it, `part` its name in the module ("" for a
    module as a whole), `colours` those it has that mean something, in words.
    """

    element: str
    type: str
    part: str = ""
    colours: tuple[str, ...] = ()


class Photo(msgspec.Struct, frozen=True):
    """A scene that was drawn elsewhere: PNG bytes of the frame and of its mask.

    The mask is black but for one flat colour an element; `elements` names them by (red, green,
    blue). Past frames have no mask.
    """

    frame: bytes
    mask: bytes = b""
    elements: tuple[tuple[str, tuple[int, int, int]], ...] = ()


Scene: TypeAlias = "Shot | Photo"


class Simulator(Protocol):
    """One bomb, seen and handled from outside. Times are its game time in microseconds.

    Its time moves by `advance_to` alone. Methods raise UserError for what cannot be done now.
    """

    @property
    def time_us(self) -> int: ...
    @property
    def phase(self) -> Phase: ...
    @property
    def paused(self) -> bool: ...

    def start(self, mission: MissionSpec, rule_seed: int = 0) -> None:
        """Another bomb in the dark, in place of this one."""
        ...

    def lights_on(self, *, paused: bool = False) -> None:
        """The game begins at time 0; `paused` stops it at once, so that nothing has elapsed."""
        ...

    def pause(self) -> None: ...
    def resume(self) -> None: ...

    def advance_to(self, time_us: int) -> None:
        """Let time pass. Times gone by, and any time after the end, change nothing."""
        ...

    def next_event_us(self) -> int | None:
        """When something happens by itself that nobody's act brings; None when nothing will."""
        ...

    def act(self, act: Act) -> Reply:
        """Do something at this moment; after the end it is nothing."""
        ...

    def act_at(self, name: PointAct, x: float, y: float) -> Reply:
        """Press whatever is at (x, y) in [0, 1]² of the frame, from its top left."""
        ...

    def targets(self) -> tuple[Target, ...]:
        """What can be pressed now, in reading order."""
        ...

    def elements(self) -> tuple[str, ...]:
        """The names of `targets`."""
        ...

    def shot(self, *, props: bool = True) -> Scene:
        """The scene of this moment, to be drawn by `picture` or `view`, at any time, anywhere.

        Its picture has 640 x 480 pixels; `props` are the things on the table.
        """
        ...

    def past(self, count: int = MAX_FRAMES - 1, *, props: bool = True) -> tuple[Scene, ...]:
        """The scenes at the last quarter seconds of game time before this moment, oldest first.

        At most `count`, fewer in the first seconds of a game; before any act at that very moment.
        """
        ...

    def heard(self, since_us: int) -> Heard:
        """What was to be heard from a moment on until now, to be played by `sounds.played`.

        Of times longer ago than the past frames go, nothing is known any more.
        """
        ...

    def state(self, runtime: bool = True) -> dict[str, JSON]:
        """All about the bomb, or, without `runtime`, what it was made as. Not for players."""
        ...

    def snapshot(self) -> object:
        """This moment, to come back to by `restore`."""
        ...

    def restore(self, snapshot: object) -> None: ...


class Snapshot(msgspec.Struct, frozen=True):
    """A bomb, and what it was after each of the acts that its past frames still show."""

    bomb: Bomb
    history: tuple[Bomb, ...]


class LocalSimulator:
    """A bomb in this process: exact, deterministic, nothing drawn before it is looked at."""

    def __init__(self) -> None:
        self._now: Snapshot | None = None
        self._paused = False

    @property
    def bomb(self) -> Bomb:
        """The bomb at this moment. Raises UserError before the first mission."""
        return self._kept.bomb

    @property
    def time_us(self) -> int:
        return self.bomb.time_us

    @property
    def phase(self) -> Phase:
        return self.bomb.phase

    @property
    def paused(self) -> bool:
        return self._paused

    def start(self, mission: MissionSpec, rule_seed: int = 0) -> None:
        self._now = Snapshot(bombs.build(mission, rule_seed), ())
        self._paused = False

    def lights_on(self, *, paused: bool = False) -> None:
        if self.phase != "lights_off":
            raise UserError("the lights are on already: start a mission for another game")
        lit = bombs.lights_on(self.bomb)
        self._now = Snapshot(lit, (lit,))
        self._paused = paused

    def pause(self) -> None:
        self._paused = True

    def resume(self) -> None:
        self._paused = False

    def advance_to(self, time_us: int) -> None:
        if self._paused:
            raise UserError("the game is paused: resume it, then let time pass")
        if time_us > self.time_us and self.phase == "lights_on":
            self._keep(bombs.advanced(self.bomb, time_us))

    def next_event_us(self) -> int | None:
        return None if self._paused else bombs.next_event_us(self.bomb)

    def act(self, act: Act) -> Reply:
        if self.phase == "lights_off":
            raise UserError("the lights are off: switch them on, then act")
        if self.phase in OVER:
            return Reply("nothing")
        reaction = bombs.acted(self.bomb, act)
        if reaction.bomb is not self.bomb:
            self._keep(reaction.bomb, changed=True)
        return Reply(reaction.verdict, reaction.element)

    def act_at(self, name: PointAct, x: float, y: float) -> Reply:
        from polyathlon.envs.gptnt.bomb.looks.frames import Shot, element_at

        element = element_at(Shot(self.bomb), x, y)
        if element is None:
            return Reply("nothing")
        return self.act(Click(element) if name == "click_release" else Hold(element))

    def targets(self) -> tuple[Target, ...]:
        return tuple(_target(self.bomb, element) for element in self.elements())

    def elements(self) -> tuple[str, ...]:
        return bombs.elements(self.bomb)

    def shot(self, *, props: bool = True) -> Shot:
        from polyathlon.envs.gptnt.bomb.looks.frames import Shot

        return Shot(self.bomb, props=props)

    def past(self, count: int = MAX_FRAMES - 1, *, props: bool = True) -> tuple[Shot, ...]:
        from polyathlon.envs.gptnt.bomb.looks.frames import Shot

        moments = quarters(self.time_us, min(count, MAX_FRAMES))
        earlier = [self._at(time_us) for time_us in moments] if self._kept.history else []
        return tuple(Shot(bomb, props=props) for bomb in earlier)

    def heard(self, since_us: int) -> Heard:
        from polyathlon.envs.gptnt.bomb.sounds import heard

        now_us = self.time_us
        since_us = min(now_us, max(since_us, now_us - MEMORY_US))
        return heard(self._kept.history, since_us, now_us)

    def state(self, runtime: bool = True) -> dict[str, JSON]:
        state = dict(export(self.bomb, runtime=runtime))
        return {**state, "paused": self._paused} if runtime else state

    def snapshot(self) -> Snapshot:
        return self._kept

    def restore(self, snapshot: object) -> None:
        if not isinstance(snapshot, Snapshot):
            raise UserError("this is no snapshot of a bomb in this process")
        self._now = snapshot

    @property
    def _kept(self) -> Snapshot:
        if self._now is None:
            raise UserError("there is no bomb yet: start a mission first")
        return self._now

    def _at(self, time_us: int) -> Bomb:
        """The bomb when the clock reached a moment of the last seconds, before any act then."""
        history = self._kept.history
        last = next((b for b in reversed(history) if b.time_us < time_us), history[0])
        return bombs.advanced(last, time_us)

    def _keep(self, bomb: Bomb, *, changed: bool = False) -> None:
        """Go on with a bomb; what no past frame can show any more is forgotten."""
        history = self._kept.history
        if changed:
            repeated = len(history) > 1 and history[-1].time_us == bomb.time_us
            history = (*history[: -1 if repeated else None], bomb)
        oldest = bomb.time_us - MEMORY_US
        first = max((i for i, kept in enumerate(history) if kept.time_us < oldest), default=0)
        self._now = Snapshot(bomb, history[first:])


def quarters(time_us: int, count: int) -> range:
    """The last `count` multiples of a quarter second in [0, `time_us`), in order."""
    last = -(-time_us // FRAME_US)
    return range(max(0, last - count) * FRAME_US, time_us, FRAME_US)


def picture(scene: Scene) -> Image:
    """What a scene looks like."""
    if isinstance(scene, Photo):
        from polyathlon.media import png

        return png.decode(scene.frame)
    from polyathlon.envs.gptnt.bomb.looks.frames import frame

    return frame(scene)


def view(scene: Scene) -> View:
    """What a scene looks like, and which of its pixels are which element."""
    from polyathlon.envs.gptnt.bomb.looks import frames

    if isinstance(scene, Photo):
        from polyathlon.envs.gptnt.bomb.remote import developed

        return developed(scene)
    return frames.view(scene)


def connect(where: str = "") -> Simulator:
    """A simulator: in this process, or, given the address of a server (http://…), behind it."""
    if not where:
        return LocalSimulator()
    from polyathlon.envs.gptnt.bomb.remote import RemoteSimulator

    return RemoteSimulator(where)


def _target(bomb: Bomb, element: str) -> Target:
    module_id, _, part = element.partition("/")
    fitted = bombs.fitted(bomb, module_id)
    return Target(element, fitted.placed.type, part, _colours(fitted.module, part) if part else ())


def _colours(module: object, part: str) -> tuple[str, ...]:
    """The colours of a part that the rules or its name tell apart (the other parts have none)."""
    match module:
        case WiresModule():
            return (module.puzzle.wires[index_of(part)],)
        case ButtonModule():
            return (module.puzzle.colour,)
        case SimonModule():
            return (part,)
        case ComplicatedModule():
            return tuple(module.puzzle.wires[index_of(part)].colouring.split("+"))
        case SequenceModule() if part not in ("up", "down"):
            wire = module.puzzle.panels[module.panel][index_of(part)]
            return () if wire is None else (wire.colour,)
    return ()
