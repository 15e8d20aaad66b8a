"""What is drawn where: analytic pictures, picking, fog, textures."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon.core import extras
from polyathlon.core.errors import UserError
from polyathlon.media.raster import (
    Camera,
    Fog,
    Frame,
    Gradient,
    Light,
    Material,
    Mesh,
    Textures,
    box,
    cylinder,
    frustum,
    merged,
    pick,
    prism,
    quad,
    render,
    sphere,
    surfaces,
    tube,
)
from polyathlon.media.raster import backends as backends_module

BARE = Material((200, 100, 50), unlit=True)
SHAPES = {
    "box": box((1, 2, 3)),
    "cylinder": cylinder(0.5, 1.0),
    "cone": frustum(1.0, 0.0, 2.0),
    "prism": prism([(0, 0), (2, 0), (1, 1)], 0.5),
    "quad": quad(((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0))),
    "sphere": sphere(1.0),
    "tube": tube([(0, 0, 0), (1, 0, 0.2), (2, 0.3, 0.1)], 0.1),
}


def small(**more: float) -> Camera:
    """64 x 48 pixels along +x from the origin; one unit is 24 pixels at distance 1."""
    return Camera((0, 0, 0), fov_deg=90, width_px=64, height_px=48, **more)


def facing(size: float, distance: float, material: Material = BARE, object_id: int = 7) -> Mesh:
    """A square across the view of `small`."""
    s, d = size / 2, distance
    return quad(((d, -s, -s), (d, -s, s), (d, s, s), (d, s, -s)), material, object_id)


def test_a_square_covers_exactly_its_pixels() -> None:
    frame = render(facing(1.0, 2.0), small(), samples=1)
    want = np.zeros((48, 64), bool)
    want[18:30, 26:38] = True  # 12 pixels a unit at distance 2, about the middle (32, 24)
    assert (frame.ids == np.where(want, 7, 0)).all()
    assert (frame.depth[want] == 2.0).all()
    assert np.isinf(frame.depth[~want]).all()
    assert (frame.colour[want] == BARE.colour).all()
    assert (frame.colour[~want] == 0).all()


def test_two_halves_share_each_pixel_of_their_edge() -> None:
    """The diagonal of a square runs through pixel centres: neither a gap nor an overlap."""
    frame = render(facing(4.0, 2.0), small(), samples=1)
    assert (frame.ids[:, 8:56] == 7).all()
    assert (frame.ids > 0).sum() == 48 * 48


@pytest.mark.parametrize("name", SHAPES)
def test_normals_point_out_of_the_front(name: str) -> None:
    mesh = SHAPES[name]
    a, b, c = (mesh.vertices[mesh.faces[:, corner]] for corner in range(3))
    front = (np.cross(b - a, c - a) * mesh.normals[mesh.faces].mean(axis=1)).sum(axis=1)
    assert front.min() > -1e-12
    assert front.max() > 0
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1.0)


@pytest.mark.parametrize("name", ["box", "cylinder", "cone", "prism", "sphere"])
def test_solids_are_closed(name: str) -> None:
    """Divergence theorem: the areas of a closed surface, as vectors, sum to nothing."""
    mesh = SHAPES[name]
    a, b, c = (mesh.vertices[mesh.faces[:, corner]] for corner in range(3))
    assert np.allclose(np.cross(b - a, c - a).sum(axis=0), 0.0)


def test_a_back_is_not_drawn_unless_two_sided() -> None:
    away = facing(1.0, 2.0).moved(x=-4.0)  # seen from its back by a camera that looks along -x
    camera = Camera((0, 0, 0), yaw_deg=180, width_px=64, height_px=48)
    assert not render(away, camera).ids.any()
    open_both = facing(1.0, 2.0, Material(unlit=True, two_sided=True)).moved(x=-4.0)
    assert render(open_both, camera).ids.any()


def test_a_wall_beside_the_camera_is_cut_at_the_near_plane() -> None:
    wall = quad(((-9, -1, 0.5), (9, -1, 0.5), (9, 1, 0.5), (-9, 1, 0.5)), BARE, 3)
    frame = render(
        wall.turned(), Camera((0, 0, 0), yaw_deg=0, width_px=64, height_px=48), samples=1
    )
    assert not frame.ids.any()
    wall = quad(((9, -1, 0.5), (-9, -1, 0.5), (-9, 1, 0.5), (9, 1, 0.5)), BARE, 3)
    frame = render(wall, Camera((0, 0, 0), yaw_deg=0, width_px=64, height_px=48), samples=1)
    assert (frame.ids[24, 40:] == 3).all()
    assert not frame.ids[:, :32].any()


def test_project_is_where_it_is_drawn_and_yaw_turns_right() -> None:
    camera = Camera((1, 2, 3), yaw_deg=30, pitch_deg=-10, width_px=64, height_px=48)
    target = (5.0, 1.5, 5.0)
    x, y, depth = camera.project([target])[0]
    hit = pick(sphere(0.2, object_id=5).moved(*target), camera, int(x), int(y))
    assert hit is not None
    assert hit.object_id == 5
    assert hit.distance == pytest.approx(
        np.linalg.norm(np.subtract(target, (1, 2, 3))) - 0.2, abs=0.02
    )
    assert depth > 0
    right = Camera((1, 2, 3), yaw_deg=60, pitch_deg=-10, width_px=64, height_px=48)
    assert right.project([target])[0][0] < x
    assert np.isnan(camera.project([(-5.0, 2.0, 0.0)])[0][:2]).all()


def test_looking_at_puts_the_target_in_the_middle() -> None:
    camera = Camera.looking_at((3, 4, 5), (-1, 0.5, 2), width_px=64, height_px=48)
    assert camera.project([(-1, 0.5, 2)])[0][:2] == pytest.approx((32, 24))


def scene() -> Mesh:
    return merged(
        [
            quad(((0, -1, 4), (8, -1, 4), (8, -1, -4), (0, -1, -4)), BARE, 1),
            box((1, 1, 1), Material((90, 200, 90)), 2).turned(yaw_deg=25).moved(4, -0.5, 1),
            sphere(0.7, Material((200, 60, 60)), 3).moved(3, 0, -1),
            tube([(2, -1, 1), (3, 1, 0.5), (4, 0, 0)], 0.05, Material((9, 9, 250)), 4),
        ]
    )


@cache
def seen_scene() -> tuple[Mesh, Camera, Frame]:
    return scene(), small(), render(scene(), small(), samples=1)


@given(column=st.integers(0, 63), row=st.integers(0, 47))
@settings(max_examples=60, deadline=None)
def test_picking_agrees_with_the_ids(column: int, row: int) -> None:
    mesh, camera, frame = seen_scene()
    hit = pick(mesh, camera, column, row)
    assert (hit.object_id if hit else 0) == frame.ids[row, column]
    if hit:
        assert camera.project([hit.point])[0] == pytest.approx(
            (column + 0.5, row + 0.5, frame.depth[row, column]), rel=1e-4
        )
        assert mesh.ids[hit.face] == hit.object_id


def test_picking_outside_the_picture_is_refused() -> None:
    with pytest.raises(ValueError, match="outside the picture"):
        pick(scene(), small(), 64, 0)


def test_fog_covers_more_the_farther_a_face_is() -> None:
    fog = Fog((0, 0, 255), 0.5, start=1.0)
    white = Material(unlit=True)
    reds = [
        int(render(facing(30.0, d, white), small(), fog=fog).colour[24, 32, 0])
        for d in (0.5, 1.0, 1.5, 2.0, 4.0, 8.0, 16.0)
    ]
    assert reds[:2] == [255, 255]
    assert reds == sorted(reds, reverse=True)
    assert len(set(reds[1:])) == 6
    assert reds[3] == pytest.approx(255 * np.exp(-0.5), abs=1)
    assert reds[-1] == 0


def test_turning_on_the_spot_changes_no_fog() -> None:
    fog = Fog((0, 0, 0), 0.3)
    ball = sphere(0.3, Material(unlit=True)).moved(5, 0, 0)
    ahead, aside = (
        render(ball, Camera((0, 0, 0), yaw_deg=yaw, fov_deg=90), fog=fog) for yaw in (0, 35)
    )
    assert abs(int(ahead.colour.max()) - int(aside.colour.max())) <= 1


def test_a_texture_stands_upright_and_unmirrored() -> None:
    picture = np.zeros((2, 2, 3), np.uint8)
    picture[0, 0], picture[0, 1], picture[1, 0] = (255, 0, 0), (0, 255, 0), (0, 0, 255)
    textures = Textures.of([np.kron(picture, np.ones((16, 16, 1), np.uint8))])
    mesh = facing(2.0, 2.0, Material(layer=0, unlit=True))
    colour = render(mesh, small(), textures).colour
    top, bottom, left, right = 15, 32, 23, 40
    assert tuple(colour[top, left]) == (255, 0, 0)
    assert tuple(colour[top, right]) == (0, 255, 0)
    assert tuple(colour[bottom, left]) == (0, 0, 255)
    assert tuple(colour[bottom, right]) == (0, 0, 0)


def test_a_distant_pattern_becomes_its_mean() -> None:
    textures = Textures.of([surfaces.checker((255, 255, 255), (0, 0, 0))])
    mesh = quad(
        ((40, -40, -40), (40, -40, 40), (40, 40, 40), (40, 40, -40)),
        Material(layer=0, unlit=True),
        repeat=(160.0, 160.0),
    )
    assert np.ptp(render(mesh, small(), textures).colour[8:-8, 8:-8].astype(int)) <= 2


def test_edges_are_smoothed_and_ids_are_not() -> None:
    mesh = facing(1.0, 2.0).turned(roll_deg=17)
    hard, soft = (render(mesh, small(), samples=n) for n in (1, 4))
    assert (hard.ids == soft.ids).all()
    assert len(np.unique(hard.colour[..., 0])) == 2
    assert len(np.unique(soft.colour[..., 0])) > 5
    exact = 144 * BARE.colour[0]  # a turned square keeps its area
    assert soft.colour[..., 0].sum() == pytest.approx(exact, rel=0.01)


def test_light_falls_from_its_direction_and_from_the_camera() -> None:
    ball = sphere(1.0).moved(3, 0, 0)
    above = render(ball, small(), light=Light(0.1, 0.9, 0.0, direction=(0, 1, 0)))
    assert above.colour[17, 32, 0] > above.colour[24, 32, 0] >= above.colour[30, 32, 0]
    head = render(ball, small(), light=Light(0.0, 0.0, 1.0))
    assert head.colour[24, 32, 0] > head.colour[18, 32, 0]


def test_background_may_be_a_gradient() -> None:
    frame = render(merged([]), small(), background=Gradient((0, 0, 0), (240, 240, 240)))
    column = frame.colour[:, 5, 0].astype(int)
    assert (np.abs(np.diff(column) - 5) <= 1).all()
    assert not frame.ids.any()


def test_far_drops_faces() -> None:
    assert render(facing(1.0, 2.0), small(far=3.0)).ids.any()
    assert not render(facing(1.0, 4.0), small(far=3.0)).ids.any()


def test_moving_scaling_merging() -> None:
    cube = box((1, 1, 1), object_id=4).scaled(2, 1, 1).turned(yaw_deg=90).moved(0, 0, 5)
    low, high = cube.vertices.min(axis=0), cube.vertices.max(axis=0)
    assert np.allclose((low, high), ((-0.5, -0.5, 4.0), (0.5, 0.5, 6.0)))
    both = merged([cube, cube.labelled(9).painted((255, 0, 0))])
    assert len(both.faces) == 24
    assert set(both.ids) == {4, 9}
    assert both.faces.max() == len(both.vertices) - 1
    with pytest.raises(ValueError, match="positive"):
        cube.scaled(-1)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="layer 2"):
        render(facing(1.0, 2.0, Material(layer=2)), small())
    with pytest.raises(ValueError, match="power of two"):
        Textures.of([np.zeros((12, 12, 3), np.uint8)])
    with pytest.raises(ValueError, match="samples"):
        render(facing(1.0, 2.0), small(), samples=0)
    with pytest.raises(ValueError, match="fov"):
        Camera((0, 0, 0), fov_deg=180)
    with pytest.raises(ValueError, match="density"):
        Fog((0, 0, 0), 0.0)


def test_surfaces_repeat_without_a_seam() -> None:
    for picture in (surfaces.stone(), surfaces.noise(), surfaces.brick(), surfaces.wood()):
        values = picture.astype(int)
        across = np.abs(values[:, 0] - values[:, -1]).mean()
        within = np.abs(np.diff(values, axis=1)).mean()
        assert across < 4 * within + 12


def test_without_numba_numpy_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends_module, "find_spec", lambda name: None)
    backends_module.default_backend.cache_clear()
    try:
        assert backends_module.default_backend() == "numpy"
        assert render(facing(1.0, 2.0), small()).ids.any()
        with pytest.raises(UserError, match=re.escape(extras.install("raster"))):
            backends_module.kernels("numba")
    finally:
        backends_module.default_backend.cache_clear()


def test_a_fresh_process_draws_the_same_bytes() -> None:
    code = (
        "from hashlib import sha256;"
        "from polyathlon.media.raster import *;"
        "f = render(merged([sphere(.7).moved(3, 0, 0), box((1, 2, 1)).moved(4, 0, 1)]),"
        " Camera((0, 0, 0), width_px=64, height_px=48), fog=Fog((9, 9, 9), .2), backend='numpy');"
        "print(sha256(f.colour.tobytes() + f.ids.tobytes() + f.depth.tobytes()).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    mesh = merged([sphere(0.7).moved(3, 0, 0), box((1, 2, 1)).moved(4, 0, 1)])
    camera = Camera((0, 0, 0), width_px=64, height_px=48)
    frame = render(mesh, camera, fog=Fog((9, 9, 9), 0.2), backend="numpy")
    drawn = frame.colour.tobytes() + frame.ids.tobytes() + frame.depth.tobytes()
    assert done.stdout.decode().strip() == sha256(drawn).hexdigest()


def test_a_frame_is_a_picture() -> None:
    frame: Frame = render(facing(1.0, 2.0), small())
    assert (frame.image.width_px, frame.image.height_px) == (64, 48)
    assert frame.image.rgb == frame.colour.tobytes()
