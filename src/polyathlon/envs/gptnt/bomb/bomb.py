"""A bomb as a value: what is done to it, and the passing of its own time, make the next value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from polyathlon.core.errors import unknown
from polyathlon.envs.gptnt.bomb.casing import Casing, draw_casing
from polyathlon.envs.gptnt.bomb.clock import SECOND_US, Clock
from polyathlon.envs.gptnt.bomb.layout import Layout, Placed, arrange, module_stream
from polyathlon.envs.gptnt.bomb.missions import MODULES, MissionSpec, needy_kind
from polyathlon.envs.gptnt.bomb.modules.base import NEVER_US, Effect, Module, Moment, Verdict
from polyathlon.envs.gptnt.bomb.modules.build import (
    Attentive,
    Holdable,
    Needy,
    needy_module,
    puzzle_module,
)
from polyathlon.envs.gptnt.bomb.poses import START, TURNS, Pose, Turn
from polyathlon.envs.gptnt.bomb.rulebook.facts import CasingFacts
from polyathlon.envs.gptnt.bomb.rulebook.generate import draw
from polyathlon.envs.gptnt.bomb.rulebook.variants import book

Phase: TypeAlias = Literal["lights_off", "lights_on", "solved", "exploded_strikes", "exploded_time"]
OVER: frozenset[Phase] = frozenset({"solved", "exploded_strikes", "exploded_time"})

TURN_US = 600_000
ZOOM_US = 500_000
"""How long the view takes to move (section 3.7 of the specification)."""
STRIKE_US = 1_000_000
"""How long a module's status LED shows a mistake."""

_EXPLOSION = -1


class Click(msgspec.Struct, frozen=True, tag="click_release"):
    """Press an element and let go at once; a module is zoomed into."""

    element: str


class Hold(msgspec.Struct, frozen=True, tag="hold"):
    """Press an element and keep it pressed."""

    element: str


class Release(msgspec.Struct, frozen=True, tag="release"):
    """Let go of what is held."""


class ZoomOut(msgspec.Struct, frozen=True, tag="zoom_out"):
    """See the whole bomb again."""


class TurnBomb(msgspec.Struct, frozen=True, tag="turn"):
    """Turn the bomb; zooms out first."""

    turn: Turn


Act: TypeAlias = Click | Hold | Release | ZoomOut | TurnBomb


class Plan(msgspec.Struct, frozen=True):
    """What never changes about a bomb; `facts` are what the rules may ask of the casing."""

    mission: MissionSpec
    rule_seed: int
    casing: Casing
    layout: Layout
    facts: CasingFacts


class Grip(msgspec.Struct, frozen=True):
    """How the bomb is held and looked at.

    `zoomed` is a module's id, `held` an element's. The view moves from (`from_pose`,
    `from_zoomed`) to (`pose`, `zoomed`) from `moved_us` on; what can be pressed changes at once.
    """

    pose: Pose = START
    zoomed: str | None = None
    held: str | None = None
    from_pose: Pose = START
    from_zoomed: str | None = None
    moved_us: int = NEVER_US


class Fitted(msgspec.Struct, frozen=True):
    """A module in its slot, when it was solved, and when it last caused a strike."""

    placed: Placed
    module: Module
    solved_us: int | None = None
    struck_us: int | None = None


class Strike(msgspec.Struct, frozen=True):
    """A mistake."""

    time_us: int
    module_id: str


class Bomb(msgspec.Struct, frozen=True):
    """A bomb at one moment of its own time.

    Elements are named `m1` (a module) or `m1/wire2` (a part of it).
    """

    plan: Plan
    clock: Clock
    modules: tuple[Fitted, ...]
    time_us: int = 0
    phase: Phase = "lights_off"
    grip: Grip = Grip()
    strikes: tuple[Strike, ...] = ()


class Reaction(msgspec.Struct, frozen=True):
    """The bomb after an act, what the act brought, and the element it met, if any."""

    bomb: Bomb
    verdict: Verdict = "nothing"
    element: str | None = None


def build(mission: MissionSpec, rule_seed: int = 0) -> Bomb:
    """The bomb of a mission under the rules of a seed, its lights off, at time 0."""
    types = (*mission.modules, *mission.needy)
    layout = arrange(mission.seed, types, back=mission.back_placement)
    casing = draw_casing(mission.seed, mission.widgets)
    plan = Plan(mission, rule_seed, casing, layout, casing.facts)
    modules = tuple(Fitted(placed, _module(plan, placed)) for placed in layout.modules)
    return Bomb(plan, Clock(mission.time_limit_s * SECOND_US), modules)


