"""Own cells beside published ones, and the harness effect in own runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from polyathlon.analysis.cells import Cell
from polyathlon.analysis.effects import Pair, Study, glass_delta, varies
from polyathlon.analysis.labels import DEFAULT, JOIN
from polyathlon.analysis.reference import Reference, Setting

RANDOM, HUMAN = "random play", "human"
HARNESS: dict[str, Setting] = {
    "zs": "no_harness",
    "memory": "memory",
    "perception": "perception",
    "both": "harness",
}
_MAIN: tuple[Setting, ...] = ("no_harness", "harness")
_ABLATED: tuple[Setting, ...] = ("memory", "perception")


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
    game = reference.game_of(cell.env, cell.level)
    if game is None:
        return None
    described = reference.games[game]
    own = cell.metrics.get(described.metric)
    random = Published(RANDOM, None, *reference.random[game])
    scores = reference.random_scores()[game]
    sem = random.sd / len(scores) ** 0.5
    is_random = cell.agent == "random" and own is not None and sem > 0
    return Comparison(
        reference.name,
        described.title,
        described.metric,
        setting(cell),
        random,
        Published(HUMAN, None, *reference.human[game]),
        tuple(_models(game, reference)),
        glass_delta(own.values, scores) if own is not None and varies(scores) else None,
        (own.mean - random.mean) / sem if is_random and own is not None else None,
        described.caveats,
    )


def setting(cell: Cell) -> Setting | None:
    """The published harness setting of a cell, None for agents without a harness."""
    return _split(cell)[0]


def others(cell: Cell) -> str:
    """What a cell's condition holds besides its published harness setting."""
    return _split(cell)[1]


def own_study(cells: Iterable[Cell], reference: Reference | None) -> Study:
    """Own runs with and without the harness, by env, level and what else the condition holds.

    Random play is the run's own random cells, else the published runs of the same game.
    """
    scored = [(cell, cell.score.values) for cell in cells if cell.score is not None]
    random: dict[str, Sequence[float]] = {}
    models: dict[str, Pair] = {}
    for cell, values in scored:
        if cell.agent == "random":
            random[_game(cell)] = values
        models[cell.model] = _with(models.get(cell.model, Pair({}, {})), cell, values)
    for cell, _ in scored:
        game = reference.game_of(cell.env, cell.level) if reference else None
        if reference is not None and game is not None:
            random.setdefault(_game(cell), reference.random_scores()[game])
    return Study({name: pair for name, pair in models.items() if _is_pair(pair)}, random)


def _with(pair: Pair, cell: Cell, values: Sequence[float]) -> Pair:
    match setting(cell):
        case "harness":
            return Pair({**pair.harness, _game(cell): values}, pair.no_harness)
        case "no_harness":
            return Pair(pair.harness, {**pair.no_harness, _game(cell): values})
    return pair


def _split(cell: Cell) -> tuple[Setting | None, str]:
    harness, _, rest = cell.condition.partition(JOIN)
    modules, _, settings = harness.partition(",")
    if cell.agent == "llm" and modules in HARNESS:
        return HARNESS[modules], JOIN.join(filter(None, [settings, rest]))
    return None, "" if cell.condition == DEFAULT else cell.condition


def _is_pair(pair: Pair) -> bool:
    return bool(set(pair.harness) & set(pair.no_harness))


def _game(cell: Cell) -> str:
    return " ".join(filter(None, [cell.env, cell.level, others(cell)]))


def _models(game: str, reference: Reference) -> Iterable[Published]:
    for model, settings in reference.table1.items():
        for name in _MAIN:
            figure = settings.get(name, {}).get(game)
            if figure is not None:
                runs: Sequence[float] = reference.runs[model].get(name, {}).get(game, ())
                yield Published(model, name, *figure, len(runs) or None)
    for model, ablation in reference.table4.get(game, {}).items():
        for name in _ABLATED:
            yield Published(model, name, *ablation[name])
