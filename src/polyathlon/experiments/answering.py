"""Whether the servers of a plan answer, asked before the first episode. Costs no money."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TypeAlias

from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError
from polyathlon.core.models import Model, ModelError
from polyathlon.experiments.clients import client

ASKED_S = 1.2
"""How long a server has to answer."""
MOST_S = 1.6
"""How long all of them have, name servers that hang included."""
SERVED = ("vllm", "llamacpp", "transformers")
"""Providers whose servers people start themselves."""

Reach: TypeAlias = Callable[[float], Awaitable[bool]]
Said: TypeAlias = bool | ModelError


def check_servers(
    specs: Iterable[EpisodeSpec], logins: Mapping[str, str], on_silent: Callable[[str], None]
) -> None:
    """Ask every server that the episodes need once.

    Raises UserError, which says what to do, where there is none to connect to. One that takes the
    connection and says nothing may be busy: `on_silent` is told its name.
    """
    models = _models(specs, logins)
    said = _asked({group: reach for group, (_, reach) in models.items() if reach is not None})
    for group, answer in said.items():
        if answer is False:
            on_silent(group)
        elif isinstance(answer, ModelError):
            raise UserError(f"{group} cannot be reached ({answer.detail}): {_advice(group)}")


def _models(
    specs: Iterable[EpisodeSpec], logins: Mapping[str, str]
) -> dict[str, tuple[Model, Reach | None]]:
    """One client of each server, with the way to ask it."""
    names = dict.fromkeys(agent.model for spec in specs for agent in spec.lineup.values())
    found: dict[str, tuple[Model, Reach | None]] = {}
    for name in names:
        if name:
            model = client(name, logins)
            found.setdefault(model.group, (model, getattr(model, "reach", None)))
    return found


def _asked(ways: Mapping[str, Reach]) -> dict[str, Said]:
    """What each said in time; False where it said nothing. Looking up a name cannot be cut off,
    so all goes on in a thread that can be left.
    """
    said: dict[str, Said] = dict.fromkeys(ways, False)

    async def ask(group: str, reach: Reach) -> None:
        try:
            said[group] = await reach(ASKED_S)
        except ModelError as error:
            said[group] = error

    async def ask_all() -> None:
        await asyncio.gather(*(ask(group, reach) for group, reach in ways.items()))

    if ways:
        asking = threading.Thread(target=lambda: asyncio.run(ask_all()), daemon=True)
        asking.start()
        asking.join(MOST_S)
    return dict(said)


def _advice(group: str) -> str:
    if group.partition("@")[0] in SERVED:
        return "start it (vllm serve MODEL, or llama-server -m FILE.gguf) or mend its address"
    return "is this machine connected, and HTTPS_PROXY right?"
