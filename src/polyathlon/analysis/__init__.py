"""Numbers out of traces: episode tables, cells with intervals, published comparisons, reports.

`tables("runs/NAME")` gives every episode and every turn; `.to_pandas()` makes data frames of them.
"""

from polyathlon.analysis.cells import Cell, cells
from polyathlon.analysis.rows import EpisodeRow, RoleRow, Spend, TurnRow
from polyathlon.analysis.stats import Summary
from polyathlon.analysis.table import Tables, tables

__all__ = [
    "Cell",
    "EpisodeRow",
    "RoleRow",
    "Spend",
    "Summary",
    "Tables",
    "TurnRow",
    "cells",
    "tables",
]
