"""The llm agent: a model with a harness around it."""

from __future__ import annotations

from typing import Any

from polyathlon.agents.harness import protocol
from polyathlon.agents.harness.aside import Aside
from polyathlon.agents.harness.config import Harness, harness
from polyathlon.agents.harness.context import CanonicalContext, ChatContext, ContextPolicy
from polyathlon.agents.harness.exchange import Exchange, converse
from polyathlon.agents.harness.library import Slots, prompts, told
from polyathlon.agents.harness.memory import Memory, quoted
from polyathlon.agents.harness.perception import Captions, Sight, perceive
from polyathlon.agents.harness.reflection import Reflection, condense
from polyathlon.core.actions import ActionSpace, Malformed, Reading, owns_reply, reads_reply
from polyathlon.core.agents import Access, AgentSpec, Context, Decision
from polyathlon.core.errors import UserError
from polyathlon.core.models import Reply, Request, Thread
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Brief, Observation, Role, Step


def llm_agent(spec: AgentSpec, env: EnvSpec, role: Role) -> LlmAgent:
    """A model as a player. Raises UserError for a missing model or a wrong harness."""
    if not spec.model:
        raise UserError("agent llm needs a model: add --model PROVIDER/NAME")
    return LlmAgent(spec.model, harness(spec.harness), env, role)


class LlmAgent:
    """Plays one seat of one episode.

    A turn: perceive, summarise a full history (if on), reflect (if due), ask for the decision,
    run the tools it calls, read the reply. Every model call goes through the context under its
    purpose: `caption`, `summarise`, `reflect`, `decide`.
    """

    access: Access = "plain"
    replayable = True

    def __init__(self, model: str, settings: Harness, env: EnvSpec, role: Role) -> None:
        self._model = model
        self._harness = settings
        self._prompts = prompts(settings.prompts)
        self._chat = (settings.context or env.context) == "chat"
        most = max(settings.history, int(settings.reflection.any))
        self._memory = Memory(role, most, settings.thoughts, settings.replay_images)
        self._notes = bool(most) and not self._chat and _wordless(settings, env)
        helper = settings.reflection_model or model
        limit, aside = settings.reflection_words, settings.side_sampling
        self._reflection = Reflection(
            settings.reflection, Aside("reflect", helper, self._prompts.reflect, aside, limit)
        )
        self._summaries = Aside("summarise", helper, self._prompts.summarise, aside, 2 * limit)
        self._captions = Captions(
            Aside(
                "caption",
                settings.perception.model or model,
                self._prompts.caption,
                settings.sampling,
            ),
            settings.cache_captions,
        )
        self._context: ContextPolicy | None = None

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        """Decide on a turn."""
        context = self._context = self._context or self._begin(ctx.brief, obs)
        if last is not None:
            self._memory.close(last)
        sights = await self._perceive(obs, last, ctx)
        self._memory.open(obs, sights)
        if self._harness.summary:
            await condense(self._memory, self._summaries, ctx)
        await self._reflection.update(obs, last, self._memory, sights, ctx)
        request = self._request(context.ask(sights, self._slots(obs)), obs, ctx)
        exchange = await converse(ctx, request, self._model, self._harness.tool_rounds)
        context.commit(exchange.messages)
        reading = _read(exchange, obs)
        self._memory.decide(obs, reading.action, reading.thought, reading.note)
        return Decision(
            reading.action,
            exchange.reply.text,
            reading.thought,
            reading.repairs,
            (*_warnings(exchange.reply), *reading.warnings),
        )

    def _begin(self, brief: Brief, obs: Observation) -> ContextPolicy:
        texts = self._prompts
        static = {**told(brief), "format": self._format(obs.actions)}
        if self._chat:
            replay, window = self._harness.replay_images, self._harness.window
            return ChatContext(texts.decide, static, replay, window)
        return CanonicalContext(texts.decide, static)

    def _format(self, actions: ActionSpace[Any]) -> str:
        """How to reply: in the form of the game if it has one, unless a grammar writes labels."""
        labelled = self._harness.grammar and not reads_reply(actions)
        if owns_reply(actions) and not labelled:
            return self._prompts.format_of_game
        return self._prompts.format_with_note if self._notes else self._prompts.format

    async def _perceive(
        self, obs: Observation, last: Step | None, ctx: Context
    ) -> tuple[Sight, ...]:
        feedback = () if last is None else last.feedback
        percepts = (*feedback, *obs.percepts)
        return await perceive(percepts, self._harness.perception.kind, ctx, self._captions)

    def _slots(self, obs: Observation) -> Slots:
        shown = self._harness.history and not self._chat
        return {
            "history": self._memory.parts() if shown else (),
            "reflection": self._reflection.text,
            "mail": quoted(obs.mail),
            "ask": obs.ask,
            "actions": obs.actions.describe(),
        }

    def _request(self, question: Thread, obs: Observation, ctx: Context) -> Request:
        """Tools and a grammar exclude each other: a grammar would forbid the tool calls."""
        kept, sampling = self._harness, self._harness.sampling
        tools = ctx.tools if kept.tool_rounds else ()
        grammar = ""
        if kept.grammar and not tools:
            grammar = protocol.grammar(obs.actions, sampling.max_tokens, self._notes)
        return Request(
            question,
            sampling,
            tools,
            grammar,
            logprobs=kept.logprobs,
            token_ids=kept.token_ids,
        )


def _wordless(settings: Harness, env: EnvSpec) -> bool:
    """Whether no state reaches the model in words, so that only its own notes can recall it."""
    words = any(channel.modality == "text" for channel in env.channels if channel.default)
    return settings.perception.kind == "native" and not words


def _read(exchange: Exchange, obs: Observation) -> Reading:
    reply = exchange.reply
    if reply.finish == "refusal":
        return Reading(Malformed("refusal", reply.text[:200]))
    if reply.tool_calls and not reply.text:
        return Reading(Malformed("tool rounds used up without an answer"))
    return protocol.parse(reply.text, obs.actions, reply.finish == "length")


def _warnings(reply: Reply) -> tuple[str, ...]:
    cut = ("cut at max_tokens",) if reply.finish == "length" else ()
    return (*cut, *(f"converted: {change}" for change in reply.conversions))
