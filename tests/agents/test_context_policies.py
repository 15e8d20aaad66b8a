"""Context policies: one fresh request a turn, or one growing conversation."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.agents.fakes import harnessed

from polyathlon.agents.harness.context import CanonicalContext, ChatContext
from polyathlon.agents.harness.library import Prompt, template
from polyathlon.agents.harness.perception import Sight
from polyathlon.core.canonical import JSON
from polyathlon.core.models import Message, Thread, say
from polyathlon.core.parts import Image

PROMPT = Prompt(
    template("{task}\n"), template("## Rules\n{rules}\n\n## Now\n{state}\n\n## Ask\n{ask}\n")
)
STATIC = {"task": "TASK", "rules": "RULES"}
PICTURE = Image(1, 1, b"abc")


def chat(replay: bool = False, window: int = 0) -> ChatContext:
    return ChatContext(PROMPT, STATIC, replay, window)


def turn(context: ChatContext, number: int, *sights: Sight) -> Thread:
    asked = context.ask(sights or (Sight("eye", "turn", f"state {number}", PICTURE),), {"ask": "?"})
    context.commit([say("assistant", f"answer {number}")])
    return asked


def texts(thread: Thread) -> list[str]:
    return [f"{message.speaker}: {message.text}" for message in thread.messages()]


def media(message: Message) -> int:
    return sum(isinstance(part, Image) for part in message.parts)


def test_canonical_requests_stand_alone() -> None:
    context = CanonicalContext(PROMPT, STATIC)
    first = context.ask([Sight("eye", "turn", "one")], {"ask": "?"})
    context.commit([say("assistant", "left")])
    second = context.ask([Sight("eye", "turn", "two")], {"ask": "?"})
    assert first.length == second.length == 2
    assert "one" not in second.message.text
    assert first.parent is second.parent


def test_a_run_of_pictures_is_remembered_once() -> None:
    burst = [Sight("burst", "turn", signal=Image(1, 1, bytes([n] * 3))) for n in range(3)]
    for replay, left in ((False, 1), (True, 3)):
        growing = chat(replay)
        assert media(turn(growing, 0, *burst).message) == 3
        remembered = turn(growing, 1).messages()[1]
        assert remembered.text.count("burst:") == left
        assert media(remembered) == (3 if replay else 0)


def test_a_channel_keeps_all_that_it_carried_at_once() -> None:
    pages = [Sight("manual", "episode", f"page {number}") for number in range(3)]
    canonical = CanonicalContext(PROMPT, STATIC)
    canonical.ask(pages, {})
    later = canonical.ask([Sight("eye", "turn", "now")], {}).message.text
    assert [later.count(f"page {number}") for number in range(3)] == [1, 1, 1]

    growing = chat(window=1)
    turn(growing, 0, *pages)
    changed = [pages[0], Sight("manual", "episode", "page 9"), pages[2]]
    assert "page 9" in turn(growing, 1, *changed).message.text
    assert "page" not in turn(growing, 2, *changed).message.text
    for number in range(3, 8):
        thread = turn(growing, number)
    told = "".join(texts(thread))
    assert [told.count(f"page {number}") for number in (0, 1, 2, 9)] == [1, 0, 1, 1]


def test_canonical_requests_repeat_what_is_kept_for_the_episode() -> None:
    context = CanonicalContext(PROMPT, STATIC)
    context.ask([Sight("manual", "episode", "page 1"), Sight("eye", "turn", "one")], {})
    later = context.ask([Sight("eye", "turn", "two")], {}).message.text
    assert "manual:\npage 1\neye:\ntwo" in later
    newer = context.ask([Sight("manual", "episode", "page 2")], {}).message.text
    assert "page 1" not in newer


def test_two_percepts_of_one_channel_are_both_shown() -> None:
    text = (
        CanonicalContext(PROMPT, STATIC)
        .ask([Sight("eye", "turn", "one"), Sight("eye", "turn", "two")], {})
        .message.text
    )
    assert "one" in text
    assert "two" in text


def test_chat_appends_questions_and_answers() -> None:
    context = chat()
    turn(context, 0)
    asked = turn(context, 1)
    assert texts(asked)[0] == "system: TASK\n## Rules\nRULES"
    assert [line.split(":")[0] for line in texts(asked)] == ["system", "user", "assistant", "user"]
    assert "RULES" not in asked.message.text
    assert "answer 0" in texts(asked)[2]


def test_chat_keeps_words_and_drops_old_pictures() -> None:
    context = chat()
    turn(context, 0)
    messages = turn(context, 1).messages()
    assert [media(message) for message in messages] == [0, 0, 0, 1]
    assert "(image shown at that time)\nstate 0" in messages[1].text
    replay = chat(replay=True)
    first = turn(replay, 0)
    second = turn(replay, 1)
    assert [media(message) for message in second.messages()] == [0, 1, 0, 1]
    assert second.parent is not None
    assert second.parent.parent is not None
    assert second.parent.parent.hash == first.hash


def test_chat_prefix_is_shared_between_turns() -> None:
    context = chat()
    heads = [turn(context, number).parent for number in range(5)]
    for earlier, later in pairwise(heads):
        assert earlier is not None
        assert later is not None
        assert earlier.hash in {node.hash for node in later.nodes()}


def test_chat_sends_what_is_kept_once_until_it_changes() -> None:
    context = chat()
    manual = Sight("manual", "episode", "PAGE", PICTURE)
    turn(context, 0, manual, Sight("eye", "turn", "a"))
    messages = turn(context, 1, manual, Sight("eye", "turn", "b")).messages()
    assert [("PAGE" in message.text, media(message)) for message in messages] == [
        (False, 0),
        (True, 1),
        (False, 0),
        (False, 0),
    ]
    changed = turn(context, 2, Sight("manual", "episode", "PAGE TWO"))
    assert "PAGE TWO" in changed.message.text


def test_a_window_bounds_a_chat_but_never_what_is_kept() -> None:
    context = chat(window=3)
    turn(context, 0, Sight("manual", "episode", "PAGE"), Sight("eye", "turn", "state 0"))
    lengths = []
    for number in range(1, 30):
        asked = turn(context, number)
        lengths.append(asked.length)
        assert sum("PAGE" in text for text in texts(asked)) == 1
    assert max(lengths) <= 2 + 2 * 6 + 1
    assert "state 28" in texts(asked)[-3]


def test_an_unanswered_question_stays_in_a_chat() -> None:
    context = chat()
    context.ask([Sight("eye", "turn", "lost")], {"ask": "?"})
    later = context.ask([Sight("eye", "turn", "next")], {"ask": "?"})
    assert [message.speaker for message in later.messages()] == ["system", "user", "user"]
    assert "lost" in texts(later)[1]


@pytest.mark.parametrize("settings", [{"context": "chat"}, {"context": "chat", "window": 4}])
def test_a_late_chat_turn_builds_no_more_than_an_early_one(settings: dict[str, JSON]) -> None:
    """Work is counted in bytes of messages made for the first time, amortised over 10 turns."""
    ctx, _ = harnessed({**settings, "perception": "symbolic"}, 60, lambda p, n: _move(n))
    seen: set[str] = set()
    fresh = []
    for sent in ctx.decisions():
        new = [node for node in sent.request.thread.nodes() if node.hash not in seen]
        seen.update(node.hash for node in new)
        fresh.append(sum(len(node.message.text) for node in new))
    assert sum(fresh[-10:]) <= 2.5 * sum(fresh[1:11])


@pytest.mark.parametrize("preset", ["off", "memory", "perception", "both"])
def test_a_late_canonical_turn_costs_what_an_early_one_costs(preset: str) -> None:
    ctx, _ = harnessed(preset, 60, lambda p, n: _move(n))
    sizes = [len(sent.text) for sent in ctx.decisions()]
    full = sizes[11:21]
    assert max(sizes[-10:]) <= 1.15 * max(full)


def test_history_text_is_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from polyathlon.agents.harness import memory

    rendered = []
    original = memory.Memory._render

    def counting(self: memory.Memory, *arguments: object) -> object:
        rendered.append(arguments)
        return original(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(memory.Memory, "_render", counting)
    harnessed({"perception": "symbolic", "history": 10}, 40, lambda p, n: _move(n))
    assert len(rendered) == 39


def _move(ordinal: int) -> str:
    return "move: " + ("left", "down", "right", "up")[ordinal % 4]
