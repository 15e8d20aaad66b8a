"""A picture drawn out of an earlier one is the picture drawn from nothing."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon.core.chance import stream
from polyathlon.media.raster import (
    Backend,
    Camera,
    Fog,
    Gradient,
    Material,
    Mesh,
    Picture,
    Setting,
    Textures,
    box,
    default_backend,
    draw,
    merged,
    quad,
    redraw,
    render,
    surfaces,
)

TEXTURES = Textures.of([surfaces.brick(size_px=32), surfaces.checker(size_px=32)])
BACKENDS: list[Backend] = ["numpy", "numba"] if default_backend() == "numba" else ["numpy"]


def setting(backend: Backend, samples: int = 3) -> Setting:
    return Setting(
        Camera((0, 0, 0), 12, -5, width_px=48, height_px=36),
        TEXTURES,
        fog=Fog((30, 40, 60), 0.1),
        background=Gradient((90, 120, 200), (20, 20, 30)),
        samples=samples,
        backend=backend,
    )


@cache
def piece(place: int, look: int) -> Mesh:
    """One of several looks of a thing: quads of which some looks share the first and the last."""
    parts = []
    for number in range(3):
        draws = stream(place, "quad", number, look if number == 1 else look // 2)
        if look % 3 == 2 and number == 1:
            continue
        x, y, z = draws.normal(2.5, 0.6), draws.normal(0, 0.8), draws.normal(0, 1.2)
        corners = ((x, y, z), (x, y, z + 0.8), (x, y + 0.7, z + 0.9), (x, y + 0.8, z))
        colour = (draws.below(256), draws.below(256), draws.below(256))
        material = Material(colour, draws.below(3) - 1, two_sided=True)
        parts.append(quad(corners, material, place * 3 + number + 1, repeat=(2, 2)))
    return merged(parts)


BACKDROP = box((9, 9, 9), Material((200, 190, 180), layer=1, two_sided=True), 30)
NUMBERS = np.arange(31, dtype=np.int32)

looks = st.lists(st.integers(0, 5), min_size=4, max_size=4)


def pieces(numbers: list[int]) -> list[Mesh]:
    return [*(piece(place, look) for place, look in enumerate(numbers)), BACKDROP]


def assert_equal(one: Picture, other: Picture) -> None:
    for name in ("owners", "sharp", "colour"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    assert (one.ids(NUMBERS) == other.ids(NUMBERS)).all()


@pytest.mark.parametrize("backend", BACKENDS)
@given(scenes=st.lists(looks, min_size=2, max_size=4), samples=st.sampled_from([1, 3]))
@settings(max_examples=12, deadline=None)
def test_redrawing_draws_the_same(backend: Any, scenes: list[list[int]], samples: int) -> None:
    picture = draw(pieces(scenes[0]), setting(backend, samples))
    for scene in scenes[1:]:
        picture = redraw(picture, pieces(scene))
        assert_equal(picture, draw(pieces(scene), picture.setting))


@pytest.mark.parametrize("backend", BACKENDS)
@given(scene=looks)
@settings(max_examples=10, deadline=None)
def test_pieces_look_as_if_merged(backend: Any, scene: list[int]) -> None:
    under = setting(backend)
    picture = draw(pieces(scene), under)
    frame = render(
        merged(pieces(scene)),
        under.camera,
        TEXTURES,
        fog=under.fog,
        background=under.background,
        backend=backend,
    )
    assert (picture.colour == frame.colour).all()
    assert (picture.ids(NUMBERS) == frame.ids).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_of_equal_faces_the_first_is_still_seen(backend: Any) -> None:
    once = piece(0, 0)
    twice = merged([once, once.labelled(25)])
    picture = draw([once, BACKDROP], setting(backend))
    assert_equal(redraw(picture, [twice, BACKDROP]), draw([twice, BACKDROP], picture.setting))


def test_only_rows_with_a_difference_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows elsewhere keep what they had, even where that was wrong."""
    high, low = (box((0.2, 0.4, 0.4), object_id=1).moved(3, y) for y in (1, -1))
    dark = low.painted((9, 9, 9))
    picture = draw([high, low], setting(BACKENDS[-1]))
    picture.colour.flags.writeable = True
    picture.colour[:] = 123
    changed = (redraw(picture, [high, dark]).colour != 123).any(axis=(1, 2))
    assert changed[24:].any()
    assert not changed[:18].any()


def test_equal_pieces_are_the_same_picture() -> None:
    picture = draw(pieces([0, 1, 2, 3]), setting(BACKENDS[-1]))
    assert redraw(picture, pieces([0, 1, 2, 3])) is picture
    assert not picture.colour.flags.writeable


def test_another_number_of_pieces_is_drawn_from_nothing() -> None:
    picture = draw(pieces([0, 1, 2, 3]), setting(BACKENDS[-1]))
    fewer = pieces([0, 1, 2, 3])[1:]
    assert_equal(redraw(picture, fewer), draw(fewer, picture.setting))


def test_a_layer_that_textures_do_not_have_is_refused() -> None:
    wrong = box((1, 1, 1), Material(layer=2)).moved(3)
    with pytest.raises(ValueError, match="layer 2 of 2"):
        draw([wrong], setting(BACKENDS[-1]))
    with pytest.raises(ValueError, match="samples"):
        setting(BACKENDS[-1], samples=0)
