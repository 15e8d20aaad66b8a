"""Context policies: what of an episode each decision request holds."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Protocol, TypeAlias

import msgspec

from polyathlon.agents.harness.library import Parts, Prompt, Slots
from polyathlon.agents.harness.perception import Sight
from polyathlon.core.models import Message, Thread
from polyathlon.core.parts import Text

Place: TypeAlias = tuple[str, int]


class ContextPolicy(Protocol):
    """Builds the question of a turn and takes note of how it was answered."""

    def ask(self, sights: Sequence[Sight], slots: Slots) -> Thread:
        """The conversation that ends in this turn's question."""
        ...

    def commit(self, answers: Sequence[Message]) -> None:
        """The messages that followed the latest question."""
        ...


def state(sights: Iterable[Sight]) -> Parts:
    """The `state` slot: every channel in turn, each on lines of its own."""
    return tuple(part for sight in sights for part in (*sight.parts, Text("\n")))[:-1]


def _placed(sights: Iterable[Sight]) -> dict[Place, Sight]:
    """Each sight by its channel and its number there, for a channel may carry several at once."""
    counts: Counter[str] = Counter()
    placed: dict[Place, Sight] = {}
    for sight in sights:
        placed[sight.channel, counts[sight.channel]] = sight
        counts[sight.channel] += 1
    return placed


def _kept(sights: Sequence[Sight]) -> dict[Place, Sight]:
    if not any(sight.keep == "episode" for sight in sights):
        return {}
    return {place: sight for place, sight in _placed(sights).items() if sight.keep == "episode"}


class CanonicalContext:
    """One fresh request a turn: the system part, then the user part with its slots.

    What is kept for the episode is shown again on every turn.
    """

    def __init__(self, prompt: Prompt, static: Slots) -> None:
        self._head = Thread(Message("system", prompt.system.fill(static)))
        self._user = prompt.user
        self._static = static
        self._kept: dict[Place, Sight] = {}

    def ask(self, sights: Sequence[Sight], slots: Slots) -> Thread:
        current = {sight.channel for sight in sights}
        kept = [sight for sight in self._kept.values() if sight.channel not in current]
        self._kept.update(_kept(sights))
        filled = {**self._static, **slots, "state": state([*kept, *sights])}
        return self._head.append(Message("user", self._user.fill(filled)))

    def commit(self, answers: Sequence[Message]) -> None:
        """Nothing stays."""


class _Turn(msgspec.Struct, frozen=True):
    """A past turn as it stays in a chat."""

    question: Message
    answers: tuple[Message, ...]
    sights: tuple[Sight, ...]


class ChatContext:
    """One growing conversation: each turn appends its question and the answers to it.

    Words stay; signals of percepts kept for the `turn` only leave after it, unless `replay`, and
    what they leave is said once for a run of them on one channel. What is kept for the episode is
    sent once and again when it changes. With a `window`, the latest `window` to 2 x `window`
    turns are held, so that the prefix stays stable for provider caches between cuts; what is kept
    for the episode survives them. A turn costs the same however many came before (amortised over
    the cuts).
    """

    def __init__(self, prompt: Prompt, static: Slots, replay: bool, window: int) -> None:
        fixed = (*prompt.system.fill(static), *prompt.user.static().fill(static))
        self._head = Thread(Message("system", fixed))
        self._user = prompt.user.changing()
        self._static = static
        self._replay = replay
        self._window = window
        self._thread = self._head
        self._turns: deque[_Turn] = deque(maxlen=2 * window if window else 0)
        self._kept: dict[Place, Sight] = {}
        self._asked: tuple[tuple[Sight, ...], dict[Place, Sight], Slots] | None = None

    def ask(self, sights: Sequence[Sight], slots: Slots) -> Thread:
        if self._asked is not None:
            self.commit(())
        shown = tuple(s for place, s in _placed(sights).items() if self._kept.get(place) != s)
        self._asked = shown, _kept(sights), slots
        return self._thread.append(self._question(state(shown), slots))

    def commit(self, answers: Sequence[Message]) -> None:
        if self._asked is None:
            return
        shown, kept, slots = self._asked
        self._asked = None
        self._kept.update(kept)
        self._append(_Turn(self._question(self._past(shown), slots), tuple(answers), shown))

    def _question(self, shown: Parts, slots: Slots) -> Message:
        return Message("user", self._user.fill({**self._static, **slots, "state": shown}))

    def _past(self, shown: Iterable[Sight]) -> Parts:
        if self._replay:
            return state(shown)
        left = (sight.past() if sight.keep == "turn" else sight for sight in shown)
        return state(sight for sight, _ in groupby(left))

    def _append(self, turn: _Turn) -> None:
        if self._window and len(self._turns) == 2 * self._window:
            self._cut()
        self._turns.append(turn)
        self._extend(turn)

    def _cut(self) -> None:
        while len(self._turns) > self._window:
            self._turns.popleft()
        held = {sight.channel for turn in self._turns for sight in turn.sights}
        pinned = state(sight for sight in self._kept.values() if sight.channel not in held)
        self._thread = self._head.append(Message("user", pinned)) if pinned else self._head
        for turn in self._turns:
            self._extend(turn)

    def _extend(self, turn: _Turn) -> None:
        for message in (turn.question, *turn.answers):
            self._thread = self._thread.append(message)
