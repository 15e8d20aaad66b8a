"""What the oracle does about needy modules: it goes to them when it becomes urgent."""

from __future__ import annotations

from polyathlon.envs.gptnt.bomb.bomb import Act, Bomb, Click, Fitted, Hold
from polyathlon.envs.gptnt.bomb.modules.base import Module
from polyathlon.envs.gptnt.bomb.modules.discharge import FULL_US, DischargeModule
from polyathlon.envs.gptnt.bomb.modules.knob import KnobModule, table
from polyathlon.envs.gptnt.bomb.modules.vent import QUESTIONS, VentModule

MARGIN_US = 20_500_000
"""How long before a needy module's time is up it becomes urgent: seven turns in frozen time, to
let go of a button, get there, and turn a dial three times. Exported charges are rounded, so that
a whole number of seconds could be read either way."""


def urgent(bomb: Bomb) -> Fitted | None:
    """The needy module that has to be attended to, the one with the least time first."""
    needy = bomb.modules[len(bomb.plan.mission.modules) :]
    waiting = [found for found in needy if _left_us(bomb, found.module) <= MARGIN_US]
    return min(waiting, key=lambda found: _left_us(bomb, found.module), default=None)


def attend(bomb: Bomb, fitted: Fitted) -> Act:
    """What to do in an urgent module that is zoomed into."""
    id = fitted.placed.id
    match fitted.module:
        case VentModule(question=str(question)):
            return Click(f"{id}/{QUESTIONS[question]}")
        case KnobModule():
            return Click(f"{id}/dial")
        case _:
            return Hold(f"{id}/lever")


def _left_us(bomb: Bomb, module: Module) -> int:
    """The time left to do something about a module that asks for it."""
    match module:
        case VentModule(due_us=due_us, question=str()):
            return due_us - bomb.time_us
        case KnobModule(due_us=due_us, leds=tuple(leds)):
            right = module.position == table(bomb.plan.rule_seed)[leds]
            return FULL_US if right else due_us - bomb.time_us
        case DischargeModule(charge_us=int()):
            return module.due_us - bomb.time_us
    return FULL_US
