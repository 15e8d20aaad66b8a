"""A mission: commands, movement, sight, work on objectives, and wounds, round by round."""

from __future__ import annotations

import math
from collections.abc import Mapping

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream, stream
from polyathlon.core.percepts import text_percept
from polyathlon.core.world import Outcome, Role, Step
from polyathlon.envs.omniplay.phantom.rules.command import ACTIONS, MAP_SIZE, STATUS, Command
from polyathlon.envs.omniplay.phantom.rules.fog import disc
from polyathlon.envs.omniplay.phantom.rules.world import (
    FULL_HEALTH,
    LEVELS,
    POINTS,
    SECURE_ROUNDS,
    Member,
    Objective,
    Threat,
    late_round,
    objectives,
    optimal_rounds,
    squad,
    threats,
)

ROLE = "commander"
RECON_SIGHT = 6.0
SECURE_RADIUS, SURVEY_RADIUS, ATTACK_RADIUS = 5.0, 13.0, 12.0
HIT = 50
THREAT_RADIUS, WOUND, WOUND_IN_COVER = 10.0, 8, 4
CARE_RADIUS, CARE = 5.0, 5
TERRAINS = 8


class Rules:
    """One mission.

    A round: the command, threats and members move, a late objective appears, members look
    around, attack and work, threats wound, medics heal. An action is in force from the order on,
    also on the way. `orders` counts orders, `effective` holds the numbers of the effective ones:
    those that led one of their members to a discovery, a hit, or progress on an objective.
    `points` and `completed` are the points and the number of the completed objectives.
    """

    def __init__(
        self, level: str, *, rounds: int, rounds_credit: str, command_failure_p: float, voice: str
    ) -> None:
        self.level = LEVELS[level]
        self.rounds = rounds
        self.late_round = late_round(rounds)
        self.rounds_credit = rounds_credit
        self.failure_p = command_failure_p
        self.voice = voice

    def reset(self, seed: int) -> None:
        placement = _stream(seed, "placement")
        self._movement = _stream(seed, "movement")
        self._discovery = _stream(seed, "discovery")
        self._failures = _stream(seed, "failures")
        self.round = 0
        self.terrain = placement.below(TERRAINS)
        self.members = squad(self.level)
        self.objectives = objectives(self.level, placement)
        self.threats = threats(self.level, self.objectives, placement)
        self.optimal_rounds = optimal_rounds(self.level, self.objectives, self.rounds)
        self.explored = 0
        self.points = self.completed = self.last_completion = 0
        self.orders = self.errors = self.health_lost = 0
        self.effective: set[int] = set()
        self._outcome: Outcome | None = None
        self._reveal()

    def turn(self, role: Role) -> int:
        return self.round

    def time_us(self) -> int:
        return 0

    def pending(self) -> tuple[Role, ...]:
        return () if self._outcome else (ROLE,)

    def living(self) -> list[Member]:
        """The members who are not out."""
        return [member for member in self.members if member.health > 0]

    def alive(self) -> list[Threat]:
        """The threats that are left."""
        return [threat for threat in self.threats if threat.health > 0]

    def act(self, role: Role, action: Command | Malformed) -> Step:
        """Play a round. What is no legal command counts as an error and becomes `all status`.

        The reward is the points completed in this round.
        """
        if self._outcome:
            return Step.illegal()
        before = self.points
        self.round += 1
        error = self._error(action)
        failed = not error and self._fails()
        if error:
            self.errors += 1
        elif isinstance(action, Command) and not failed:
            self._order(action)
        self._play()
        rewards = {ROLE: float(self.points - before)}
        if error:
            return _rejected(action, error, rewards)
        if failed:
            told = text_percept("state", "The command failed; earlier orders stand.")
            return Step.ineffective(rewards, (told,))
        return Step.ok(rewards)

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def outcome(self) -> Outcome | None:
        return self._outcome

    def state(self) -> JSON:
        """Everything: also what the commander must not know."""
        return {
            "round": self.round,
            "rounds": self.rounds,
            "optimal_rounds": self.optimal_rounds,
            "terrain": self.terrain,
            "members": [_member_state(member) for member in self.members],
            "objectives": [_objective_state(target) for target in self.objectives],
            "threats": [_threat_state(threat) for threat in self.threats],
            "explored": f"{self.explored:x}",
            "orders": self.orders,
            "effective": sorted(self.effective),
            "errors": self.errors,
            "points": self.points,
            "health_lost": self.health_lost,
            "last_completion": self.last_completion,
            "drawn": [rng.drawn for rng in (self._movement, self._discovery, self._failures)],
        }

    def _error(self, action: Command | Malformed) -> str:
        if isinstance(action, Malformed):
            return action.reason
        for index in action.members:
            if not 0 <= index < len(self.members) or self.members[index].health <= 0:
                return f"member {index} is unknown or out"
        if action.action not in ACTIONS:
            return f"unknown action {action.action!r}"
        if not (0 <= action.x <= MAP_SIZE and 0 <= action.y <= MAP_SIZE):
            return f"coordinates reach from 0 to {MAP_SIZE:g}"
        return ""

    def _fails(self) -> bool:
        return self.failure_p > 0 and self._failures.uniform() < self.failure_p

    def _order(self, command: Command) -> None:
        """Give the order: each destination is off by a normal error per axis.

        Its standard deviation is error x distance x (1 + (100 - health) / 100).
        """
        if command.action == STATUS.action:
            return
        self.orders += 1
        for member in self.living():
            if not command.members or member.index in command.members:
                member.action = command.action
                member.aim = (command.x, command.y)
                member.goal = self._goal(member)
                member.order, member.ordered = self.orders, self.round

    def _goal(self, member: Member) -> tuple[float, float]:
        dx, dy = member.aim[0] - member.x, member.aim[1] - member.y
        wounds = 1 + (FULL_HEALTH - member.health) / FULL_HEALTH
        sd = member.trade.error * math.sqrt(dx * dx + dy * dy) * wounds
        x = self._movement.normal(member.aim[0], sd)
        y = self._movement.normal(member.aim[1], sd)
        return round(min(MAP_SIZE, max(0.0, x)), 1), round(min(MAP_SIZE, max(0.0, y)), 1)

    def _play(self) -> None:
        for threat in self.threats:
            threat.patrol()
        for member in self.members:
            if member.health > 0:
                member.advance()
        if self.round == self.late_round:
            for target in self.objectives:
                target.known = target.known or target.sort == "late"
        self._reveal()
        self._discover()
        self._attack()
        for index, target in enumerate(self.objectives):
            if target.known and not target.done:
                self._work(index, target)
        self._wound()
        self._heal()
        self._outcome = self._ending()

    def _reveal(self) -> None:
        """Lift the fog around the members; see which threats are in sight."""
        alive = self.alive()
        for threat in alive:
            threat.sighted = False
        for member in self.members:
            if member.health <= 0:
                continue
            radius = sight(member)
            self.explored |= disc(member.x, member.y, radius)
            for threat in alive:
                if not threat.sighted and near(member, threat, radius):
                    threat.sighted, threat.seen = True, (threat.x, threat.y)

    def _discover(self) -> None:
        """Each member rolls once a round for each hidden objective in its sight."""
        for target in self.objectives:
            if target.sort != "hidden" or target.known:
                continue
            for member in self.members:
                sees = member.health > 0 and near(member, target, sight(member))
                if sees and self._discovery.uniform() < member.trade.finds:
                    target.known = True
                    self._credit(member)
                    break

    def _attack(self) -> None:
        """Each attacking member hits the nearest threat in range."""
        for member in self.members:
            if member.action != "attack" or member.health <= 0:
                continue
            in_range = [t for t in self.alive() if near(member, t, ATTACK_RADIUS)]
            if in_range:
                threat = min(in_range, key=lambda t: (t.x - member.x) ** 2 + (t.y - member.y) ** 2)
                threat.health = max(0, threat.health - HIT)
                threat.sighted = threat.health > 0
                self._credit(member)

    def _work(self, index: int, target: Objective) -> None:
        if target.kind == "eliminate":
            done = all(t.health <= 0 for t in self.threats if t.guards == index)
        elif target.kind == "reach":
            done = self._at_work(target, self.level.reach, "")
        elif target.kind == "survey":
            done = self._at_work(target, SURVEY_RADIUS, "recon")
        else:
            target.progress += self._at_work(target, SECURE_RADIUS, "defend")
            done = target.progress >= SECURE_ROUNDS
        if done:
            target.done = True
            self.completed += 1
            self.points += POINTS[target.sort]
            self.last_completion = self.round

    def _at_work(self, target: Objective, radius: float, action: str) -> bool:
        """Whether a member in `radius` carries out `action`, any when ""; credits all who do."""
        workers = [
            member
            for member in self.members
            if member.health > 0
            and (not action or member.action == action)
            and near(member, target, radius)
        ]
        for member in workers:
            self._credit(member)
        return bool(workers)

    def _credit(self, member: Member) -> None:
        if member.order:
            self.effective.add(member.order)

    def _wound(self) -> None:
        """Each threat wounds every member in its range, half as much behind cover."""
        for threat in self.alive():
            for member in self.members:
                if member.health > 0 and near(member, threat, THREAT_RADIUS):
                    wound = WOUND_IN_COVER if member.action == "defend" else WOUND
                    lost = min(member.health, wound)
                    member.health -= lost
                    self.health_lost += lost

    def _heal(self) -> None:
        """An idle medic heals the other members around."""
        for medic in self.members:
            if medic.trade.letter == "M" and medic.action == "idle" and medic.health > 0:
                for member in self.members:
                    if (
                        member is not medic
                        and 0 < member.health < FULL_HEALTH
                        and near(medic, member, CARE_RADIUS)
                    ):
                        member.health = min(FULL_HEALTH, member.health + CARE)

    def _ending(self) -> Outcome | None:
        if self.completed == len(self.objectives):
            return Outcome("complete", winners=(ROLE,))
        if not self.living():
            return Outcome("squad_lost")
        return Outcome("out_of_rounds") if self.round >= self.rounds else None