def lights_on(bomb: Bomb) -> Bomb:
    """The bomb with its lights on; they go on once."""
    return replace(bomb, phase="lights_on") if bomb.phase == "lights_off" else bomb


def advanced(bomb: Bomb, time_us: int) -> Bomb:
    """The bomb at a later moment of its time, however the way there is cut.

    Time stands still while the lights are off and when all is over: a bomb that the time ended
    stands at the microsecond of its explosion. Raises ValueError for a moment in the past.
    """
    if bomb.phase != "lights_on":
        return bomb
    if time_us < bomb.time_us:
        raise ValueError(f"a bomb at {bomb.time_us} us cannot go back to {time_us} us")
    while bomb.phase == "lights_on":
        needy = _needy(bomb)
        due_us, index = min(_events(bomb.clock, needy))
        if due_us > time_us:
            return replace(bomb, time_us=time_us)
        bomb = replace(bomb, time_us=due_us)
        if index == _EXPLOSION:
            return replace(bomb, phase="exploded_time")
        bomb = _taken(bomb, index, needy[index].elapsed(_moment(bomb, index)))
    return bomb


def acted(bomb: Bomb, act: Act) -> Reaction:
    """What an act brings at the bomb's present time.

    Nothing, if the lights are off or all is over, if there is no such element now, and, while
    something is held, for all acts but the release. What cannot be held takes a hold as a click.
    """
    held = bomb.grip.held
    if bomb.phase != "lights_on":
        return Reaction(bomb)
    if held is not None:
        return _released(bomb, held) if isinstance(act, Release) else Reaction(bomb)
    match act:
        case ZoomOut():
            return _viewed(bomb, bomb.grip.pose, None)
        case TurnBomb(turn):
            return _viewed(bomb, TURNS[turn](bomb.grip.pose), None)
        case Click(element) if element in elements(bomb):
            return _clicked(bomb, element)
        case Hold(element) if element in elements(bomb):
            return _held(bomb, element)
        case _:
            return Reaction(bomb)


def elements(bomb: Bomb) -> tuple[str, ...]:
    """What can be pressed now, in reading order: modules of the face in view, or, zoomed into one
    that is not solved, its parts; nothing while something is held."""
    grip = bomb.grip
    if bomb.phase != "lights_on" or grip.held is not None:
        return ()
    if grip.zoomed is None:
        return _in_view(bomb)
    zoomed = bomb.modules[_index(grip.zoomed)]
    if zoomed.solved_us is not None:
        return ()
    return tuple([f"{grip.zoomed}/{part}" for part in zoomed.module.parts()])


def fitted(bomb: Bomb, module_id: str) -> Fitted:
    """The module with that id; an unknown one raises UserError."""
    for found in bomb.modules:
        if found.placed.id == module_id:
            return found
    raise unknown("module", module_id, [found.placed.id for found in bomb.modules])


def _module(plan: Plan, placed: Placed) -> Module:
    rng = module_stream(plan.mission.seed, placed.type, placed.instance, "config")
    if placed.type not in MODULES:
        return needy_module(needy_kind(placed.type), rng)
    rules = book(plan.rule_seed)
    return puzzle_module(draw(MODULES[placed.type].kind, rules, plan.facts, rng), rules)


def _needy(bomb: Bomb) -> dict[int, Needy]:
    """The needy modules by their index."""
    puzzles = len(bomb.plan.mission.modules)
    others = enumerate(bomb.modules[puzzles:], puzzles)
    return {i: found.module for i, found in others if isinstance(found.module, Needy)}


def _events(clock: Clock, needy: Mapping[int, Needy]) -> Iterator[tuple[int, int]]:
    """When what happens by itself is due, with its index; the explosion comes before its equals."""
    yield clock.explodes_us(), _EXPLOSION
    for index, module in needy.items():
        yield module.due_us, index


def next_event_us(bomb: Bomb) -> int | None:
    """When the bomb does something by itself: a needy module, or the explosion. None once over."""
    if bomb.phase != "lights_on":
        return None
    due_us = min(due_us for due_us, _ in _events(bomb.clock, _needy(bomb)))
    return max(due_us, bomb.time_us + 1)


