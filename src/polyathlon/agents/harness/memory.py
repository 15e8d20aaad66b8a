"""Memory: the latest N turns, each rendered once."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence

import msgspec

from polyathlon.agents.harness.library import Parts, join, merged
from polyathlon.agents.harness.perception import Sight
from polyathlon.core.actions import Malformed
from polyathlon.core.parts import Part
from polyathlon.core.world import Mail, Observation, Role, Status, Step

_VALIDITY: dict[Status, str] = {
    "ok": "valid",
    "ineffective": "valid, but it changed nothing",
    "illegal": "against the rules",
    "malformed": "not an action",
}


class Entry(msgspec.Struct):
    """A turn that is being played: what was perceived, then what was decided."""

    turn: int
    sights: tuple[Sight, ...]
    mail: str = ""
    action: str = "none in time"
    thought: str = ""
    note: str = ""


class Memory:
    """The `most` latest complete turns. A turn costs the same however many came before.

    An entry holds the turn, the state in words where perception gave words (else the model's own
    note), the action, its reward and validity and, with `thoughts`, the reasoning. `images`
    keeps the signals too.
    """

    def __init__(self, role: Role, most: int, thoughts: bool, images: bool) -> None:
        self.summary = ""
        self._role = role
        self._entries: deque[tuple[str | Part, ...]] = deque(maxlen=most)
        self._thoughts = thoughts
        self._images = images
        self._open: Entry | None = None

    @property
    def full(self) -> bool:
        """Whether N turns are held."""
        return len(self._entries) == self._entries.maxlen

    def open(self, obs: Observation, sights: Sequence[Sight]) -> None:
        """A turn begins with what is perceived; what is kept for the episode needs no memory."""
        passing = tuple(sight for sight in sights if sight.keep != "episode")
        self._open = Entry(obs.turn, passing, quoted(obs.mail))

    def decide(self, obs: Observation, action: object, thought: str, note: str) -> None:
        """What was decided on the open turn."""
        if self._open is None:
            return
        self._open.action = written(obs, action)
        self._open.thought, self._open.note = thought, note

    def close(self, step: Step) -> None:
        """The open turn is complete: `step` is what its act brought."""
        if self._open is not None and self._entries.maxlen:
            self._entries.append(self._render(self._open, step))
        self._open = None

    def condense(self, summary: str) -> None:
        """Replace all turns held by words."""
        self.summary = summary
        self._entries.clear()

    def parts(self) -> Parts:
        """The summary, if any, then the turns, oldest first; empty before the first."""
        summary = [f"Summary of earlier turns:\n{self.summary}\n\n"] if self.summary else []
        return join([*summary, *(part for entry in self._entries for part in entry)])

    def _render(self, entry: Entry, step: Step) -> tuple[str | Part, ...]:
        pieces: list[str | Part] = [f"turn {entry.turn}\n"]
        for sight in entry.sights:
            if self._images and sight.signal is not None:
                pieces += [*sight.parts, "\n"]
            elif sight.words:
                pieces += [f"{sight.channel}:\n{sight.words}\n"]
        if entry.mail:
            pieces.append(f"messages to you:\n{entry.mail}\n")
        if entry.note:
            pieces.append(f"your note: {' '.join(entry.note.split())}\n")
        if self._thoughts and entry.thought:
            pieces.append(f"your thought: {' '.join(entry.thought.split())}\n")
        reward = step.rewards.get(self._role, 0.0)
        pieces.append(f"action: {entry.action}; reward: {reward:g}; {_VALIDITY[step.status]}\n\n")
        return tuple(merged(pieces))


def quoted(mail: Sequence[Mail]) -> str:
    """Messages as data: a line each, the words as a JSON string that no line can break out of."""
    return "\n".join(
        f"from {item.sender}: {json.dumps(item.text, ensure_ascii=False)}" for item in mail
    )


def written(obs: Observation, action: object) -> str:
    """An action as text; a malformed one as its reason."""
    if isinstance(action, Malformed):
        return f"none ({action.reason})"
    return obs.actions.write(action)