def sight(member: Member) -> float:
    """How far a member sees."""
    return member.trade.sight + (RECON_SIGHT if member.action == "recon" else 0.0)


def near(one: Member, other: Member | Objective | Threat, radius: float) -> bool:
    """Whether two stand within `radius` of each other."""
    dx, dy = one.x - other.x, one.y - other.y
    return dx * dx + dy * dy <= radius * radius


def _rejected(action: Command | Malformed, error: str, rewards: Mapping[Role, float]) -> Step:
    told = (text_percept("state", f"Command error: {error}. Used: COMMAND: all status"),)
    if isinstance(action, Malformed):
        return Step.malformed(rewards, told)
    return Step.illegal(rewards, told)


def _stream(seed: int, name: str) -> Stream:
    return stream(seed, "omniplay/phantom", name)


def _member_state(member: Member) -> JSON:
    return {
        "trade": member.trade.name,
        "at": [member.x, member.y],
        "before": member.before,
        "health": member.health,
        "action": member.action,
        "aim": member.aim,
        "goal": member.goal,
        "order": member.order,
        "ordered": member.ordered,
    }


def _objective_state(target: Objective) -> JSON:
    return {
        "sort": target.sort,
        "kind": target.kind,
        "at": [target.x, target.y],
        "known": target.known,
        "progress": target.progress,
        "done": target.done,
    }


def _threat_state(threat: Threat) -> JSON:
    return {
        "at": [threat.x, threat.y],
        "guards": threat.guards,
        "health": threat.health,
        "legs": threat.legs,
        "leg": threat.leg,
        "seen": threat.seen,
        "sighted": threat.sighted,
    }
