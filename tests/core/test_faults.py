"""Tracebacks as traces keep them: short, relative, without secrets."""

from __future__ import annotations

import importlib.util
import json

import pytest

from polyathlon.core.faults import MOST_CHARACTERS, traceback_of

CODE = """
import json

def deep(n):
    return deep(n - 1) if n else json.loads("{nothing")

def caused():
    try:
        deep(0)
    except ValueError as error:
        raise RuntimeError("no plan") from error
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "bots" / "mine.py"
    path.parent.mkdir()
    path.write_text(CODE)
    spec = importlib.util.spec_from_file_location("mine", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _told(function, *arguments):
    with pytest.raises((ValueError, RuntimeError)) as caught:
        function(*arguments)
    error = caught.value
    error.__traceback__ = error.__traceback__.tb_next  # without this test
    return traceback_of(error)


def test_files_are_told_relative_to_where_they_belong(module, tmp_path):
    told = _told(module.deep, 0)
    assert told.startswith("bots/mine.py:5 in deep: return deep(n - 1) if n else json.loads(")
    assert "python/json/decoder.py" in told
    assert "JSONDecodeError" in told.splitlines()[-1]
    assert str(tmp_path) not in told


def test_files_elsewhere_are_told_by_name_alone(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / "bots")
    assert _told(module.deep, 0).startswith("mine.py:5 in deep")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert _told(module.deep, 0).startswith("mine.py:5 in deep")


def test_what_caused_it_comes_first(module):
    told = _told(module.caused)
    assert told.index("JSONDecodeError") < told.index("RuntimeError: no plan")


def test_a_deep_or_wordy_one_is_short(module):
    told = _told(module.deep, 300)
    assert "more calls" in told
    assert len(told) < 2_000

    def wordy():
        raise ValueError("x" * 100_000)

    assert len(_told(wordy)) < MOST_CHARACTERS + 100


@pytest.mark.parametrize(
    "text", ["sk-abcdefgh12345678", "http://me:hunter2hunter2@host/v1", "my own value 123"]
)
def test_secrets_are_hidden(text, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "my own value 123")

    def leaks():
        raise ValueError(json.dumps({"told": text}))

    told = _told(leaks)
    assert "***" in told
    assert text not in told
    assert "hunter2" not in told
