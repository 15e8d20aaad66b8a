"""What all writers of requests share: the written request, and what cannot be asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

from polyathlon.agents.models.encoding import png_base64
from polyathlon.agents.models.families import Terms
from polyathlon.core.models import Message, ModelError
from polyathlon.core.parts import Image, Modality, Text

Fields: TypeAlias = Mapping[str, Any]


class Written(msgspec.Struct, frozen=True):
    """A request as it goes out: where to, as JSON, and with which headers of its own.

    `conversions` are what had to be changed to write it, `fields` the names of its settings as the
    server may complain of them.
    """

    path: str
    json: bytes
    conversions: tuple[str, ...] = ()
    fields: frozenset[str] = frozenset()
    headers: Mapping[str, str] = {}


def refused(detail: str) -> ModelError:
    """The error of a request that is not sent because the model cannot take it."""
    return ModelError("unsupported", detail, retryable=False)


def unaccepted(model: str, given: Modality) -> ModelError:
    """The error of a request with a part of a modality that the model does not take."""
    return refused(
        f"{model} does not accept {given}: give it words (--intervene substitute:{given}) or choose"
        " another model"
    )


def no_grammar(model: str) -> ModelError:
    """The error of a request whose grammar the model's server does not know."""
    return refused(f"{model} does not accept a grammar: give it a schema")


def check_schema(model: str, terms: Terms) -> None:
    """Raises ModelError where the family keeps to no JSON schema."""
    if not terms.family.schema:
        raise refused(f"{model} does not keep to a JSON schema: ask it without one")


def check_insisted(model: str, terms: Terms, holds: frozenset[Modality]) -> None:
    """Raises ModelError where a conversation lacks what the family insists on."""
    for needed in terms.family.insists - holds:
        raise refused(f"{model} refuses what holds no {needed}: give it some, or another model")


def check_media(message: Message) -> None:
    """Raises ModelError for media from any but the user."""
    if message.speaker != "user" and not only_text(message):
        raise refused(f"media belongs into user messages, not {message.speaker} messages")


def only_text(message: Message) -> bool:
    """Whether a message is of words alone."""
    return all(isinstance(part, Text) for part in message.parts)


def as_object(arguments: str) -> msgspec.Raw | None:
    """A tool call's arguments as they are; None where they are no JSON object."""
    try:
        msgspec.json.decode(arguments, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return None
    return msgspec.Raw(arguments.encode())


def quoted(base64: str) -> msgspec.Raw:
    """Base64 as JSON, which needs no look at its characters."""
    return msgspec.Raw(b'"%b"' % base64.encode())


def png_url(image: Image) -> msgspec.Raw:
    """The data URL of a picture, as JSON."""
    return quoted(f"data:image/png;base64,{png_base64(image)}")
