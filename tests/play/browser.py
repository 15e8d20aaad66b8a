"""A real headless browser, and a person in it who knows what the oracle would do."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

from polyathlon import registry
from polyathlon.core.chance import stream
from polyathlon.experiments.rundir import open_run

CHROMIUM = which("chromium") or which("chromium-browser") or which("google-chrome")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--autoplay-policy=no-user-gesture-required",
]  # fmt: skip


@contextmanager
def browsing() -> Iterator[Any]:
    """A page of a headless Chromium; script errors end up in its list `errors`."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.set_default_timeout(30_000)
        try:
            yield page
        finally:
            browser.close()


@contextmanager
def playing(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`polyathlon play` as a user starts it, and the address it prints."""
    command = [sys.executable, "-m", "polyathlon", "play", *words, "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        match = re.search(r"http://127\.0\.0\.1:\d+/[\w-]{20,}/\S*", line)
        assert match, (line, process.stderr.read() if process.poll() is not None else "")
        yield process, match[0]
    finally:
        process.kill()
        process.communicate()


def oracle_answers(id: str, level: str, seed: int, options: dict[str, Any] | None = None):
    """What the oracle answers, turn by turn, as text."""
    env = registry.make(id, level, options)
    policy = registry.policy(id, "oracle")
    env.reset(seed)
    rng = stream(seed, "browser")
    while roles := env.pending():
        observation = env.observe(roles[0])
        action = policy(env.state(), roles[0], rng)
        yield observation, observation.actions.write(action)
        env.act(roles[0], action)


def wait_for_turn(page: Any, number: int) -> None:
    """Until the page shows turn `number`, counted from 1."""
    page.locator("#turn").filter(has_text=re.compile(rf"turn {number}\b")).wait_for()


def begin(page: Any, url: str) -> None:
    page.goto(url)
    page.fill("#participant", "p1")
    page.click("#start")
    page.locator("#rules[open]").wait_for()
    page.click("#rules button")


def ended(page: Any, out: Path) -> dict[str, float]:
    """The metrics of the one recorded episode, once the page says that all is over."""
    page.locator("#over").wait_for()
    assert page.errors == []
    run = open_run(out)
    (id,) = run.episode_ids()
    end = run.ended(id)
    assert end is not None
    assert end.status == "done"
    player = next(agent for agent in run.header(id).episode.lineup.values() if agent.harness)
    assert player.harness["participant"] == "p1"
    return dict(end.metrics)
