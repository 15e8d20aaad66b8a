"""Whatever is sent to the defusal API, it answers in JSON, and refuses without a trace."""

from __future__ import annotations

import json
import socket

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.serve.clients import begin

from polyathlon.envs.gptnt.bomb.missions import MODULES, NEEDY

POSTS = (
    "mission", "lights", "pause", "resume", "advance", "action", "snapshot", "restore",
)  # fmt: skip
GETS = ("frame", "frames", "mask", "observation", "audio", "state", "lifecycle")

SMALL = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    SMALL,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = {
    "seed": st.integers(-1, 2**64) | SMALL,
    "time_limit_s": st.integers(0, 10**6) | SMALL,
    "modules": st.lists(st.sampled_from([*MODULES, "Bomb"]), max_size=13) | SMALL,
    "needy": st.lists(st.sampled_from([*NEEDY, "Wires"]), max_size=3) | SMALL,
    "widgets": st.integers(-1, 13) | SMALL,
    "strike_limit": st.integers(-1, 200) | SMALL,
    "back_placement": SMALL,
    "manual_seed": st.integers(-1, 3) | SMALL,
    "on": SMALL,
    "paused": SMALL,
    "seconds": st.floats(0.001, 10) | SMALL,
    "action": st.sampled_from(["click_release", "hold", "release", "zoom_out", "flip", "fly"]),
    "point": st.lists(st.floats(-0.5, 1.5) | SMALL, max_size=3),
    "snapshot": SMALL,
    "scale": SMALL,
}
LIKELY = st.dictionaries(st.sampled_from(list(FIELDS)), st.none(), max_size=5).flatmap(
    lambda keys: st.fixed_dictionaries({key: FIELDS[key] for key in keys})
)
BODIES = st.binary(max_size=100) | (JSON | LIKELY).map(lambda value: json.dumps(value).encode())
QUERIES = st.dictionaries(
    st.sampled_from(["size", "last", "burst", "props", "runtime", "since_s", "format", "x"]),
    st.text(max_size=10) | st.integers().map(str) | st.sampled_from(["0", "1", "nan", "64x64"]),
    max_size=3,
)


def check(reply: httpx2.Response) -> None:
    assert 200 <= reply.status_code < 300 or 400 <= reply.status_code < 500
    assert "Traceback" not in reply.text
    if reply.status_code >= 400:
        assert reply.headers["content-type"] == "application/json"
        assert reply.json().keys() == {"problem"}
        assert reply.json()["problem"]


def everything(client: httpx2.Client) -> list[object]:
    return [client.get(path).json() for path in ("/state", "/lifecycle", "/bombs")]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.sampled_from(POSTS), body=BODIES)
def test_bodies(client, path: str, body: bytes) -> None:
    begin(client)
    before = everything(client)
    reply = client.post(f"/{path}", content=body)
    check(reply)
    if reply.status_code >= 400:
        assert everything(client) == before


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.sampled_from(GETS), query=QUERIES)
def test_queries(client, path: str, query: dict[str, str]) -> None:
    before = everything(client)
    check(client.get(f"/{path}", params=query))
    assert everything(client) == before


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=BODIES)
def test_new_bombs(client, body: bytes) -> None:
    before = len(client.get("/bombs").json()["bombs"])
    reply = client.post("/bombs", content=body)
    check(reply)
    after = len(client.get("/bombs").json()["bombs"])
    assert after == before + (reply.status_code == 201)
    if after > before:
        client.delete(reply.json()["path"])


SEGMENTS = st.lists(st.sampled_from(["bombs", "state", "frame", "b1", "..", "%00", "%2e%2e", "ü"]))


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(method=st.sampled_from(["GET", "POST", "DELETE", "PUT", "OPTIONS"]), parts=SEGMENTS)
def test_addresses(client, method: str, parts: list[str]) -> None:
    check(client.request(method, "/" + "/".join(parts)))


RAW = (
    b"\r\n\r\n",
    b"GET /state HTTP/1.1\r\n\r\n",
    b"GET /state HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
    b"POST /action HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n{}",
    b"POST /action HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n\r\n{}",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET /" + b"a" * 70_000,
)


@pytest.mark.parametrize("raw", RAW)
def test_the_server_outlives_what_is_no_request(client, raw: bytes) -> None:
    begin(client)
    before = everything(client)
    address = (client.base_url.host, client.base_url.port)
    with socket.create_connection(address, timeout=5) as line:
        line.sendall(raw)
        line.shutdown(socket.SHUT_WR)
        line.recv(1_000)
    assert everything(client) == before
