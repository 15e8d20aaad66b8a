"""Property tests have no deadline: machines are busy, and a slow example is no fault."""

from hypothesis import settings

settings.register_profile("polyathlon", deadline=None, max_examples=60)
settings.load_profile("polyathlon")
