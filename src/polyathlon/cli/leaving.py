"""Leaving the process of a command at once, with its last words said once."""

from __future__ import annotations

import os
import sys
import threading
from typing import NoReturn

INTERRUPTED = 130
_SHOW_CURSOR = "\x1b[?25h"


class LastWords:
    """One line on stderr that says how to go on; whoever comes first says it."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._unsaid = threading.Lock()

    def say(self) -> None:
        """Say it, unless it is said."""
        if self._unsaid.acquire(blocking=False):
            shown = _SHOW_CURSOR if sys.stderr.isatty() else ""
            os.write(2, f"{shown}{self._words}\n".encode())  # a handler may interrupt a print

    def leave(self) -> NoReturn:
        """Say it and end the process, whatever still runs in it."""
        self.say()
        os._exit(INTERRUPTED)
