"""Myriad Echoes: the pictures and sounds in words."""

from __future__ import annotations

from polyathlon.envs.omniplay.echoes.view.scenes import Clip, Screen, kinds


def clip(scene: Clip) -> str:
    """The grid row by row, then the icons in the order in which they light up."""
    found = kinds(scene)
    lit = ", ".join([f"({row},{column}) {found[row, column]}" for row, column in scene.order])
    return f"{_grid(scene)}\nlighting up in turn: {lit}"


def sounds(icons: tuple[str, ...]) -> str:
    """What is heard, in order."""
    return f"heard in turn: {', '.join(icons)}"


def screen(scene: Screen) -> str:
    """The grid row by row, then the cell that is marked."""
    marked = "none" if scene.last is None else f"({scene.last[0]},{scene.last[1]})"
    return f"{_grid(scene)}\nlast click: {marked}"


def _grid(scene: Clip | Screen) -> str:
    width = scene.columns
    rows = [scene.layout[i : i + width] for i in range(0, len(scene.layout), width)]
    return "\n".join([f"row {number}: {', '.join(row)}" for number, row in enumerate(rows, 1)])
