"""Who may use the server: this machine under its own name, or whoever knows the token."""

from __future__ import annotations

import pytest
from tests.serve.clients import served

from polyathlon.core.errors import UserError
from polyathlon.serve.guard import Guard
from polyathlon.serve.site import LOCAL_NAMES, Served, Site, new_token


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:80", "[::1]:8765"])
def test_own_names_are_answered(host: str) -> None:
    assert Guard(None, LOCAL_NAMES, "")._refusal({b"host": host.encode()}) is None


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[::2]", "::1"])
def test_other_names_are_refused(host: str) -> None:
    refusal = Guard(None, LOCAL_NAMES, "")._refusal({b"host": host.encode()})
    assert refusal is not None
    assert refusal[0] == 400


def test_pages_of_other_addresses_are_refused() -> None:
    with served() as client:
        own = str(client.base_url).rstrip("/")
        assert client.get("/health", headers={"Origin": own}).is_success
        for origin in ("http://evil.example", "null", "http://127.0.0.1:1"):
            reply = client.post("/quit", headers={"Origin": origin})
            assert (reply.status_code, list(reply.json())) == (403, ["problem"])
        assert client.get("/health", headers={"Host": "evil.example"}).status_code == 400


def test_the_token_opens_and_nothing_else_does() -> None:
    token = new_token()
    with served(Site(token=token)) as client:
        for wrong in ("", token, f"Bearer {token}x", f"Basic {token}", "Bearer \xfc"):
            reply = client.get("/health", headers={"Authorization": wrong.encode("latin-1")})
            assert reply.status_code == 401
            assert "token" in reply.json()["problem"]
        assert client.get("/health", headers={"Authorization": f"Bearer {token}"}).is_success


@pytest.mark.parametrize(
    ("fields", "hint"),
    [
        ({"host": "0.0.0.0"}, "token"),
        ({"scale": 0.0}, "--scale"),
        ({"bombs": -1}, "--bombs"),
        ({"token": "ü"}, "ASCII"),
    ],
)
def test_what_cannot_be_served_is_a_wrong_request(fields: dict[str, object], hint: str) -> None:
    with pytest.raises(UserError, match=hint):
        Site(**fields)


def test_a_taken_port_and_an_unknown_address_are_wrong_requests() -> None:
    with served() as client, pytest.raises(UserError, match="choose another"):
        Served(Site(port=client.base_url.port))
    with pytest.raises(UserError, match=r"cannot listen at nowhere\.invalid"):
        Served(Site(host="nowhere.invalid", token="t"))
    with pytest.raises(UserError, match="65535"):
        Served(Site(port=70_000))
