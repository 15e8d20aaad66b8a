"""Spoken guidance: headquarters knows what is wanted and in which sector, but no coordinates.

Clauses (OmniPlay's clause names, section 6.5 of the specification): a threat clause from the live
threats within 25 of any member (CLEAR 0, CAUTION 1 or 2, WARNING more); FORMATION when two
members are within 8 of each other under WARNING; TERRAIN, the sector of the open objective that
is nearest to a member, found or not, with the task there once it is found; DISCOVERY when a
hidden one lies within 25 of a member; INTEL, the least explored sector while over half of it is
unseen. A message has priority when the threat is CLEAR and that objective is within 25.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.core.percepts import Percept
from polyathlon.envs.omniplay.phantom.rules import Rules
from polyathlon.envs.omniplay.phantom.rules.fog import (
    SECTOR_CELLS,
    SECTOR_NAMES,
    sector,
    sector_centre,
    unseen,
)
from polyathlon.envs.omniplay.phantom.rules.mission import near
from polyathlon.envs.omniplay.phantom.rules.world import Member, Objective, Threat
from polyathlon.media.speech import Spoken, said, spoken

ALERT_RADIUS, CROWD_RADIUS = 25.0, 8.0
CLEAR, CAUTION, WARNING = range(3)
_THREAT = (
    "CLEAR, threat is low, a good moment to advance.",
    "CAUTION, some threats are near, advance with care.",
    "WARNING, threat is high, keep under cover.",
)
TASKS = {
    "reach": ("go to the objective there", "move"),
    "secure": ("hold the objective there", "defend"),
    "survey": ("look over the objective there", "recon"),
    "eliminate": ("attack the objective there", "attack"),
    "search": ("search for an objective there", "recon"),
}


class Clauses(msgspec.Struct, frozen=True):
    """What a message says, but for its step; sectors are indices in `SECTOR_NAMES` or None."""

    threat: int
    crowded: bool
    terrain: int | None
    task: str
    discovery: int | None
    intel: int | None
    priority: bool


def percept(rules: Rules, hidden: int | None) -> Percept:
    """The message, and its opposite: sectors turned about the centre, threat level swapped.

    `hidden` is the sector of unusual activity, if there is any.
    """
    true, false = _both(clauses(rules, hidden))
    lie = _percept(rules, *false, {})
    return _percept(rules, *true, {"opposite": lie})


def _percept(rules: Rules, body: str, suggests: str, lies: dict[str, Percept]) -> Percept:
    words = f"Step number {rules.round}, tactical guidance. {body}"
    facts: dict[str, JSON] = {"words": words}
    if suggests:
        facts["suggests"] = suggests
    return Percept("guidance", "audio", Spoken(words, rules.voice), spoken, said, facts, lies)


@lru_cache(maxsize=1 << 12)
def _both(content: Clauses) -> tuple[tuple[str, str], tuple[str, str]]:
    """Words and suggested command of a message, and those of its opposite."""
    return worded(content), worded(opposite(content))


def clauses(rules: Rules, hidden: int | None) -> Clauses:
    """What headquarters has to say now."""
    living = rules.living()
    alert = len(_alerting(rules, living))
    threat = CLEAR if alert == 0 else CAUTION if alert <= 2 else WARNING
    target, apart = _nearest_open(rules, living)
    dark = unseen(rules.explored)
    most = max(dark)
    return Clauses(
        threat,
        threat == WARNING and _crowded(living),
        sector(target.x, target.y) if target else None,
        "" if target is None else target.kind if target.known else "search",
        hidden,
        dark.index(most) if 2 * most > SECTOR_CELLS else None,
        threat == CLEAR and apart <= ALERT_RADIUS * ALERT_RADIUS,
    )


def opposite(content: Clauses) -> Clauses:
    """The same message with every sector and the threat level turned round."""
    return msgspec.structs.replace(
        content,
        threat=WARNING - content.threat,
        terrain=_turned(content.terrain),
        discovery=_turned(content.discovery),
        intel=_turned(content.intel),
    )


def worded(content: Clauses) -> tuple[str, str]:
    """The clauses in words, and the command they hint at or ""."""
    said_ = [_THREAT[content.threat]]
    if content.crowded:
        said_.append("FORMATION, spread out to reduce risk.")
    if content.terrain is not None:
        task = TASKS[content.task][0]
        said_.append(f"TERRAIN, move to the {SECTOR_NAMES[content.terrain]} sector, {task}.")
    if content.discovery is not None:
        place = SECTOR_NAMES[content.discovery]
        said_.append(f"DISCOVERY, possible objective area in the {place} sector, investigate.")
    if content.intel is not None:
        place = SECTOR_NAMES[content.intel]
        said_.append(f"INTEL, valuable unknown ground in the {place} sector, look there.")
    said_.append("Priority guidance ends." if content.priority else "Guidance ends.")
    return " ".join(said_), _suggested(content)


def _suggested(content: Clauses) -> str:
    if content.terrain is not None:
        place, action = content.terrain, TASKS[content.task][1]
    elif content.intel is not None:
        place, action = content.intel, "recon"
    else:
        return ""
    x, y = sector_centre(place)
    return f"COMMAND: all {action} {x:.0f} {y:.0f}"


def _nearest_open(rules: Rules, living: list[Member]) -> tuple[Objective | None, float]:
    """The open objective in play that is nearest to a member, and its squared distance."""
    best, least = None, float("inf")
    for target in rules.objectives:
        if target.done or (target.sort == "late" and not target.known):
            continue
        for member in living:
            apart = (member.x - target.x) ** 2 + (member.y - target.y) ** 2
            if apart < least:
                best, least = target, apart
    return best, least


def _alerting(rules: Rules, living: list[Member]) -> list[Threat]:
    """The live threats that are within 25 of a member."""
    found = []
    for threat in rules.alive():
        for member in living:
            if near(member, threat, ALERT_RADIUS):
                found.append(threat)
                break
    return found


def _crowded(living: list[Member]) -> bool:
    return any(near(one, other, CROWD_RADIUS) for one, other in combinations(living, 2))


def _turned(place: int | None) -> int | None:
    return None if place is None else 8 - place
