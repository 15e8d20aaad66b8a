"""Logins and keys in addresses and other texts: parted from what is kept, hidden in what is shown.

A login is the `user:password@` of an address (RFC 3986, section 3.2.1). What identifies a model is
its address without one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from polyathlon.core.errors import UserError

HIDDEN = "***"
SECRET_CHARACTERS = 8
"""A shorter key is hidden nowhere: it would be found in the middle of words."""

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)([^\s/?#\"'<>\\]*)@([^\s/?#@\"'<>\\]*)")
_IN_QUERY = re.compile(
    r"([?&;](?:api[_-]?key|key|access[_-]?token|token|password|secret|sig|signature)=)[^&;#\s\"'<>]+",
    re.IGNORECASE,
)
_KEY = re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf)[-_](?=[\w-]*\d)[\w-]{16,}|\bAIza[\w-]{20,}")
_OF_A_KEY = re.compile(r"_(?:API_KEY|TOKEN|SECRET|PASSWORD)$")


def bare(text: str) -> str:
    """The text with addresses that hold no login."""
    return _ADDRESS.sub(r"\1\3", text) if "@" in text else text


def bared(value: Any) -> Any:
    """A JSON value whose texts are `bare`."""
    match value:
        case str():
            return bare(value)
        case Mapping():
            return {key: bared(item) for key, item in value.items()}
        case list() | tuple():
            return [bared(item) for item in value]
    return value


def logins(value: Any) -> dict[str, str]:
    """The login of each address in a JSON value, by `scheme://host:port`.

    Raises UserError where one host is given two.
    """
    match value:
        case str():
            found = [(scheme + host, login) for scheme, login, host in _ADDRESS.findall(value)]
        case Mapping():
            found = [pair for item in value.values() for pair in logins(item).items()]
        case list() | tuple():
            found = [pair for item in value for pair in logins(item).items()]
        case _:
            return {}
    known: dict[str, str] = {}
    for host, login in found:
        if known.setdefault(host, login) != login:
            raise UserError(f"{host} is given two logins: use one of them in this run")
    return known


def signed(text: str, known: Mapping[str, str]) -> str:
    """The text with the logins of its addresses put back."""
    for address, login in known.items():
        scheme, _, host = address.partition("://")
        whole = re.compile(re.escape(address) + r"(?![\w.:-])")
        text = whole.sub(lambda _, to=f"{scheme}://{login}@{host}": to, text)  # type: ignore[misc]
    return text


def redacted(text: str) -> str:
    """The text for people and files: logins, keys of this environment and what looks like one
    are hidden.
    """
    text = _ADDRESS.sub(rf"\1{HIDDEN}@\3", text) if "@" in text else text
    text = _IN_QUERY.sub(rf"\1{HIDDEN}", text) if "=" in text else text
    for secret in environment_keys():
        text = text.replace(secret, HIDDEN)
    return _KEY.sub(HIDDEN, text)


def environment_keys() -> list[str]:
    """The values of environment variables that hold keys, tokens and passwords."""
    return [
        value
        for name, value in os.environ.items()
        if _OF_A_KEY.search(name) and len(value) >= SECRET_CHARACTERS
    ]
