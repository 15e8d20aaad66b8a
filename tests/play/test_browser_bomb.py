"""People at a bomb whose clock runs: alone with a manual in a second tab, or two who write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.play.browser import CHROMIUM, begin, browsing, ended, playing, wait_for_turn

from polyathlon import registry
from polyathlon.core.chance import stream

pytestmark = pytest.mark.browser
pytest.importorskip("playwright")

SOLO, PAIR = "gptnt/solo-v0", "gptnt/defusal-v0"
WINDOW_US = 3_000_000
PAGES = 24


@pytest.fixture
def page() -> Iterator[Any]:
    assert CHROMIUM, "install Chromium, such as Debian's package chromium"
    with browsing() as page:
        yield page


def solved(level: str) -> Iterator[tuple[Any, str]]:
    """What the oracle would see and answer, an answer every three seconds."""
    env = registry.make(SOLO, level)
    policy = registry.policy(SOLO, "oracle")
    env.reset(0)
    rng = stream(0, "browser")
    time_us = 0
    while env.pending():
        seen = env.observe("player")
        action = policy(env.state(), "player", rng)
        yield seen, seen.actions.write(action)
        env.act("player", action)
        time_us += WINDOW_US
        env.advance_to(time_us)


def press(page: Any, x: float, y: float) -> None:
    view = page.locator(".view[data-channel=view]")
    box = view.bounding_box()
    view.click(position={"x": x * box["width"], "y": y * box["height"]})


def test_one_person_reads_the_manual_in_a_second_tab_and_cuts_the_wire(
    page: Any, tmp_path: Path
) -> None:
    from polyathlon.envs.gptnt.bomb.simulator import view

    with playing(SOLO, "--level", "wires", "--out", str(tmp_path / "run")) as (_, url):
        begin(page, url)
        with page.context.expect_page() as opened:
            page.click("#show-papers")
        manual = opened.value
        pages = manual.locator("#papers img")
        pages.nth(PAGES - 1).wait_for()
        assert pages.count() == PAGES
        assert all(
            pages.nth(number).evaluate("image => image.decode().then(() => image.naturalWidth)")
            for number in range(PAGES)
        )
        for seen, text in solved("wires"):
            mark = seen.actions.parse(text).at
            before = page.locator(".view[data-channel=view] img").get_attribute("src")
            press(page, *view(seen.percepts[-1].scene.scene).centroid(mark.element))
            page.wait_for_function(
                "src => !document.querySelector('[data-channel=view] img')"
                " || document.querySelector('[data-channel=view] img').getAttribute('src') !== src",
                arg=before,
            )
            page.wait_for_timeout(1_500)
        metrics = ended(page, tmp_path / "run")
    assert (metrics["solved"], metrics["strikes"]) == (1, 0)
    assert metrics["waits"] > 0, "time went on while the person read"


def test_one_person_defuses_a_bomb_of_two_faces_in_a_standing_clock(
    page: Any, tmp_path: Path
) -> None:
    words = ("--level", "multi", "--scheduler", "stepped:3", "--out", str(tmp_path / "run"))
    with playing(SOLO, *words) as (_, url):
        begin(page, url)
        for turn, (_, text) in enumerate(solved("multi"), 1):
            wait_for_turn(page, turn)
            page.fill("#text", text)
            page.press("#text", "Enter")
        metrics = ended(page, tmp_path / "run")
    assert (metrics["solved"], metrics["strikes"], metrics["waits"]) == (1, 0, 0)


def test_two_people_write_to_each_other(page: Any, tmp_path: Path) -> None:
    words = ("--level", "wires", "--agent", "human", "--out", str(tmp_path / "run"))
    with playing(PAIR, *words) as (_, url):
        begin(page, f"{url}?role=defuser")
        with page.expect_popup() as opened:
            page.evaluate("address => window.open(address)", f"{url}?role=expert")
        expert = opened.value
        expert.locator("#rules[open]").wait_for()
        expert.click("#rules button")
        assert expert.locator("#stage img").count() == 0, "the expert sees nothing of the bomb"
        page.fill("#message", 'Three wires: "red", <b>blue</b>, red')
        page.press("#message", "Enter")
        expert.locator("#mail", has_text='defuser: Three wires: "red", <b>blue</b>, red').wait_for()
        expert.fill("#message", "Cut the second")
        expert.press("#message", "Enter")
        page.locator("#mail", has_text="expert: Cut the second").wait_for()
        page.click("#leave")
        page.locator("#over").wait_for()
    assert page.errors == []
