"""Talk and action: how often players wrote, and what they did in the course of a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

import msgspec

from polyathlon.analysis.gptnt.games import Ending, Events, Games, Share, Team, ending
from polyathlon.core import trace
from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb.play.actions import TURNINGS

Third: TypeAlias = Literal["early", "middle", "late"]
Doing: TypeAlias = Literal["wait", "message", "navigate", "interact"]
THIRDS: tuple[Third, ...] = get_args(Third)
DOINGS: tuple[Doing, ...] = get_args(Doing)
NAVIGATIONS = (*TURNINGS, "zoom_out")
OPENING, CLOSING = "<action>", "</action>"
"""What stands around the JSON of a command in a trace."""


class Talk(msgspec.Struct, frozen=True):
    """The turns of a role, or of all (`both`), at some bombs, and what became of them.

    `sent` are turns with a message; `invented` presses at a marker letter that did not exist,
    among all turns that handled a part; `lost` turns lost to errors; `chars` the mean length of
    a message.
    """

    team: Team
    bombs: str
    role: Role
    sent: Share
    invented: Share
    lost: Share
    chars: float | None


class Doings(msgspec.Struct, frozen=True):
    """The turns of a role in one third of the games that ended alike, by what was done."""

    team: Team
    bombs: str
    role: Role
    ending: Ending
    third: Third
    turns: Mapping[Doing, int]


class _Command(msgspec.Struct, frozen=True):
    kind: str
    data: Mapping[str, Any] = {}


class _Reply(msgspec.Struct, frozen=True):
    result: _Command


_decoded = msgspec.json.Decoder(_Reply).decode


def talk(games: Games) -> Iterator[Talk]:
    """All roles together, then each by itself where there are several."""
    several = len(games.roles) > 1
    for role in ("both", *games.roles) if several else games.roles:
        metrics = [row.metrics if role == "both" else row.roles[role].metrics for row in games.rows]
        yield _talk(games, role, metrics)


def doings(games: Games, events: Events) -> Iterator[Doings]:
    """What was done in each third of the turns of each game (Figure 7, Table G.6).

    Nothing of random players: what they do is known, and they play by the thousand.
    """
    if games.is_random:
        return
    counts: dict[tuple[Role, Ending, Third], Counter[Doing]] = {}
    for row in games.rows:
        for role, third, doing in thirds(events(row)):
            counts.setdefault((role, ending(row), third), Counter())[doing] += 1
    for (role, end, third), found in counts.items():
        yield Doings(games.team, games.bombs, role, end, third, found)


def thirds(events: Iterable[trace.Event]) -> Iterator[tuple[Role, Third, Doing]]:
    """The turns of one game, each with its third of all turns of the game."""
    acts = [event for event in events if isinstance(event, trace.Acted)]
    for place, act in enumerate(acts):
        yield act.role, THIRDS[3 * place // len(acts)], done(act)


def done(act: trace.Acted) -> Doing:
    """What a turn was; one that was lost to an error was a wait."""
    if act.action is None or act.status in ("malformed", "illegal"):
        return "wait"
    command = _decoded(act.action.removeprefix(OPENING).removesuffix(CLOSING)).result
    match command.kind:
        case "send_message":
            return "message"
        case "interact_game":
            return "navigate" if command.data["action"] in NAVIGATIONS else "interact"
    return "wait"


def _talk(games: Games, role: Role, metrics: Sequence[Mapping[str, float]]) -> Talk:
    def total(name: str) -> int:
        return int(sum(found.get(name, 0.0) for found in metrics))

    turns, sent, unknown = total("turns"), total("messages"), total("unknown_labels")
    return Talk(
        games.team,
        games.bombs,
        role,
        Share(sent, turns),
        Share(unknown, unknown + total("interactions")),
        Share(total("invalid_actions"), turns),
        total("message_chars") / sent if sent else None,
    )
