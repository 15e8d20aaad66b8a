"""Compilation by numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(function: Callable[..., Any]) -> Any:
    """The function as machine code: compiled when first called, strict in its arithmetic.

    The code is kept beside the module, or in the user's cache directory where that cannot be
    written, or where neither can, only as long as the process.
    """
    try:
        return njit(cache=True, error_model="numpy")(function)
    except RuntimeError:  # numba found no directory to write to
        return njit(error_model="numpy")(function)
