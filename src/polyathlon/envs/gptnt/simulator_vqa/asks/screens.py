"""Questions about the modules with screens, and about what else there is to be read on a bomb."""

from __future__ import annotations

from collections.abc import Iterator

from polyathlon.envs.gptnt.bomb.bomb import Bomb
from polyathlon.envs.gptnt.bomb.modules.maze import ARROWS, MazeModule
from polyathlon.envs.gptnt.bomb.modules.morse import BASE_KHZ, MorseModule
from polyathlon.envs.gptnt.bomb.rulebook.maze import SIZE
from polyathlon.envs.gptnt.simulator_vqa.asks.wording import (
    COLOURS,
    STRANGE_COLOURS,
    Ask,
    count,
    ordinal,
    others,
    quoted,
)

_SWAPS = {"0": "8", "1": "7", "2": "5", "3": "8", "4": "9", "5": "6", "6": "8", "7": "1"}
_CLOCK_SWAPS = dict(zip("0123456789", "3452126190", strict=True))
_LIKELY_SLIPS = (4, 3, 1, 0)
"""Places of a clock's characters, the last ones first."""


def about_maze(module: MazeModule) -> Iterator[Ask]:
    """A board of dots with a light, a triangle, two rings and the walls that were hit."""
    figures = {"white light": module.position, "red triangle": module.puzzle.goal}
    rings = module.puzzle.markers
    rows = tuple(f"the {ordinal(row)} row from the top" for row in range(SIZE))
    for name, (row, column) in figures.items():
        for axis, place, side in (("column", column, "left"), ("row", row, "top")):
            yield count(
                f"{axis} of the {name}",
                (
                    f"Counted from the {side}, in which {axis} of dots is the {name}? Give its "
                    "number.",
                    f"How many {axis}s are there from the {side} edge up to and with the one of "
                    f"the {name}?",
                ),
                place + 1,
                SIZE,
            )
        same = sum(ring[0] == row or ring[1] == column for ring in rings)
        if same:
            texts = (f"How many green rings are in the row or the column of the {name}?",)
            yield count(f"rings by the {name}", texts, same, 3)
    (y, x), (goal_y, goal_x) = module.position, module.puzzle.goal
    for axis, apart in (("column", abs(x - goal_x)), ("row", abs(y - goal_y))):
        if apart:
            texts = (
                f"By how many {axis}s are the white light and the red triangle apart? "
                "Neighbours are 1 apart.",
            )
            yield count(f"{axis}s apart", texts, apart, SIZE - 1)
    for half, number in (
        ("upper three rows", sum(ring[0] < SIZE // 2 for ring in rings)),
        ("lower three rows", sum(ring[0] >= SIZE // 2 for ring in rings)),
        ("left three columns", sum(ring[1] < SIZE // 2 for ring in rings)),
        ("right three columns", sum(ring[1] >= SIZE // 2 for ring in rings)),
    ):
        if number:
            texts = (f"How many green rings are in the {half} of dots?",)
            yield count(f"rings in the {half}", texts, number, 3)
    if module.revealed:
        number = len(module.revealed)
        yield count("walls", ("How many orange bars are lit on the board?",), number, 6)
    else:
        yield Ask(
            kind="walls",
            texts=("On which side of the white light is the orange bar?",),
            fits=(),
            options=("above it", "below it", "on its left", "on its right"),
            about=("hallucination",),
        )
    for thing in ("blue square", "red circle", "yellow star", "green triangle", "white cross"):
        yield Ask(
            kind=thing,
            texts=(f"In which row of dots is the {thing}?",),
            fits=(),
            options=rows,
            about=("hallucination",),
        )
    yield Ask(
        kind="arrow's number",
        texts=("Which of the arrow keys has a digit on it?", "Which of the arrow keys is red?"),
        fits=(),
        options=tuple(f"the one that points {arrow}" for arrow in ARROWS),
        about=("hallucination",),
    )


def about_morse(module: MorseModule, time_us: int) -> Iterator[Ask]:
    """A lamp, a tuning scale, a display and three keys."""
    khz = module.selected_khz
    near = sorted(module.frequencies_khz, key=lambda other: (abs(other - khz), other))
    yield Ask(
        kind="frequency",
        texts=(
            "Which frequency does the display show?",
            "To what is the receiver set, as the display says?",
            "Read the number on the display.",
        ),
        fits=(_mhz(khz),),
        options=tuple(map(_mhz, near)),
        about=("reading",),
    )
    if not module.lit(time_us):
        yield Ask(
            kind="lamp",
            texts=("In what colour does the round lamp shine?",),
            fits=(),
            options=COLOURS,
            about=("hallucination",),
        )
    for colour in ("blue", *STRANGE_COLOURS):
        yield Ask(
            kind="key",
            texts=(f"What is on the {colour} key?",),
            fits=(),
            options=("an arrow to the left", "an arrow to the right", quoted("TX")),
            about=("hallucination",),
        )
    for thing in ("the second display", "the lower row of the display"):
        yield Ask(
            kind=thing,
            texts=(f"Which frequency does {thing} show?",),
            fits=(),
            options=tuple(map(_mhz, near)),
            about=("hallucination",),
        )


def about_timer(bomb: Bomb) -> Iterator[Ask]:
    """What is left, as the bomb's own clock shows it."""
    shown = bomb.clock.display(bomb.time_us)
    wrong = [_changed(shown, place, _CLOCK_SWAPS) for place in _LIKELY_SLIPS]
    yield Ask(
        kind="timer",
        texts=(
            "What does the countdown of the bomb show?",
            "How much time is left on the bomb's red display?",
            "Read the bomb's timer.",
        ),
        fits=(shown,),
        options=others((shown,), [each for each in wrong if each != shown]),
        about=("reading",),
    )


def about_strikes(bomb: Bomb) -> Iterator[Ask]:
    """The marks above the clock."""
    texts = (
        "How many strikes does the bomb show?",
        "How many red crosses are lit above the countdown?",
        "Count the mistakes that the bomb has marked above its clock.",
    )
    limit = bomb.plan.mission.strike_limit
    yield count("strikes", texts, len(bomb.strikes), limit)


def about_serial(bomb: Bomb) -> Iterator[Ask]:
    """The serial number on its plate."""
    serial = bomb.plan.casing.serial.value
    wrong = [_changed(serial, place, _SWAPS) for place in range(len(serial))]
    swapped = [serial[:i] + serial[i + 1] + serial[i] + serial[i + 2 :] for i in range(5)]
    yield Ask(
        kind="serial number",
        texts=("What is the serial number?", "Read the serial number on this side of the bomb."),
        fits=(quoted(serial),),
        options=others((quoted(serial),), [quoted(w) for w in (*wrong, *swapped) if w != serial]),
        about=("reading",),
    )


def _changed(text: str, place: int, swaps: dict[str, str]) -> str:
    """The text with one character taken for one like it, where there is one."""
    char = text[place]
    return text[:place] + swaps.get(char, char) + text[place + 1 :]


def _mhz(khz: int) -> str:
    return f"{(BASE_KHZ + khz) / 1_000:.3f} MHz"
