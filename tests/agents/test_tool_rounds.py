"""Tool calls while an agent thinks: results, media, limits."""

from __future__ import annotations

from tests.agents.fakes import LEFT, Sent, harnessed

from polyathlon.agents.harness.exchange import MAX_CALLS_PER_ROUND
from polyathlon.core.actions import Malformed
from polyathlon.core.agents import ToolResult
from polyathlon.core.models import Reply, ToolCall
from polyathlon.core.parts import Image, Text
from polyathlon.core.tools import tool_schema
from polyathlon.tools.calculator import calculator

SCHEMA = tool_schema(calculator())
SUM = ToolCall("a1", "calculator", '{"expression": "1+1"}')
PICTURE = Image(1, 1, b"abc")


def script(*replies: Reply | str) -> object:
    return lambda purpose, ordinal: replies[min(ordinal, len(replies) - 1)]


def asked(settings: dict[str, object], results: list[ToolResult], *replies: Reply | str, **more):  # type: ignore[no-untyped-def]
    return harnessed(
        settings,  # type: ignore[arg-type]
        replies=script(*replies),  # type: ignore[arg-type]
        tools=[SCHEMA],
        results=results,
        **more,
    )


def speakers(sent: Sent) -> list[str]:
    return [message.speaker for message in sent.messages]


def test_a_call_is_answered_and_the_question_asked_on() -> None:
    ctx, (decision,) = asked(
        {}, [ToolResult((Text("2"),))], Reply("let me see", tool_calls=(SUM,)), LEFT
    )
    assert ctx.called == [("calculator", {"expression": "1+1"})]
    assert speakers(ctx.sent[1]) == ["system", "user", "assistant", "tool"]
    result = ctx.sent[1].messages[-1]
    assert (result.text, result.tool_call_id) == ("2", "a1")
    assert ctx.sent[1].messages[2].tool_calls == (SUM,)
    assert ctx.sent[1].request.tools == (SCHEMA,)
    assert decision.action == "left"


def test_thoughts_that_a_model_signed_are_handed_back() -> None:
    signed = Reply(reasoning="hm", tool_calls=(SUM,), opaque=b'{"a/b":[{}]}')
    ctx, _ = asked({}, [ToolResult((Text("2"),))], signed, LEFT)
    assert ctx.sent[1].messages[2].opaque == signed.opaque


def test_media_of_a_tool_go_into_a_user_message_after_all_results() -> None:
    second = ToolCall("a2", "calculator", "{}")
    results = [ToolResult((Text("a map"), PICTURE)), ToolResult((Text("4"),))]
    ctx, _ = asked({}, results, Reply(tool_calls=(SUM, second)), LEFT)
    assert speakers(ctx.sent[1])[2:] == ["assistant", "tool", "tool", "user"]
    assert ctx.sent[1].messages[3].text.startswith("a map")
    assert ctx.sent[1].messages[-1].parts == (Text("From calculator:"), PICTURE)


def test_errors_are_told_to_the_model() -> None:
    bad = ToolCall("a1", "calculator", "[1, 2")
    ctx, _ = asked({}, [], Reply(tool_calls=(bad,)), LEFT)
    assert ctx.called == []
    assert "error: bad_arguments" in ctx.sent[1].messages[-1].text
    failed = [ToolResult(error="timeout: no answer within 1 s")]
    ctx, _ = asked({}, failed, Reply(tool_calls=(SUM,)), LEFT)
    assert "error: timeout" in ctx.sent[1].messages[-1].text


def test_rounds_are_bounded() -> None:
    results = [ToolResult((Text("2"),))] * 9
    ctx, (decision,) = asked({"tool_rounds": 2}, results, Reply(tool_calls=(SUM,)))
    assert len(ctx.called) == 2
    assert len(ctx.sent) == 3
    assert isinstance(decision.action, Malformed)
    assert decision.action.reason == "tool rounds used up without an answer"
    _, (decision,) = asked({"tool_rounds": 1}, results, Reply("move: up", tool_calls=(SUM,)))
    assert decision.action == "up"


def test_calls_of_one_round_are_bounded() -> None:
    calls = tuple(ToolCall(str(n), "calculator", "{}") for n in range(MAX_CALLS_PER_ROUND + 3))
    results = [ToolResult((Text("2"),))] * len(calls)
    ctx, _ = asked({}, results, Reply(tool_calls=calls), LEFT)
    assert len(ctx.called) == MAX_CALLS_PER_ROUND
    assert speakers(ctx.sent[1]).count("tool") == len(calls)
    assert "no_calls_left" in ctx.sent[1].messages[-1].text


def test_no_rounds_means_no_tools() -> None:
    ctx, _ = asked({"tool_rounds": 0}, [], LEFT)
    assert ctx.sent[0].request.tools == ()


def test_tools_switch_the_grammar_off() -> None:
    ctx, _ = asked({"grammar": "on"}, [], LEFT)
    assert ctx.sent[0].request.grammar == ""


def test_every_call_in_a_chat_keeps_its_result() -> None:
    results = [ToolResult((Text("2"),))] * 9
    ctx, _ = asked(
        {"context": "chat", "tool_rounds": 1}, results, Reply(tool_calls=(SUM,)), turns=3
    )
    final = ctx.sent[-1].messages
    called = [call.id for message in final for call in message.tool_calls]
    answered = [message.tool_call_id for message in final if message.speaker == "tool"]
    assert called
    assert called == answered
