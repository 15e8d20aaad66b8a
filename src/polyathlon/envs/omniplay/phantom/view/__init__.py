"""Phantom Soldiers in the Fog: what the commander senses and may answer."""

from __future__ import annotations

from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.omniplay.phantom.rules import Rules
from polyathlon.envs.omniplay.phantom.scoring import normalized_score
from polyathlon.envs.omniplay.phantom.view import guidance, radio, report, tactical
from polyathlon.envs.omniplay.phantom.view.commands import Commands
from polyathlon.envs.omniplay.phantom.view.hints import near_hidden


def percepts(rules: Rules, role: Role) -> tuple[Percept, ...]:
    score = normalized_score(rules)
    hint = near_hidden(rules)
    return (
        tactical.percept(rules, score),
        guidance.percept(rules, hint),
        *radio.percepts(rules),
        report.percept(rules, score, hint),
    )


def actions(rules: Rules, role: Role) -> Commands:
    return Commands(tuple([member.index for member in rules.living()]))
