"""Seats: where an episode in one thread and a page in another meet."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from polyathlon.core.canonical import JSON
from polyathlon.core.controls import Controls
from polyathlon.core.world import Role

Phase: TypeAlias = Literal["lobby", "playing", "over"]


class Shown(msgspec.Struct, frozen=True, omit_defaults=True):
    """One percept on the page: its words, or the address and kind of its medium."""

    channel: str
    modality: str
    words: str = ""
    media: str = ""


class Moment(msgspec.Struct, frozen=True):
    """What a person is given at one moment.

    `feedback` is what the last action brought, `papers` what stays at hand for the whole episode,
    `mail` all messages so far; `speaks` says whether messages may be sent.
    """

    env: str
    role: Role
    turn: int
    rules: tuple[tuple[str, str], ...]
    percepts: tuple[Shown, ...]
    mail: tuple[str, ...]
    ask: str
    answers: str
    feedback: str = ""
    controls: Controls | None = None
    papers: tuple[Shown, ...] = ()
    speaks: bool = False


class Asked(msgspec.Struct, frozen=True):
    """What a seat shows at one instant; `number` counts what a page must show anew.

    `waiting` says whether the game waits for this seat's answer.
    """

    number: int
    moment: Moment | None
    problem: str
    waiting: bool


Share: TypeAlias = Annotated[float, Meta(ge=0.0, le=1.0)]


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a page sends: text, a message in own words, or a point in [0, 1]² of a picture.

    `moment` is the number of the moment it answers; `replays` counts how often the person played
    a sound or video again.
    """

    moment: int
    text: str = ""
    message: str = ""
    channel: str = ""
    x: Share = 0.0
    y: Share = 0.0
    replays: Annotated[int, Meta(ge=0)] = 0


class Left:
    """The person left the game."""


class Seat:
    """One role's place at the table; safe to use from both threads.

    `numbers` are those of what it shows, one for each thing that a page must show anew. In a
    `live` world, which goes on while the person looks, an answer to an older moment of the
    episode counts too, and one that comes between two questions answers the next.
    """

    def __init__(self, numbers: Iterator[int], live: bool = False) -> None:
        self._lock = threading.Lock()
        self._numbers = numbers
        self.live = live
        self._early: Answer | None = None
        self._first = 0
        self._waiting: tuple[asyncio.AbstractEventLoop, asyncio.Future[Answer | Left]] | None = None
        self._left = False
        self._number = 0
        self._moment: Moment | None = None
        self._problem = ""
        self.media: Mapping[str, bytes] = {}

    def show(self, moment: Moment, media: Mapping[str, bytes]) -> None:
        """Put a moment on the page."""
        with self._lock:
            self._number = next(self._numbers)
            if moment.turn == 0:
                self._first, self._early = self._number, None
            self._moment, self.media, self._problem = moment, media, ""

    def refuse(self, problem: str) -> None:
        """Say why an answer was no action; the moment stays."""
        with self._lock:
            self._number = next(self._numbers)
            self._problem = problem

    @property
    def left(self) -> bool:
        """Whether the person has left, so that nothing needs to be shown."""
        return self._left

    def now(self) -> Asked:
        """What is shown and asked, all of one instant."""
        with self._lock:
            waiting = self._waiting is not None
            return Asked(self._number, self._moment, self._problem, waiting)

    async def answer(self, patience_s: float | None = None) -> Answer | Left | None:
        """The next answer to what is shown, None if none comes in time; Left once they have."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer | Left] = loop.create_future()
        with self._lock:
            if self._left:
                return Left()
            if self._early is not None:
                early, self._early = self._early, None
                return early
            self._waiting = loop, future
        try:
            await asyncio.wait((future,), timeout=patience_s)
            with self._lock:
                unanswered = self._waiting is not None
            return None if unanswered else await future
        finally:
            with self._lock:
                self._waiting = None

    def give(self, answer: Answer | Left) -> bool:
        """Hand an answer to the waiting game; False when it answers nothing that is asked now."""
        with self._lock:
            self._left |= isinstance(answer, Left)
            if isinstance(answer, Answer) and not self._timely(answer):
                return False
            if self._waiting is None:
                self._early = answer if self.live and isinstance(answer, Answer) else None
                return self._early is not None
            (loop, future), self._waiting = self._waiting, None
        loop.call_soon_threadsafe(_settle, future, answer)
        return True

    def _timely(self, answer: Answer) -> bool:
        if self.live:
            return self._first <= answer.moment <= self._number
        return answer.moment == self._number


def _settle(future: asyncio.Future[Answer | Left], answer: Answer | Left) -> None:
    if not future.done():
        future.set_result(answer)


class Table:
    """All seats of a game, and where the evening stands.

    `form` says who plays, from the start on as the person filled it in; `results` hold the
    metrics of ended episodes.
    """

    def __init__(
        self, title: str, roles: Sequence[Role], form: Mapping[str, str], live: bool = False
    ) -> None:
        self.title = title
        self.form = dict(form)
        numbers = itertools.count(1)
        self.seats = {role: Seat(numbers, live) for role in roles}
        self.phase: Phase = "lobby"
        self.results: list[dict[str, JSON]] = []
        self.total = 0
        self.where = ""
        self.started = threading.Event()
        self.seen_end = threading.Event()

    def start(self, form: Mapping[str, str]) -> bool:
        """The person is ready; False when the game has begun before."""
        if self.phase != "lobby":
            return False
        self.form.update(form)
        self.phase = "playing"
        self.started.set()
        return True

    def leave(self) -> None:
        """The person goes: every seat that is asked stops its episode."""
        for seat in self.seats.values():
            seat.give(Left())

    def finish(self, where: str) -> None:
        """Everything is played and recorded at `where`."""
        self.where = where
        self.phase = "over"

    def turn(self) -> Role:
        """Whose turn it is: of the seats that are asked, or else of all, the one asked last."""
        asked = {role: seat.now() for role, seat in self.seats.items()}
        return max(asked, key=lambda role: (asked[role].waiting, asked[role].number))

    def status(self, role: Role | None) -> dict[str, Any]:
        """What the page of a role shows now, as JSON data; without a role, of whose turn it is."""
        role = role or self.turn()
        phase, shown = self.phase, self.seats[role].now()
        moment = shown.moment if phase == "playing" else None
        if phase == "over":
            self.seen_end.set()
        return {
            "phase": phase,
            "role": role,
            "number": shown.number,
            "title": self.title,
            "form": self.form,
            "roles": list(self.seats),
            "moment": None if moment is None else msgspec.to_builtins(moment),
            "problem": shown.problem,
            "results": self.results,
            "total": self.total,
            "where": self.where,
        }
