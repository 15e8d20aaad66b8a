"""Vector: an action of several numbers, as continuous and multi-discrete spaces have."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from polyathlon.core.actions import Malformed, tidy
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream

FLOAT_DIGITS = 6


class Vector(msgspec.Struct, frozen=True):
    """Numbers separated by commas; the action is a tuple of them.

    `low` and `high` are the inclusive bounds of each number, and may be infinite where the
    numbers are not `whole`.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    whole: bool = False

    def parse(self, text: str) -> tuple[float, ...] | Malformed:
        words = tidy(text).strip("[]() ").replace(",", " ").split()
        try:
            numbers = tuple(int(word) if self.whole else float(word) for word in words)
        except ValueError:
            return Malformed(f"not {self.describe()}", text)
        if len(numbers) != len(self.low) or not all(map(math.isfinite, numbers)):
            return Malformed(f"not {self.describe()}", text)
        bounds = zip(self.low, numbers, self.high, strict=True)
        if not all(low <= number <= high for low, number, high in bounds):
            return Malformed(f"out of bounds: not {self.describe()}", text)
        return numbers

    def write(self, action: Sequence[float]) -> str:
        return ", ".join(map(str, action))

    def sample(self, rng: Stream) -> tuple[float, ...]:
        return tuple(
            self._draw(low, high, rng) for low, high in zip(self.low, self.high, strict=True)
        )

    def describe(self) -> str:
        kind = "whole number" if self.whole else "number"
        bounds = [f"{low:g} to {high:g}" for low, high in zip(self.low, self.high, strict=True)]
        return f"{len(bounds)} {kind}s separated by commas, in turn from {', '.join(bounds)}"

    def schema(self) -> JSON:
        kind = "integer" if self.whole else "number"
        size = len(self.low)
        return {"type": "array", "items": {"type": kind}, "minItems": size, "maxItems": size}

    def gbnf(self) -> str:
        fraction = "" if self.whole else ' ("." [0-9]+)?'
        return ' ", " '.join([f'("-"? [0-9]+{fraction})'] * len(self.low))

    def from_point(self, channel: str, x: float, y: float) -> tuple[float, ...] | None:
        return None

    def _draw(self, low: float, high: float, rng: Stream) -> float:
        if self.whole:
            return int(low) + rng.below(int(high) - int(low) + 1)
        bounded = math.isfinite(low) and math.isfinite(high)
        value = low + (high - low) * rng.uniform() if bounded else rng.normal()
        return min(max(round(value, FLOAT_DIGITS), low), high)
