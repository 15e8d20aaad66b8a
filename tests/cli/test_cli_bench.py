"""polyathlon bench."""

from __future__ import annotations

import json

import pytest

from polyathlon import bench, cli, registry
from polyathlon.bench import envs


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envs, "WARM_UP_S", 0.001)
    monkeypatch.setattr(envs, "INTERVAL_S", 0.01)
    monkeypatch.setattr(envs, "INTERVALS", 1)


def test_every_env_without_a_clock_has_its_benchmarks() -> None:
    known = bench.benchmarks()
    for spec in registry.built_in_env_specs().values():
        if spec.clock != "none":
            continue
        assert f"{envs.short_name(spec)}/text" in known
        pictures = any(channel.modality == "image" for channel in spec.channels)
        assert (f"{envs.short_name(spec)}/picture" in known) == pictures


def test_one_object_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "twenty48/*", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["benchmarks"]
    assert [row["name"] for row in rows] == ["twenty48/text", "twenty48/picture"]
    assert all(row["unit"] == "steps/s" and row["value"] > 0 for row in rows)
    assert rows[0]["value"] > rows[1]["value"]


def test_unknown_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "twnety48/text"]) == 2
    assert "did you mean twenty48/text" in capsys.readouterr().err


def test_a_step_is_seen_and_acted() -> None:
    turns: list[int] = []
    rate = envs.steps_per_s("lmgame/twenty48-v0", lambda seen: turns.append(seen.turn))
    assert rate > 0
    assert turns[:5] == [0, 1, 2, 3, 4]
    assert len(turns) % envs.CHUNK == 0


def test_pictures_are_encoded() -> None:
    env = registry.make("lmgame/twenty48-v0")
    env.reset(0)
    (encoded,) = envs.in_pictures(env.observe("player"))
    assert encoded.startswith(b"\x89PNG")
