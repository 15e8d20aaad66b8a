"""One page for an evening of several games, whoever the person is in each of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.play.browser import CHROMIUM, browsing, playing

pytestmark = pytest.mark.browser
GAMES = ("omniplay/alchemist-v0", "omniplay/showdown-v0", "--set", "cap=2")
PATIENCE_S = 30.0


def _until(done: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)


def _close_rules(page: Any) -> None:
    page.wait_for_selector("#rules[open]")
    page.click("#rules button")


def _say(page: Any, text: str) -> None:
    number = page.evaluate("state.number")
    page.fill("#text", text)
    page.click("#line button")
    _until(lambda: page.evaluate("state.number") != number)


def test_the_page_goes_from_game_to_game_and_from_seat_to_seat(tmp_path: Path) -> None:
    assert CHROMIUM, "install Chromium, such as Debian's package chromium"
    with browsing() as page, playing(*GAMES, "--out", str(tmp_path / "run")) as (_, url):
        assert "role=" not in url
        page.goto(url)
        page.click("#start")
        _close_rules(page)
        colours = page.evaluate("Object.values(state.moment.controls.keys)")
        _say(page, colours[0])
        page.reload()
        _close_rules(page)
        assert "turn 2" in page.inner_text("#turn"), "a reload shows the moment again"
        _say(page, "no such colour")
        assert "upper case" in page.inner_text("#problem")
        page.fill("#text", colours[0])
        page.click("#line button")
        _until(lambda: page.evaluate("state.moment.role") == "red")
        _close_rules(page)
        assert "game 2 of 2" in page.inner_text("#turn")
        _say(page, '{"action_type": 0, "target_x": 0, "target_y": 0}')
        _until(lambda: page.evaluate("state.moment.role") == "blue")
        assert not page.evaluate("document.getElementById('rules').open")
        assert page.errors == []
