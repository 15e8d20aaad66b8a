"""One question about a picture, with a tool: an env of one step."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

from polyathlon.core.actions import FreeText, Malformed
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream, stream
from polyathlon.core.parts import Image
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import Channel, EnvSpec, Metric
from polyathlon.core.world import Brief, Observation, Outcome, Role, Step

ROLE = "player"
QUESTIONS = {
    "sum": "How many lit cells does the picture have?",
    "product": "What is the product of the numbers of lit cells of the rows?",
}
COLUMNS = 9
CELL_PX = 8
LIT, DARK, GAP = bytes((240, 200, 80)), bytes((40, 44, 56)), bytes((0, 0, 0))
Scene: TypeAlias = tuple[int, ...]

SPEC = EnvSpec(
    id="toys/quiz-v0",
    title="Quiz",
    doc="A picture of bars of lit cells and one question of arithmetic about it.",
    entry=f"{__name__}:Quiz",
    roles=(ROLE,),
    channels=(Channel("bars", "image", "three bars", size_px=(COLUMNS * CELL_PX, 3 * CELL_PX)),),
    levels=tuple(QUESTIONS),
    metrics=(Metric("raw_score", "1 for the right number, else 0"),),
    horizon=1,
    bounds=(0.0, 1.0),
    tools=("calculator",),
    baselines=__name__,
)


class Quiz:
    """The first reply ends it, whatever it is."""

    spec = SPEC

    def __init__(self, level: str) -> None:
        self._level = level

    def reset(self, seed: int) -> None:
        rng = stream(seed, SPEC.id, self._level)
        self._bars: Scene = tuple(1 + rng.below(COLUMNS) for _ in range(3))
        self._answer: str | None = None

    def brief(self, role: Role) -> Brief:
        return Brief("Answer the question.", "You answer once.", "Answer with a whole number.")

    def pending(self) -> tuple[Role, ...]:
        return () if self.outcome() else (ROLE,)

    def observe(self, role: Role) -> Observation:
        bars = Percept("bars", "image", self._bars, draw, tell, keep="episode")
        turn = int(self._answer is not None)
        return Observation(role, turn, 0, (bars,), QUESTIONS[self._level], FreeText(100))

    def act(self, role: Role, action: str | Malformed, answers_us: int = 0) -> Step:
        if self.outcome():
            return Step.illegal()
        if isinstance(action, Malformed):
            self._answer = ""
            return Step.malformed({ROLE: 0.0})
        self._answer = action.strip()
        return Step.ok({ROLE: self.metrics()["raw_score"]})

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def next_event_us(self) -> int | None:
        return None

    def outcome(self) -> Outcome | None:
        return None if self._answer is None else Outcome("answered")

    def metrics(self, role: Role | None = None) -> Mapping[str, float]:
        return {"raw_score": float(self._answer == str(solution(self._level, self._bars)))}

    def state(self) -> JSON:
        return {"level": self._level, "bars": self._bars, "answer": self._answer}


def solution(level: str, bars: Scene) -> int:
    """The number the level asks for."""
    return sum(bars) if level == "sum" else math.prod(bars)


def draw(bars: Scene) -> Image:
    """One bar a row; cells are separated by a dark pixel."""
    rgb = b"".join(_row(lit) for lit in bars)
    return Image(COLUMNS * CELL_PX, len(bars) * CELL_PX, rgb)


def tell(bars: Scene) -> str:
    return "\n".join(f"row {i}: {lit} of {COLUMNS} cells lit" for i, lit in enumerate(bars))


def _row(lit: int) -> bytes:
    cells = [LIT if column < lit else DARK for column in range(COLUMNS)]
    line = b"".join(colour * (CELL_PX - 1) + GAP for colour in cells)
    return line * (CELL_PX - 1) + GAP * COLUMNS * CELL_PX


def random(observation: Observation, rng: Stream) -> str:
    """Any number in reach of a sum."""
    return str(rng.below(3 * COLUMNS + 1))


def oracle(state: Any, role: Role, rng: Stream) -> str:
    """The right number."""
    return str(solution(state["level"], state["bars"]))
