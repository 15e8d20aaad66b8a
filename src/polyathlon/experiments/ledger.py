"""Ledgers: what a scorer's model may have cost, written down before each call is sent."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from polyathlon.core.errors import UserError, writing
from polyathlon.core.models import Model, Price, Reply, Request
from polyathlon.experiments.durable import make_folder, write_all
from polyathlon.experiments.terms import Entry, Terms, append, changed, now, read
from polyathlon.runtime.limits import BudgetReached, Purse, most_usd


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call is about to be sent (`most_usd`), or ended (`cost_usd`; None is unknown)."""

    call: int
    most_usd: float | None = None
    ended: bool = False
    cost_usd: float | None = None


class Ledger:
    """The money of one scorer in one run, over all its sittings; its holder alone may score.

    A call that did not end, for a kill cut it off, is booked at the most it can have cost. What
    was spent before there was a ledger is `earlier_usd`.
    """

    def __init__(self, folder: Path, earlier_usd: float) -> None:
        self._path = folder.with_name(f"{folder.name}.ledger.jsonl")
        self._terms = folder.with_name(f"{folder.name}.terms.jsonl")
        with writing(self._path):
            make_folder(folder.parent)
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            self._lock(folder)
            lines = self._lines()
            self._calls = max((line.call for line in lines), default=0)
            if not lines:
                self._write(Line(0, earlier_usd))
                self._write(Line(0, ended=True, cost_usd=earlier_usd))
                lines = self._lines()
        except BaseException:
            self.close()
            raise
        self._purse = Purse(None, _spent_usd(lines))

    @property
    def spent_usd(self) -> float:
        """US dollars by now; unknown prices count as 0."""
        return self._purse.spent_usd

    def remembered(self) -> Terms:
        """The terms of the last sitting."""
        found = read(self._terms)
        return found[-1].terms if found else Terms()

    def begin(self, terms: Terms) -> None:
        """Score under these terms from now on; they are written down where they are new."""
        before = read(self._terms)
        if not before or before[-1].terms != terms:
            changes = changed(before[-1].terms, terms) if before else ()
            append(self._terms, Entry(now(), terms, self.spent_usd, changes=changes))
        self._purse = Purse(terms.budget_usd, self.spent_usd)

    async def ask(self, model: Model, request: Request) -> tuple[int, float]:
        """Set money aside for a call; its number and how much. Raises BudgetReached."""
        most = most_usd(model, request) or 0.0
        if not await self._purse.reserve(most):
            raise BudgetReached
        self._calls += 1
        self._write(Line(self._calls, most))
        return self._calls, most

    def ended(self, asked: tuple[int, float], reply: Reply | None) -> None:
        """A call ended; one that failed costs nothing."""
        number, most = asked
        cost_usd = 0.0 if reply is None else reply.cost_usd
        self._write(Line(number, ended=True, cost_usd=cost_usd))
        self._purse.settle(most, cost_usd)

    def cut_off(self, asked: tuple[int, float]) -> None:
        """A call did not end: it stays booked at the most it can have cost."""
        self._purse.settle(asked[1], asked[1])

    def close(self) -> None:
        """Let others score."""
        os.close(self._handle)

    def _lock(self, folder: Path) -> None:
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"{folder} is being scored by another process: wait for it") from None
        except OSError:  # a file system without locks
            return

    def _lines(self) -> list[Line]:
        """What is written, after cutting a line that a kill tore."""
        data = self._path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            os.ftruncate(self._handle, whole)
        try:
            return [msgspec.json.decode(line, type=Line) for line in data[:whole].splitlines()]
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise UserError(f"{self._path} cannot be read ({error}): restore it") from None

    def _write(self, line: Line) -> None:
        with writing(self._path):
            write_all(self._handle, msgspec.json.encode(line) + b"\n")


def priced(model: Model, name: str, terms: Terms) -> None:
    """Give a model its price. Raises UserError where a budget needs one that nobody knows."""
    price: Price | None = terms.prices.get(name, model.price)
    if price is None and terms.budget_usd is not None:
        raise UserError(
            f"the price of {name} is unknown, so --budget-usd cannot hold: give it with "
            f"--price {name}=INPUT,OUTPUT (USD per million tokens; 0,0 for a server that costs "
            "nothing)"
        )
    model.price = price


def _spent_usd(lines: Iterable[Line]) -> float:
    booked: dict[int, float] = {}
    for line in lines:
        booked[line.call] = (line.cost_usd if line.ended else line.most_usd) or 0.0
    return sum(booked.values())
