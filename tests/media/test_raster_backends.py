"""numba and numpy draw the same pictures."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon.core.chance import stream
from polyathlon.media.fingerprint import raster_fingerprint, render_fingerprint
from polyathlon.media.raster import (
    Camera,
    Fog,
    Frame,
    Gradient,
    Material,
    Mesh,
    Textures,
    box,
    merged,
    quad,
    render,
    sphere,
    surfaces,
)

pytestmark = pytest.mark.skipif(find_spec("numba") is None, reason="needs numba")

TEXTURES = Textures.of([surfaces.brick(size_px=32), surfaces.checker(size_px=32)])
FOG = Fog((30, 40, 60), 0.2)


def random_scene(seed: int) -> Mesh:
    """Triangles, some crossing the camera's plane or each other, with and without textures."""
    draws = stream(seed, "scene")
    parts = []
    for number in range(6):
        corners = [[draws.normal(1.0, 2.0) for _ in range(3)] for _ in range(4)]
        colour = (draws.below(256), draws.below(256), draws.below(256))
        material = Material(colour, draws.below(3) - 1, two_sided=bool(draws.below(2)))
        parts.append(quad(corners, material, number + 1, repeat=(3, 2)))
    parts.append(box((1, 1, 1), Material(layer=0), 20).moved(2, draws.normal(), draws.normal()))
    parts.append(sphere(0.5, object_id=21, rings=5, sides=8).moved(2, draws.normal(), 0))
    return merged(parts)


def drawn(backend: Any, mesh: Mesh, camera: Camera, samples: int) -> Frame:
    ground = Gradient((90, 120, 200), (20, 20, 30))
    return render(
        mesh, camera, TEXTURES, fog=FOG, background=ground, samples=samples, backend=backend
    )


def assert_equal(fast: Frame, slow: Frame) -> None:
    assert (fast.ids == slow.ids).all()
    assert fast.depth.tobytes() == slow.depth.tobytes()
    apart = np.abs(fast.colour.astype(int) - slow.colour)
    assert apart.max() == 0


@given(
    seed=st.integers(0, 10**6),
    yaw_deg=st.floats(-180, 180),
    pitch_deg=st.floats(-90, 90),
    samples=st.integers(1, 3),
)
@settings(max_examples=25, deadline=None)
def test_backends_agree(seed: int, yaw_deg: float, pitch_deg: float, samples: int) -> None:
    mesh = random_scene(seed)
    camera = Camera((0, 0, 0), yaw_deg, pitch_deg, width_px=40, height_px=30)
    fast, slow = (drawn(backend, mesh, camera, samples) for backend in ("numba", "numpy"))
    assert_equal(fast, slow)


@given(x=st.floats(-3, 3), z=st.floats(-3, 3), yaw_deg=st.sampled_from([0.0, 37.0, 90.0, 180.0]))
@settings(max_examples=40, deadline=None)
def test_walking_through_walls_draws_no_nonsense(x: float, z: float, yaw_deg: float) -> None:
    mesh = merged([random_scene(3), box((2, 2, 2), Material(layer=1, two_sided=True), 30)])
    camera = Camera((x, 0, z), yaw_deg, width_px=40, height_px=30)
    with np.errstate(invalid="raise", over="raise"):
        frame = drawn("numba", mesh, camera, 2)
    seen = frame.ids > 0
    assert (frame.depth[seen] >= camera.near * 0.999).all()
    assert np.isinf(frame.depth[~seen]).all()


def test_from_inside_a_closed_room_no_background_shows() -> None:
    room = box((4, 2, 4), Material((200, 200, 200), unlit=True, two_sided=True), 1)
    for yaw in range(0, 360, 7):
        camera = Camera((1.3, 0.4, -1.1), yaw, pitch_deg=yaw / 10 - 15, width_px=160, height_px=120)
        frame = render(room, camera, background=(255, 0, 0), samples=2, backend="numba")
        assert (frame.ids == 1).all()
        assert (frame.colour == 200).all()


def test_code_that_cannot_be_kept_is_compiled_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from polyathlon.media.raster import jit

    def njit(**options: Any) -> Callable[[Any], Any]:
        if options.pop("cache", False):
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: (function, options)

    monkeypatch.setattr(jit, "njit", njit)
    function, options = jit.compiled(len)
    assert function is len
    assert "cache" not in options


def test_the_raster_has_its_own_fingerprint() -> None:
    assert raster_fingerprint().startswith("raster-numba-")
    assert "numba" not in render_fingerprint()


@pytest.mark.slow
def test_backends_agree_on_large_pictures() -> None:
    for seed in range(12):
        mesh = random_scene(seed)
        camera = Camera((0, 0, 0), yaw_deg=seed * 30, width_px=640, height_px=480)
        fast, slow = (drawn(backend, mesh, camera, 2) for backend in ("numba", "numpy"))
        assert_equal(fast, slow)
