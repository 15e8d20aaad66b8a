"""Property tests: no deadline (machines are busy, a slow example is no fault), fixed examples.

`make fuzz` draws new and more examples.
"""

import gc
import os
import sys

from hypothesis import settings

settings.register_profile("polyathlon", deadline=None, max_examples=60, derandomize=True)
settings.register_profile("fuzz", deadline=None, max_examples=300, print_blob=True)
settings.load_profile("polyathlon")

# Where bytecode is not kept, every worker compiles all tests and every process a test starts
# compiles the package: a fifth of the time of a run.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_collection_finish() -> None:
    """What was imported stays, so the garbage collector need not look through it again."""
    gc.freeze()
