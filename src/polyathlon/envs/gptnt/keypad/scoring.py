"""Keypad symbols: the numbers of an answer."""

from __future__ import annotations

from collections.abc import Mapping

from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb import questions
from polyathlon.envs.gptnt.keypad import gold
from polyathlon.envs.gptnt.keypad.rules import Choice, Description


def metrics(rules: Choice | Description, role: Role | None) -> Mapping[str, float]:
    if isinstance(rules, Choice):
        found = questions.metrics(rules)
        del found["doubted"]
        return {**found, "lookalike": 0.0, "wordless": 0.0}
    said = rules.said or ""
    return {
        "raw_score": float(rules.correct),
        "correct": float(rules.correct),
        "answered": float(rules.said is not None),
        "chance": 1 / len(gold.symbols()),
        "lookalike": float(gold.has_lookalike(said)),
        "wordless": float(bool(said) and gold.wordless(said)),
    }
