"""Asides: model calls beside the decision, for captions, reflections and summaries."""

from __future__ import annotations

import msgspec

from polyathlon.agents.harness.library import Prompt, Slots, told
from polyathlon.agents.harness.protocol import without_thinking
from polyathlon.core.agents import Context
from polyathlon.core.models import Message, Request, Sampling, thread


class Aside(msgspec.Struct, frozen=True):
    """A kind of side question: its purpose, who answers it, its prompt and its sampling.

    `words` bounds the answer; 0 leaves it as it is.
    """

    purpose: str
    model: str
    prompt: Prompt
    sampling: Sampling
    words: int = 0

    async def ask(self, ctx: Context, slots: Slots) -> str:
        """The answer in plain words, cut to `words`; "" when the model refused or said nothing."""
        filled = {**told(ctx.brief), "words": str(self.words), **slots}
        asked = thread(
            Message("system", self.prompt.system.fill(filled)),
            Message("user", self.prompt.user.fill(filled)),
        )
        reply = await ctx.complete(Request(asked, self.sampling), self.model, self.purpose)
        if reply.finish == "refusal":
            return ""
        return _shorten(without_thinking(reply.text), self.words)


def _shorten(text: str, words: int) -> str:
    """The first `words` words, with their line breaks; 0 means all."""
    if not words or len(text.split()) <= words:
        return text
    lines: list[str] = []
    left = words
    for line in text.splitlines():
        kept = line.split()[:left]
        left -= len(kept)
        lines.append(" ".join(kept))
        if not left:
            break
    return "\n".join(lines) + " …"
