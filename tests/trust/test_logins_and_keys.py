"""A login in an address and a key are used where they belong, and kept and shown nowhere."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from polyathlon.cli import main
from polyathlon.core.addresses import bare, logins, redacted, signed
from polyathlon.core.agents import AgentSpec
from polyathlon.core.errors import UserError
from polyathlon.experiments.plan import episodes
from polyathlon.experiments.spec import parse

ENV = "lmgame/twenty48-v0"
LOGIN = "ada:s3cret-Passw0rd"
KEY = "tok-0123456789-of-a-server"
MOVE = (
    b'{"choices": [{"message": {"content": "thought: so\\nmove: left"}, "finish_reason": "stop"}]}'
)


@contextmanager
def server(status: int = 200) -> Iterator[tuple[str, list[str]]]:
    """An address on loopback, and the authorizations it was asked with; failures echo them."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            asked.append(self.headers.get("Authorization", ""))
            echo = b'{"error": {"message": "no such user: %s %s"}}'
            body = MOVE if status == 200 else echo % (asked[-1].encode(), LOGIN.encode())
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        yield f"127.0.0.1:{served.server_port}/v1", asked
        served.shutdown()
        thread.join()


def contents(folder: Path) -> bytes:
    """Everything that files under a folder hold, compressed traces unpacked."""
    import zstandard

    found = b""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            if path.suffix == ".zst":
                data = zstandard.ZstdDecompressor().decompress(data, max_output_size=1 << 24)
            found += data
    return found


def test_a_login_reaches_its_server_and_no_file(tmp_path, capsys):
    out = tmp_path / "run"
    with server() as (address, asked):
        model = f"vllm/any@http://{LOGIN}@{address}"
        words = ["--model", model, "--turns", "2", "--price", f"{model}=1,1", "--budget-usd", "1"]
        assert main(["run", ENV, *words, "--out", str(out)]) == 0
    assert asked == ["Basic YWRhOnMzY3JldC1QYXNzdzByZA=="] * 2
    said = capsys.readouterr()
    assert LOGIN not in said.out + said.err
    assert b"s3cret" not in contents(tmp_path)
    assert address.encode() in contents(tmp_path)


def test_a_refusal_that_echoes_the_login_is_kept_without_it(tmp_path, capsys):
    out = tmp_path / "run"
    with server(401) as (address, asked):
        model = f"vllm/any@http://{LOGIN}@{address}"
        assert main(["run", ENV, "--model", model, "--out", str(out)]) == 1
        assert main(["report", str(out)]) == 0
    assert asked
    said = capsys.readouterr()
    for secret in (LOGIN, "YWRhOnMzY3JldC1QYXNzdzByZA"):
        assert secret not in said.out + said.err
        assert secret.encode() not in contents(tmp_path)


def test_a_resumed_run_is_told_the_login_again(tmp_path):
    out = tmp_path / "run"
    with server() as (address, asked):
        model = f"vllm/any@http://{LOGIN}@{address}"
        words = ["--model", model, "--turns", "1", "--out", str(out)]
        assert main(["run", ENV, *words, "--seeds", "0"]) == 0
        for trace in (out / "episodes").iterdir():
            trace.unlink()
        assert main(["run", "--out", str(out), "--resume", "--model", model]) == 0
    assert asked == ["Basic YWRhOnMzY3JldC1QYXNzdzByZA=="] * 2


def test_a_login_is_no_part_of_an_episode(monkeypatch):
    def ids(model: str, harness: str) -> list[str]:
        lineups = [{"*": {"model": model}}]
        group = {"targets": [ENV], "lineups": lineups, "harnesses": [harness]}
        return [spec.id for spec in episodes(parse({"groups": [group]}, "here"))]

    def named(login: str) -> list[str]:
        model = f"vllm/m@http://{login}h:1/v1"
        return ids(model, f"perception=caption:{model},reflection_model={model}")

    assert named("ada:one@") == named("ada:two@") == named("")


def test_one_host_has_one_login(tmp_path, capsys):
    models = ["vllm/m@http://a:one@h:1/v1", "vllm/n@http://b:two@h:1/v1"]
    words = [word for model in models for word in ("--model", model)]
    assert main(["run", ENV, *words, "--out", str(tmp_path / "run")]) == 2
    assert "two logins" in capsys.readouterr().err


def test_a_run_that_kept_a_login_is_read_but_not_played_on(tmp_path, capsys):
    out = tmp_path / "run"
    assert main(["run", ENV, "--agent", "random", "--turns", "1", "--out", str(out)]) == 0
    marker = out / "experiment.yaml"
    marker.write_text(marker.read_text().replace("model: ''", f"model: vllm/m@http://{LOGIN}@h/v1"))
    capsys.readouterr()
    assert main(["run", "--out", str(out), "--resume"]) == 2
    assert "holds a login" in capsys.readouterr().err
    assert main(["report", str(out)]) == 0


def test_tables_show_no_login():
    assert AgentSpec("llm", f"vllm/m@http://{LOGIN}@h:1/v1").label == "vllm/m@http://h:1/v1"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("GET http://ada:pw@h:1/v1 failed", "GET http://***@h:1/v1 failed"),
        ("https://a:p@ss@h/v1", "https://***@h/v1"),
        ("x?api_key=abcd&b=1", "x?api_key=***&b=1"),
        ("key sk-proj-0123456789abcdef here", "key *** here"),
        ("a@b.org, key_frames_shown, x@0.5", "a@b.org, key_frames_shown, x@0.5"),
    ],
)
def test_what_is_hidden(text, shown):
    assert redacted(text) == shown


def test_keys_of_the_environment_are_hidden(monkeypatch):
    monkeypatch.setenv("ACME_API_KEY", KEY)
    assert redacted(f"you sent {KEY}") == "you sent ***"


def test_logins_are_parted_and_put_back():
    text = "caption:vllm/m@http://ada:pw@h:80/v1"
    assert bare(text) == "caption:vllm/m@http://h:80/v1"
    assert logins({"a": [text]}) == {"http://h:80": "ada:pw"}
    assert signed(bare(text), logins(text)) == text
    assert signed("vllm/m@http://h:8000/v1", logins(text)) == "vllm/m@http://h:8000/v1"
    with pytest.raises(UserError, match="two logins"):
        logins([text, text.replace("pw", "other")])
