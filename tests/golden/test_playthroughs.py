"""Golden playthroughs: each level of a built-in env has one, and comes out the same again.

Write them anew, after a change that is meant to change them, with
`python -m polyathlon.testing.playthrough all tests/golden`.
"""

from pathlib import Path

import pytest
from tests.toys import TOYS

from polyathlon import registry
from polyathlon.core.errors import UserError
from polyathlon.core.spec import EnvSpec
from polyathlon.testing import playthrough

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.txt"))
SPECS = registry.built_in_env_specs().values()
SAMPLED = {playthrough.file_name(spec.id, level) for spec in SPECS for level in spec.sampled}


@pytest.mark.parametrize("name", sorted(SAMPLED))
def test_the_game_comes_out_the_same(name: str) -> None:
    playthrough.verify((HERE / name).read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({path.name for path in FILES} - SAMPLED))
def test_so_does_the_game_at_every_other_level(name: str) -> None:
    playthrough.verify((HERE / name).read_text(encoding="utf-8"))


def test_every_level_has_one() -> None:
    wanted = {playthrough.file_name(spec.id, level) for spec in SPECS for level in spec.levels}
    assert {path.name for path in FILES} == wanted


def _first() -> str:
    return FILES[0].read_text(encoding="utf-8")


@pytest.mark.parametrize("spec", TOYS, ids=lambda spec: spec.id)
def test_roles_clocks_and_messages_come_out_the_same(spec: EnvSpec) -> None:
    playthrough.verify(playthrough.write(spec.id, spec.levels[-1]))


def test_a_changed_game_is_found_by_its_line() -> None:
    changed = _first().replace("status: ", "status: quite ", 1)
    line = changed.splitlines().index(next(x for x in changed.splitlines() if "quite" in x)) + 1
    with pytest.raises(AssertionError, match=f"line {line}: 'status: quite"):
        playthrough.verify(changed)


def test_a_missing_line_is_found() -> None:
    with pytest.raises(AssertionError, match="None is now 'metrics: "):
        playthrough.verify("\n".join(_first().splitlines()[:-1]))


def _place(lines: list[str], start: str) -> int:
    return next(i for i, line in enumerate(lines) if line.startswith(start))


def test_pixels_count_under_an_equal_fingerprint_only() -> None:
    lines = playthrough.write("lmgame/twenty48-v0", "standard", acts=2).splitlines()
    lines[_place(lines, playthrough.SIGNAL)] = f"{playthrough.SIGNAL}0000"
    with pytest.raises(AssertionError, match="signal 0000"):
        playthrough.verify("\n".join(lines))
    lines[_place(lines, "render: ")] = "render: another machine"
    playthrough.verify("\n".join(lines))
    del lines[_place(lines, playthrough.SIGNAL)]
    with pytest.raises(AssertionError, match="is now '  signal '"):
        playthrough.verify("\n".join(lines))


def test_all_were_written_by_the_same_machine() -> None:
    headers = [path.read_text(encoding="utf-8").split("\n\n")[0] for path in FILES]
    machines = [line for text in headers for line in text.splitlines() if "render: " in line]
    fingerprints = {each for line in machines for each in line.removeprefix("render: ").split()}
    assert sorted(each.split("-")[0] for each in fingerprints) == ["pillow", "raster", "sound"]


def test_the_command_writes_one(capsys: pytest.CaptureFixture[str]) -> None:
    playthrough.main(["lmgame/twenty48-v0", "standard"])
    written = capsys.readouterr().out
    golden = (HERE / "lmgame.twenty48-v0.standard.txt").read_text(encoding="utf-8")
    playthrough.compare(golden, written)
    with pytest.raises(UserError, match="write: python -m"):
        playthrough.main(["lmgame/twenty48-v0"])


def test_the_command_writes_all_and_leaves_nothing_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = {"lmgame/twenty48-v0": registry.env_spec("lmgame/twenty48-v0")}
    monkeypatch.setattr(registry, "built_in_env_specs", lambda: one)
    (tmp_path / "gone.txt").write_text("stale")
    playthrough.main(["all", str(tmp_path)])
    assert [path.name for path in tmp_path.iterdir()] == ["lmgame.twenty48-v0.standard.txt"]
