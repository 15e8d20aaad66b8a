"""Manual questions: the numbers of an answer."""

from __future__ import annotations

from collections.abc import Mapping

from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb import questions
from polyathlon.envs.gptnt.manual_vqa.rules import Rules


def metrics(rules: Rules, role: Role | None) -> Mapping[str, float]:
    return questions.metrics(rules)
