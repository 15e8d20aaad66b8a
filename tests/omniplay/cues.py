"""Followed cues: which sense a player trusted when its senses disagreed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from polyathlon.analysis.headings import heading
from polyathlon.core import trace
from polyathlon.core.canonical import JSON


class Followed(msgspec.Struct, frozen=True):
    """One channel's suggestions: how many were made, and how many the actions agreed with.

    `disputed` counts those that another channel of the moment contradicted, and
    `disputed_followed` those of them that the action agreed with: their share is the bias.
    """

    channel: str
    offered: int = 0
    followed: int = 0
    disputed: int = 0
    disputed_followed: int = 0

    @property
    def share(self) -> float | None:
        """Followed of offered, in [0, 1]."""
        return self.followed / self.offered if self.offered else None

    @property
    def bias(self) -> float | None:
        """Followed of disputed, in [0, 1]; None where nothing was disputed."""
        return self.disputed_followed / self.disputed if self.disputed else None


def followed(env: str, traces: Iterable[Iterable[trace.Event]]) -> list[Followed]:
    """The cues followed in the traces of one env, by channel in the order first heard of.

    A percept suggests an action by its fact `suggests`. What was delivered counts, lies included.
    """
    counts: dict[str, Followed] = {}
    for events in traces:
        for suggestions, action in _decisions(events):
            chosen = heading(env, action)
            for channel, suggested in suggestions.items():
                before = counts.get(channel, Followed(channel))
                disputed = any(other != suggested for other in suggestions.values())
                counts[channel] = _counted(before, suggested == chosen, disputed)
    return list(counts.values())


def _counted(before: Followed, agreed: bool, disputed: bool) -> Followed:
    return Followed(
        before.channel,
        before.offered + 1,
        before.followed + agreed,
        before.disputed + disputed,
        before.disputed_followed + (disputed and agreed),
    )


def _decisions(events: Iterable[trace.Event]) -> Iterable[tuple[Mapping[str, JSON], str]]:
    """What each moment's channels suggested, and the action's text; malformed ones left out."""
    heard: dict[str, Mapping[str, JSON]] = {}
    for event in events:
        match event:
            case trace.Observed():
                heard[event.role] = {
                    sensed.channel: sensed.facts["suggests"]
                    for sensed in event.percepts
                    if sensed.facts.get("suggests") is not None
                }
            case trace.Acted() if event.action is not None:
                yield heard.get(event.role, {}), event.action
