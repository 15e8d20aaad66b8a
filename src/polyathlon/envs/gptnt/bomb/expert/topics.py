"""Every kind of module with the way to talk about it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from polyathlon.envs.gptnt.bomb.expert import (
    button,
    complicated,
    keypad,
    maze,
    memory,
    morse,
    password,
    sequence,
    simon,
    wires,
    words,
)
from polyathlon.envs.gptnt.bomb.expert.notes import Topic
from polyathlon.envs.gptnt.bomb.rulebook.generate import Kind

TOPICS: Mapping[Kind, Topic] = MappingProxyType(
    {
        "wires": wires,
        "button": button,
        "keypad": keypad,
        "simon": simon,
        "words": words,
        "memory": memory,
        "maze": maze,
        "morse": morse,
        "complicated": complicated,
        "sequence": sequence,
        "password": password,
    }
)
