"""Interventions from the command line.

The grammar is `NAME:SUBJECT[=VALUE][@TARGET]`, where a target is a channel or a modality:

| form | effect |
|---|---|
| `conflict:TARGET[=LIE]` | the channel says what it would say if it lied |
| `words:KIND=RATE[@TARGET]` | words are lost, swapped, misspelt or added |
| `aid:CHANNEL` | the env adds help that it offers on demand |
| `substitute:TARGET[=FORM]` | the same content in words, written or spoken |
| `noise:KIND=STRENGTH[@TARGET]` | the signal is degraded |
| `ablate:TARGET` | the channel or modality is missing |

A factory takes `spec` and `subject` by keyword, and `value` and `target` if its form has them;
the first line of its docstring is its form.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from polyathlon import registry
from polyathlon.core.errors import UserError
from polyathlon.core.interventions import Intervention
from polyathlon.core.spec import EnvSpec

FORM = "NAME:SUBJECT[=VALUE][@TARGET], such as ablate:image"
_TEXT = re.compile(r"(?P<subject>[^=@]+)(?:=(?P<value>[^=@]+))?(?:@(?P<target>[^=@]+))?")


def build(text: str, spec: EnvSpec) -> Intervention:
    """The intervention that `text` names, for an env.

    Raises UserError for an unknown name, a wrong form, or a subject, value or target that the
    env or the intervention does not know.
    """
    name, _, rest = text.strip().partition(":")
    if not name:
        raise UserError(f"an intervention is written {FORM}")
    factory = registry.factory("interventions", name)
    match = _TEXT.fullmatch(rest)
    if match is None:
        raise UserError(f"cannot read intervention {text!r}: write {_form(factory)}")
    given = {key: value for key, value in match.groupdict().items() if value is not None}
    try:
        inspect.signature(factory).bind(spec=spec, **given)
    except TypeError as error:
        raise UserError(f"intervention {text!r}: {error}; write {_form(factory)}") from None
    built: Intervention = factory(spec=spec, **given)
    return built


def _form(factory: Callable[..., Any]) -> str:
    return (inspect.getdoc(factory) or FORM).splitlines()[0]
