"""Which values of a parameter every run tries, and which the slow one alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first_fast(values: Iterable[Any], fast: int = 1) -> list[Any]:
    """The first values as they are, the others marked slow; a tuple is one value of several
    parameters."""
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            marks=() if number < fast else pytest.mark.slow,
        )
        for number, value in enumerate(values)
    ]
