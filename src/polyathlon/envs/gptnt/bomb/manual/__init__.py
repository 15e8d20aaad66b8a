"""The manual: all rules of a rule seed in our own words and drawings, as text, pictures and PDF.

It is printed from the very rule book that the simulator executes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from polyathlon.core.errors import unknown
from polyathlon.core.parts import Image
from polyathlon.envs.gptnt.bomb.manual import (
    appendix,
    button,
    complicated,
    front,
    keypad,
    maze,
    memory,
    morse,
    needy,
    password,
    sequence,
    simon,
    wires,
    words,
)
from polyathlon.envs.gptnt.bomb.manual.composer import HANDBOOK, Composer
from polyathlon.envs.gptnt.bomb.manual.sheet import Page
from polyathlon.envs.gptnt.bomb.missions import MODULES, NEEDY
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.variants import STANDARD, book

__all__ = ["KINDS", "Page", "module_pages", "page_image", "pages", "pdf", "text"]

_PRINTERS: tuple[Callable[[RuleBook], list[Composer]], ...] = (
    wires.pages,
    button.pages,
    keypad.pages,
    simon.pages,
    words.pages,
    memory.pages,
    maze.pages,
    morse.pages,
    complicated.pages,
    sequence.pages,
    password.pages,
)
KINDS: tuple[str, ...] = (*(facts.kind for facts in MODULES.values()), *NEEDY.values())
"""The kinds of modules that have pages."""


@lru_cache(maxsize=64)
def pages(rule_seed: int = STANDARD) -> tuple[Page, ...]:
    """All pages: how to use them, the modules in the order of `KINDS`, the casing."""
    rules = book(rule_seed)
    modules = [page for printed in _PRINTERS for page in printed(rules)]
    composed = [*front.pages(), *modules, *needy.pages(rule_seed), *appendix.pages()]
    return tuple(page.page(number) for number, page in enumerate(composed, 1))


def module_pages(kind: str, rule_seed: int = STANDARD) -> tuple[Page, ...]:
    """The pages about one kind of module; an unknown kind raises UserError."""
    if kind not in KINDS:
        raise unknown("kind of module", kind, KINDS)
    return tuple(page for page in pages(rule_seed) if kind in page.kinds)


def text(rule_seed: int = STANDARD) -> str:
    """The text of all pages, each under its number."""
    return "\n\n".join(f"Page {page.number}\n{page.text}" for page in pages(rule_seed))


def page_image(page: Page, width_px: int = 1240, height_px: int = 1754) -> Image:
    """The page as large as it fits, centred on white; grey-scale in three equal channels."""
    from polyathlon.envs.gptnt.bomb.manual import raster

    return raster.page_image(page, width_px, height_px)


def pdf(rule_seed: int = STANDARD) -> bytes:
    """The manual on A4, of vectors and selectable text. Needs the extra `manual`."""
    from polyathlon.envs.gptnt.bomb.manual import printer

    return printer.pdf(pages(rule_seed), HANDBOOK)
