"""Code that leaves a mark when it is imported and when it plays."""

import os
from pathlib import Path


def act(obs):
    """Always up; the mark is a file that the environment names."""
    Path(os.environ["POLYATHLON_TEST_CANARY"]).touch()
    return "up"


act.replayable = True
