"""Trust: what a file may name only if the person at the machine names it too.

Code that is not registered (an agent `module:function`) and hosts to which a key would go. What is
installed was chosen by whoever installed it; names of it need no trust.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from polyathlon.core.addresses import bare
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError

SERVER_KEYS: Mapping[str, str] = {
    "vllm": "VLLM_API_KEY",
    "llamacpp": "LLAMA_API_KEY",
    "transformers": "",
}
"""The variable whose key goes to the address in a model's name, by provider; "" for none."""

_MODEL = re.compile(r"([\w.+-]+)/[^\s@]*@([A-Za-z][\w+.-]*://\S+)")
_BASE_URL = re.compile(r"_BASE_URL$")


class Trust(msgspec.Struct, frozen=True):
    """What files may name. `agents` are `module:function`, `hosts` are `scheme://host:port`."""

    everything: bool = False
    agents: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()


NOTHING = Trust()


class _Named(NamedTuple):
    """Something that needs trust: what it is, what it would do, and how it is named again."""

    key: str
    what: str
    why: str
    again: str


def trusted_by(
    agents: Sequence[str] = (), models: Sequence[str] = (), everything: bool = False
) -> Trust:
    """What a command line trusts: what it names itself, and hosts of this environment.

    `agents` and `models` are `NAME` or `ROLE=NAME`; a base URL of the environment is a variable
    whose name ends with _BASE_URL.
    """
    kinds = frozenset(text.rpartition("=")[2] for text in agents)
    urls = [url for name in (*models, *agents) for _, url in _MODEL.findall(bare(name))]
    urls += [url for name, url in os.environ.items() if _BASE_URL.search(name)]
    return Trust(everything, kinds, frozenset(filter(None, map(origin, urls))))


def check(specs: Iterable[EpisodeSpec], trust: Trust, where: str) -> None:
    """Raises UserError for code and hosts that episodes name without trust.

    `where` says who names them; the error says how to name them again.
    """
    agents = _agents(specs)
    _refuse([found for agent in agents for found in (*_code(agent), *_hosts(agent))], trust, where)


def check_code(specs: Iterable[EpisodeSpec], trust: Trust, where: str) -> None:
    """The same for code alone, where no model will be asked."""
    _refuse([found for agent in _agents(specs) for found in _code(agent)], trust, where)


def _agents(specs: Iterable[EpisodeSpec]) -> list[AgentSpec]:
    return list({repr(agent): agent for spec in specs for agent in spec.lineup.values()}.values())


def _refuse(named: Iterable[_Named], trust: Trust, where: str) -> None:
    trusted = trust.agents | trust.hosts
    needed = {found for found in named if found.key not in trusted}
    if needed and not trust.everything:
        first, *more = sorted(needed)
        others = f", and {len(more)} more like it" if more else ""
        raise UserError(
            f"{where} names {first.what}, {first.why}{others}: if you know what it is, name it "
            f"again with {first.again}, or add --trust"
        )


def again(specs: Iterable[EpisodeSpec]) -> str:
    """The words that name once more what episodes name, each after a space; "" for nothing."""
    agents = _agents(specs)
    named = {found.again for agent in agents for found in (*_code(agent), *_hosts(agent))}
    return "".join(f" {words}" for words in sorted(named))


def origin(url: str) -> str:
    """`scheme://host:port` of an address, "" where it is none."""
    parts = urlsplit(bare(url))
    try:
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return ""
    return f"{parts.scheme}://{(parts.hostname or '').lower()}:{port}" if parts.hostname else ""


def _code(agent: AgentSpec) -> Iterator[_Named]:
    if ":" in agent.kind:
        what = f"the code {agent.kind}"
        yield _Named(agent.kind, what, "which would run", f"--agent {agent.kind}")


def _hosts(agent: AgentSpec) -> Iterator[_Named]:
    """Hosts in names of models that would get a key of this environment."""
    for text in map(bare, (agent.model, *_texts(agent.harness))):
        for provider, url in _MODEL.findall(text):
            variable = SERVER_KEYS.get(provider, "a key")
            if variable and (provider not in SERVER_KEYS or os.environ.get(variable)):
                again = f"--model {text[text.index(f'{provider}/') :]}"
                yield _Named(origin(url), f"the host {url}", f"which would get {variable}", again)


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for item in value.values():
                yield from _texts(item)
        case list() | tuple():
            for item in value:
                yield from _texts(item)
