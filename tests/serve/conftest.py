"""One server for all tests that ask nothing special of it, and its default bomb lit anew."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import httpx2

NEEDED = ("httpx2", "starlette", "uvicorn")

collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    from polyathlon.serve.site import Served, Site

    with Served(Site(bombs=20)) as url:
        yield url


@pytest.fixture
def client(url: str) -> Iterator[httpx2.Client]:
    from tests.serve.clients import begin, client

    with client(url) as made:
        for bomb in made.get("/bombs").json()["bombs"]:
            made.delete(f"/bombs/{bomb['bomb']}")
        begin(made)
        yield made
