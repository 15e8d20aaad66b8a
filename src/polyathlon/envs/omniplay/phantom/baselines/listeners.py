"""Players that sense what a player senses: all channels, or one of them only.

They read what each percept means and remember nothing. One plan serves all: what a channel would
have told is missing where that channel is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import msgspec

from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation
from polyathlon.envs.omniplay.phantom.rules.command import MAP_SIZE, STATUS, Command
from polyathlon.envs.omniplay.phantom.rules.fog import SECTOR_NAMES, sector, sector_centre
from polyathlon.envs.omniplay.phantom.view import guidance, tactical
from polyathlon.envs.omniplay.phantom.view.tactical import Place, Seen

PATIENCE = 6
CLOSE, SAME = 5.0, 1.5
WORTH_EXPLORING = 30
DETOUR = 30.0
TRIALS = {"defend": "recon", "recon": "attack", "attack": "defend"}
_AREA = re.compile(r"DISCOVERY, possible objective area in the ([\w-]+) sector")
_TERRAIN = re.compile(r"TERRAIN, move to the ([\w-]+) sector, ([^.]+)\.")
_HINT = re.compile(r"unusual activity in the ([\w-]+) sector")
_TASK_OF = {words: task for task, (words, _) in guidance.TASKS.items()}


def full(observation: Observation, rng: Stream) -> Command:
    """Uses every channel there is."""
    return _decide(_heard(observation), rng)


def map_only(observation: Observation, rng: Stream) -> Command:
    """Sees the tactical map only."""
    return _decide(_heard(observation, "map"), rng)


def guidance_only(observation: Observation, rng: Stream) -> Command:
    """Hears the guidance only."""
    return _decide(_heard(observation, "guidance"), rng)


def state_only(observation: Observation, rng: Stream) -> Command:
    """Reads the state only."""
    return _decide(_heard(observation, "state"), rng)


class Belief(msgspec.Struct):
    """What the player knows. Sectors are indices in `SECTOR_NAMES` or None.

    `round` counts up, from minus the rounds left where only these are known. `wanted` and `task`
    are what the guidance names; `clue` is a sector that may hide something, `guided` whether
    there is any guidance.
    """

    round: int = 0
    seen: tactical.Reading | None = None
    guided: bool = False
    wanted: int | None = None
    task: str = ""
    clue: int | None = None


def _heard(observation: Observation, only: str = "") -> Belief:
    belief = Belief()
    for percept in observation.percepts:
        if only and percept.channel != only:
            continue
        told = percept.meaning or ""
        if percept.channel == "map":
            belief.seen = tactical.read(told)
            belief.round = belief.seen.round
        elif percept.channel == "guidance":
            _listen(belief, told)
        elif percept.channel == "state":
            _read_state(belief, told)
    return belief


def _listen(belief: Belief, words: str) -> None:
    belief.guided = True
    step = re.search(r"Step (\d+)", words)
    belief.round = int(step[1]) if step else belief.round
    terrain = _TERRAIN.search(words)
    if terrain and terrain[1] in SECTOR_NAMES:
        belief.wanted = SECTOR_NAMES.index(terrain[1])
        belief.task = _TASK_OF.get(terrain[2], "search")
    belief.clue = _sector(_AREA, words)


def _read_state(belief: Belief, text: str) -> None:
    left = re.search(r"Rounds remaining: (\d+)", text)
    if left and not belief.round:
        belief.round = -int(left[1])
    hint = _sector(_HINT, text)
    belief.clue = belief.clue if hint is None else hint


def _sector(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    return SECTOR_NAMES.index(found[1]) if found and found[1] in SECTOR_NAMES else None


def _decide(belief: Belief, rng: Stream) -> Command:
    if belief.seen is None:
        return _grope(belief, rng)
    return _finish(belief, belief.seen) or _search(belief, belief.seen, rng) or STATUS


def _grope(belief: Belief, rng: Stream) -> Command:
    """Without a map: now and then, send all to some place in the sector that is spoken of.

    Without any word of a sector, sweep through all of them.
    """
    if belief.round % PATIENCE:
        return STATUS
    place = belief.wanted if belief.wanted is not None else belief.clue
    if place is None:
        return _all("recon", sector_centre(belief.round // PATIENCE % len(SECTOR_NAMES)))
    action = guidance.TASKS[belief.task][1] if belief.task else "defend"
    return _all("defend" if action == "move" else action, _inside(place, rng))


def _finish(belief: Belief, seen: tactical.Reading) -> Command | None:
    """An order for the open objective that waits for one, to the member nearest to it."""
    free = [unit for unit in seen.units if not _aims_at_any(unit, seen.open)]
    for place in sorted(seen.open, key=lambda place: _wanted_first(belief, place)):
        at_it = [unit for unit in seen.units if _aims_at_any(unit, [place])]
        if at_it:
            correction = _correction(belief, place, at_it[0])
            if correction is not None:
                return correction
        elif free:
            index = min(free, key=lambda unit: _cost(unit, place)).index
            return Command((index,), _action(belief, place), *place)
    return None


def _correction(belief: Belief, place: Place, unit: Seen) -> Command | None:
    """Another order to a member that is at an objective in vain."""
    told = _action(belief, place)
    if _told(belief, place) and unit.action != told:
        return Command((unit.index,), told, *place)
    if not unit.stands:
        return None
    if math.dist(unit.at, place) > CLOSE:
        return Command((unit.index,), unit.action, *place)
    if belief.round % PATIENCE:
        return None
    trial = told if belief.guided else TRIALS.get(unit.action, told)
    return Command((unit.index,), trial, *place)


def _search(belief: Belief, seen: tactical.Reading, rng: Stream) -> Command | None:
    """An order to scout where something may be hidden, to the best member that is free."""
    free = [unit for unit in seen.units if not _aims_at_any(unit, seen.open)]
    place = belief.wanted if belief.task == "search" else belief.clue
    if place is None and not belief.guided:
        place = _least_seen(seen)
    if place is None or not free:
        return None
    unit = min(free, key=lambda unit: unit.letter != "S")
    if unit.action != "recon" or sector(*unit.aim) != place:
        return Command((unit.index,), "recon", *sector_centre(place))
    if not unit.stands or belief.round % 2:
        return None
    return Command((unit.index,), "recon", *_inside(place, rng))


def _least_seen(seen: tactical.Reading) -> int | None:
    most = max(seen.unseen)
    return seen.unseen.index(most) if most >= WORTH_EXPLORING else None


def _told(belief: Belief, place: Place) -> bool:
    """Whether the guidance says what is to be done at a place."""
    return belief.wanted == sector(*place) and belief.task not in ("", "search")


def _action(belief: Belief, place: Place) -> str:
    """What the guidance wants there; unknown, `defend`, which serves two kinds of four."""
    action = guidance.TASKS[belief.task][1] if _told(belief, place) else "defend"
    return "defend" if action == "move" else action


def _wanted_first(belief: Belief, place: Place) -> bool:
    return belief.wanted != sector(*place)


def _aims_at_any(unit: Seen, places: Sequence[Place]) -> bool:
    return any(math.dist(unit.aim, place) <= SAME for place in places)


def _cost(unit: Seen, place: Place) -> float:
    """How far a member is from a place, and more while it is on its way to scout another."""
    scouting = unit.action == "recon" and not unit.stands
    return math.dist(unit.at, place) + (DETOUR if scouting else 0.0)


def _all(action: str, place: Place) -> Command:
    return Command((), action, *place)


def _inside(place: int, rng: Stream) -> Place:
    """A random place, in whole units, in a sector."""
    x, y = sector_centre(place)
    half = int(MAP_SIZE / 6)
    return (
        float(round(x) - half + rng.below(2 * half + 1)),
        float(round(y) - half + rng.below(2 * half + 1)),
    )
