"""The command that adds what is missing, for each way a package can have been installed."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from polyathlon.core import extras
from polyathlon.core.errors import UserError

SOURCE = Path(extras.__file__).parents[2]


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, direct: object = None) -> None:
    """As if the package had been copied to `folder`, from where `direct` says."""
    info = folder / "polyathlon-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.4\nName: polyathlon\nVersion: 0.1.0\n")
    if direct is not None:
        (info / "direct_url.json").write_text(json.dumps(direct))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(extras, "_SOURCE", folder)


def wanted(command: str) -> list[str]:
    """The words of a command after `install`."""
    words = shlex.split(command)
    return words[words.index("install") + 1 :]


def test_a_clone_is_added_to_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SOURCE.parent)
    assert wanted(extras.install("report")) == ["-e", ".[report]"]
    monkeypatch.chdir(tmp_path)
    assert wanted(extras.install("report")) == ["-e", f"{SOURCE.parent}[report]"]


@pytest.mark.parametrize(("direct", "requirement"), [
    (None, "polyathlon[report]"),
    ({"url": "file:///w/polyathlon.whl", "archive_info": {}},
     "polyathlon[report] @ file:///w/polyathlon.whl"),
    ({"url": "file:///src/polyathlon", "dir_info": {}},
     "polyathlon[report] @ file:///src/polyathlon"),
    ({"url": "https://host/p.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
     "polyathlon[report] @ git+https://host/p.git@abc"),
], ids=["index", "wheel", "folder", "commit"])  # fmt: skip
def test_a_copy_is_added_to_from_where_it_came(
    direct: object, requirement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, monkeypatch, direct)
    assert wanted(extras.install("report")) == [requirement]


def test_a_copy_without_metadata_goes_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "_SOURCE", tmp_path)
    monkeypatch.setattr(extras, "NAME", "no-such-package")
    assert wanted(extras.install("report")) == ["no-such-package[report]"]


def test_pip_is_that_of_this_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    called = subprocess.run(
        f"{extras.pip()} --version", shell=True, capture_output=True, text=True, check=True
    )
    assert str(Path(sys.prefix)) in called.stdout


def test_pip_has_its_short_name_where_the_shell_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python, pip = tmp_path / "bin" / "python", tmp_path / "bin" / "pip"
    python.parent.mkdir()
    for file in (python, pip):
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.defpath)
    assert extras.pip() == "bin/python -m pip"
    monkeypatch.setenv("PATH", str(python.parent))
    assert extras.pip() == "pip"


def test_what_is_missing_is_one_line() -> None:
    error = extras.missing("a page needs a server", "play", "; or play --terminal")
    assert isinstance(error, UserError)
    assert str(error) == f"a page needs a server: {extras.install('play')}; or play --terminal"
