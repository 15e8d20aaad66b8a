"""Myriad Echoes: the state machine.

Cells are (row, column) from 1. The layout and the order are drawn from the seed; the order visits
every cell once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TypeAlias

from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import stream
from polyathlon.core.world import Outcome, Role, Step
from polyathlon.envs.omniplay.echoes.answers import KINDS, Click, Transcription
from polyathlon.envs.omniplay.echoes.grid import Cell, cells

ROLE = "player"
NAME = "omniplay/echoes"
GRIDS = {"easy": (2, 3), "medium": (2, 5), "hard": (3, 5)}
"""Rows and columns of each level."""
WEIGHTS = {1: (0.0, 0.5), 2: (0.5, 0.25)}
"""What a right click and a right entry of either list add to the raw score, by phases.

OmniPlay, Table 14 (one phase: the simplified task) and the formula behind Table 18.
"""
Order: TypeAlias = tuple[Cell, ...]


class Rules:
    """One game. `layout` holds the kind of each cell in reading order, `order` the sequence."""

    def __init__(self, level: str, *, phases: int, sequence_source: str, match: str) -> None:
        self.rows, self.columns = GRIDS[level]
        self.phases = phases
        self._click_weight, self._entry_weight = WEIGHTS[phases]
        self._source = sequence_source
        self._match = match

    def reset(self, seed: int) -> None:
        self._seed = seed
        places = list(cells(self.rows, self.columns))
        self.layout = _kinds(seed, len(places))
        self.kinds = dict(zip(places, self.layout, strict=True))
        stream(seed, NAME, "order").shuffle(places)
        self.order: Order = tuple(places)
        self.transcription: Transcription | None = None
        self.clicks: tuple[Cell, ...] = ()
        self.correct = 0
        self.turns = 0
        self._outcome: Outcome | None = None

    @property
    def transcribing(self) -> bool:
        """Whether this is phase 1."""
        return self.turns == 0

    def icons(self, order: Order) -> tuple[str, ...]:
        """The kinds in an order of the cells."""
        return tuple([self.kinds[cell] for cell in order])

    def decoy(self) -> Order:
        """Another order, in which no cell keeps its place."""
        order = list(self.order)
        rng = stream(self._seed, NAME, "decoy")
        for last in range(len(order) - 1, 0, -1):  # Sattolo: a cycle through all places
            other = rng.below(last)
            order[last], order[other] = order[other], order[last]
        return tuple(order)

    def sequence(self) -> Order:
        """What phase 2 tells to click."""
        if self._source == "truth":
            return self.order
        return () if self.transcription is None else self.transcription.cells

    def coordinate_accuracy(self) -> int:
        """Written coordinates that are right; 0 without a readable answer."""
        written = self.transcription
        return self._matches(written.cells, self.order) if written else 0

    def icon_accuracy(self) -> int:
        """Written names that are right; 0 without a readable answer."""
        written = self.transcription
        return self._matches(written.icons, self.icons(self.order)) if written else 0

    def raw_score(self) -> float:
        """The weighted sum of right clicks and right entries; rewards add up to it."""
        entries = self.coordinate_accuracy() + self.icon_accuracy()
        return self._click_weight * self.correct + self._entry_weight * entries

    def turn(self, role: Role) -> int:
        return self.turns

    def time_us(self) -> int:
        return 0

    def pending(self) -> tuple[Role, ...]:
        return () if self._outcome else (ROLE,)

    def act(self, role: Role, action: Transcription | Click | Malformed) -> Step:
        if self._outcome:
            return Step.illegal()
        first = self.transcribing
        self.turns += 1
        return self._transcribe(action) if first else self._click(action)

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def outcome(self) -> Outcome | None:
        return self._outcome

    def state(self) -> JSON:
        written = self.transcription
        return {
            "rows": self.rows,
            "columns": self.columns,
            "layout": self.layout,
            "order": self.order,
            "cells": None if written is None else written.cells,
            "icons": None if written is None else written.icons,
            "clicks": self.clicks,
            "turns": self.turns,
            "outcome": self._outcome.reason if self._outcome else None,
        }

    def _transcribe(self, action: Transcription | Click | Malformed) -> Step:
        if not isinstance(action, Transcription):
            if self.phases == 1 or self._source == "own":
                self._outcome = Outcome("parse_failure")
            return _refused(action)
        self.transcription = action
        if self.phases == 1:
            self._outcome = Outcome("transcribed")
        return Step.ok({ROLE: self.raw_score()})

    def _click(self, action: Transcription | Click | Malformed) -> Step:
        if not isinstance(action, Click):
            self._outcome = Outcome("wrong_click")
            return _refused(action)
        cell = action.row, action.column
        self.clicks += (cell,)
        if cell != self.order[self.correct]:
            self._outcome = Outcome("wrong_click")
            return Step.ok({ROLE: 0.0}) if cell in self.kinds else Step.illegal({ROLE: 0.0})
        self.correct += 1
        if self.correct == len(self.order):
            self._outcome = Outcome("repeated", winners=(ROLE,))
        return Step.ok({ROLE: self._click_weight})

    def _matches(self, answer: Sequence[object], truth: Sequence[object]) -> int:
        right = [a == b for a, b in zip(answer, truth, strict=False)]
        return sum(right) if self._match == "positional" else len(list(takewhile(bool, right)))


def _refused(action: object) -> Step:
    malformed = isinstance(action, Malformed)
    return Step.malformed({ROLE: 0.0}) if malformed else Step.illegal({ROLE: 0.0})


def _kinds(seed: int, count: int) -> tuple[str, ...]:
    """The kinds of `count` cells: all distinct up to ten, beyond that some a second time."""
    rng = stream(seed, NAME, "layout")
    deck = list(KINDS)
    rng.shuffle(deck)
    drawn = deck[:count]
    if count > len(deck):
        rng.shuffle(deck)
        drawn += deck[: count - len(drawn)]
        rng.shuffle(drawn)
    return tuple(drawn)