def _in_view(bomb: Bomb) -> tuple[str, ...]:
    """The modules on the face that looks at the viewer, as they are read on the screen."""
    pose = bomb.grip.pose
    seen = [found.placed for found in bomb.modules if found.placed.slot.face == pose.facing]
    seen.sort(key=lambda placed: placed.slot, reverse=pose.quarters == 2)
    return tuple([placed.id for placed in seen])


def _viewed(bomb: Bomb, pose: Pose, zoomed: str | None) -> Reaction:
    """The view moves; nothing if it is there already."""
    grip = bomb.grip
    if (pose, zoomed) == (grip.pose, grip.zoomed):
        return Reaction(bomb)
    bomb = _attended(bomb, grip.zoomed, lambda module: module.closed())
    bomb = _attended(bomb, zoomed, lambda module: module.opened(bomb.time_us))
    after = Grip(pose, zoomed, None, grip.pose, grip.zoomed, bomb.time_us)
    return Reaction(replace(bomb, grip=after), "done", zoomed)


def _attended(bomb: Bomb, module_id: str | None, notice: Callable[[Attentive], Module]) -> Bomb:
    """The bomb after one of its modules, if unsolved, has noticed what the view does."""
    if module_id is None:
        return bomb
    index = _index(module_id)
    found = bomb.modules[index]
    if found.solved_us is None and isinstance(found.module, Attentive):
        return _with(bomb, index, replace(found, module=notice(found.module)))
    return bomb


def _clicked(bomb: Bomb, element: str) -> Reaction:
    module_id, _, part = element.partition("/")
    if not part:
        return _viewed(bomb, bomb.grip.pose, module_id)
    index = _index(module_id)
    effect = bomb.modules[index].module.tap(part, _moment(bomb, index))
    return _reaction(bomb, index, effect, element)


def _held(bomb: Bomb, element: str) -> Reaction:
    module_id, _, part = element.partition("/")
    index = _index(module_id)
    module = bomb.modules[index].module
    if not part or not isinstance(module, Holdable):
        return _clicked(bomb, element)
    bomb = replace(bomb, grip=replace(bomb.grip, held=element))
    return _reaction(bomb, index, module.hold(part, _moment(bomb, index)), element)


def _released(bomb: Bomb, held: str) -> Reaction:
    index = _index(held.partition("/")[0])
    module = bomb.modules[index].module
    bomb = replace(bomb, grip=replace(bomb.grip, held=None))
    if isinstance(module, Holdable):
        return _reaction(bomb, index, module.release(_moment(bomb, index)), held)
    return Reaction(bomb)


def _reaction(bomb: Bomb, index: int, effect: Effect, element: str) -> Reaction:
    if effect.verdict == "nothing":
        return Reaction(bomb, element=element)
    return Reaction(_taken(bomb, index, effect), effect.verdict, element)


def _index(module_id: str) -> int:
    """Modules are numbered from `m1` on in their order."""
    return int(module_id[1:]) - 1


def _moment(bomb: Bomb, index: int) -> Moment:
    plan, placed = bomb.plan, bomb.modules[index].placed
    return Moment(
        time_us=bomb.time_us,
        clock=bomb.clock,
        facts=plan.facts,
        rule_seed=plan.rule_seed,
        seed=plan.mission.seed,
        type=placed.type,
        instance=placed.instance,
    )


def _taken(bomb: Bomb, index: int, effect: Effect) -> Bomb:
    """The bomb after what happened to one of its modules."""
    found = replace(bomb.modules[index], module=effect.module)
    if effect.verdict == "solved":
        return _solved(_with(bomb, index, replace(found, solved_us=bomb.time_us)))
    if effect.verdict == "strike":
        return _struck(_with(bomb, index, replace(found, struck_us=bomb.time_us)), found.placed.id)
    return _with(bomb, index, found)


def _with(bomb: Bomb, index: int, found: Fitted) -> Bomb:
    modules = (*bomb.modules[:index], found, *bomb.modules[index + 1 :])
    return replace(bomb, modules=modules)


def _solved(bomb: Bomb) -> Bomb:
    puzzles = bomb.modules[: len(bomb.plan.mission.modules)]
    over = all(found.solved_us is not None for found in puzzles)
    return replace(bomb, phase="solved") if over else bomb


def _struck(bomb: Bomb, module_id: str) -> Bomb:
    strikes = (*bomb.strikes, Strike(bomb.time_us, module_id))
    over = len(strikes) >= bomb.plan.mission.strike_limit
    return replace(
        bomb,
        clock=bomb.clock.struck(bomb.time_us),
        strikes=strikes,
        phase="exploded_strikes" if over else bomb.phase,
    )
