"""The keypad's symbols: complete, inside their square, and told apart at small sizes."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import msgspec
import numpy as np
import pytest

from polyathlon.core.errors import UserError
from polyathlon.envs.gptnt.bomb import symbols
from polyathlon.envs.gptnt.bomb.rulebook.variants import book

SIZE = 40


def ink(name: str, size_px: int = SIZE) -> np.ndarray:
    return symbols.mask(name, size_px).astype(float) / 255


def test_every_symbol_of_every_rule_book_is_drawn() -> None:
    used = {name for seed in range(20) for column in book(seed).keypad.columns for name in column}
    assert used == set(symbols.NAMES)
    assert len(symbols.NAMES) == 31


def test_every_symbol_has_a_character_and_a_description_of_its_own() -> None:
    for table in (symbols.CHARACTERS, symbols.LOOKS):
        assert set(table) == set(symbols.NAMES)
        assert len(set(table.values())) == len(symbols.NAMES)
    assert all(len(character) == 1 for character in symbols.CHARACTERS.values())


@pytest.mark.parametrize("size_px", [32, 40, 121])
def test_masks_are_square_smooth_and_leave_a_margin(size_px: int) -> None:
    for name in symbols.NAMES:
        mask = symbols.mask(name, size_px)
        assert mask.shape == (size_px, size_px)
        assert mask.dtype == np.uint8
        assert mask.max() == 255
        assert ((mask > 0) & (mask < 255)).any()
        border = np.concatenate([mask[0], mask[-1], mask[:, 0], mask[:, -1]])
        assert not border.any(), name


def test_masks_are_shared_and_cannot_be_written_to() -> None:
    mask = symbols.mask("omega", SIZE)
    assert symbols.mask("omega", SIZE) is mask
    with pytest.raises(ValueError, match="read-only"):
        mask[0, 0] = 1


def test_a_larger_mask_is_the_same_drawing() -> None:
    for name in symbols.NAMES:
        small, large = ink(name, 20), ink(name, 100)
        assert np.abs(large.reshape(20, 5, 20, 5).mean(axis=(1, 3)) - small).mean() < 0.03


def test_no_two_symbols_look_alike() -> None:
    """Shifted to fit best, two symbols share less than three fifths of the ink of both."""
    for one, other in combinations(symbols.NAMES, 2):
        assert likeness(ink(one), other) < 0.6, (one, other)


def test_a_symbol_is_known_again_after_blur_and_noise() -> None:
    rng = np.random.default_rng(1)
    for name in symbols.NAMES:
        seen = np.roll(ink(name), (1, -1), (0, 1))
        blurred = sum(np.roll(seen, step, (0, 1)) for step in product((-1, 0, 1), repeat=2)) / 9
        noisy = np.clip(blurred + rng.normal(0, 0.1, seen.shape), 0, 1)
        assert max(symbols.NAMES, key=lambda other: likeness(noisy, other)) == name


def test_outlines_are_plain_points() -> None:
    for name in symbols.NAMES:
        for outline in symbols.outlines(name):
            assert len(outline.points) > 1
            assert all(0 < value < symbols.UNITS for point in outline.points for value in point)
            assert msgspec.json.encode(outline)


def test_an_unknown_name_gets_a_hint() -> None:
    with pytest.raises(UserError, match="did you mean omega"):
        symbols.mask("omegga", SIZE)


def likeness(one: np.ndarray, name: str) -> float:
    """The share of ink common with a symbol, of the best of 25 shifts by up to two pixels."""
    common, either = np.minimum(one, shifted(name)), np.maximum(one, shifted(name))
    return float((common.sum(axis=(1, 2)) / either.sum(axis=(1, 2))).max())


@cache
def shifted(name: str) -> np.ndarray:
    """The ink of a symbol under every shift."""
    return np.stack([np.roll(ink(name), step, (0, 1)) for step in product(range(-2, 3), repeat=2)])
