"""HTTP failures as ModelErrors: what went wrong, and whether another attempt may help."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec

from polyathlon.core.models import ModelError, Reply

DETAIL_CHARACTERS = 500
SECRET_CHARACTERS = 8
QUOTA_CODES = ("insufficient_quota", "billing_hard_limit_reached", "credit_balance_too_low")
LENGTH_CODES = ("context_length_exceeded", "exceed_context_size_error")
REFUSAL_CODES = ("content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation",
                 "image_content_policy_violation", "bio_policy",
                 "misalignment_policy_violation")  # fmt: skip

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
_INSIDE = re.compile(r"(rate_limit)|invalid_|image_|unsupported_|empty_|data_residency")
"""Codes of a failed response: too many requests, or what no repetition can mend; others may pass.
https://platform.openai.com/docs/api-reference/responses/object (`error.code`)"""
_TOO_LONG = re.compile(  # in the words of OpenAI, vLLM, llama.cpp and those behind OpenRouter
    r"maximum context length|model's context length|context size \(\d+ tokens\)|prompt is too long"
    r"|exceeds? the (model's )?(context|maximum model length)|longer than the maximum model length"
    r"|context[ _]length[ _]exceeded|max_tokens must be at least 1, got -",
    re.IGNORECASE,
)
_TOO_MUCH = re.compile(r"request too large for", re.IGNORECASE)  # OpenAI: above a minute's tokens
_FLAGGED = re.compile(r"prompt was flagged", re.IGNORECASE)
_NO_MEDIA = re.compile(
    r"\b(image|audio|video)s? input is not supported|endpoints found that support (?:input )?"
    r"(image|audio|video)|at most 0 (image|audio|video)|\b(image)_url is only supported by"
    r"|not a multimodal model",
    re.IGNORECASE,
)
_SECRET = re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|key|AIza)[-_][\w*-]{8,}|\bAIza[\w-]{20,}")
_LOGIN = re.compile(r"(?<=://)[^\s/'\"]+@")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_EPOCH_S, _EPOCH_MS = 1e9, 1e11


class Told(msgspec.Struct, frozen=True):
    """What a server says of a failure, whatever form it says it in.

    `reasons` are those of a moderation, `param` the field complained of, and `headers` what a
    provider behind the server answered, in lower case. `details` are Google's.
    """

    message: str = ""
    codes: tuple[str, ...] = ()
    param: str = ""
    status: int | None = None
    reasons: tuple[str, ...] = ()
    headers: Mapping[str, str] = {}
    details: tuple[Mapping[str, Any], ...] = ()


def told(data: bytes) -> Told:
    """What a body without success says; one that is no JSON speaks for itself."""
    try:
        return told_by(msgspec.json.decode(data))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Told(data[:DETAIL_CHARACTERS].decode("utf-8", "replace"))


def told_by(value: Any, depth: int = 0) -> Told:
    """What a decoded failure says: OpenAI's form, FastAPI's, and OpenRouter's with a raw one.

    One in another form speaks as a whole.
    """
    given = value
    while isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return Told(value if isinstance(value, str) else _whole(given))
    error = value.get("error") or value
    if isinstance(error, list) and error:
        error = error[0]
    if not isinstance(error, dict):
        both = dict.fromkeys([_text(error), _text(value.get("message"))])
        error = {**value, "message": ": ".join(filter(None, both))}
    metadata = _mapping(error.get("metadata"))
    inner = _raw(metadata.get("raw"), depth)
    message = _text(error.get("message")) or _text(value.get("message")) or _detail(error)
    words = [message, inner.message, *_strings(metadata.get("reasons"))]
    code = error.get("code")
    return Told(
        ": ".join(dict.fromkeys(filter(None, words))) or _whole(given),
        (*_strings([code, error.get("type"), error.get("error_type")]), *inner.codes),
        _text(error.get("param")) or inner.param,
        code if isinstance(code, int) and 400 <= code < 600 else None,
        _strings(metadata.get("reasons")),
        {str(k).lower(): str(v) for k, v in _mapping(metadata.get("headers")).items()},
        _mappings(error.get("details")),
    )


def inside_status(said: Told) -> int:
    """The status that a failure inside a success would have had."""
    if said.status is not None:
        return said.status
    found = next(filter(None, map(_INSIDE.match, said.codes)), None)
    return 500 if found is None else 429 if found[1] else 400


def failure(status: int, said: Told, headers: Mapping[str, str]) -> Reply | ModelError:
    """What an answer without success means: an error, or a refusal by the provider's filter."""
    flagged = "invalid_prompt" in said.codes and _FLAGGED.search(said.message)
    if flagged or said.reasons or any(code in REFUSAL_CODES for code in said.codes):
        return Reply(text=said.message, finish="refusal")
    return from_status(status, said.message, said.codes, {**headers, **said.headers})


