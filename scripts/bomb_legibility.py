"""Print how much of the bomb's texts and colours can be recovered from its frames.

python scripts/bomb_legibility.py          needs tesseract; about a minute
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.envs import bomb_colours, bomb_reading
from tests.envs.bomb_reading import SIZES, read, right


def _line(name: str, figures: Iterable[tuple[int, int]]) -> None:
    shares = (f"{good:>6} / {total:<4} {good / total:>6.1%}" for good, total in figures)
    print(f"{name:<24}", *shares, sep="  ", flush=True)


if __name__ == "__main__":
    print(f"{'':<24}", *(f"{width} x {height:<14}" for width, height in SIZES), sep="  ")
    for name, kind in bomb_reading.KINDS.items():
        texts = list(kind.texts())
        _line(name, [right(read(kind, texts, size)) for size in SIZES])
    for name, patches_of in bomb_colours.KINDS.items():
        patches = list(patches_of())
        told = [[p.told(size) == p.is_ for p in patches] for size in SIZES]
        _line(name, [(sum(found), len(found)) for found in told])
