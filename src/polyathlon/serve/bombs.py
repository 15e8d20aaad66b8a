"""The bombs of one server: each with its own time, which passes only when it is looked at."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator

from polyathlon.envs.gptnt.bomb.missions import MissionSpec
from polyathlon.envs.gptnt.bomb.simulator import LocalSimulator
from polyathlon.serve.messages import Refused

Clock = Callable[[], float]

IDLE_S = 600.0
MAX_SNAPSHOTS = 100


class ServedBomb:
    """A bomb whose game time moves by `scale` seconds in a second of wall time.

    Scale 0 is the virtual driver: time moves on request alone. No thread ticks: `look` brings the
    bomb to the moment it is looked at. `changes` counts what was done to it.
    """

    def __init__(self, scale: float, now: Clock = time.monotonic) -> None:
        self.scale = scale
        self.changing = asyncio.Lock()
        self.snapshots: dict[str, object] = {}
        self.changes = 0
        self._now = now
        self._simulator = LocalSimulator()
        self._since_s = self.used_s = now()
        self._from_us = 0

    @property
    def driver(self) -> str:
        """`wall` or `virtual`."""
        return "wall" if self.scale else "virtual"

    def look(self) -> LocalSimulator:
        """The bomb at this moment. Raises UserError before the first mission."""
        simulator = self._simulator
        if self.scale and simulator.phase == "lights_on" and not simulator.paused:
            elapsed_us = round((self._now() - self._since_s) * self.scale * 1e6)
            simulator.advance_to(self._from_us + elapsed_us)
        return simulator

    def begin(self, simulator: LocalSimulator) -> None:
        """Another bomb, in the dark. Its snapshots begin anew."""
        self._simulator = simulator
        self.snapshots.clear()
        self.changes += 1

    def time_changed(self) -> None:
        """Wall time counts from here: after a pause, a jump, or the beginning."""
        self._since_s, self._from_us = self._now(), self._simulator.time_us

    def keep(self) -> str:
        """Take a snapshot and name it; the oldest of many is forgotten."""
        name = f"s{self.changes}-{self.look().time_us}"
        self.snapshots[name] = self._simulator.snapshot()
        while len(self.snapshots) > MAX_SNAPSHOTS:
            del self.snapshots[next(iter(self.snapshots))]
        return name

    def back_to(self, name: str) -> None:
        """Restore a snapshot. Raises Refused for an unknown one."""
        if name not in self.snapshots:
            raise Refused(404, "no such snapshot of this mission: POST /snapshot makes one")
        self._simulator.restore(self.snapshots[name])
        self.changes += 1
        self.time_changed()


def built(mission: MissionSpec, rule_seed: int) -> LocalSimulator:
    """A mission's bomb in the dark; a new rule book takes tens of milliseconds."""
    simulator = LocalSimulator()
    simulator.start(mission, rule_seed)
    return simulator


class Bombs:
    """Up to `most` bombs by id, beside the default one, which is always there."""

    def __init__(self, most: int, scale: float, now: Clock = time.monotonic) -> None:
        self.most = most
        self.scale = scale
        self.default = ServedBomb(scale, now)
        self._now = now
        self._bombs: dict[str, ServedBomb] = {}
        self._made = 0

    def __iter__(self) -> Iterator[tuple[str, ServedBomb]]:
        return iter(self._bombs.items())

    def __len__(self) -> int:
        return len(self._bombs)

    def create(self, scale: float | None) -> str:
        """Another bomb; when there is no room, one that nobody has used for `IDLE_S` goes.

        Raises Refused when all are in use.
        """
        if len(self._bombs) >= self.most:
            self._drop_idle()
        self._made += 1
        name = f"b{self._made}"
        self._bombs[name] = ServedBomb(self.scale if scale is None else scale, self._now)
        return name

    def find(self, name: str | None) -> ServedBomb:
        """A bomb by id, or the default one. Raises Refused for an unknown id."""
        bomb = self.default if name is None else self._bombs.get(name)
        if bomb is None:
            raise Refused(404, "no such bomb: GET /bombs lists them, POST /bombs makes one")
        bomb.used_s = self._now()
        return bomb

    def end(self, name: str) -> None:
        """Forget a bomb. Raises Refused for an unknown id."""
        self.find(name)
        del self._bombs[name]

    def _drop_idle(self) -> None:
        name, oldest = min(self._bombs.items(), key=lambda item: item[1].used_s)
        if self._now() - oldest.used_s < IDLE_S:
            raise Refused(
                429, f"all {self.most} bombs are in use: DELETE one, or serve more with --bombs"
            )
        del self._bombs[name]
