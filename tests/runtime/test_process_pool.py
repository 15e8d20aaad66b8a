"""The process pool outlives the processes in it, and ctrl-C does not reach them."""

from __future__ import annotations

import multiprocessing
import os
import signal
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import anyio
import pytest

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
