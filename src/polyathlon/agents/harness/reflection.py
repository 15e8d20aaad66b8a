"""Reflection: a look back before the decision, and summaries of long histories."""

from __future__ import annotations

from collections.abc import Sequence

from polyathlon.agents.harness.aside import Aside
from polyathlon.agents.harness.config import Reflect
from polyathlon.agents.harness.context import state
from polyathlon.agents.harness.memory import Memory
from polyathlon.agents.harness.perception import Sight
from polyathlon.core.agents import Context
from polyathlon.core.world import Observation, Step


class Reflection:
    """The latest reflection R of LMGame-Bench's mapping [{J}, R, s] -> a (section 2.1).

    One model call a turn when due, on the remembered turns and the present state. The first turn
    has nothing to look back on and makes no call. Between calls the latest reflection stays.
    """

    def __init__(self, when: Reflect, aside: Aside) -> None:
        self.text = ""
        self._when = when
        self._aside = aside

    async def update(
        self,
        obs: Observation,
        last: Step | None,
        memory: Memory,
        sights: Sequence[Sight],
        ctx: Context,
    ) -> None:
        """Reflect if it is due."""
        if last is not None and self._when.due(obs.turn, last.status == "ok"):
            slots = {"history": memory.parts(), "state": state(sights)}
            self.text = await self._aside.ask(ctx, slots)


async def condense(memory: Memory, aside: Aside, ctx: Context) -> None:
    """Replace a full memory, with the summary it holds, by a new summary.

    When the model gives none, the memory stays as it is and only forgets its oldest turns.
    """
    if memory.full:
        summary = await aside.ask(ctx, {"history": memory.parts()})
        if summary:
            memory.condense(summary)
