"""A person finishes every OmniPlay game on the page, by the page's own controls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.play.browser import (
    CHROMIUM,
    begin,
    browsing,
    ended,
    oracle_answers,
    playing,
    wait_for_turn,
)

from polyathlon.core.controls import Controls
from polyathlon.core.world import Observation
from polyathlon.experiments.rundir import open_run

pytestmark = pytest.mark.browser

GRID = [(x / 60, y / 60) for y in range(1, 60) for x in range(1, 60)]


@pytest.fixture
def page() -> Iterator[Any]:
    assert CHROMIUM, "install Chromium, such as Debian's package chromium"
    with browsing() as page:
        yield page


def point(page: Any, channel: str, x: float, y: float) -> None:
    """Click a place in [0, 1]² of a channel's picture."""
    view = page.locator(f".view[data-channel={channel}]")
    box = view.bounding_box()
    view.click(position={"x": x * box["width"], "y": y * box["height"]})


def place_of(seen: Observation, channel: str, text: str) -> tuple[float, float] | None:
    """Where a click on a channel means an answer."""
    meant = seen.actions.parse(text)
    return next((at for at in GRID if seen.actions.from_point(channel, *at) == meant), None)


def fill(page: Any, controls: Controls, text: str) -> None:
    """Fill the form so that its template gives an answer, and send it."""
    pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(controls.template))
    found = re.fullmatch(pattern, text)
    assert found, (controls.template, text)
    for field in controls.fields:
        box = page.locator(f"#field-{field.name}")
        value = found[field.name]
        box.select_option(value) if field.choices else box.fill(value)
    page.click("#go")


def test_pathfinding_by_its_form(page: Any, tmp_path: Path) -> None:
    game = "omniplay/pathfinding-v0"
    with playing(game, "--level", "easy", "--out", str(tmp_path / "run")) as (_, url):
        begin(page, url)
        for turn, (seen, text) in enumerate(oracle_answers(game, "easy", 0), 1):
            wait_for_turn(page, turn)
            fill(page, seen.actions.controls(), text)
        assert ended(page, tmp_path / "run")["success"] == 1


def test_pathfinding_by_a_click_and_the_arrow_keys(page: Any, tmp_path: Path) -> None:
    words = ("--level", "easy", "--set", "cap=3", "--out", str(tmp_path / "run"))
    with playing("omniplay/pathfinding-v0", *words) as (_, url):
        begin(page, url)
        wait_for_turn(page, 1)
        page.keyboard.press("ArrowRight")
        wait_for_turn(page, 2)
        point(page, "view", 0.5, 0.9)
        wait_for_turn(page, 3)
        page.fill("#text", "walk a bit")
        page.click("#line button")
        page.locator("#problem", has_text="Not an answer").wait_for()
        page.keyboard.press("Escape")
        page.locator("#stage").click(position={"x": 2, "y": 2})
        page.keyboard.press("ArrowUp")
        page.locator("#over").wait_for()
    run = open_run(tmp_path / "run")
    (id,) = run.episode_ids()
    actions = [event for event in run.events(id) if type(event).__name__ == "Acted"]
    assert next(action.action for action in actions) == "0 45"
    assert len(actions) == 3
    assert run.ended(id).metrics["invalid_actions"] == 0


def test_echoes_by_clicking_icons(page: Any, tmp_path: Path) -> None:
    game = "omniplay/echoes-v0"
    with playing(game, "--level", "easy", "--out", str(tmp_path / "run")) as (_, url):
        begin(page, url)
        for turn, (seen, text) in enumerate(oracle_answers(game, "easy", 0), 1):
            wait_for_turn(page, turn)
            if turn == 1:
                regions = {tuple(map(int, re.findall(r"\d", r.text)[:2])): r.text
                           for r in seen.actions.controls().regions}  # fmt: skip
                for cell in seen.actions.parse(text).cells:
                    page.click(f'.region[title="{regions[cell]}"]')
                assert page.locator("#gathered span").count() == 6
                page.click("#done")
            else:
                point(page, "screen", *place_of(seen, "screen", text))
        assert ended(page, tmp_path / "run")["success"] == 1


def test_alchemist_by_clicking_flasks(page: Any, tmp_path: Path) -> None:
    game = "omniplay/alchemist-v0"
    with playing(game, "--out", str(tmp_path / "run")) as (_, url):
        begin(page, url)
        for turn, (_, text) in enumerate(oracle_answers(game, "medium", 0), 1):
            wait_for_turn(page, turn)
            colour = text.split(",")[0]
            if turn % 2:
                page.click(f'.region[title="{colour}"]')
            else:
                page.locator("#buttons button", has_text=colour.title()).click()
        assert ended(page, tmp_path / "run")["completed"] == 1


def test_phantom_by_its_form_and_the_map(page: Any, tmp_path: Path) -> None:
    game = "omniplay/phantom-v0"
    with playing(game, "--level", "easy", "--out", str(tmp_path / "run")) as (_, url):
        begin(page, url)
        for turn, (seen, text) in enumerate(oracle_answers(game, "easy", 0), 1):
            wait_for_turn(page, turn)
            if turn == 1:
                point(page, "map", 0.3, 0.5)
                x = float(page.input_value("#field-x"))
                assert 0 < x < 100
            if "status" in text:
                page.keyboard.press("w")
            else:
                fill(page, seen.actions.controls(), text)
        assert ended(page, tmp_path / "run")["success_rate"] == 1


def test_showdown_by_keys_against_three_others(page: Any, tmp_path: Path) -> None:
    words = [w for seat in ("blue", "green", "yellow") for w in ("--agent", f"{seat}=passive")]
    words += ["--agent", "red=human", "--set", "cap=6", "--out", str(tmp_path / "run")]
    with playing("omniplay/showdown-v0", *words) as (_, url):
        begin(page, url)
        for turn, key in enumerate(
            ("ArrowRight", "b", "ArrowLeft", "ArrowDown", "Stay", "Stay"), 1
        ):
            wait_for_turn(page, turn)
            if key == "Stay":
                page.locator("#buttons button", has_text="Stay").click()
            else:
                page.keyboard.press(key)
        page.locator("#over").wait_for()
    assert page.errors == []
    run = open_run(tmp_path / "run")
    (id,) = run.episode_ids()
    acted = [e for e in run.events(id) if type(e).__name__ == "Acted" and e.role == "red"]
    assert json.loads(acted[1].action)["action_type"] == 1
    assert run.ended(id).roles["red"]["bombs"] == 1


def test_what_plays_is_heard_and_seen_as_delivered(page: Any, tmp_path: Path) -> None:
    words = ("--level", "easy", "--intervene", "ablate:video", "--out", str(tmp_path / "run"))
    with playing("omniplay/echoes-v0", *words) as (process, url):
        begin(page, url)
        wait_for_turn(page, 1)
        assert page.locator("video").count() == 0
        sound = page.locator("audio")
        assert sound.count() == 1
        page.locator(".sound.playing").wait_for()
        seconds = sound.evaluate("audio => audio.duration")
        assert seconds == pytest.approx(6.5, abs=0.2)
        page.click("#leave")
        page.locator("#over").wait_for()
        assert process.wait(20) == 1
