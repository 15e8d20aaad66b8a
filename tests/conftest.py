"""How all tests run.

Property tests: no deadline (machines are busy, a slow example is no fault), fixed examples.
`make fuzz` draws new and more examples.
"""

import gc
import os
import sys

from hypothesis import settings

settings.register_profile("polyathlon", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("fuzz", deadline=None, max_examples=300, print_blob=True)
settings.load_profile("polyathlon")

# Where bytecode is not kept, every worker compiles all tests, and every process that a test
# starts compiles the package.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The workers fill all cores, where threads of matrix products only wait for each other. NumPy
# reads this once, when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_collection_finish() -> None:
    """What was imported stays, so the garbage collector need not look through it again, nor often
    through the little that tests leave behind."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
