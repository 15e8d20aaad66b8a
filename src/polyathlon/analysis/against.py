"""Own cells beside published ones, and the harness effect in own runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from polyathlon.analysis.cells import Cell
from polyathlon.analysis.effects import Pair, Study, glass_delta, varies
from polyathlon.analysis.reference import Reference, Setting

HARNESS: dict[str, Setting] = {
    "zs": "no_harness",
    "memory": "memory",
    "perception": "perception",
    "both": "harness",
}


class Published(msgspec.Struct, frozen=True):
    """A published figure. `n` is None where the number of runs is not certain."""

    who: str
    setting: Setting | None
    mean: float
    sd: float
    n: int | None = None


class Comparison(msgspec.Struct, frozen=True):
    """What was published for the game of a cell.

    `setting` is the published harness setting our cell has, if any. `delta` is Glass's delta of
    our runs against the published random runs, None where those do not vary. `random_sems` is,
    for random play, how many of the 30 runs' standard errors our mean lies from theirs.
    """

    reference: str
    game: str
    metric: str
    setting: Setting | None
    random: Published
    human: Published
    models: tuple[Published, ...]
    delta: float | None
    random_sems: float | None
    caveats: tuple[str, ...]


def compare(cell: Cell, reference: Reference) -> Comparison | None:
    """The published figures beside a cell, or None where its game is not among them."""
    game = reference.game_of(cell.env)
    if game is None:
        return None
    described = reference.games[game]
    own = cell.metrics.get(described.metric)
    random = Published("random play", None, *reference.random[game])
    scores = reference.random_scores()[game]
    sem = random.sd / len(scores) ** 0.5
    is_random = cell.agent == "random" and own is not None and sem > 0
    return Comparison(
        reference.name,
        described.title,
        described.metric,
        setting(cell),
        random,
        Published("human", None, *reference.human[game]),
        tuple(_models(game, reference)),
        glass_delta(own.values, scores) if own is not None and varies(scores) else None,
        (own.mean - random.mean) / sem if is_random and own is not None else None,
        described.caveats,
    )


def setting(cell: Cell) -> Setting | None:
    """The published harness setting that a cell's condition is, if it is exactly one."""
    return HARNESS.get(cell.condition) if cell.agent == "llm" else None


def own_study(cells: Iterable[Cell], reference: Reference | None) -> Study:
    """Own runs with and without the harness, by env, level and condition.

    Random play is the run's own random cells, else the published runs of the same game.
    """
    cells = [cell for cell in cells if cell.score is not None]
    random = {
        _game(cell): cell.score.values for cell in cells if cell.agent == "random" and cell.score
    }
    for cell in cells:
        game = reference.game_of(cell.env) if reference else None
        if reference is not None and game is not None:
            random.setdefault(_game(cell), reference.random_scores()[game])
    models: dict[str, Pair] = {}
    for cell in cells:
        runs = models.setdefault(cell.model, Pair({}, {}))
        models[cell.model] = _with(runs, cell)
    return Study({name: pair for name, pair in models.items() if _is_pair(pair)}, random)


def _with(pair: Pair, cell: Cell) -> Pair:
    assert cell.score is not None
    found = {_game(cell): cell.score.values}
    match setting(cell):
        case "harness":
            return Pair({**pair.harness, **found}, pair.no_harness)
        case "no_harness":
            return Pair(pair.harness, {**pair.no_harness, **found})
    return pair


def _is_pair(pair: Pair) -> bool:
    return bool(set(pair.harness) & set(pair.no_harness))


def _game(cell: Cell) -> str:
    return f"{cell.env} {cell.level}"


def _models(game: str, reference: Reference) -> Iterable[Published]:
    for model, settings in reference.table1.items():
        for name in ("no_harness", "harness"):
            figure = settings.get(name, {}).get(game)
            if figure is not None:
                runs: Sequence[float] = reference.runs[model].get(name, {}).get(game, ())
                yield Published(model, name, *figure, len(runs) or None)
    for model, ablation in reference.table4.get(game, {}).items():
        for name in ("memory", "perception"):
            yield Published(model, name, *ablation[name])
