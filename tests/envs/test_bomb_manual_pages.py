"""The manual's pages: nothing leaves its place, and text, pictures and PDF agree."""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from PIL import Image as Pil
from tests.marking import first_fast

from polyathlon.core.errors import UserError
from polyathlon.core.parts import Image
from polyathlon.envs.gptnt.bomb import manual
from polyathlon.envs.gptnt.bomb.manual.composer import BODY, LEFT, MARGIN, RIGHT
from polyathlon.envs.gptnt.bomb.manual.sheet import HAIR, HEIGHT, Line, Words, text_width
from polyathlon.envs.gptnt.bomb.missions import MODULES

seeds = pytest.mark.parametrize("seed", first_fast(range(32), fast=6))


@seeds
def test_pages_are_whole(seed: int) -> None:
    pages = manual.pages(seed)
    assert 20 <= len(pages) <= 26
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    assert all(page.text.startswith(page.title) for page in pages)
    titles = dict.fromkeys(page.title for page in pages if page.title in MODULES)
    assert list(titles) == list(MODULES)
    for kind, fact in MODULES.items():
        about = manual.module_pages(fact.kind, seed)
        assert {page.title for page in about} == {kind}
        assert 1 <= len(about) <= 3


def bounds(mark: Words) -> tuple[float, float, float, float]:
    """The box of the capitals."""
    right = mark.x + text_width(mark.text, mark.size, mark.bold)
    return mark.x, mark.y - 0.73 * mark.size, right, mark.y


@seeds
def test_nothing_leaves_the_page_or_lies_on_other_text(seed: int) -> None:
    for page in manual.pages(seed):
        boxes = [bounds(m) for m in page.marks if isinstance(m, Words) and m.ink is not None]
        points = [(x, y) for m in page.marks if not isinstance(m, Words) for x, y in m.points]
        corners = [corner for a, b, c, d in boxes for corner in ((a, b), (c, d))]
        for x, y in points + corners:
            assert LEFT - 0.01 <= x <= RIGHT + 0.01, page.title
            assert 40 <= y <= HEIGHT - 30, page.title
        for one, other in combinations(boxes, 2):
            apart = one[2] <= other[0] or other[2] <= one[0]
            assert apart or one[3] <= other[1] or other[3] <= one[1], (page.title, one, other)


@seeds
def test_blocks_end_above_the_foot_and_text_stays_in_its_cell(seed: int) -> None:
    for page in manual.pages(seed):
        foot = max(m.points[0][1] for m in page.marks if isinstance(m, Line) and m.width == HAIR)
        words = [m for m in page.marks if isinstance(m, Words) and m.ink is not None]
        rules_down = [
            m.points
            for m in page.marks
            if isinstance(m, Line) and len(m.points) == 2 and m.points[0][0] == m.points[1][0]
        ]
        assert all(m.y < foot or m.text in (f"Page {page.number}", words[-2].text) for m in words)
        for m in words:
            left, top, right, bottom = bounds(m)
            for (x, y0), (_, y1) in rules_down:
                assert not (left < x < right and y0 < top and bottom < y1), (page.title, m.text)


def test_pages_of_another_rule_seed_differ_only_where_rules_do() -> None:
    one, other = manual.pages(0), manual.pages(1)
    same = {a.number for a, b in zip(one, other, strict=True) if a.text == b.text}
    assert {page.number for page in one if not page.kinds} <= same
    assert len(same) < len(one) - 11


def test_what_does_not_exist_gets_a_hint() -> None:
    with pytest.raises(UserError, match="did you mean knob"):
        manual.module_pages("knop")


def test_kinds_are_those_of_the_pages() -> None:
    assert {kind for page in manual.pages() for kind in page.kinds} == set(manual.KINDS)


def test_text_holds_all_pages_in_order() -> None:
    text = manual.text(3)
    ends = [text.index(f"Page {page.number}\n{page.text}") for page in manual.pages(3)]
    assert ends == sorted(ends)


