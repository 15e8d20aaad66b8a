"""Write one documentation page per env, from its spec and the first moment of an episode."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from polyathlon import registry
from polyathlon.cli import description
from polyathlon.cli.description import Description, describe, first_picture
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import EnvSpec
from polyathlon.media import png

FOLDER = Path(__file__).parents[1] / "docs" / "envs"
INDEX_HEAD = ("env", "title", "roles", "levels")


def write(folder: Path) -> None:
    """A page and a picture for every env, and the index, into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    specs = sorted(registry.built_in_env_specs().values(), key=lambda spec: spec.id)
    for spec in specs:
        env = registry.make(spec.id)
        env.reset(0)
        image = first_picture(env)
        if image:
            (folder / f"{slug(spec)}.png").write_bytes(png.encode(image))
        text = page(describe(env, spec.level(None), 0), pictured=image is not None)
        (folder / f"{slug(spec)}.md").write_text(text, encoding="utf-8")
    (folder / "index.md").write_text(index(specs), encoding="utf-8")


def slug(spec: EnvSpec) -> str:
    """`lmgame/sokoban-v0` is `lmgame-sokoban-v0`."""
    return spec.id.replace("/", "-")


def index(specs: Sequence[EnvSpec]) -> str:
    """The page that lists the envs."""
    rows = [
        (f"[{spec.id}]({slug(spec)}.md)", spec.title, ", ".join(spec.roles), str(len(spec.levels)))
        for spec in specs
    ]
    return "\n".join(["# Envs", "", *_table(INDEX_HEAD, rows), ""])


def page(shown: Description, *, pictured: bool) -> str:
    """The page of one env."""
    return "\n".join(_page(shown, pictured))


def _page(shown: Description, pictured: bool) -> Iterator[str]:
    spec = shown.spec
    yield from (f"# {spec.title}", "", f"`{spec.id}`", "", spec.doc, "")
    if pictured:
        yield from (f"![the first picture of level {shown.level}]({slug(spec)}.png)", "")
    yield from (*_table(("", ""), description.fact_rows(spec)), "")
    for title, (head, rows) in description.tables(shown).items():
        yield from (f"## {title}", "", *_table(head, rows), "")
    for seat in shown.seats:
        yield from (f"## What {seat.role} is told and senses first", "")
        yield from _paragraphs(seat.brief.task, seat.brief.rules, seat.brief.answer)
        yield from (f"Level {shown.level}, seed {shown.seed}:", "")
        for percept in _first_of_channels(seat.percepts):
            yield from (f"`{percept.channel}` ({description.about(percept)})", "")
            yield from _block(percept.meaning or "cannot be said in words")
        yield from _paragraphs(f"Asked: {seat.ask}", f"Answers: {seat.actions}")


def _first_of_channels(percepts: Iterable[Percept]) -> Iterable[Percept]:
    """Of a channel that carries a whole book only the first page."""
    first: dict[str, Percept] = {}
    for percept in percepts:
        first.setdefault(percept.channel, percept)
    return first.values()


def _paragraphs(*texts: str) -> Iterator[str]:
    for text in texts:
        yield from (text, "")


def _block(text: str) -> tuple[str, ...]:
    return ("```text", text, "```", "")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


if __name__ == "__main__":
    write(FOLDER)
