"""What families of models take, and what becomes of what they do not."""

from __future__ import annotations

import pytest

from polyathlon.agents.models.failures import told
from polyathlon.agents.models.families import FAMILIES, UNKNOWN, Terms, family
from polyathlon.agents.models.learning import lesson
from polyathlon.core.models import ModelError, Sampling

BOUND = Sampling(temperature=0.5, top_p=0.9, max_tokens=100, seed=7, stop=("x",))


def test_every_line_has_a_page_and_efforts_from_least_to_most() -> None:
    ladder = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]
    for line in FAMILIES:
        assert line.source.startswith("https://")
        known = [ladder.index(effort) for effort in line.efforts or ()]
        assert known == sorted(known), line.names


@pytest.mark.parametrize(("name", "efforts", "responses"), [
    ("openai/gpt-4o-mini", (), "never"),
    ("openai/gpt-4o-audio-preview", (), "never"),
    ("openai/gpt-5-mini", ("minimal", "low", "medium", "high"), "never"),
    ("openai/gpt-5-chat-latest", (), "never"),
    ("openai/gpt-5-pro-2025-10-06", ("high",), "always"),
    ("openai/gpt-5.1", ("none", "low", "medium", "high"), "never"),
    ("openai/gpt-5.2-2025-12-11", ("none", "low", "medium", "high", "xhigh"), "thinking_tools"),
    ("openai/gpt-5.2-pro", ("medium", "high", "xhigh"), "always"),
    ("openai/gpt-5.4-mini", ("none", "low", "medium", "high", "xhigh"), "tools"),
    ("openai/gpt-5.6-terra", ("none", "low", "medium", "high", "xhigh", "max"), "tools"),
    ("openai/gpt-6.2-astra", ("low", "medium", "high", "xhigh", "max"), "tools"),
    ("openai/gpt-6-luna", ("none", "low", "medium", "high", "xhigh", "max"), "tools"),
    ("openai/o3-mini", ("low", "medium", "high"), "never"),
    ("openai/gpt-oss-120b", None, "never"),
    ("openrouter/qwen/qwen3-vl-8b", None, "never"),
])  # fmt: skip
def test_models_are_found_by_name(name: str, efforts: object, responses: str) -> None:
    found = family(name)
    assert (found.efforts, found.responses) == (efforts, responses)


@pytest.mark.parametrize(("name", "asked", "sent", "words"), [
    ("openai/gpt-5.2", "none", "none", ()),
    ("openai/gpt-5", "none", "minimal", ("reasoning effort none sent as minimal",)),
    ("openai/gpt-5.2", "minimal", "low", ("reasoning effort minimal sent as low",)),
    ("openai/gpt-5.2", "max", "xhigh", ("reasoning effort max sent as xhigh",)),
    ("openai/gpt-4o", "none", None, ("reasoning_effort not sent",)),
    ("openrouter/google/gemini-2.5-pro", "none", "minimal",
     ("reasoning effort none sent as minimal",)),
    ("openrouter/google/gemini-2.5-pro", "2000", "2000", ()),
    ("vllm/anything", "none", "none", ()),
])  # fmt: skip
def test_an_effort_becomes_the_nearest_known_one(
    name: str, asked: str, sent: str | None, words: tuple[str, ...]
) -> None:
    fitted, told_of = Terms(family(name)).fitted(Sampling(effort=asked))
    assert (fitted.effort, told_of) == (sent, words)


def test_an_effort_that_is_no_word_of_the_model_names_those_that_are() -> None:
    with pytest.raises(ModelError, match="none, low, medium, high, xhigh"):
        Terms(family("openai/gpt-5.2")).fitted(Sampling(effort="2000"))


@pytest.mark.parametrize(("effort", "kept"), [("none", 0.5), ("low", None), (None, None)])
def test_sampling_goes_with_switched_off_thinking_only(
    effort: str | None, kept: float | None
) -> None:
    asked = Sampling(temperature=0.5, effort=effort)
    fitted, _ = Terms(family("openai/gpt-5.2")).fitted(asked)
    assert fitted.temperature == kept


def test_all_that_is_left_out_is_told() -> None:
    fitted, words = Terms(family("openai/o3")).fitted(BOUND)
    assert fitted == Sampling(max_tokens=100, seed=7)
    assert words == ("temperature not sent", "top_p not sent", "stop not sent")
    fitted, words = Terms(UNKNOWN, frozenset({"seed"})).fitted(BOUND)
    assert fitted.seed is None
    assert words == ("seed not sent (refused by the server)",)
    most = Terms(family("openai/gpt-4o")).fitted(Sampling(max_tokens=10**6))
    assert most == (Sampling(max_tokens=16_384), ("max_tokens 1000000 sent as 16384",))


