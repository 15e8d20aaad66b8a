"""Memory of a process that plays: what was freed is kept, and garbage is searched for rarely."""

from __future__ import annotations

import ctypes
import gc
import sys

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_KEPT_BYTES = 64 << 20
_MAPPED_BYTES = 32 << 20
_NEW_OBJECTS, _YOUNG_SEARCHES, _MIDDLE_SEARCHES = 10_000, 20, 50


def keep_freed_memory() -> None:
    """Let glibc reuse up to 64 MB of freed buffers in this process.

    By default it hands blocks of a picture's size back to the kernel at every free. Encoding a
    400x400 picture takes half the time with this. Does nothing where there is no glibc.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)
        mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES)


def search_rarely() -> None:
    """Let Python look for garbage in cycles after 10,000 new objects and seldom among old ones.

    By default it looks after 700. With 2,000 calls in flight that took 40 % of the CPU time and
    held up the event loop for 300 ms at a time (`polyathlon bench calls/in-flight`).
    """
    gc.set_threshold(_NEW_OBJECTS, _YOUNG_SEARCHES, _MIDDLE_SEARCHES)
