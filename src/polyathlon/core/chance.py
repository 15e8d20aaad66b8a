"""Keyed randomness: every consumer has its own stream, so none shifts another."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import MutableSequence, Sequence
from typing import TypeVar

T = TypeVar("T")

VERSION = 1
_UNPACK = struct.Struct("<8Q").unpack
_WORD = 1 << 64


class Stream:
    """A deterministic bit generator: BLAKE2b over a key and a counter, 64 bits a draw.

    The sequence depends on the key and on nothing else: no library version, no platform, no
    other stream. `drawn` counts the 64-bit words used so far and belongs into an env's state.
    """

    __slots__ = ("_block", "_buffer", "_key", "drawn")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._block = 0
        self._buffer: list[int] = []
        self.drawn = 0

    def word(self) -> int:
        """A uniform integer in [0, 2**64)."""
        if not self._buffer:
            counter = self._block.to_bytes(16, "little")
            self._buffer = list(_UNPACK(hashlib.blake2b(counter, key=self._key).digest()))
            self._block += 1
        self.drawn += 1
        return self._buffer.pop()

    def below(self, bound: int) -> int:
        """A uniform integer in [0, bound); `bound` must be in [1, 2**64)."""
        if not 0 < bound < _WORD:
            raise ValueError(f"below() needs a bound between 1 and 2**64 - 1, not {bound}")
        while True:
            value = self.word()
            result = value % bound
            if value - result <= _WORD - bound:  # not in the incomplete last block
                return result

    def uniform(self) -> float:
        """A float in [0, 1) with 53 random bits."""
        return (self.word() >> 11) * 2.0**-53

    def normal(self, mean: float = 0.0, sd: float = 1.0) -> float:
        """A Gaussian draw (Box-Muller, cosine branch: two words a draw)."""
        radius = math.sqrt(-2.0 * math.log(1.0 - self.uniform()))
        return mean + sd * radius * math.cos(2.0 * math.pi * self.uniform())

    def choice(self, items: Sequence[T]) -> T:
        """One item, uniformly; `items` must not be empty."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Fisher-Yates in place."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]


def stream(seed: int, *names: str | int) -> Stream:
    """The stream of `seed` for one named purpose, such as `stream(seed, "spawn")`."""
    text = "\x1f".join([f"v{VERSION}", str(seed), *map(str, names)])
    return Stream(hashlib.blake2b(text.encode(), digest_size=32).digest())
