"""Clients of models, made from names that hold no logins."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from polyathlon import registry
from polyathlon.core.addresses import signed
from polyathlon.core.models import Model

NO_LOGINS: Mapping[str, str] = MappingProxyType({})


def client(name: str, logins: Mapping[str, str] = NO_LOGINS) -> Model:
    """The client of the model PROVIDER/NAME, with the login of its server where there is one.

    Raises UserError for an unknown provider, a wrong name and a missing key.
    """
    provider, _, rest = name.partition("/")
    model: Model = registry.factory("models", provider)(signed(rest, logins))
    if logins:
        model.name = name
    return model
