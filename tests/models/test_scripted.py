"""Scripted models and the grammar they speak from."""

from __future__ import annotations

import contextlib
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.agents.models.gbnf import parse
from polyathlon.agents.models.scripted import register_script, scripted
from polyathlon.core.actions import FreeText, Labels, Malformed, Repeats
from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError
from polyathlon.core.models import ModelError, Request, say, thread
from polyathlon.registry import factory

pytestmark = pytest.mark.anyio

ASK = thread(say("system", "Play."), say("user", "Which way?"))
SPACES = [Labels(("up", 'say "hi"', "ü")), Repeats(("left", "right"), 10, 4), FreeText()]


@pytest.mark.parametrize("space", SPACES, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("script", ["first", "random"])
async def test_grammars_of_action_spaces_give_legal_actions(space, script) -> None:
    for n in range(20):
        request = Request(ASK.append(say("user", str(n))), grammar="root ::= " + space.gbnf())
        text = (await scripted(script).complete(request)).text
        if text.strip():
            assert not isinstance(space.parse(text), Malformed)


async def test_first_and_random_read_schemas() -> None:
    request = Request(ASK, schema=SPACES[1].schema())
    reply = await scripted("first").complete(request)
    assert json.loads(reply.text) == [{"name": "left", "times": 1}]
    drawn = json.loads((await scripted("random").complete(request)).text)
    assert drawn[0]["name"] in ("left", "right")
    assert 1 <= drawn[0]["times"] <= 10


async def test_random_words_follow_the_request() -> None:
    model = scripted("random:left,right,up")
    requests = [Request(ASK.append(say("user", str(n)))) for n in range(40)]
    texts = [(await model.complete(r)).text for r in requests]
    assert texts == [(await scripted("random:left,right,up").complete(r)).text for r in requests]
    assert set(texts) == {"left", "right", "up"}


async def test_constant_echo_latency_and_usage() -> None:
    reply = await scripted("constant:a:b@2@0.5").complete(Request(ASK))
    assert (reply.text, reply.latency_s, reply.cost_usd) == ("a:b@2", 0.5, 0.0)
    echo = await scripted("echo").complete(Request(ASK))
    assert (echo.text, echo.latency_s) == ("Which way?", 0.0)
    assert (echo.usage.input, echo.usage.output) == (15 // 4, 1 + 10 // 4)


async def test_own_scripts() -> None:
    register_script("shout", lambda request: request.thread.message.text.upper())
    assert (
        await factory("models", "scripted")("shout").complete(Request(ASK))
    ).text == "WHICH WAY?"
    with pytest.raises(UserError, match="letters"):
        register_script("a:b", lambda request: "")


def test_unknown_scripts_are_named() -> None:
    with pytest.raises(UserError, match="did you mean first"):
        scripted("frist")


async def test_a_script_without_grammar_says_so() -> None:
    with pytest.raises(ModelError, match="grammar or a schema"):
        await scripted("first").complete(Request(ASK))


@given(st.integers(0, 10_000))
def test_texts_match_an_independent_reading_of_the_grammar(seed: int) -> None:
    grammar = r"""
    root ::= greeting ", " ("you" | name){1,2} "!"?  # a comment
    greeting ::= "hi" | "h\x65llo"
    name ::= [A-C] [^a-z0-9]* [x-]+ .
    """
    text = parse(grammar).write(stream(seed, "gbnf").below)
    assert re.fullmatch(r"(hi|hello), (you|[A-C][^a-z0-9]*[x-]+.){1,2}!?", text)


def test_recursion_ends() -> None:
    tree = parse('root ::= "x" | "(" root root root ")"')
    for seed in range(50):
        assert tree.write(stream(seed, "tree").below).count("(") <= 2_000
    with pytest.raises(ValueError, match="without end"):
        parse('root ::= "(" root ")"').write(lambda count: 0)


@pytest.mark.parametrize("text", [
    "", 'start ::= "a"', "root ::= other", 'root ::= ("a"', 'root ::= "a', "root ::= [z-a]",
    "root ::= *", "root ::= [b]{3,1}",
])  # fmt: skip
def test_what_is_no_grammar_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse(text).write(lambda count: 0)


@given(st.text(alphabet='root ::="ab|()[]{}*+?.\\-1,\n', max_size=40))
def test_any_grammar_text_gives_a_text_or_a_value_error(tail: str) -> None:
    with contextlib.suppress(ValueError):
        assert isinstance(parse("root ::= " + tail).write(stream(1, "any").below), str)
