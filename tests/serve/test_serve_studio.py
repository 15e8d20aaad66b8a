"""The processes that draw: killed ones are replaced, and who asked is told."""

import asyncio
import os
from signal import SIGKILL

import pytest

from polyathlon.serve.messages import Refused
from polyathlon.serve.studio import Studio


def die() -> None:
    os.kill(os.getpid(), SIGKILL)


@pytest.mark.slow
def test_a_killed_process_is_told_and_replaced() -> None:
    async def drawing() -> int:
        studio = Studio()
        try:
            with pytest.raises(Refused, match="ask again") as refused:
                await studio(die)
            assert refused.value.status == 503
            return await studio(abs, -3)
        finally:
            studio.close()

    assert asyncio.run(drawing()) == 3
