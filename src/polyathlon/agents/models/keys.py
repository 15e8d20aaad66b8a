"""API keys, which live in environment variables only."""

from __future__ import annotations

import os

from polyathlon.core.errors import UserError


def api_key(variable: str, model: str) -> str:
    """The key of `model`'s provider. Raises UserError when the variable is not set."""
    key = os.environ.get(variable)
    if not key:
        raise UserError(f"{model} needs a key: set the environment variable {variable}")
    return key
