"""Thoughts that only their own model can read, as the bytes in which it must get them back."""

from __future__ import annotations

from polyathlon.core.models import Message


def sealed(name: str, content: bytes) -> bytes:
    """`Reply.opaque` of the model `name`: its content, a JSON array, exactly as it came."""
    return b'{"%b":%b}' % (name.encode(), content.strip())


def unsealed(message: Message, name: str) -> bytes | None:
    """The items of the array that the model `name` sealed; None for what others said or sealed."""
    head = b'{"%b":[' % name.encode()
    return message.opaque[len(head) : -2] if message.opaque.startswith(head) else None
