"""Compilation by numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

# Kernels make no arrays, so that numba need not count references, half of the time otherwise.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}


def compiled(function: Callable[..., Any]) -> Any:
    """The function as machine code: compiled when first called, strict in its arithmetic.

    It must not make arrays. The code is kept beside the module, or in the user's cache directory
    where that cannot be written, or where neither can, only as long as the process.
    """
    try:
        return njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # numba found no directory to write to
        return njit(**_OPTIONS)(function)
