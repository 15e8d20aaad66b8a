"""Pages as a PDF of vectors and selectable text: equal pages make equal bytes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.resources import as_file, files

from polyathlon.core.extras import missing
from polyathlon.envs.gptnt.bomb.manual.sheet import HEIGHT, WIDTH, Area, Line, Mark, Page, Words

try:
    from fpdf import FPDF
    from fpdf.enums import TextMode
except ImportError as error:
    raise missing("a PDF needs its writer", "manual") from error

_CREATED = datetime(2000, 1, 1, tzinfo=UTC)
_FACES = {"": "DejaVuSans.ttf", "B": "DejaVuSans-Bold.ttf"}


def pdf(pages: Sequence[Page], title: str) -> bytes:
    """The pages on A4."""
    document = FPDF(unit="pt", format=(WIDTH, HEIGHT))
    document.set_creation_date(_CREATED)
    document.set_title(title)
    document.set_auto_page_break(False)
    for style, name in _FACES.items():
        with as_file(files("polyathlon.media") / "fonts" / name) as path:
            document.add_font("Sans", style, path)
    for page in pages:
        document.add_page()
        document.start_section(page.title)
        with document.local_context(stroke_cap_style="round", stroke_join_style="round"):
            for mark in page.marks:
                _draw(document, mark)
    return bytes(document.output())


def _draw(document: FPDF, mark: Mark) -> None:
    match mark:
        case Words():
            _words(document, mark)
        case Line(points, width, ink):
            document.set_draw_color(ink)
            document.set_line_width(width)
            document.polyline(points)
        case Area(points, ink):
            document.set_fill_color(ink)
            document.polygon(points, style="F")


def _words(document: FPDF, mark: Words) -> None:
    document.set_font("Sans", "B" if mark.bold else "", mark.size)
    mode = TextMode.INVISIBLE if mark.ink is None else TextMode.FILL
    document.set_text_color(mark.ink or 0)
    with document.local_context(text_mode=mode):
        document.text(mark.x, mark.y, mark.text)
