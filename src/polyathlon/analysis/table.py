"""Tables: every episode and turn of run directories, as rows, records or data frames."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from polyathlon.analysis.fold import fold_episode
from polyathlon.analysis.probes import is_probe
from polyathlon.analysis.rows import EpisodeRow, RoleRow, TurnRow
from polyathlon.core import trace
from polyathlon.experiments.rundir import open_run
from polyathlon.experiments.traces import DamagedTrace


class Tables(msgspec.Struct, frozen=True):
    """All episodes and turns of some runs, but not probes, which are no games.

    `damaged` says of every episode that is left out which it is, and why.
    """

    episodes: tuple[EpisodeRow, ...]
    turns: tuple[TurnRow, ...]
    damaged: tuple[str, ...] = ()

    def episode_records(self) -> list[dict[str, Any]]:
        """One flat record an episode and role; metrics in columns `metric.NAME`."""
        return [_episode_record(row, seat) for row in self.episodes for seat in row.roles.values()]

    def turn_records(self) -> list[dict[str, Any]]:
        """One flat record a turn."""
        return [_turn_record(turn) for turn in self.turns]

    def to_pandas(self) -> tuple[Any, Any]:
        """The episodes and the turns as data frames. Raises ImportError without pandas."""
        import pandas as pd  # type: ignore[import-untyped]

        return pd.DataFrame(self.episode_records()), pd.DataFrame(self.turn_records())


def tables(*runs: str | Path) -> Tables:
    """Every episode and turn of some runs. Raises UserError for a directory that is no run."""
    return _collect(runs, with_turns=True)


def episodes(*runs: str | Path) -> Tables:
    """Like `tables` without the turns, so that memory does not grow with the text of replies."""
    return _collect(runs, with_turns=False)


def _collect(runs: tuple[str | Path, ...], with_turns: bool) -> Tables:
    rows: list[EpisodeRow] = []
    turns: list[TurnRow] = []
    damaged: list[str] = []
    for run in (open_run(Path(path)) for path in runs):
        for id in run.episode_ids():
            told: list[TurnRow] = []
            keep = told.append if with_turns else _leave_out
            events = run.events(id)
            try:
                header = next(events, None)
                if isinstance(header, trace.Header) and is_probe(header):
                    continue
                begun = () if header is None else (header,)
                row = fold_episode(str(run.path), id, chain(begun, events), keep)
            except DamagedTrace as error:
                damaged.append(f"{run.path} {id}: {error}")
                continue
            rows.append(row)
            turns += told
    return Tables(tuple(rows), tuple(turns), tuple(damaged))


def _leave_out(turn: TurnRow) -> None:
    """Turns hold the text of replies."""


def _episode_record(row: EpisodeRow, seat: RoleRow) -> dict[str, Any]:
    spend, usage = seat.spend, seat.spend.usage
    return {
        "run": row.run,
        "episode": row.id,
        "env": row.env,
        "level": row.level,
        "lineup": row.lineup,
        "condition": row.condition,
        "seed": row.seed,
        "attempt": row.attempt,
        "role": seat.role,
        "agent": seat.agent,
        "access": seat.access,
        "model": seat.model,
        "status": row.status,
        "cause": row.cause,
        "counted": row.counted,
        "turns": seat.turns,
        "invalid_rate": seat.invalid_rate,
        **{f"turns.{status}": count for status, count in seat.statuses.items()},
        **{f"repairs.{kind}": count for kind, count in seat.repairs.items()},
        "warnings": seat.warnings,
        "overdue": seat.overdue,
        "tools": seat.tools,
        "calls": spend.calls,
        "attempts": spend.attempts,
        **{f"failed_attempts.{cause}": n for cause, n in spend.failed_attempts.items()},
        **{f"tokens.{kind}": count for kind, count in msgspec.structs.asdict(usage).items()},
        "cost_usd": spend.cost_usd,
        "latency_s": spend.latency_s,
        "wall_s": row.wall_s,
        **{f"metric.{name}": value for name, value in seat.metrics.items()},
    }


def _turn_record(turn: TurnRow) -> dict[str, Any]:
    flat = {name: getattr(turn, name) for name in turn.__struct_fields__ if name != "spend"}
    usage = msgspec.structs.asdict(turn.spend.usage)
    return {
        **flat,
        "calls": turn.spend.calls,
        "attempts": turn.spend.attempts,
        **{f"tokens.{kind}": count for kind, count in usage.items()},
        "cost_usd": turn.spend.cost_usd,
        "latency_s": turn.spend.latency_s,
    }
