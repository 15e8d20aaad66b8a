"""polyathlon show: what an env is, what its roles sense, and the exact first request."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from polyathlon import registry
from polyathlon.cli import description
from polyathlon.cli.description import Description, Seat, describe
from polyathlon.cli.output import columns, print_json
from polyathlon.core.errors import UserError
from polyathlon.core.parts import Image
from polyathlon.core.world import Env

WIDTH = 96


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
    if image:
        _write_picture(world, image)
    if json:
        print_json(described)
    else:
        print("\n\n".join(_page(described)))


def _page(shown: Description) -> Iterator[str]:
    spec = shown.spec
    yield f"{spec.id}: {spec.title}\n{textwrap.fill(spec.doc, WIDTH)}"
    yield columns(description.fact_rows(spec))
    yield _table(description.CHANNEL_HEAD, map(description.channel_row, spec.channels))
    yield _table(description.METRIC_HEAD, map(description.metric_row, spec.metrics))
    if spec.options:
        yield _table(description.OPTION_HEAD, map(description.option_row, spec.options))
    for seat in shown.seats:
        yield f"what {seat.role} is given at level {shown.level}, seed {shown.seed}:\n{_seat(seat)}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return columns([head, *rows])


def _seat(seat: Seat) -> str:
    sensed = [
        f"[{percept.channel}, {percept.modality}]\n{percept.meaning or '(not in words)'}"
        for percept in seat.percepts
    ]
    text = "\n".join([*sensed, seat.ask, f"answer: {seat.actions}"])
    return textwrap.indent(text, "  ")


def _write_picture(world: Env, path: Path) -> None:
    from polyathlon.media import png

    rendered = (p.render() for role in world.pending() for p in world.observe(role).percepts)
    for part in rendered:
        if isinstance(part, Image):
            path.write_bytes(png.encode(part))
            return
    raise UserError(f"{world.spec.id} shows no picture: leave --image out")
