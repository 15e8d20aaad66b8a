"""The judge: what it is shown, how its replies are read, and a real small model as judge."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.runtime.support import episode, played
from tests.scorers.scored import TWENTY48, run_of

from polyathlon.agents.models.gbnf import parse
from polyathlon.core.chance import stream
from polyathlon.core.episodes import Limits
from polyathlon.core.models import Reply
from polyathlon.experiments.scoring import score_run
from polyathlon.scorers.judge import CAUSES, GRAMMAR, LAST_TURNS, UNREADABLE, question, read


@pytest.mark.parametrize(
    ("text", "cause", "reason"),
    [
        ("reason: it pushed a wall\ncause: rules", "rules", "it pushed a wall"),
        ("**Reason:** x\n**Cause:** `Repetition`.", "repetition", "x"),
        ("cause: planning, since it was stuck\nreason: y", "planning", "y"),
        ("cause: rules\ncause: none\nreason: z", "none", "z"),
        ("<think>cause: rules</think>\nreason: q\ncause: format", "format", "q"),
        ("perception", "perception", "perception"),
        ("cause: rules or planning", UNREADABLE, "cause: rules or planning"),
        ("The rules of the game were fine.", UNREADABLE, "The rules of the game were fine."),
        ("<think>cause: rules", UNREADABLE, ""),
        ("", UNREADABLE, ""),
    ],
)
def test_replies_are_read_forgivingly(text: str, cause: str, reason: str) -> None:
    assert read(Reply(text)) == (cause, reason)


def test_a_refusal_names_no_cause() -> None:
    assert read(Reply("cause: rules", finish="refusal"))[0] == UNREADABLE


@given(st.text(max_size=200))
def test_any_reply_has_a_cause(text: str) -> None:
    cause, reason = read(Reply(f"reason: {text}\ncause: {text}"))
    assert cause in (*CAUSES, UNREADABLE)
    assert "\n" not in reason


def test_what_the_grammar_allows_is_read() -> None:
    rules = parse(GRAMMAR)
    causes = {read(Reply(rules.write(stream(n, "judge").below)))[0] for n in range(60)}
    assert causes == set(CAUSES)


def test_the_judge_is_shown_task_last_turns_and_end() -> None:
    events = played(episode(TWENTY48, "random", limits=Limits(turns=12)))
    text = question(events)
    assert "You play 2048" in text
    assert f"## The last {LAST_TURNS} of 12 turns" in text
    assert "turn 4, player" in text
    assert "turn 3, player" not in text
    assert text.count("max tile") == LAST_TURNS
    assert "truncated (limit:turns): raw_score" in text


@pytest.mark.server
def test_a_small_model_judges(tmp_path) -> None:
    run = run_of(tmp_path, episodes=1, turns=3)
    scored = score_run(run, "judge", "embedded/smollm2")
    [file] = scored.files
    assert file.cause == ""
    assert sum(file.scores.values[name] for name in CAUSES) == 1.0
    assert scored.usage.output > 0
    assert scored.cost_usd == 0.0
