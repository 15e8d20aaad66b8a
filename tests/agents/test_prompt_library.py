"""Prompt versions: every slot exists and is used, and briefs agree with the actions."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from msgspec import structs
from tests.agents.fakes import harnessed

from polyathlon import registry
from polyathlon.agents.harness.library import (
    STATIC_SLOTS,
    TURN_SLOTS,
    Prompt,
    join,
    prompts,
    template,
    versions,
)
from polyathlon.core.actions import ActionSpace, Labels, Repeats
from polyathlon.core.errors import UserError
from polyathlon.core.parts import Image, Text

PICTURE = Image(1, 1, b"abc")
NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
ENVS = sorted(registry.env_specs())
DECISION_SLOTS = (STATIC_SLOTS | TURN_SLOTS) - {"words"}


def test_the_versions() -> None:
    assert {"default", "plain", "coach"} <= set(versions())
    with pytest.raises(UserError, match="coach"):
        prompts("coahc")


@pytest.mark.parametrize("version", versions())
def test_every_decision_prompt_uses_every_slot_once(version: str) -> None:
    decide = prompts(version).decide
    text = "".join(part.text for t in (decide.system, decide.user) for part in t.sections)
    assert sorted(re.findall(r"\{([a-z_]+)\}", text)) == sorted(DECISION_SLOTS)


@pytest.mark.parametrize("version", versions())
def test_prompts_of_the_modules_use_slots_that_are_filled(version: str) -> None:
    given = {
        "reflect": {"task", "rules", "words", "history", "state"},
        "summarise": {"task", "rules", "words", "history"},
        "caption": {"task", "state"},
    }
    for name, slots in given.items():
        prompt: Prompt = getattr(prompts(version), name)
        assert prompt.system.slots | prompt.user.slots == slots
        assert prompt.system.static() == prompt.system


@pytest.mark.parametrize("version", versions())
def test_both_formats_name_the_labels_of_the_protocol(version: str) -> None:
    formats = structs.asdict(prompts(version))
    for name, labels in (
        ("format", ["thought:", "move:"]),
        ("format_with_note", ["note:", "thought:", "move:"]),
    ):
        assert re.findall(r"^[a-z]+:", formats[name], re.M) == labels


@pytest.mark.parametrize("version", versions())
def test_versions_leak_nothing_either(version: str) -> None:
    ctx, _ = harnessed({"preset": "memory", "prompts": version}, turns=4)
    assert not any("row 0:" in sent.text for sent in ctx.sent)
    ctx, _ = harnessed({"preset": "off", "prompts": version}, turns=2)
    shown = ctx.sent[1].user
    assert ("N/A" in shown) is (version == "plain")
    assert not re.search(r"\{[a-z_]+\}", ctx.sent[1].text)


@pytest.mark.parametrize("version", versions())
def test_a_chat_repeats_nothing_that_never_changes(version: str) -> None:
    ctx, _ = harnessed({"context": "chat", "prompts": version}, turns=2)
    text = ctx.sent[1].text
    assert text.count("A move slides every tile") == 1
    assert text.count("Keep the largest tile") == 1
    assert "N/A" not in text


def test_absent_slots_vanish_with_their_heading() -> None:
    text = "{task}\n\n## A\n{history}\n\n## B\nfixed\n{mail}\n{ask}\n"
    assert template(text).fill({"task": "T", "ask": "Q"}) == (Text("T\n\n## B\nfixed\nQ"),)
    assert template(text, "N/A").fill({"task": "T"}) == (
        Text("T\n\n## A\nN/A\n\n## B\nfixed\nN/A\nN/A"),
    )


def test_slots_hold_parts_and_are_not_filled_twice() -> None:
    filled = template("see {state} now\n{ask}\n").fill(
        {"state": (Text("a {ask}"), PICTURE), "ask": "{task}?"}
    )
    assert filled == (Text("see a {ask}"), PICTURE, Text(" now\n{task}?"))
    assert join(["a", Text("b"), PICTURE, "", PICTURE]) == (Text("ab"), PICTURE, PICTURE)


def test_a_slot_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="histroy"):
        template("{histroy}")


@pytest.mark.parametrize("id", ENVS)
def test_briefs_and_actions_agree(id: str) -> None:
    """Every action is named where the answer is explained, and no other env's action is."""
    env = registry.make(id)
    env.reset(0)
    for role in env.spec.roles:
        brief, actions = env.brief(role), env.observe(role).actions
        named = f"{brief.answer}\n{actions.describe()}"
        missing = [label for label in _labels(actions) if not _names(named, label)]
        assert not missing
        said = f"{brief.task}\n{brief.rules}\n{named}\n{brief.advice}"
        invented = set(NAME.findall(said))
        assert invented <= {*_labels(actions), *_keys(actions)}


def _labels(actions: object) -> tuple[str, ...]:
    if isinstance(actions, Labels):
        return actions.labels
    return actions.names if isinstance(actions, Repeats) else ()


def _keys(actions: ActionSpace[Any]) -> set[str]:
    """The keys and names in the schema of answers that are JSON objects."""
    return set(NAME.findall(json.dumps(actions.schema())))


def _names(text: str, label: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text) is not None
