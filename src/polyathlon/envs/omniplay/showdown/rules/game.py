"""The game: turns, rounds, flames and who is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import JSON, plain
from polyathlon.core.chance import stream
from polyathlon.core.world import NOTHING, Mail, Outcome, Role, Step
from polyathlon.envs.omniplay.showdown.rules.arena import (
    CELLS,
    CORNERS,
    CRATE,
    FLOOR,
    NEIGHBOURS,
    POWER_UPS,
    SIZE,
    Way,
    blast,
    built,
    cell_at,
    distance,
    hidden,
    named,
    nearest,
    path,
    reach,
    within,
    xy,
)
from polyathlon.envs.omniplay.showdown.rules.bombs import Bomb, Burst, blamed, exploded, ticked
from polyathlon.envs.omniplay.showdown.rules.pieces import (
    HISTORY,
    ROLES,
    Action,
    Event,
    Hit,
    Move,
    Player,
    Standing,
)


class Rules:
    """One game. `ground` and `solid` hold a byte a cell; a dead player's seat is never pending."""

    def __init__(
        self,
        level: str,
        *,
        view_radius: int,
        cap: int,
        fuse: int,
        crates: float,
        drops: float,
        observers: bool,
    ) -> None:
        self.view_radius = view_radius
        self.cap = cap
        self.fuse = fuse
        self._crates = crates
        self._drops = drops
        self._observers = observers

    def reset(self, seed: int) -> None:
        self.ground = built(self._crates, stream(seed, "omniplay/showdown", "arena"))
        self._hidden = hidden(self.ground, self._drops, stream(seed, "omniplay/showdown", "drops"))
        self._solid = bytearray(self.ground[cell] == CRATE for cell in range(CELLS))
        self.players = [Player(role, i, CORNERS[i]) for i, role in enumerate(ROLES)]
        self.by_role = {player.role: player for player in self.players}
        self.bombs: list[Bomb] = []
        self.flames: frozenset[int] = frozenset()
        self.hits: list[Hit] = []
        self.round = 0
        self._way: Way = {}
        self._outcome: Outcome | None = None
        self._queue = list(self.players)

    def turn(self, role: Role) -> int:
        return self.by_role[role].turns

    def time_us(self) -> int:
        return 0

    def pending(self) -> tuple[Role, ...]:
        return () if self._outcome else (self._queue[0].role,)

    def act(self, role: Role, action: Action | Malformed) -> Step:
        if self._outcome or role != self._queue[0].role:
            return Step.illegal()
        player = self._queue[0]
        self._begin(player)
        step = self._take(player, action)
        self._record(player, action, step)
        self._queue.pop(0)
        self._way = {}
        if self._queue:
            return step
        return msgspec.structs.replace(step, rewards=self._end_round())

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def outcome(self) -> Outcome | None:
        return self._outcome

    def state(self) -> JSON:
        rows = [self.ground[i : i + SIZE].decode() for i in range(0, CELLS, SIZE)]
        state: dict[str, Any] = {
            "ground": rows,
            "hidden": [[cell, chr(kind)] for cell, kind in self._hidden.items()],
            "bombs": [[*xy(b.cell), b.owner, b.countdown, b.fire] for b in self.bombs],
            "players": [plain(player) for player in self.players],
            "flames": sorted(self.flames),
            "hits": [plain(hit) for hit in self.hits],
            "fuse": self.fuse,
            "round": self.round,
            "queue": [player.role for player in self._queue],
        }
        return state

    def living(self) -> list[Player]:
        """The players who are not eliminated, by seat."""
        return [player for player in self.players if player.alive]

    def way(self, player: Player) -> Way:
        """The cells `player` can reach now, each with the cell before it."""
        if player.role not in self.pending():
            return reach(player.cell, player.steps, self._solid)
        if not self._way:
            self._way = reach(player.cell, player.steps, self._solid)
        return self._way

    def armed(self, player: Player) -> bool:
        """Whether `player` may place a bomb: it has one left, and none lies on its cell."""
        return player.placed < player.capacity and not self._solid[player.cell]

    def trapped(self, player: Player) -> bool:
        """Whether no neighbouring cell is passable."""
        return all(self._solid[near] for near in NEIGHBOURS[player.cell])

    def threats(self, cell: int) -> list[Bomb]:
        """The live bombs in whose own blast a cell lies."""
        return [
            bomb
            for bomb in self.bombs
            if distance(cell, bomb.cell) <= bomb.fire
            and cell in blast(bomb.cell, bomb.fire, self.ground)
        ]

    def standing(self, player: Player) -> Standing:
        """What `player` compares with its last turn."""
        return Standing(
            len(self.bombs), len(self.living()), player.fire, player.capacity, player.speed
        )

    def _begin(self, player: Player) -> None:
        player.turns += 1
        player.before = self.standing(player)
        player.news = []
        others = (other.cell for other in self.living() if other is not player)
        player.apart += min(distance(player.cell, cell) for cell in others)

    def _take(self, player: Player, action: Action | Malformed) -> Step:
        if isinstance(action, Malformed):
            player.invalid += 1
            return Step.malformed()
        if isinstance(action, Move):
            return self._go(player, action)
        if not self.armed(player):
            player.invalid += 1
            return Step.illegal()
        return self._place(player)

    def _go(self, player: Player, move: Move) -> Step:
        if not (0 <= move.x < SIZE and 0 <= move.y < SIZE):
            player.invalid += 1
            return Step.illegal()
        return self._move(player, cell_at(move.x, move.y))

    def _move(self, player: Player, target: int) -> Step:
        way = self.way(player)
        entered = path(way, nearest(way, target))
        if not entered:
            return _DONE if target == player.cell else Step.ineffective()
        endangered = bool(self.threats(player.cell))
        start, player.cell = player.cell, entered[-1]
        player.moves += 1
        player.evasions += endangered and not self.threats(player.cell)
        for cell in entered:
            if self.ground[cell] in POWER_UPS:
                self._pick_up(player, cell)
        return self._watched(player, f"moved from {named(start)} to {named(player.cell)}")

    def _place(self, player: Player) -> Step:
        self.bombs.append(Bomb(player.cell, player.seat, self.fuse, player.fire))
        self._solid[player.cell] = 1
        player.placed += 1
        player.bombs += 1
        self._happened(Event("bomb", player.cell, player.role))
        return self._watched(player, f"placed a bomb at {named(player.cell)}")

    def _watched(self, player: Player, deed: str) -> Step:
        if not self._observers:
            return _DONE
        radius = self.view_radius or SIZE
        watching = tuple(
            other.role
            for other in self.living()
            if other is not player and within(other.cell, player.cell, radius)
        )
        mail = Mail(player.role, watching, f"round {self.round}: {deed}")
        return Step.ok(mail=(mail,) if watching else ())

    def _pick_up(self, player: Player, cell: int) -> None:
        kind = POWER_UPS[self.ground[cell]]
        self.ground[cell] = FLOOR
        player.power_ups += 1
        player.fire += kind == "fire"
        player.capacity += kind == "bomb"
        player.speed += kind == "speed"
        self._happened(Event("pickup", cell, player.role, kind))

    def _record(self, player: Player, action: Action | Malformed, step: Step) -> None:
        deed = "no valid action, stayed"
        if isinstance(action, Move):
            short = "" if player.cell == cell_at(action.x, action.y) else " in part"
            deed = f"move to ({action.x}, {action.y}){short}"
        elif step.status == "ok":
            deed = "bomb"
        player.history = [*player.history[1 - HISTORY :], (self.round, deed)]

    def _happened(self, event: Event) -> None:
        for player in self.living():
            player.news.append(event)

    def _end_round(self) -> Mapping[Role, float]:
        self.bombs = ticked(self.bombs)
        bursts = exploded(self.bombs, self.ground)
        self.flames = frozenset().union(*(burst.cells for burst in bursts))
        if bursts:
            self._burn(bursts)
        self.round += 1
        self._outcome = self._ending()
        first = self.round % len(ROLES)
        rotated = self.players[first:] + self.players[:first]
        self._queue = [player for player in rotated if player.alive]
        return dict.fromkeys(self._outcome.winners, 1.0) if self._outcome else NOTHING

    def _burn(self, bursts: list[Burst]) -> None:
        gone = {burst.bomb.cell for burst in bursts}
        self.bombs = [bomb for bomb in self.bombs if bomb.cell not in gone]
        for burst in bursts:
            owner = self.players[burst.bomb.owner]
            owner.placed -= 1
            self._solid[burst.bomb.cell] = 0
            self._happened(Event("explosion", burst.bomb.cell, owner.role))
        for player in self.living():
            if player.cell in self.flames:
                self._strike(player, [burst for burst in bursts if player.cell in burst.cells])
        for cell in sorted(self.flames):
            if self.ground[cell] == CRATE:
                self.ground[cell] = self._hidden.pop(cell, FLOOR)
                self._solid[cell] = 0
                self._happened(Event("crate", cell))

    def _strike(self, player: Player, bursts: list[Burst]) -> None:
        for burst in bursts:
            owner = ROLES[burst.bomb.owner]
            at = xy(burst.bomb.cell)
            self.hits.append(Hit(self.round, player.role, owner, at, burst.link))
        player.flame_hits += len(bursts)
        killer, player.cause = blamed(bursts, player.seat)
        player.alive = False
        self.players[killer].kills += killer != player.seat
        self._happened(Event("out", player.cell, player.role, player.cause, ROLES[killer]))

    def _ending(self) -> Outcome | None:
        left = tuple(player.role for player in self.living())
        if len(left) == 1:
            return Outcome("last_standing", winners=left)
        if not left:
            return Outcome("all_fell")
        return Outcome("cap", truncated=True) if self.round >= self.cap else None


_DONE = Step.ok()
