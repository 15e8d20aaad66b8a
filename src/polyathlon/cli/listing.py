"""polyathlon list: the names there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from polyathlon import registry
from polyathlon.cli.output import columns, print_json
from polyathlon.core.console import note, say
from polyathlon.core.errors import UserError
from polyathlon.core.spec import EnvSpec
from polyathlon.registry import Kind

PARAGRAPHS: Mapping[Kind, int] = {"interventions": 2}
"""How much of a docstring says what a thing is: an intervention's form comes before its effect."""

Listed: TypeAlias = Literal[
    "envs", "suites", "agents", "models", "interventions", "tools", "scorers"
]


def list_(what: Listed, /, *, json: bool = False) -> None:
    """Name what there is of one kind, built in or added by other packages.

    Parameters
    ----------
    what
        The kind of things to list.
    json
        Print one JSON object.
    """
    rows = _rows(what)
    left_out = () if what == "suites" else registry.problems(what)
    if json:
        print_json({what: rows, **({"problems": left_out} if left_out else {})})
        return
    say(columns([tuple(map(_cell, row.values())) for row in rows]) or f"no {what}")
    for problem in left_out:
        note(f"left out: {problem.name} of {problem.package}: {problem.why}")


def _rows(what: Listed) -> list[dict[str, object]]:
    if what == "envs":
        return [_env(spec) for _, spec in sorted(registry.env_specs().items())]
    if what == "suites":
        from polyathlon.experiments import suites

        return [{"name": name, "about": suites.suite(name).title} for name in suites.names()]
    return [{"name": name, "about": _about(what, name)} for name in registry.names(what)]


def _env(spec: EnvSpec) -> dict[str, object]:
    return {
        "id": spec.id,
        "title": spec.title,
        "roles": spec.roles,
        "levels": spec.levels,
        "modalities": tuple(dict.fromkeys(channel.modality for channel in spec.channels)),
    }


def _about(kind: Kind, name: str) -> str:
    try:
        doc = registry.factory(kind, name).__doc__ or ""
    except UserError as error:
        return str(error)
    except ImportError as error:
        return f"needs {error.name}, which is not installed: see polyathlon doctor"
    paragraphs = [" ".join(text.split()) for text in doc.split("\n\n")]
    return ": ".join(paragraphs[: PARAGRAPHS.get(kind, 1)])


def _cell(value: object) -> str:
    return " ".join(value) if isinstance(value, tuple) else str(value)
