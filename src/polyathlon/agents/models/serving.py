"""Self-made servers: which program it is that speaks chat completions, and what it alone knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from polyathlon.agents.models.completion import read_prompt
from polyathlon.agents.models.failures import failure, told
from polyathlon.agents.models.http import Http
from polyathlon.agents.models.reading import decoded
from polyathlon.agents.models.writing import Fields
from polyathlon.core.models import ModelError

TOKENIZE = "/../tokenize"
"""Beside `/v1`, not below it."""

GRAMMARS: Mapping[str, Callable[[str], Fields]] = {
    "vllm": lambda grammar: {"structured_outputs": {"grammar": grammar}},
    "llamacpp": lambda grammar: {"grammar": grammar},
    "sglang": lambda grammar: {"ebnf": grammar},
}
"""The field of a grammar, by who owns a server's models. Any other field is silently ignored."""


class _Listed(msgspec.Struct):
    owned_by: str | None = None


class _Models(msgspec.Struct):
    data: list[_Listed] | None = None


class _Tokens(msgspec.Struct):
    tokens: list[int] | None = None


_decode_models = msgspec.json.Decoder(_Models).decode
_decode_tokens = msgspec.json.Decoder(_Tokens).decode


async def owner(http: Http) -> str:
    """Who the server says owns its models, "" where it does not say.

    vLLM, llama.cpp and SGLang name themselves. Raises ModelError when it cannot be asked.
    """
    answer = await http.get("/models")
    if answer.status in (404, 405):
        return ""
    if answer.status >= 300:
        outcome = failure(answer.status, told(answer.data), answer.headers)
        raise outcome if isinstance(outcome, ModelError) else _silent(outcome.text)
    listed = decoded(_decode_models, answer.data).data or [_Listed()]
    return (listed[0].owned_by or "").lower()


async def prompt_ids(http: Http, data: bytes, count: int) -> tuple[int, ...]:
    """The prompt's token ids, from llama.cpp's verbose answer and its tokenizer.

    () where the answer holds no prompt, where the tokenizer cannot be asked, and where the ids are
    not the `count` tokens that the server read, as with media.
    """
    prompt = read_prompt(data)
    if not prompt:
        return ()
    question = {"content": prompt, "add_special": True, "parse_special": True}
    try:
        answer = await http.post(TOKENIZE, msgspec.json.encode(question))
        ids = tuple(decoded(_decode_tokens, answer.data).tokens or ())
    except ModelError:
        return ()
    return ids if len(ids) == count else ()


def _silent(detail: str) -> ModelError:
    return ModelError("server_error", f"does not say who it is: {detail}", retryable=True)
