"""Myriad Echoes: what the player sees, hears and reads."""

from __future__ import annotations

from collections.abc import Mapping

from polyathlon.core.canonical import JSON
from polyathlon.core.parts import Text
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Role
from polyathlon.envs.omniplay.echoes.answers import Clicking, Transcribing, Transcription
from polyathlon.envs.omniplay.echoes.rules import Order, Rules
from polyathlon.envs.omniplay.echoes.view import telling
from polyathlon.envs.omniplay.echoes.view.painting import clip, screen
from polyathlon.envs.omniplay.echoes.view.scenes import Clip, Screen
from polyathlon.envs.omniplay.echoes.view.sounding import alone, in_step

LIE = "shuffled"


def percepts(rules: Rules, role: Role) -> tuple[Percept, ...]:
    """Phase 1: `clip`, `sounds`, `layout`. Phase 2: `screen`, `click` after the first click,
    and `sequence`, which offers the aid `step`."""
    if not rules.transcribing:
        return (_screen(rules), *_click(rules), _sequence(rules))
    decoy = rules.decoy()
    return (
        _clip(rules, rules.order, {LIE: _clip(rules, decoy)}),
        _sounds(rules, rules.order, {LIE: _sounds(rules, decoy)}),
        _layout(rules),
    )


def actions(rules: Rules, role: Role) -> Transcribing | Clicking:
    if rules.transcribing:
        return Transcribing(rules.rows, rules.columns, rules.layout)
    return Clicking(rules.rows, rules.columns)


def _clip(rules: Rules, order: Order, lies: Mapping[str, Percept] | None = None) -> Percept:
    scene = Clip(rules.rows, rules.columns, rules.layout, order)
    icons = rules.icons(order)
    suggested = Transcribing(rules.rows, rules.columns, rules.layout)
    facts: Mapping[str, JSON] = {
        "rows": rules.rows,
        "columns": rules.columns,
        "cells": order,
        "icons": icons,
        "suggests": suggested.write(Transcription(order, icons)),
    }
    return Percept("clip", "video", scene, clip, telling.clip, facts, lies or {})


def _sounds(rules: Rules, order: Order, lies: Mapping[str, Percept] | None = None) -> Percept:
    icons = rules.icons(order)
    return Percept("sounds", "audio", icons, in_step, telling.sounds, {"icons": icons}, lies or {})


def _layout(rules: Rules) -> Percept:
    text = f"{len(rules.order)} icons in {rules.rows} rows and {rules.columns} columns"
    facts = {"rows": rules.rows, "columns": rules.columns}
    return Percept("layout", "text", text, Text, str, facts)


def _screen(rules: Rules) -> Percept:
    last = rules.clicks[-1] if rules.clicks else None
    scene = Screen(rules.rows, rules.columns, rules.layout, last)
    facts: Mapping[str, JSON] = {
        "rows": rules.rows,
        "columns": rules.columns,
        "layout": rules.layout,
        "last": last,
    }
    return Percept("screen", "image", scene, screen, telling.screen, facts)


def _click(rules: Rules) -> tuple[Percept, ...]:
    """The sound of the last click, if it hit an icon."""
    kind = rules.kinds.get(rules.clicks[-1]) if rules.clicks else None
    return (Percept("click", "audio", kind, alone, str, {"icon": kind}),) if kind else ()


def _sequence(rules: Rules) -> Percept:
    told = rules.sequence()
    text = f"[{', '.join(map(str, told))}]"
    return Percept("sequence", "text", text, Text, str, {"cells": told}, aids=(_step(rules),))


def _step(rules: Rules) -> Percept:
    number = len(rules.clicks) + 1
    return Percept("step", "text", f"step {number} in the sequence", Text, str, {"step": number})
