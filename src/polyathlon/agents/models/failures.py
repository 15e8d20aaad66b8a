"""HTTP failures as ModelErrors: what went wrong, and whether another attempt may help."""

from __future__ import annotations

import math
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from polyathlon.core.models import ModelError

DETAIL_CHARACTERS = 500
QUOTA_CODES = ("insufficient_quota", "billing_hard_limit_reached", "credit_balance_too_low")
LENGTH_CODES = ("context_length_exceeded", "exceed_context_size_error")

_CAUSES: Mapping[int, tuple[str, bool]] = {
    400: ("bad_request", False),
    401: ("auth", False),
    402: ("quota", False),
    403: ("auth", False),
    404: ("not_found", False),
    408: ("timeout", True),
    409: ("conflict", True),
    413: ("too_large", False),
    422: ("bad_request", False),
    425: ("server_error", True),
    429: ("rate_limited", True),
    504: ("timeout", True),
}


def from_status(
    status: int, detail: str, code: str = "", headers: Mapping[str, str] | None = None
) -> ModelError:
    """The error of an answer with an HTTP status that is no success.

    `code` is the provider's own slug from the body; header names are in lower case.
    """
    cause, retryable = _CAUSES.get(status, ("server_error", True))
    if 400 <= status < 500 and status not in _CAUSES:
        cause, retryable = "bad_request", False
    if code in QUOTA_CODES:
        cause, retryable = "quota", False
    elif code in LENGTH_CODES:
        cause, retryable = "context_length", False
    wait_s = retry_after_s(headers or {}) if retryable else None
    text = f"HTTP {status}: {' '.join(detail.split())}"[:DETAIL_CHARACTERS]
    return ModelError(cause, text, retryable=retryable, retry_after_s=wait_s)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by `retry-after-ms` or `retry-after`; None without a readable one.

    A date (RFC 9110, section 10.2.3) counts from the answer's own `date`.
    """
    if (milliseconds := _seconds(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    if (seconds := _seconds(value)) is not None:
        return seconds
    try:
        until, now = parsedate_to_datetime(value), parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
