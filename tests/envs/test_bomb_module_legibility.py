"""Whether the words and figures of modules can be read in the smallest frames, by OCR."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image as Pil
from PIL import ImageOps
from tests.envs.bomb_by_hand import lit, opened

from polyathlon.envs.gptnt.bomb.bomb import fitted
from polyathlon.envs.gptnt.bomb.looks.frames import Shot, View, view
from polyathlon.envs.gptnt.bomb.modules.button import ButtonModule
from polyathlon.envs.gptnt.bomb.modules.memory import MemoryModule
from polyathlon.envs.gptnt.bomb.modules.morse import MorseModule
from polyathlon.envs.gptnt.bomb.modules.password import PasswordModule
from polyathlon.envs.gptnt.bomb.modules.words import WordsModule

SMALL_PX = 448

Box = tuple[float, float, float, float]


def texts(kind: str) -> Iterator[tuple[str, Pil.Image]]:
    """What is to be read on a module, and where it stands in a small frame of the real camera."""
    bomb = opened(lit(kind, seed=4, back_placement=False))
    seen, module = view(Shot(bomb)), fitted(bomb, "m1").module
    small = Pil.fromarray(seen.colour).resize((SMALL_PX, SMALL_PX), Pil.Resampling.LANCZOS)

    def crop(box: Box) -> Pil.Image:
        left, top, right, bottom = (round(place * SMALL_PX) for place in box)
        return small.crop((left, top, right, bottom))

    if isinstance(module, WordsModule | MemoryModule):
        for part, label in zip(module.parts(), module.current.labels, strict=True):
            yield str(label), crop(box_of(seen, part, 0.05, 0.12))
    elif isinstance(module, ButtonModule):
        yield module.puzzle.label.upper(), crop(box_of(seen, "button", 0.1, 0.38))
    elif isinstance(module, MorseModule):
        (_, top, left, bottom), (right, *_) = (box_of(seen, part) for part in ("left", "right"))
        yield f"3.{module.selected_khz} MHz", crop((left, top, right, bottom))
    elif isinstance(module, PasswordModule):
        yield "SUBMIT", crop(box_of(seen, "submit", 0.05, 0.12))


def box_of(seen: View, part: str, across: float = 0.0, down: float = 0.0) -> Box:
    """Left, top, right and bottom of what is seen of a part, less these shares of its size."""
    rows, columns = np.nonzero(seen.ids == seen.elements.index(f"m1/{part}") + 1)
    height, width = seen.ids.shape
    x, y = across * np.ptp(columns), down * np.ptp(rows)
    left, right = (columns.min() + x) / width, (columns.max() - x) / width
    return left, (rows.min() + y) / height, right, (rows.max() - y) / height


def read(crop: Pil.Image, layout: str) -> str:
    """The text in a picture, as tesseract reads it; `layout` 7 is a line, 10 a letter."""
    grey = crop.convert("L").resize((crop.width * 4, crop.height * 4), Pil.Resampling.LANCZOS)
    dark = np.median(np.asarray(grey)) < 128
    page = ImageOps.expand(ImageOps.autocontrast(ImageOps.invert(grey) if dark else grey), 20, 255)
    file = io.BytesIO()
    page.save(file, "PNG")
    command = ["tesseract", "-", "-", "--psm", layout]
    return (
        subprocess.run(command, input=file.getvalue(), capture_output=True, check=True)
        .stdout.decode()
        .strip()
    )


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("tesseract"), reason="needs tesseract")
@pytest.mark.parametrize("kind", ["Who's On First", "Memory", "Button", "Morse Code", "Passwords"])
def test_text_can_be_read_in_the_smallest_frames(kind: str) -> None:
    for text, crop in texts(kind):
        found = read(crop, "10" if len(text) == 1 else "7")
        assert found.replace(" ", "") == text.replace(" ", "")
