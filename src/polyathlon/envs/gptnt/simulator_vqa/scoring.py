"""Picture questions: the numbers of an answer."""

from __future__ import annotations

from collections.abc import Mapping

from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb import questions
from polyathlon.envs.gptnt.simulator_vqa.bank import NONE, SEVERAL
from polyathlon.envs.gptnt.simulator_vqa.rules import Rules


def metrics(rules: Rules, role: Role | None) -> Mapping[str, float]:
    options, chosen = rules.question.options, rules.chosen
    words = "" if chosen is None else options[questions.LETTERS.index(chosen)]
    found = questions.metrics(rules)
    del found["doubted"]
    return {**found, "said_several": float(words == SEVERAL), "said_none": float(words == NONE)}
