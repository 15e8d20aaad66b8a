"""Write the pictures of the bomb and its manual for docs/gptnt.md.

python scripts/bomb_pictures.py [NAME...]          all of them, or those whose name has a NAME in it
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import TypeAlias

from PIL import Image as Pil
from PIL import ImageDraw

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.envs.bomb_by_hand import answered, later, lit, opened, tapped, tried

from polyathlon.core.parts import Image
from polyathlon.envs.gptnt.bomb import manual
from polyathlon.envs.gptnt.bomb.bomb import (
    Bomb,
    Hold,
    Release,
    TurnBomb,
    acted,
    advanced,
    build,
    fitted,
    lights_on,
)
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.looks import frames
from polyathlon.envs.gptnt.bomb.looks.frames import Shot
from polyathlon.envs.gptnt.bomb.missions import MODULES, NEEDY
from polyathlon.envs.gptnt.bomb.modules.base import Module
from polyathlon.envs.gptnt.bomb.modules.build import Holdable, Needy
from polyathlon.envs.gptnt.bomb.modules.morse import MorseModule
from polyathlon.envs.gptnt.bomb.modules.simon import SimonModule
from polyathlon.envs.gptnt.bomb.play.painting import marked
from polyathlon.envs.gptnt.bomb.poses import Turn
from polyathlon.envs.gptnt.bomb.simulator import LocalSimulator, Snapshot
from polyathlon.media.drawing import font

Titled: TypeAlias = tuple[str, Pil.Image]

FOLDER = Path(__file__).parents[1] / "docs" / "images" / "gptnt"
MOST_BYTES = 260_000
SEED = 7
SIDES: tuple[tuple[str, tuple[Turn, ...]], ...] = (
    ("front", ()),
    ("back", ("flip",)),
    ("top", ("roll_down",)),
    ("left", ("rotate_left",)),
    ("right", ("rotate_right",)),
    ("bottom", ("roll_up",)),
)
CELL_PX, PAGE_PX = (400, 300), (452, 640)
_TITLE_PX, _GAP_PX = 22, 6
_FEWER_COLOURS = (256, 128)


def pictures() -> Iterator[tuple[str, Callable[[], Pil.Image]]]:
    """Every picture by its name."""
    for kind in MODULES:
        yield f"module-{_slug(kind)}", partial(_sheet_of, _puzzle(kind))
    for kind in NEEDY:
        yield f"needy-{_slug(kind)}", partial(_sheet_of, _needy(kind))
    yield "sides", partial(_sheet_of, _sides())
    yield "moments", partial(_sheet_of, _moments())
    yield "markers", partial(_sheet_of, _markers())
    for number in range(4):
        yield f"manual-{number + 1}", partial(_pages, range(6 * number, 6 * number + 6))


def _puzzle(kind: str) -> Iterator[Titled]:
    """A module from the first look to the solution, and a mistake."""
    fresh = opened(lit(kind, "Maze", seed=SEED, back_placement=False, strike_limit=3))
    yield "fresh", _frame(fresh)
    yield from ((title, _frame(bomb)) for title, bomb in _on_the_way(fresh))
    wrong = _wrong(fresh)
    yield "a mistake", _frame(later(wrong, 0.35))
    yield "solved", _frame(later(_solved(fresh), 1))


def _on_the_way(fresh: Bomb) -> Iterator[tuple[str, Bomb]]:
    """What else there is to see of a module before it is solved."""
    module = _module(fresh)
    if isinstance(module, Holdable):
        yield "held", later(acted(fresh, Hold("m1/button")).bomb, 2)
        return
    if isinstance(module, SimonModule | MorseModule):
        moments = (later(fresh, step / 8) for step in count())
        yield "lit", next(bomb for bomb in moments if _shines(bomb))
    steps = [reaction.bomb for reaction in answered(fresh)]
    if len(steps) > 1:
        yield "after an answer", later(steps[0], 0.25)
        yield "on the way", later(steps[len(steps) // 2 - 1], 4)


def _shines(bomb: Bomb) -> bool:
    module = _module(bomb)
    if isinstance(module, SimonModule):
        return module.lamp(bomb.time_us) is not None
    return isinstance(module, MorseModule) and module.lit(bomb.time_us)


def _wrong(fresh: Bomb) -> Bomb:
    """The bomb at a strike."""
    if isinstance(_module(fresh), Holdable):
        return next(bomb for verdict, bomb in _releases(fresh) if verdict == "strike")
    part = next(part for part, verdict in tried(fresh).items() if verdict == "strike")
    return tapped(fresh, part).bomb


def _solved(fresh: Bomb) -> Bomb:
    if isinstance(_module(fresh), Holdable):
        return next(bomb for verdict, bomb in _releases(fresh) if verdict == "solved")
    *_, last = answered(fresh)
    return last.bomb


def _releases(fresh: Bomb) -> Iterator[tuple[str, Bomb]]:
    """What a tap and releases of the button after whole seconds bring."""
    tap = tapped(fresh, "button")
    yield tap.verdict, tap.bomb
    held = acted(fresh, Hold("m1/button")).bomb
    for seconds in range(1, 60):
        released = acted(later(held, seconds), Release())
        yield released.verdict, released.bomb


def _needy(kind: str) -> Iterator[Titled]:
    """A needy module asleep, awake, and at an answer."""
    bomb = opened(lit("Wires", needy=(kind,), seed=SEED, back_placement=False), "m2")
    yield "asleep", _frame(bomb)
    module = fitted(bomb, "m2").module
    assert isinstance(module, Needy)
    awake = advanced(bomb, module.due_us + 12 * SECOND_US)
    yield "awake", _frame(awake)
    part = fitted(awake, "m2").module.parts()[0]
    yield "an answer", _frame(later(acted(awake, Hold(f"m2/{part}")).bomb, 0.15))


def _sides() -> Iterator[Titled]:
    bomb = later(_full(), 8)
    for name, turns in SIDES:
        turned = bomb
        for turn in turns:
            turned = later(acted(turned, TurnBomb(turn)).bomb)
        yield name, _frame(turned)


def _moments() -> Iterator[Titled]:
    """Light, turning, zooming, and both ends."""
    dark = build(_full().plan.mission)
    bomb = later(lights_on(dark), 8)
    yield "lights off", _frame(dark)
    yield "turning", _frame(later(acted(bomb, TurnBomb("rotate_left")).bomb, 0.25))
    yield "without the props", _shown(frames.frame(Shot(bomb, props=False)))
    yield "two strikes", _frame(later(_struck_twice(), 0.5))
    yield "defused", _frame(_solved(opened(lit("Keypad", seed=SEED))))
    yield "out of time", _frame(advanced(lights_on(dark), 400 * SECOND_US))


def _struck_twice() -> Bomb:
    bomb = opened(lit("Passwords", "Maze", seed=SEED, back_placement=False, strike_limit=3))
    for _ in range(2):
        bomb = later(tapped(bomb, "submit").bomb)
    return bomb


def _full() -> Bomb:
    """A bomb with a module of every kind and widgets on every edge."""
    return lit(*MODULES, seed=SEED, widgets=11, time_limit_s=300, strike_limit=3)


def _markers() -> Iterator[Titled]:
    """What a player with markers sees, and the mask that shows what can be pressed."""
    bomb = later(_full(), 8)
    yield "a side", _marked(bomb)
    for kind in ("Wires", "Who's On First", "Simon Says"):
        number = 1 + list(MODULES).index(kind)
        yield kind, _marked(later(opened(bomb, f"m{number}"), 1))
    yield "the mask of a side", _shown(frames.mask(Shot(bomb)).image)
    yield "the mask of a module", _shown(frames.mask(Shot(opened(bomb))).image)


def _marked(bomb: Bomb) -> Pil.Image:
    simulator = LocalSimulator()
    simulator.restore(Snapshot(bomb, (bomb,)))
    return _shown(marked(simulator.shot(), simulator.targets(), CELL_PX))


def _module(bomb: Bomb) -> Module:
    return fitted(bomb, "m1").module


def _frame(bomb: Bomb) -> Pil.Image:
    return _shown(frames.frame(Shot(bomb)))


def _shown(image: Image) -> Pil.Image:
    return Pil.frombytes("RGB", (image.width_px, image.height_px), image.rgb)


def _pages(numbers: Sequence[int]) -> Pil.Image:
    """Pages of the manual side by side."""
    some = manual.pages()[numbers[0] : numbers[-1] + 1]
    shown = [_shown(manual.page_image(page, 2 * PAGE_PX[0], 2 * PAGE_PX[1])) for page in some]
    return sheet([("", page) for page in shown], PAGE_PX).quantize(16)


def _sheet_of(cells: Iterator[Titled]) -> Pil.Image:
    return sheet(list(cells), CELL_PX)


def sheet(cells: Sequence[Titled], cell_px: tuple[int, int]) -> Pil.Image:
    """Pictures in rows of two or three, each under its title."""
    (width, height), above = cell_px, _TITLE_PX if any(title for title, _ in cells) else 0
    columns = 2 if len(cells) in (2, 4) else 3
    rows = -(-len(cells) // columns)
    paper = Pil.new(
        "RGB",
        (columns * (width + _GAP_PX) - _GAP_PX, rows * (height + above + _GAP_PX) - _GAP_PX),
        "white",
    )
    draw = ImageDraw.Draw(paper)
    for number, (title, picture) in enumerate(cells):
        row, column = divmod(number, columns)
        left, top = column * (width + _GAP_PX), row * (height + above + _GAP_PX)
        draw.text((left, top), title, fill="black", font=font(15))
        paper.paste(picture.resize(cell_px, Pil.Resampling.LANCZOS), (left, top + above))
    return paper


def save(name: str, picture: Pil.Image) -> None:
    """Write a picture; with few colours where it would be large."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.png"
    picture.save(path, optimize=True)
    for colours in _FEWER_COLOURS:
        if path.stat().st_size > MOST_BYTES:
            few = picture.convert("RGB").quantize(colours, Pil.Quantize.MEDIANCUT, kmeans=1)
            few.save(path, optimize=True)
    print(path, path.stat().st_size)


def _slug(kind: str) -> str:
    return kind.lower().replace("'", "").replace(" ", "-")


if __name__ == "__main__":
    for name, picture in pictures():
        if not sys.argv[1:] or any(part in name for part in sys.argv[1:]):
            save(name, picture())
