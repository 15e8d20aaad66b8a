"""polyathlon list."""

from __future__ import annotations

import json

import pytest

from polyathlon import cli, registry
from polyathlon.experiments import suites


def listed(capsys: pytest.CaptureFixture[str], what: str) -> list[dict[str, object]]:
    assert cli.main(["list", what, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == [what]
    return list(printed[what])


def test_envs(capsys: pytest.CaptureFixture[str]) -> None:
    rows = listed(capsys, "envs")
    assert [row["id"] for row in rows] == sorted(registry.env_specs())
    game = next(row for row in rows if row["id"] == "lmgame/twenty48-v0")
    assert game["roles"] == ["player"]
    assert game["modalities"] == ["image"]


def test_suites(capsys: pytest.CaptureFixture[str]) -> None:
    assert [row["name"] for row in listed(capsys, "suites")] == list(suites.names())


@pytest.mark.parametrize("what", ["agents", "models", "interventions", "tools"])
def test_registered_names_say_what_they_are(
    what: registry.Kind, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = listed(capsys, what)
    assert [row["name"] for row in rows] == list(registry.names(what))
    assert all(row["about"] for row in rows)


def test_what_cannot_be_imported_names_the_missing_module(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    models = {"absent": "no_such_library.client:client"}
    monkeypatch.setattr(registry, "_BUILT_IN", {**registry._BUILT_IN, "models": models})
    about = listed(capsys, "models")[0]["about"]
    assert "no_such_library" in str(about)
    assert "doctor" in str(about)


def test_a_third_party_env_is_listed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from msgspec.structs import replace

    spec = replace(registry.env_spec("lmgame/twenty48-v0"), id="mine/own-v3")
    monkeypatch.setitem(registry._registered_envs, spec.id, spec)
    assert "mine/own-v3" in [row["id"] for row in listed(capsys, "envs")]


def test_columns_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", "envs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(registry.env_specs())
    assert any(line.startswith("lmgame/twenty48-v0") and "2048" in line for line in lines)
