"""The published figures of GPTNT, as data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TypeAlias

import msgspec

Row: TypeAlias = Mapping[str, float]
Rows: TypeAlias = Mapping[str, Row]
"""Rows by who, with the models' mean as `AVERAGE`."""

NAME = "gptnt"
MODULES = (
    *("Wires", "Button", "Keypad", "Simon Says", "Who's On First", "Memory"),
    *("Maze", "Morse Code", "Complicated Wires", "Wire Sequence", "Passwords"),
)
"""The types of modules, in the paper's order."""
MULTI, SINGLE = "multi", "single"
"""Kinds of bombs: the ten of several modules, and those of one."""
PAIR, SYNC = "pair", "sync"
AVERAGE, MEAN, ALL = "Average", "mean", "all"
JOIN = ", "
"""Between the words of a key, such as "pair, sync" and "multi, async"."""


class MultiRow(msgspec.Struct, frozen=True):
    """The outcomes of missions 1 to 10, and the modules solved in all where they are known."""

    outcomes: tuple[str, ...]
    modules_solved: int | None

    def shares(self) -> Row:
        """The percentage of each outcome."""
        names = ("solved", "strikeout", "timeout")
        return {name: 100 * self.outcomes.count(name) / len(self.outcomes) for name in names}


class Figures(msgspec.Struct, frozen=True):
    """Percentages, if nothing else is said.

    `single` is success by module in self-play and alone, by play (Tables 4, 5, 11), with
    `random` from `random_games` games a module (Table 11); `multi` is by mode (Tables 2, 3);
    `failures` by kind of bombs and mode (G.2 to G.5, humans F.2); `pairs` success by Defuser and
    Expert (6); `talk` communication rates (7); `markers` invented marker letters in play (10);
    `actions` shares by role, model and outcome (G.6); `probes` accuracy by probe, condition and
    model (8, 9, 12, G.7, G.8), `localisation` by paradigm (10, G.9); `exposure` how many of ten
    answers named the game, with and without its name in the question (G.1).
    """

    name: str
    title: str
    source: str
    single: Mapping[str, Rows]
    random: Row
    random_games: int
    multi: Mapping[str, Mapping[str, MultiRow]]
    modules_per_mission: tuple[int, ...]
    failures: Mapping[str, Rows]
    pairs: Rows
    talk: Rows
    markers: Row
    actions: Mapping[str, Mapping[str, Rows]]
    probes: Mapping[str, Mapping[str, Rows]]
    localisation: Mapping[str, Rows]
    exposure: Mapping[str, Mapping[str, tuple[int, int]]]

    def endings(self, bombs: str, play: str) -> dict[str, Row]:
        """How often games were solved, struck out and timed out, as far as it is printed, by who.

        `play` is such as "pair, sync". Of one player's games the solved ones are printed; endings
        of single modules follow from the shares of failures.
        """
        setup, _, mode = play.partition(JOIN)
        if setup != PAIR:
            rows = self.single.get(play, {}) if bombs == SINGLE else {}
            return {who: {"solved": row[MEAN]} for who, row in rows.items()}
        if bombs == MULTI:
            return {who: row.shares() for who, row in self.multi[mode].items()}
        return {
            who: _of_all(row) for who, row in self.failures.get(bombs + JOIN + mode, {}).items()
        }


def _of_all(row: Row) -> Row:
    """Percentages of all games, from those of the failures."""
    solved = row["solved_pct_of_missions"]
    lost = (100 - solved) / 100
    return {
        "solved": solved,
        "strikeout": lost * row["strikeout_pct_of_failures"],
        "timeout": lost * row["timeout_pct_of_failures"],
    }


def level_of(module: str) -> str:
    """The level that plays a module alone, such as `whos-on-first`."""
    return module.lower().replace("'", "").replace(" ", "-")


@cache
def load() -> Figures:
    """The published figures."""
    data = (files("polyathlon.analysis.reference") / "gptnt.json").read_bytes()
    return msgspec.json.decode(data, type=Figures)