@pytest.mark.parametrize("size", [(480, 640), (356, 504), (317, 448)])
def test_images_are_portrait_grey_and_fill_the_width_or_the_height(size: tuple[int, int]) -> None:
    for page in (manual.pages()[0], manual.pages()[9]):
        image = manual.page_image(page, *size)
        assert (image.width_px, image.height_px) == size
        rgb = np.frombuffer(image.rgb, np.uint8).reshape(size[1], size[0], 3)
        assert (rgb == rgb[..., :1]).all()
        assert rgb.min() == 0
        rows_inked = np.flatnonzero((rgb[..., 0] < 200).any(axis=1))
        assert rows_inked[0] < 0.06 * size[1]
        assert rows_inked[-1] > 0.93 * size[1]


def test_the_band_is_dark_and_the_margin_white_in_every_picture() -> None:
    for page in manual.pages(5)[::5]:
        image = manual.page_image(page, 248, 351)
        grey = np.frombuffer(image.rgb, np.uint8).reshape(351, 248, 3)[..., 0]
        scale = 351 / HEIGHT
        assert (grey[:, : int(MARGIN * scale) - 1] > 250).all()
        assert (grey[int(45 * scale), int(60 * scale) : int(80 * scale)] < 40).all()


def tokens(text: str) -> list[str]:
    return re.findall(r"[^\s|:,.()\-–]+", text)


def test_the_pdf_holds_the_text_of_every_page_in_order() -> None:
    pdfium = pytest.importorskip("pypdfium2")
    pytest.importorskip("fpdf")
    document = pdfium.PdfDocument(manual.pdf(2))
    assert len(document) == len(manual.pages(2))
    for page, printed in zip(manual.pages(2), document, strict=True):
        rest = iter(tokens(printed.get_textpage().get_text_range()))
        missing = [token for token in tokens(page.text) if token not in rest]
        assert not missing, (page.title, missing[:3])


def fingerprint(seed: int) -> str:
    from polyathlon.envs.gptnt.bomb.manual import printer

    pages = manual.pages(seed)[6:10]
    picture = manual.page_image(pages[0], 480, 640).rgb
    parts = [manual.text(seed).encode(), picture, printer.pdf(pages, "Four pages")]
    return hashlib.sha256(b"".join(parts)).hexdigest()


@pytest.mark.slow
def test_two_processes_print_the_same_bytes() -> None:
    pytest.importorskip("fpdf")
    code = "import test_bomb_manual_pages as t; print(t.fingerprint(4))"
    here = os.path.dirname(__file__)
    path = os.pathsep.join([here, *sys.path])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "77"}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == fingerprint(4)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="needs tesseract")
@pytest.mark.parametrize(("width_px", "height_px"), [(1240, 1754), (480, 640)])
def test_a_machine_reads_the_paragraphs_in_the_pictures(width_px: int, height_px: int) -> None:
    read = missed = 0
    for page in manual.pages()[2::4]:
        seen = Counter(tokens(ocr(manual.page_image(page, width_px, height_px))))
        body = [
            token
            for mark in page.marks
            if isinstance(mark, Words) and mark.size == BODY and not mark.bold
            for token in tokens(mark.text)
        ]
        lost = Counter(body) - seen
        read += sum(map(len, body))
        missed += sum(len(token) * count for token, count in lost.items())
    assert missed <= 0.02 * read


def ocr(image: Image) -> str:
    """What tesseract reads; it wants letters of some 30 pixels."""
    small = Pil.frombytes("RGB", (image.width_px, image.height_px), image.rgb)
    enlarged = small.resize((1440, 1440 * image.height_px // image.width_px))
    paper = io.BytesIO()
    enlarged.save(paper, "png")
    return subprocess.run(
        ["tesseract", "-", "-"],
        input=paper.getvalue(),
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        capture_output=True,
        check=True,
    ).stdout.decode()
