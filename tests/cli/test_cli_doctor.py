"""polyathlon doctor."""

from __future__ import annotations

import json
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import NoReturn

import pytest

from polyathlon import cli
from polyathlon.cli import doctor
from polyathlon.core import extras

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def checks(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, dict[str, object]]:
    assert cli.main(["doctor", "--json", *options]) == 0
    found = json.loads(capsys.readouterr().out)["checks"]
    return {f"{check['area']} {check['name']}": check for check in found}


def test_the_extras_are_those_of_the_package() -> None:
    declared = tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]
    assert set(doctor.EXTRAS) == set(declared)


def test_the_core_is_that_of_the_package() -> None:
    declared = tomllib.loads(PYPROJECT.read_text())["project"]["dependencies"]
    assert {name.lower() for name in doctor.CORE} == {
        requirement.split(">")[0].lower() for requirement in declared
    }


def test_a_missing_extra_comes_with_its_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "EXTRAS", {"models": ("no_such_module", "no_such.child")})
    check = checks(capsys)["extra models"]
    assert not check["ok"]
    assert check["add"] == extras.install("models")
    assert "no_such_module, no_such.child" in str(check["detail"])


def test_keys_are_never_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-verysecret")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    for options in ((), ("--json",)):
        assert cli.main(["doctor", *options]) == 0
        assert "verysecret" not in "".join(capsys.readouterr())
    found = checks(capsys)
    assert found["key openai"]["ok"]
    assert not found["key anthropic"]["ok"]
    assert found["key anthropic"]["add"] == "export ANTHROPIC_API_KEY=..."


@pytest.fixture
def server() -> Iterator[str]:
    class Models(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/v1/models" else 404)
            self.end_headers()
            self.wfile.write(b'{"data": [{"id": "tiny-model"}]}')

        def log_message(self, format: str, *args: object) -> None:
            return

    served = HTTPServer(("127.0.0.1", 0), Models)
    threading.Thread(target=served.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{served.server_port}/v1"
    served.shutdown()
    served.server_close()


def test_a_server_that_answers(capsys: pytest.CaptureFixture[str], server: str) -> None:
    check = checks(capsys, "--server", server)[f"server {server}"]
    assert check["ok"]
    assert check["detail"] == "serves tiny-model"


def test_a_server_from_the_environment(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server)
    assert checks(capsys)[f"server {server}"]["ok"]


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "no-url-at-all"])
def test_a_server_that_does_not_answer(capsys: pytest.CaptureFixture[str], url: str) -> None:
    check = checks(capsys, "--server", url)[f"server {url}"]
    assert not check["ok"]
    assert check["add"]


def test_a_folder_that_cannot_be_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(dir: Path) -> NoReturn:
        raise OSError("read-only file system")

    monkeypatch.setattr(doctor.tempfile, "TemporaryFile", refuse)
    check = checks(capsys)["disk working folder"]
    assert not check["ok"]
    assert "read-only" in str(check["detail"])


def test_people_read_what_to_add(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "EXTRAS", {"report": ("no_such_module",)})
    assert cli.main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "to add what is missing:" in said
    assert extras.install("report") in said