FIELDS = {
    "model",
    "temperature",
    "seed",
    "reasoning_effort",
    "tools",
    "response_format",
    "logprobs",
}


def openai_error(message: str, param: str = "", code: str = "") -> bytes:
    return (
        f'{{"error":{{"message":"{message}","type":"invalid_request_error",'
        f'"param":"{param}","code":"{code}"}}}}'
    ).encode()


@pytest.mark.parametrize(("body", "option"), [
    (openai_error("Unsupported parameter: 'temperature' is not supported with this model.",
                  "temperature", "unsupported_parameter"), "temperature"),
    (openai_error("Unsupported value: 'temperature' does not support 0 with this model. Only the"
                  " default (1) value is supported.", "temperature", "unsupported_value"),
     "temperature"),
    (openai_error("Unsupported parameter: 'temperature' is not supported with this model."),
     "temperature"),
    (openai_error("Unrecognized request argument supplied: seed"), "seed"),
    (openai_error("Unknown parameter: 'seed'."), "seed"),
    (b'{"error":{"message":"property \'seed\' is unsupported"}}', "seed"),
    (b'{"message":"`temperature` is deprecated for this model."}', "temperature"),
    (b'{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\\"error\\":'
     b'{\\"message\\":\\"Unsupported parameter: \'logprobs\' is not supported\\"}}"}}}',
     "logprobs"),
    (b'{"detail":[{"type":"extra_forbidden","loc":["body","seed"],'
     b'"msg":"Extra inputs are not permitted"}]}', "seed"),
    (b'{"error":{"message":"1 validation error:\\n  {\'type\': \'extra_forbidden\', \'loc\': '
     b'(\'body\', \'seed\'), \'msg\': \'Extra inputs\'}"}}', "seed"),
])  # fmt: skip
def test_refused_options_are_learned_from_the_servers_words(body: bytes, option: str) -> None:
    learned = lesson(400, told(body), FIELDS, Terms())
    assert learned is not None
    assert learned.terms.refused == {option}
    again = lesson(400, told(body), FIELDS - {option}, learned.terms)
    assert again is None, "what was not sent cannot be refused"


@pytest.mark.parametrize("body", [
    openai_error("Invalid 'temperature': decimal above maximum value.", "temperature",
                 "decimal_above_max_value"),
    openai_error("Invalid value for 'seed'", "seed", "invalid_value"),
    openai_error("you must provide a model parameter"),
    b"{}", b"", b"[1]", b'{"error": {"message": 3, "param": [], "code": {}}}',
])  # fmt: skip
def test_other_complaints_teach_nothing(body: bytes) -> None:
    assert lesson(400, told(body), FIELDS, Terms()) is None
    assert lesson(500, told(body), FIELDS, Terms()) is None


def test_efforts_are_learned_by_their_list() -> None:
    body = openai_error(
        "Unsupported value: 'none' is not supported with the 'gpt-9' model. Supported values are:"
        " 'low', 'medium', and 'high'.", "reasoning_effort", "unsupported_value",
    )  # fmt: skip
    learned = lesson(400, told(body), FIELDS, Terms())
    assert learned is not None
    assert learned.terms.family.efforts == ("low", "medium", "high")
    assert learned.terms.fitted(Sampling(effort="none"))[0].effort == "low"
    twice = lesson(400, told(body), FIELDS, learned.terms)
    assert twice is not None
    assert twice.terms.refused == {"effort"}


def test_what_changes_the_question_is_never_left_out() -> None:
    body = openai_error("Unsupported parameter: 'response_format' is not supported with this model")
    learned = lesson(400, told(body), FIELDS, Terms())
    assert learned is not None
    assert (learned.essential, learned.terms) == ("response_format", Terms())


def test_the_responses_api_and_mandatory_thinking_are_learned() -> None:
    words = (
        "Function tools with reasoning_effort are not supported for gpt-9 in /v1/chat/completions."
        " To use function tools, use /v1/responses or set reasoning_effort to 'none'."
    )
    learned = lesson(400, told(openai_error(words, "reasoning_effort")), FIELDS, Terms())
    assert learned is not None
    assert learned.terms.family.responses == "tools"
    words = "Reasoning is mandatory for this endpoint and cannot be disabled."
    learned = lesson(400, told(openai_error(words)), FIELDS, Terms())
    assert learned is not None
    assert learned.terms.family.must_think
