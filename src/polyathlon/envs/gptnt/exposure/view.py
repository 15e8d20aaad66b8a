"""Prior exposure: the question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from polyathlon.core.actions import FreeText
from polyathlon.core.canonical import JSON
from polyathlon.core.parts import Text
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.gptnt.exposure.prompts import question
from polyathlon.envs.gptnt.exposure.rules import Rules

MOST_CHARS = 20_000


class Answer(FreeText, frozen=True):
    """Free text; the whole reply is the answer."""

    whole_reply: ClassVar[Literal["first", "only"]] = "only"


def percepts(rules: Rules, role: Role) -> tuple[Percept, ...]:
    facts: Mapping[str, JSON] = {"module": rules.module, "named": rules.named}
    return (Percept("question", "text", question(rules), Text, str, facts),)


def actions(rules: Rules, role: Role) -> Answer:
    return Answer(MOST_CHARS)
