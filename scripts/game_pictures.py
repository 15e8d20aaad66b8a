"""Write the pictures of docs/omniplay.md: every game and level, and the page for people.

python scripts/game_pictures.py          all of them; the page needs Chromium and Playwright
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

from msgspec import structs
from PIL import Image as Pil

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.play.browser import browsing, oracle_answers, playing, wait_for_turn

from polyathlon import registry
from polyathlon.core.chance import stream
from polyathlon.core.parts import Image, Video
from polyathlon.core.percepts import Percept
from polyathlon.interventions.signal import Noisy
from polyathlon.media.video import frame

FOLDER = Path(__file__).parents[1] / "docs" / "images" / "omniplay"
MOST_BYTES = 260_000
MOMENTS = {
    "pathfinding": ("view", "oracle", {"easy": 1, "medium": 5, "hard": 2}),
    "echoes": ("clip", "oracle", {"easy": 0, "medium": 0, "hard": 0}),
    "alchemist": ("board", "oracle", {"medium": 2}),
    "phantom": ("map", "oracle", {"easy": 8, "medium": 14, "hard": 20}),
    "showdown": ("arena", "oracle", {"standard": 60}),
}
SEED = 1


def pictures() -> Iterator[tuple[str, Pil.Image]]:
    """Each game at each level, some turns into a game."""
    for game, (channel, policy, levels) in MOMENTS.items():
        for level, turns in levels.items():
            percept = _after(f"omniplay/{game}-v0", level, policy, turns, channel)
            yield f"{game}-{level}", _picture(percept)


def noisy_map() -> Pil.Image:
    """A tactical map beside the same one with camera noise."""
    percept = _after(
        "omniplay/phantom-v0", "medium", "oracle", MOMENTS["phantom"][2]["medium"], "map"
    )
    clean = _picture(percept)
    noisy = _picture(structs.replace(percept, draw=Noisy(percept.draw, "camera", 1.0, SEED)))
    both = Pil.new("RGB", (clean.width * 2, clean.height))
    both.paste(clean, (0, 0))
    both.paste(noisy, (clean.width, 0))
    return both


def _after(id: str, level: str, policy: str, turns: int, channel: str) -> Percept:
    env = registry.make(id, level)
    env.reset(SEED)
    act = registry.policy(id, policy)
    assert act is not None
    rng = stream(SEED, "pictures")
    for _ in range(turns):
        role = env.pending()[0]
        env.act(role, act(env.state(), role, rng))
    seen = env.observe(env.pending()[0])
    return next(percept for percept in seen.percepts if percept.channel == channel)


def _picture(percept: Percept) -> Pil.Image:
    part = percept.render()
    if isinstance(part, Video):
        part = frame(part, part.key_frames[0] if part.key_frames else part.frames - 1)
    assert isinstance(part, Image)
    return Pil.frombytes("RGB", (part.width_px, part.height_px), part.rgb)


def page(game: str, level: str, turn: int) -> Pil.Image:
    """What a person sees at a turn of a game."""
    id = f"omniplay/{game}-v0"
    with playing(id, "--level", level, "--seeds", str(SEED)) as (_, url), browsing() as tab:
        tab.goto(url)
        tab.click("#start")
        tab.click("#rules button")
        for number, (_, text) in enumerate(oracle_answers(id, level, SEED), 1):
            wait_for_turn(tab, number)
            if number == turn:
                tab.wait_for_timeout(1_500)
                return Pil.open(io.BytesIO(tab.screenshot()))
            tab.fill("#text", text)
            tab.click("#line button")
    raise ValueError(f"{game} ended before turn {turn}")


def save(name: str, picture: Pil.Image) -> None:
    """Write a picture; with 256 colours where it would be large."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.png"
    full = picture.convert("RGB")
    full.save(path, optimize=True)
    if path.stat().st_size > MOST_BYTES:
        full.quantize(256, Pil.Quantize.MAXCOVERAGE).save(path, optimize=True)
    print(path, path.stat().st_size)


if __name__ == "__main__":
    for name, picture in pictures():
        save(name, picture)
    save("noise", noisy_map())
    save("page-pathfinding", page("pathfinding", "easy", 2))
    save("page-phantom", page("phantom", "medium", 9))
    save("page-echoes", page("echoes", "hard", 1))
