"""The codecs of PyAV (extra `video`), and files opened for reading.

What a file's tags say is never used, and they may hold any bytes: FFmpeg knows no encoding of them.
Version 19 of PyAV reads whatever they are; versions before must be told to.
"""

from __future__ import annotations

import io
from types import ModuleType
from typing import Any

from polyathlon.core.extras import missing

_READS_ANY_TAG = 19


def library(purpose: str) -> ModuleType:
    """PyAV; UserError, which names the purpose such as "FLAC files", where it is missing."""
    try:
        import av
    except ImportError:
        raise missing(f"{purpose} need PyAV", "video") from None
    return av


def opened(av: ModuleType, data: bytes, form: str) -> Any:
    """A file of the format `form` as an input container, to be closed; raises av.FFmpegError."""
    tags = {} if _version(av) >= _READS_ANY_TAG else {"metadata_errors": "replace"}
    return av.open(io.BytesIO(data), format=form, **tags)


def _version(av: ModuleType) -> int:
    return int(av.__version__.partition(".")[0])
