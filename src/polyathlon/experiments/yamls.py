"""YAML files of other people: bounded in size, depth and number of values, without aliases."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from polyathlon.core.errors import UserError

if TYPE_CHECKING or not yaml.__with_libyaml__:
    from yaml import SafeLoader as _Loader
else:
    from yaml import CSafeLoader as _Loader

MOST_BYTES = 2 << 20
MOST_VALUES = 100_000
MOST_DEPTH = 32


class _Ours(_Loader):
    """What `yaml.safe_dump` writes: YAML 1.1."""


class _CoreSchema(_Loader):
    """YAML 1.2's core schema: `off` is a word and `42:45` no number in base sixty."""


_CoreSchema.yaml_implicit_resolvers = {}
for _tag, _pattern in (
    ("bool", r"true|True|TRUE|false|False|FALSE"),
    ("int", r"[-+]?[0-9]+"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"),
    ("null", r"~|null|Null|NULL|"),
    ("merge", r"<<"),
):
    _CoreSchema.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), None
    )


def written_by_people(path: Path) -> Any:
    """What a file in YAML 1.2's core schema holds. Raises UserError for one that cannot be read."""
    return _read(path, _CoreSchema)


def written_by_us(path: Path) -> Any:
    """What a file that `yaml.safe_dump` wrote holds, with the errors of `written_by_people`."""
    return _read(path, _Ours)


def _read(path: Path, loader: type[_CoreSchema | _Ours]) -> Any:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise UserError(f"{path} is larger than {MOST_BYTES} bytes, too large to read")
        return _loaded(data.decode("utf-8"), loader)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {error}") from None
    except (yaml.YAMLError, ValueError, ArithmeticError, RecursionError) as error:
        problem = " ".join(str(error).split())
        raise UserError(f"{path} is no YAML that can be read: {problem}") from None


def _loaded(text: str, loader: type[_CoreSchema | _Ours]) -> Any:
    _check(text)
    return yaml.load(text, Loader=loader)


def _check(text: str) -> None:
    """Raises YAMLError before anything is made of what would be too much.

    PyYAML's loaders follow aliases to any size and nest to any depth.
    """
    depth = 0
    for values, event in enumerate(yaml.parse(text, Loader=_Loader)):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent):
            raise _refused("an alias (*), which is not read here: write the value again", event)
        if values > MOST_VALUES or depth > MOST_DEPTH:
            raise _refused(f"more than {MOST_VALUES} values or {MOST_DEPTH} levels", event)


def _refused(what: str, event: yaml.Event) -> yaml.YAMLError:
    line = "" if event.start_mark is None else f"line {event.start_mark.line + 1} "
    return yaml.YAMLError(f"{line}has {what}")
