"""The 24 poses as a group: turns, their inverses, and matrices of their own."""

from __future__ import annotations

import numpy as np
import pytest

from polyathlon.envs.gptnt.bomb.poses import (
    ALL,
    NORMALS,
    OPPOSITE,
    START,
    TURNS,
    Pose,
    Side,
    Turn,
    flip,
    roll_down,
    roll_up,
    rotate_left,
    rotate_right,
)

YAW_LEFT = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # about y, +90 degrees
PITCH_UP = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])  # about x, -90 degrees: y becomes -z


def matrix(pose: Pose) -> np.ndarray:
    return np.array(pose.matrix)


def test_there_are_24_poses_and_all_are_rotations() -> None:
    assert len(set(ALL)) == 24
    found = {matrix(pose).tobytes() for pose in ALL}
    assert len(found) == 24
    for pose in ALL:
        assert round(np.linalg.det(matrix(pose))) == 1
        assert (matrix(pose) @ matrix(pose).T == np.eye(3)).all()


@pytest.mark.parametrize("pose", ALL, ids=str)
def test_turns_are_products_of_rotations(pose: Pose) -> None:
    """Yaw is about the bomb's axis, so on the right; roll about the screen's, so on the left."""
    held = matrix(pose)
    assert (matrix(rotate_left(pose)) == held @ YAW_LEFT).all()
    assert (matrix(rotate_right(pose)) == held @ YAW_LEFT.T).all()
    assert (matrix(flip(pose)) == held @ YAW_LEFT @ YAW_LEFT).all()
    assert (matrix(roll_up(pose)) == PITCH_UP @ held).all()
    assert (matrix(roll_down(pose)) == PITCH_UP.T @ held).all()


@pytest.mark.parametrize("pose", ALL, ids=str)
def test_inverses_and_orders(pose: Pose) -> None:
    assert rotate_left(rotate_right(pose)) == rotate_right(rotate_left(pose)) == pose
    assert roll_up(roll_down(pose)) == roll_down(roll_up(pose)) == pose
    assert flip(flip(pose)) == pose
    for name in ("rotate_left", "rotate_right", "roll_up", "roll_down"):
        turned = [pose]
        for _ in range(4):
            turned.append(TURNS[name](turned[-1]))
        assert turned[4] == pose
        assert len(set(turned)) == 4


def reachable(start: Pose) -> set[Pose]:
    seen, edge = {start}, [start]
    while edge:
        turned = {turn(pose) for pose in edge for turn in TURNS.values()}
        edge = [pose for pose in turned if pose not in seen]
        seen.update(edge)
    return seen


def test_sixteen_poses_can_be_reached_and_show_every_side() -> None:
    """A yaw is about the bomb's axis and a roll about the screen's, so that no turn ever lays
    the bomb's vertical axis across the screen."""
    held = reachable(START)
    assert held == {pose for pose in ALL if pose.right not in ("top", "bottom")}
    assert len(held) == 16
    assert {pose.facing for pose in held} == set(NORMALS)
    assert all(reachable(pose) == held for pose in held)
    assert all(reachable(pose).isdisjoint(held) for pose in set(ALL) - held)


def test_faces_and_edges_are_upright_or_upside_down_but_top_and_bottom_in_any_way() -> None:
    ways = {side: {p.quarters for p in reachable(START) if p.facing == side} for side in NORMALS}
    assert ways == {
        "front": {0, 2},
        "back": {0, 2},
        "left": {0, 2},
        "right": {0, 2},
        "top": {0, 1, 2, 3},
        "bottom": {0, 1, 2, 3},
    }


@pytest.mark.parametrize(
    ("turn", "shown"),
    [
        ("rotate_left", "left"),
        ("rotate_right", "right"),
        ("flip", "back"),
        ("roll_up", "bottom"),
        ("roll_down", "top"),
    ],
)
def test_a_turn_from_the_front_shows_its_side_upright(turn: Turn, shown: Side) -> None:
    pose = TURNS[turn](START)
    assert (pose.facing, pose.quarters) == (shown, 0)


def test_yaw_after_a_roll_spins_the_picture() -> None:
    """The hard-to-read poses: the top stays in view and turns in the plane of the screen."""
    held = roll_down(START)
    assert held.facing == rotate_left(held).facing == rotate_right(held).facing == "top"
    assert rotate_left(held).quarters == 3  # counter-clockwise
    assert rotate_right(held).quarters == 1
    assert flip(held).quarters == 2
    assert rotate_left(roll_up(START)).quarters == 1  # seen from below
    assert roll_up(roll_up(START)) == Pose("back", "bottom")
    assert roll_up(roll_up(START)).quarters == 2


def test_each_side_appears_in_four_ways() -> None:
    ways = {(pose.facing, pose.quarters) for pose in ALL}
    assert len(ways) == 24
    for pose in ALL:
        assert {pose.facing, pose.up, pose.right}.isdisjoint(
            {OPPOSITE[pose.facing], OPPOSITE[pose.up], OPPOSITE[pose.right]}
        )
    assert START.right == "right"
    assert set(NORMALS) == set(OPPOSITE)


@pytest.mark.parametrize("up", ["front", "back"])
def test_up_is_square_to_the_viewer(up: Side) -> None:
    with pytest.raises(ValueError, match="cannot be up"):
        Pose("front", up)
