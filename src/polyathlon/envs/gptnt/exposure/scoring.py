"""Prior exposure: the numbers of an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb.questions import ABBREVIATION, GAME
from polyathlon.envs.gptnt.exposure.facts import facts, stated
from polyathlon.envs.gptnt.exposure.rules import Rules

_WORDS = r"\s+".join(GAME.split())
_NAME = re.compile(rf"{_WORDS}|\b{ABBREVIATION}\b", re.I)


def metrics(rules: Rules, role: Role | None) -> Mapping[str, float]:
    """The share of rules stated leads; the game's name counts by string match (Table G.1)."""
    known = len(facts(rules.module))
    matches = len(stated(rules.module, rules.answer))
    return {
        "raw_score": matches / known,
        "mentions_game": float(mentions_game(rules.answer)),
        "rule_matches": float(matches),
        "rules": float(known),
        "answer_words": float(len(rules.answer.split())),
    }


def mentions_game(answer: str) -> bool:
    """Whether the game's name or its abbreviation occurs, in any case and with any spacing."""
    return _NAME.search(answer) is not None
