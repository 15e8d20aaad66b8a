"""polyathlon show: what an env is, what its roles sense, and the exact first request."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from polyathlon import registry
from polyathlon.agents.harness.config import words
from polyathlon.agents.preview import Preview, first_requests, readable
from polyathlon.cli import description
from polyathlon.cli.description import Description, Seat, describe, first_picture
from polyathlon.cli.output import columns, print_json
from polyathlon.core.agents import AgentSpec
from polyathlon.core.canonical import JSON
from polyathlon.core.console import say
from polyathlon.core.errors import UserError
from polyathlon.core.trace import said
from polyathlon.core.world import Env, Role

WIDTH = 96
ANY_MODEL = "MODEL"


def show(
    env: str,
    /,
    *,
    level: str | None = None,
    seed: int = 0,
    prompt: bool = False,
    harness: tuple[str, ...] = (),
    image: Path | None = None,
    json: bool = False,
) -> None:
    """Describe an env: what it is, roles, channels, levels, actions, metrics, an example.

    Parameters
    ----------
    env
        The env's id, such as lmgame/sokoban-v0.
    level
        The level of the example; the first by default.
    seed
        The seed of the example.
    prompt
        Show the exact first request to a model too.
    harness
        Harness of that request: a preset, or name=value; may be given several times.
    image
        Write what the first role sees as a PNG file.
    json
        Print one JSON object.
    """
    world = registry.make(env, level)
    world.reset(seed)
    described = describe(world, world.spec.level(level), seed)
    previews = _previews(world, words(harness)) if prompt else {}
    if image:
        _write_picture(world, image)
    if json:
        requests = [_sent(role, one) for role, sent in previews.items() for one in sent]
        print_json({**msgspec.structs.asdict(described), "requests": requests})
        return
    say("\n\n".join(_page(described)))
    for role, sent in previews.items():
        say(f"\nfirst request of {role}, exactly:\n{readable(sent)}")


def _page(shown: Description) -> Iterator[str]:
    spec = shown.spec
    yield f"{spec.id}: {spec.title}\n{textwrap.fill(spec.doc, WIDTH)}"
    yield columns(description.fact_rows(spec))
    for head, rows in description.tables(shown).values():
        yield columns([head, *rows])
    for seat in shown.seats:
        yield f"what {seat.role} is given at level {shown.level}, seed {shown.seed}:\n{_seat(seat)}"


def _seat(seat: Seat) -> str:
    sensed = [
        f"[{percept.channel}, {description.about(percept)}]\n{percept.meaning or '(not in words)'}"
        for percept in seat.percepts
    ]
    text = "\n".join([*sensed, seat.ask, f"answer: {seat.actions}"])
    return textwrap.indent(text, "  ")


def _previews(world: Env, settings: Mapping[str, JSON]) -> dict[Role, tuple[Preview, ...]]:
    agent = AgentSpec("llm", ANY_MODEL, settings)
    return {role: first_requests(agent, world, role) for role in world.pending()}


def _sent(role: Role, preview: Preview) -> dict[str, object]:
    request = preview.request
    nodes = list(request.thread.nodes())[::-1]
    return {
        "role": role,
        "purpose": preview.purpose,
        "messages": [
            said(node.message, node.hash, node.parent.hash if node.parent else "") for node in nodes
        ],
        "sampling": request.sampling,
        "tools": request.tools,
        "grammar": request.grammar,
    }


def _write_picture(world: Env, path: Path) -> None:
    from polyathlon.media import png

    picture = first_picture(world)
    if picture is None:
        raise UserError(f"{world.spec.id} shows no picture: leave --image out")
    path.write_bytes(png.encode(picture))
