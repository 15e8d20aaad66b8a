"""The default seeds are those that the search for diverse bombs finds."""

from __future__ import annotations

from typing import get_args

import pytest

from polyathlon.core.canonical import JSON, plain
from polyathlon.envs.gptnt.bomb.casing import draw_casing
from polyathlon.envs.gptnt.bomb.diversity import ranked_seeds
from polyathlon.envs.gptnt.bomb.layout import module_stream
from polyathlon.envs.gptnt.bomb.missions import MODULES, OUTER_SEED
from polyathlon.envs.gptnt.bomb.rulebook.book import standard
from polyathlon.envs.gptnt.bomb.rulebook.generate import Kind, draw


def configure(seed: int, kind: str, instance: int) -> JSON:
    """The puzzle of a module of a bomb, as JSON."""
    facts = draw_casing(seed).facts
    rng = module_stream(seed, kind, instance, "config")
    return plain(draw(MODULES[kind].kind, standard(), facts, rng))


@pytest.mark.slow
def test_the_default_outer_seed_is_the_most_diverse_of_fifty() -> None:
    ranked = ranked_seeds(configure)
    assert ranked[0][0] == OUTER_SEED
    assert ranked[0][1].mean >= ranked[-1][1].mean + 0.01


def test_every_kind_of_the_rule_book_is_one_module_type() -> None:
    assert sorted(facts.kind for facts in MODULES.values()) == sorted(get_args(Kind))
