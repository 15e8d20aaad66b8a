"""Manual questions: the manual page by page, as in play, then the question."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import msgspec

from polyathlon.core.parts import Image
from polyathlon.core.percepts import Percept, text_percept
from polyathlon.core.world import Role
from polyathlon.envs.gptnt.bomb import manual, questions
from polyathlon.envs.gptnt.bomb.missions import MODULES
from polyathlon.envs.gptnt.manual_vqa.rules import Rules

WIDTH_PX, HEIGHT_PX = 480, 640
"""A page as large as fits the frames of 640 x 480 pixels, turned upright."""


class PageOf(msgspec.Struct, frozen=True):
    """A page of the manual of a rule seed, by its number from 1."""

    rule_seed: int
    number: int


def percepts(rules: Rules, role: Role) -> tuple[Percept, ...]:
    """Text and picture of each page that is given, then the question."""
    pages = [percept for page in _given(rules) for percept in _both(page, rules.rule_seed)]
    return (*pages, questions.percept(rules.question))


def actions(rules: Rules, role: Role) -> questions.Choices:
    """The letters of the options."""
    return questions.Choices(rules.question.options)


@lru_cache(maxsize=64)
def draw(scene: PageOf) -> Image:
    """The picture of a page."""
    return manual.page_image(_page(scene), WIDTH_PX, HEIGHT_PX)


def tell(scene: PageOf) -> str:
    """The text of a page."""
    return _page(scene).text


def _page(scene: PageOf) -> manual.Page:
    return manual.pages(scene.rule_seed)[scene.number - 1]


def _given(rules: Rules) -> tuple[manual.Page, ...]:
    """The pages that the reader gets; those without a module are the appendix and how to read."""
    pages = manual.pages(rules.rule_seed)
    if rules.manual == "whole":
        return pages
    if rules.manual == "none":
        return ()
    facts = MODULES.get(rules.question.module)
    return tuple(page for page in pages if (facts.kind in page.kinds if facts else not page.kinds))


def _both(page: manual.Page, rule_seed: int) -> Iterator[Percept]:
    yield text_percept("manual_text", page.text, keep="episode")
    scene = PageOf(rule_seed, page.number)
    yield Percept("manual_pages", "image", scene, draw, tell, keep="episode")
