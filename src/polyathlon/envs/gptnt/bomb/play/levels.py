"""Levels and options of the envs that are played with the bomb, and the mission they make."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from polyathlon.envs.gptnt.bomb.layout import FREE_SLOTS, FRONT_SLOTS
from polyathlon.envs.gptnt.bomb.missions import (
    CHILDREN,
    LEVELS,
    NEEDY,
    MissionSpec,
    child_seeds,
    level_mission,
    multi_missions,
    random_mission,
    single_missions,
)
from polyathlon.envs.gptnt.bomb.play.actions import Interaction, Size
from polyathlon.envs.gptnt.bomb.play.catalogue import SINGLE, SIZES, Pace, Thinking


class Settings(msgspec.Struct, frozen=True):
    """The options of a game, typed; `catalogue` describes them."""

    mission: int = 0
    rule_seed: int = 0
    time_limit: str = "formula"
    strike_limit: int = 3
    widgets: int = 5
    needy: int = 0
    interaction: Interaction = "markers"
    size: str = "640x480"
    props: bool = True
    pace: Pace = "any"
    thinking: Thinking = "thoughts"
    named: bool = True
    server: str = ""

    @property
    def size_px(self) -> Size:
        """Width and height of the pictures of the bomb."""
        return SIZES[self.size]


def number_of(seed: int, settings: Settings) -> int:
    """Which of the ten missions of a published level is played, from 1."""
    return settings.mission or 1 + seed % CHILDREN


def mission_of(level: str, seed: int, settings: Settings) -> MissionSpec:
    """The mission that a level, a seed and the options make.

    Levels that are drawn take `mission`, if it is not 0, in place of the seed. Needy modules are
    added as far as there is room.
    """
    found = _published(level, number_of(seed, settings), settings.time_limit)
    if found is None:
        drawn = settings.mission or seed
        found = level_mission(level, drawn) if level in LEVELS else random_mission(drawn)
    room = len(FREE_SLOTS if found.back_placement else FRONT_SLOTS) - len(found.modules)
    return replace(
        found,
        strike_limit=settings.strike_limit,
        widgets=settings.widgets,
        needy=tuple(NEEDY)[: min(settings.needy, room)],
    )


def _published(level: str, number: int, limit_rule: str) -> MissionSpec | None:
    """The `number`-th mission of the paper's sets; None for levels that are drawn."""
    if level == "multi":
        return multi_missions(child_seeds())[number - 1]
    if level not in SINGLE:
        return None
    missions = single_missions(child_seeds(), limit_rule)
    return next(mission for mission in missions if mission.name == f"{level}-{number}")