def from_status(
    status: int,
    detail: str,
    code: str | Iterable[str] = "",
    headers: Mapping[str, str] | None = None,
) -> ModelError:
    """The error of an answer with an HTTP status that is no success.

    `code` is the provider's own slug from the body, or several; header names are in lower case.
    """
    codes = (code,) if isinstance(code, str) else tuple(code)
    cause, retryable = _CAUSES.get(status, ("server_error", True))
    if 400 <= status < 500 and status not in _CAUSES:
        cause, retryable = "bad_request", False
    text = f"HTTP {status}: {' '.join(detail.split())}"
    if any(known in codes for known in QUOTA_CODES):
        cause, retryable = "quota", False
    elif any(known in codes for known in LENGTH_CODES) or _TOO_LONG.search(text):
        cause, retryable = "context_length", False
    elif _TOO_MUCH.search(text):
        cause, retryable = "too_large", False
    elif media := _NO_MEDIA.search(text):
        cause, retryable = "unsupported", False
        kind = next(filter(None, media.groups()), "image").lower()
        hint = f"give it words (--intervene substitute:{kind}) or choose another model"
        text = f"{text[: DETAIL_CHARACTERS - len(hint) - 2]}: {hint}"
    wait_s = retry_after_s(headers or {}) if retryable else None
    return ModelError(cause, text[:DETAIL_CHARACTERS], retryable=retryable, retry_after_s=wait_s)


def masked(text: str, secrets: Iterable[str]) -> str:
    """`text` without the secrets, logins in addresses, nor anything else that looks like a key."""
    text = _LOGIN.sub("***@", text)
    for secret in secrets:
        if len(secret) >= SECRET_CHARACTERS:
            text = text.replace(secret, "***")
    return _SECRET.sub("***", text)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as a server asks; None where it does not.

    It asks by `retry-after-ms`, by `retry-after` (a date, RFC 9110 section 10.2.3, counts from
    the answer's own `date`), or by when a limit that is used up is reset.
    """
    if (milliseconds := _seconds(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    if (seconds := _seconds(value)) is not None:
        return seconds
    now = _date(headers.get("date", ""))
    until = _date(value)
    if until is not None and now is not None:
        return max(0.0, (until - now).total_seconds())
    return _reset_s(headers, now)


def _reset_s(headers: Mapping[str, str], now: datetime | None) -> float | None:
    """Seconds until the limits that are used up are reset; the nearest reset if none says so."""
    waits: dict[str, float] = {}
    for kind in ("", "-requests", "-tokens"):
        wait_s = _until_s(headers.get(f"x-ratelimit-reset{kind}", ""), now)
        if wait_s is not None:
            waits[kind] = wait_s
    used_up = [s for kind, s in waits.items() if headers.get(f"x-ratelimit-remaining{kind}") == "0"]
    return max(used_up) if used_up else min(waits.values(), default=None)


def _until_s(value: str, now: datetime | None) -> float | None:
    """A duration such as `6m0s`, seconds, or a moment in seconds or milliseconds since 1970."""
    number = _seconds(value)
    if number is None:
        pieces = _DURATION.findall(value)
        whole = "".join(amount + unit for amount, unit in pieces) == value
        return sum(float(a) * _UNITS_S[u] for a, u in pieces) if pieces and whole else None
    if number < _EPOCH_S:
        return number
    if now is None:
        return None
    return max(0.0, (number / 1000 if number > _EPOCH_MS else number) - now.timestamp())


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _date(value: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _raw(value: Any, depth: int) -> Told:
    """What the provider behind a router said."""
    if depth or not value:
        return Told()
    if isinstance(value, str):
        try:
            decoded = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            return Told(value)
        value = decoded if isinstance(decoded, dict | list) else value
    return told_by(value, depth + 1)


def _detail(error: Mapping[str, Any]) -> str:
    """FastAPI's `detail`: words, or a list of what is wrong with which field."""
    detail = error.get("detail")
    if isinstance(detail, list):
        return "; ".join(f"{item.get('loc')}: {item.get('msg')}" for item in _mappings(detail))
    return _text(detail)


def _whole(value: Any) -> str:
    return msgspec.json.encode(value).decode()[:DETAIL_CHARACTERS] if value else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _strings(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):
        return ()
    return tuple(str(value) for value in values if isinstance(value, str | int) and value != "")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _mappings(values: Any) -> tuple[Mapping[str, Any], ...]:
    return tuple(v for v in values if isinstance(v, dict)) if isinstance(values, list) else ()
