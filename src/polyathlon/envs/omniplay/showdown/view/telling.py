"""The state of the game in words."""

from __future__ import annotations

import msgspec

from polyathlon.core.world import Role
from polyathlon.envs.omniplay.showdown.rules.arena import SIZE, named, xy
from polyathlon.envs.omniplay.showdown.rules.bombs import Bomb
from polyathlon.envs.omniplay.showdown.rules.game import Rules
from polyathlon.envs.omniplay.showdown.rules.pieces import ROLES, Event, Player, Standing
from polyathlon.envs.omniplay.showdown.view.window import window


class Report(msgspec.Struct, frozen=True):
    """What a player is told of one moment. `fuse` is that of the first bomb that threatens it."""

    round: int
    cap: int
    role: Role
    seat: int
    alive: bool
    cell: int
    fire: int
    capacity: int
    placed: int
    speed: int
    steps: int
    trapped: bool
    fuse: int | None
    others: tuple[tuple[Role, int], ...]
    bombs: tuple[Bomb, ...]
    before: Standing | None
    now: Standing
    events: tuple[Event, ...]
    history: tuple[tuple[int, str], ...]
    radius: int


def captured(rules: Rules, player: Player) -> Report:
    """The moment as `player` knows it; with a view radius, what lies within it."""
    view = window(player.cell, rules.view_radius)
    bombs = tuple(bomb for bomb in rules.bombs if view.shows(bomb.cell))
    threats = [bomb.countdown for bomb in rules.threats(player.cell) if view.shows(bomb.cell)]
    return Report(
        rules.round,
        rules.cap,
        player.role,
        player.seat,
        player.alive,
        player.cell,
        player.fire,
        player.capacity,
        player.placed,
        player.speed,
        player.steps,
        rules.trapped(player),
        min(threats, default=None),
        tuple(
            (other.role, other.cell)
            for other in rules.living()
            if other is not player and view.shows(other.cell)
        ),
        bombs,
        player.before,
        msgspec.structs.replace(rules.standing(player), bombs_on_field=len(bombs)),
        tuple(event for event in player.news if event.kind == "out" or view.shows(event.cell)),
        tuple(player.history),
        rules.view_radius,
    )


def tell(report: Report) -> str:
    """Lines: round, self, danger, movement, others, bombs, changes, events, history."""
    others = "; ".join(f"{role.title()} at {named(cell)}" for role, cell in report.others)
    bombs = "".join(f"\n- {_bomb(bomb)}" for bomb in report.bombs)
    events = "; ".join(map(_event, report.events))
    history = "; ".join(f"round {number}: {deed}" for number, deed in report.history)
    within = f" within {report.radius} cells" if report.radius else ""
    return (
        f"Round {report.round} of {report.cap}\n"
        f"You: {report.role.title()}, player {report.seat + 1}, "
        f"{'alive' if report.alive else 'eliminated'}, at {named(report.cell)}\n"
        f"Fire power {report.fire}; bomb count {report.capacity}; bombs placed {report.placed}; "
        f"speed {report.speed}; trapped {int(report.trapped)}\n"
        f"Danger: {_danger(report.fuse)}\n"
        f"Movement: at most {report.steps} cells a turn\n"
        f"Other living players{within}: {others or 'none'}\n"
        f"Bombs{within}, which nobody can pass: {bombs or 'none'}\n"
        f"Changes since your last turn: {_changes(report.before, report.now)}\n"
        f"Events since your last turn{within}: {events or 'no special events'}\n"
        f"Your last actions: {history or 'none yet'}"
    )


def _danger(fuse: int | None) -> str:
    if fuse is None:
        return "your cell is in no blast"
    return f"YOUR CELL IS IN THE BLAST OF A LIVE BOMB, rounds to explosion {fuse}"


def _bomb(bomb: Bomb) -> str:
    x, y = xy(bomb.cell)
    return (
        f"{ROLES[bomb.owner].title()}'s at ({x}, {y}), rounds to explosion {bomb.countdown}, "
        f"range {bomb.fire}, x {_span(x, bomb.fire)} and y {_span(y, bomb.fire)}"
    )


def _span(middle: int, fire: int) -> str:
    return f"{max(0, middle - fire)} to {min(SIZE - 1, middle + fire)}"


def _changes(before: Standing | None, now: Standing) -> str:
    if before is None:
        return "none"
    pairs = [(name, getattr(before, name), getattr(now, name)) for name in _NAMES]
    changed = [f"{name.replace('_', ' ')} {old} -> {new}" for name, old, new in pairs if old != new]
    return "; ".join(changed) or "none"


def _event(event: Event) -> str:
    who, at = event.role.title(), named(event.cell)
    match event.kind:
        case "bomb":
            return f"{who} placed a bomb at {at}"
        case "explosion":
            return f"{who}'s bomb at {at} exploded"
        case "crate":
            return f"a crate broke at {at}"
        case "pickup":
            return f"{who} took a {event.detail} power-up at {at}"
        case "out":
            return f"{who} was eliminated at {at} by {event.by.title()}'s bomb ({event.detail})"


_NAMES = Standing.__struct_fields__
