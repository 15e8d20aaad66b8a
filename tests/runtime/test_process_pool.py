"""The process pool outlives the processes in it, and ctrl-C does not reach them."""

from __future__ import annotations

import multiprocessing
import os
import signal
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import anyio
import pytest

from polyathlon import registry
from polyathlon.core import facade
from polyathlon.core.hidden import Hidden
from polyathlon.core.percepts import Percept
from polyathlon.media.footage import packed
from polyathlon.runtime.compute import ProcessPool


def _die_once(marker: str) -> int:
    """Killed by SIGKILL unless `marker` exists, as by a system that ran out of memory."""
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def _blocked() -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def _in_pool(*work):
    async def main():
        pool = ProcessPool(1)
        try:
            return [await pool(*call) for call in work]
        finally:
            pool.close()

    return anyio.run(main)


def test_work_of_a_killed_process_is_done_again(tmp_path):
    first, second = _in_pool((_die_once, str(tmp_path / "died")), (os.getpid,))
    assert first == second != os.getpid()


def test_work_that_kills_every_process_is_its_own_fault():
    async def main():
        pool = ProcessPool(1)
        try:
            with pytest.raises(BrokenProcessPool):
                await pool(os._exit, 3)
            return await pool(os.getpid)
        finally:
            pool.close()

    assert anyio.run(main) != os.getpid()


def test_ctrl_c_does_not_reach_the_pool():
    assert _in_pool((_blocked,)) == [True]
    assert not _blocked()


def _use_a_pool():
    _in_pool((os.getpid,))


def test_a_spawned_process_that_used_a_pool_ends():
    process = multiprocessing.get_context("spawn").Process(target=_use_a_pool)
    process.start()
    process.join(60)
    try:
        assert process.exitcode == 0
    finally:
        process.kill()


def test_closing_leaves_no_process_behind():
    async def main():
        pool = ProcessPool(1)
        worker = await pool(os.getpid)
        pool.close()
        return worker

    worker = anyio.run(main)
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


def _kept_by(percept: Percept) -> tuple[str, bool, str]:
    """What a function of the pool finds in a percept."""
    digest = percept.render().digest
    return digest, isinstance(percept.scene, Hidden), str(percept.meaning)


def test_what_is_hidden_is_drawn_in_the_pool_and_stays_hidden_there():
    env = registry.make("omniplay/pathfinding-v0")
    env.reset(0)
    true = env.observe("player")
    given = facade.observation(true, "plain")
    found = _in_pool(*((_kept_by, percept) for percept in given.percepts))
    assert found == [(p.render().digest, True, str(p.meaning)) for p in true.percepts]
    (drawn,) = _in_pool((packed, given.percepts[0].draw, given.percepts[0].scene))
    assert drawn == true.percepts[0].render()


def test_nothing_hidden_comes_back():
    with pytest.raises(TypeError, match="cannot be pickled"):
        _in_pool((Hidden, "the truth"))
