"""What models of one family take and refuse: one line a family, each with its source.

A line is for what documentation says ahead. What it leaves out, a client learns from the refusals
of the server.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from polyathlon.core.parts import Modality

Toggle: TypeAlias = Literal["never", "always", "thinking"]
"""When something applies: to no request, to every one, or to those in which the model thinks."""


class Family(msgspec.Struct, frozen=True):
    """A family of models, and what its members differ in from a plain chat model.

    `names` is a regular expression for the whole of `provider/model`. `efforts` are the values
    that it knows, from least to most: () for a model that does not think, None where nobody says.
    `unsupported` are settings it refuses or ignores, `unthinking` those it refuses while it
    thinks; both are named as in `Sampling`, or `logprobs`, `tools`, `schema`, `grammar`.
    `accepts` are the modalities, None where the provider's own apply, and `insists` those without
    which it refuses a request. `responses` says when tools need OpenAI's Responses API.
    `output_tokens` is the most that one reply may have.
    """

    names: str
    source: str
    efforts: tuple[str, ...] | None = None
    unsupported: frozenset[str] = frozenset()
    unthinking: frozenset[str] = frozenset()
    accepts: frozenset[Modality] | None = None
    insists: frozenset[Modality] = frozenset()
    responses: Toggle = "never"
    output_tokens: int | None = None

    @property
    def must_think(self) -> bool:
        """Whether it thinks and cannot be told not to."""
        return bool(self.efforts) and "none" not in (self.efforts or ())


UNKNOWN = Family(".*", "nothing is known: everything is sent as asked")


def family(table: Iterable[Family], name: str) -> Family:
    """The first line of `table` that fits `provider/model`, `UNKNOWN` without one."""
    return next((line for line in table if re.fullmatch(line.names, name)), UNKNOWN)
