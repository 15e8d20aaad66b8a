"""Slugs: names from files as single names of folders and files, wherever they are put."""

from __future__ import annotations

import re

MOST_CHARACTERS = 64
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


def slug(name: str, default: str) -> str:
    """The name with everything but letters, digits, `.`, `_` and `-` as `-`.

    It has no separators, begins with a letter or digit, holds at most MOST_CHARACTERS, and is no
    device of Windows; `default` where nothing is left.
    """
    plain = re.sub(r"-{2,}", "-", re.sub(r"[^A-Za-z0-9._-]+", "-", name[: 4 * MOST_CHARACTERS]))
    found = plain.lstrip("._-")[:MOST_CHARACTERS].rstrip("._-")
    return f"{default}-{found}" if _DEVICES.match(found) else found or default
