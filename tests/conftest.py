"""Property tests: no deadline (machines are busy, a slow example is no fault), fixed examples.

`make fuzz` draws new and more examples.
"""

from hypothesis import settings

settings.register_profile("polyathlon", deadline=None, max_examples=60, derandomize=True)
settings.register_profile("fuzz", deadline=None, max_examples=300, print_blob=True)
settings.load_profile("polyathlon")
