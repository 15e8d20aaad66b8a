"""The needy capacitor: it charges until a held lever has emptied it."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from polyathlon.core.canonical import JSON
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.modules.base import Effect, Moment
from polyathlon.envs.gptnt.bomb.modules.needy import sleep_us
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook

FULL_US = 45 * SECOND_US
"""How long an empty capacitor charges until it is full, which is a mistake."""
DRAIN = 8
"""How much faster a held lever empties it."""


class DischargeModule(msgspec.Struct, frozen=True):
    """Sleeps until `wakes_us`, or had a charge of `charge_us` (in time of charging) at `since_us`.

    `held` tells whether the lever is pulled, `draws` counts the draws in play.
    """

    wakes_us: int
    charge_us: int | None = None
    since_us: int = 0
    held: bool = False
    draws: int = 0

    @property
    def due_us(self) -> int:
        """When it wakes, is full or is empty: always after the last act, so that nothing depends on
        whether time is asked to pass between two acts of one moment."""
        if self.charge_us is None:
            return self.wakes_us
        if self.held:
            return self.since_us + self.charge_us // DRAIN + 1
        return self.since_us + FULL_US - self.charge_us

    def level(self, time_us: int) -> float:
        """The share of a full charge, 0 to 1, at a moment before it is due."""
        return (self._charge_us(time_us) or 0) / FULL_US

    def parts(self) -> tuple[str, ...]:
        """The lever."""
        return ("lever",)

    def tap(self, part: str, moment: Moment) -> Effect:
        """A lever let go at once does nothing."""
        return Effect(self, "nothing")

    def hold(self, part: str, moment: Moment) -> Effect:
        """Pull the lever."""
        return Effect(self._moved(True, moment.time_us))

    def release(self, moment: Moment) -> Effect:
        """Let go of the lever; what is left charges on."""
        return Effect(self._moved(False, moment.time_us))

    def elapsed(self, moment: Moment) -> Effect:
        """Wake empty and charge; or sleep again, after a mistake if it is full."""
        now_us = moment.time_us
        if self.charge_us is None:
            return Effect(replace(self, charge_us=0, since_us=now_us))
        wakes_us = now_us + sleep_us(moment.draws(self.draws))
        asleep = replace(self, wakes_us=wakes_us, charge_us=None, draws=self.draws + 1)
        return Effect(asleep, "done" if self.held else "strike")

    def _moved(self, held: bool, time_us: int) -> DischargeModule:
        return replace(self, charge_us=self._charge_us(time_us), since_us=time_us, held=held)

    def _charge_us(self, time_us: int) -> int | None:
        if self.charge_us is None:
            return None
        gone_us = time_us - self.since_us
        return self.charge_us + (-DRAIN if self.held else 1) * gone_us

    def config(self, book: RuleBook) -> dict[str, JSON]:
        """Nothing: all is drawn in play."""
        return {}

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """The charge, 0 to 1, and the lever."""
        awake = self.charge_us is not None
        return {"awake": awake, "charge": self.level(time_us), "held": self.held}
