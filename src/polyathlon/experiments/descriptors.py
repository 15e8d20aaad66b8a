"""Open files: as many as the episodes at once need, or fewer episodes at once."""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence

import msgspec

from polyathlon.core.console import note
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.experiments.settings import Settings

SPARE = 64
"""Descriptors of a process besides those of its episodes: libraries, pools, media, index."""
MACOS_MOST = 10_240
"""OPEN_MAX of macOS, whose hard limit is infinite and refused (`man setrlimit`)."""


def within_descriptors(settings: Settings, specs: Sequence[EpisodeSpec]) -> Settings:
    """The settings, with fewer episodes at once where the machine does not allow so many files.

    Raises the soft limit of this process and those it starts as far as needed. A line on stderr
    says when that is not enough. An episode has its trace open, and a connection for each of its
    players that asks a model.
    """
    each = 1 + max((_askers(spec) for spec in specs), default=0)
    workers = min(settings.workers, settings.concurrency)
    share = min(-(-settings.concurrency // workers), len(specs))
    needed = SPARE + share * each
    allowed = _raised(needed)
    if allowed >= needed:
        return settings
    fitting = workers * max(1, (allowed - SPARE) // each)
    note(
        f"a process may open {allowed:,} files and {share:,} episodes at once need {needed:,}: "
        f"playing {fitting:,} at once; for more, raise the hard limit (ulimit -Hn {needed}) or add "
        "--workers"
    )
    return msgspec.structs.replace(settings, concurrency=fitting)


def _askers(spec: EpisodeSpec) -> int:
    return sum(1 for agent in spec.lineup.values() if agent.model)


def _raised(needed: int) -> int:
    """How many descriptors a process may have after asking for `needed`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        for asked in (most, min(most, MACOS_MOST)):
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (asked, hard))
                break
            except (OSError, ValueError):  # more than the kernel allows, whatever it says
                continue
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft
