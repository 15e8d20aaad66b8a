"""What a server is told in secret, taken out of what it answers: nothing of that may be kept."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping

from polyathlon.core.addresses import HIDDEN, SECRET_CHARACTERS

CARRIERS = ("authorization", "x-api-key", "api-key", "x-goog-api-key")
"""Headers that hold keys and logins, in lower case."""


def told_in_secret(headers: Mapping[str, str]) -> tuple[str, ...]:
    """Keys and passwords in the headers of a request, the longest first."""
    values = [value for name, value in headers.items() if name.lower() in CARRIERS]
    found = {secret for value in values for secret in _secrets(value)}
    return tuple(sorted((s for s in found if len(s) >= SECRET_CHARACTERS), key=len, reverse=True))


def without(data: bytes, secrets: Iterable[str]) -> bytes:
    """The bytes with the secrets hidden, those too whose slashes JSON has escaped."""
    for secret in secrets:
        for form in {secret, secret.replace("/", "\\/")}:
            if form.encode() in data:
                data = data.replace(form.encode(), HIDDEN.encode())
    return data


def hidden(text: str, secrets: Iterable[str]) -> str:
    """The text with the secrets hidden."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text


def _secrets(value: str) -> Iterator[str]:
    """A value without its scheme; of basic authorization (RFC 7617) what it encodes too."""
    scheme, _, told = value.rpartition(" ")
    yield told
    if scheme.lower() == "basic":
        try:
            login = base64.b64decode(told, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            return
        yield login
        yield login.partition(":")[2]
