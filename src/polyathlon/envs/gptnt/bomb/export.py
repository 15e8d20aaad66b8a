"""A bomb as JSON, for tools, tests and simulators' clients."""

from __future__ import annotations

import msgspec

from polyathlon.core.canonical import JSON, plain
from polyathlon.envs.gptnt.bomb.bomb import Bomb, Fitted
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.rulebook.variants import book

GENERATOR_VERSION = 1


def export(bomb: Bomb, runtime: bool = True) -> dict[str, JSON]:
    """All about a bomb as JSON (section 3.10 of the specification), never for a model's eyes.

    `runtime=False` leaves out whatever changes in play. Slots, keys, cells, stages and panels count
    from 1, the letters of a password's column from 0; floats are rounded to 1e-6.
    """
    plan = bomb.plan
    found: dict[str, JSON] = {
        "generator_version": GENERATOR_VERSION,
        "manual_seed": plan.rule_seed,
        "mission": msgspec.to_builtins(plan.mission),
        "widgets": plan.casing.export(),
        "modules": [_export(bomb, found, runtime=runtime) for found in bomb.modules],
    }
    rounded: dict[str, JSON] = plain({**found, **_progress(bomb)} if runtime else found)
    return rounded


def _export(bomb: Bomb, found: Fitted, *, runtime: bool) -> dict[str, JSON]:
    placed = found.placed
    exported: dict[str, JSON] = {
        "id": placed.id,
        "type": placed.type,
        "slot": placed.slot.export(),
        "config": found.module.config(book(bomb.plan.rule_seed)),
    }
    if not runtime:
        return exported
    solved = found.solved_us is not None
    return {**exported, "runtime": {"solved": solved, **found.module.runtime(bomb.time_us)}}


def _progress(bomb: Bomb) -> dict[str, JSON]:
    clock, now_us, grip = bomb.clock, bomb.time_us, bomb.grip
    return {
        "game_time_s": now_us / SECOND_US,
        "lifecycle": bomb.phase,
        "timer": {
            "remaining_s": clock.remaining_us(now_us) / SECOND_US,
            "display": clock.display(now_us),
            "rate": clock.rate(now_us),
            "running": bomb.phase == "lights_on",
        },
        "strikes": len(bomb.strikes),
        "strike_log": [
            {"game_time_s": strike.time_us / SECOND_US, "module_id": strike.module_id}
            for strike in bomb.strikes
        ],
        "camera": {
            "pose": grip.pose.facing,
            "up": grip.pose.up,
            "zoomed_module": grip.zoomed,
            "held_element": grip.held,
        },
    }
