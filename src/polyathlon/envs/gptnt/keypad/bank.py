"""The 40 samples of each setting: a symbol, how it is drawn, and the five descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import msgspec

from polyathlon.core.chance import Stream, stream
from polyathlon.envs.gptnt.bomb.questions import Question, arranged
from polyathlon.envs.gptnt.bomb.rulebook.book import standard
from polyathlon.envs.gptnt.keypad.gold import symbols

SAMPLES = 40
OPTIONS = 5
_NAME = "gptnt/keypad"
_ASKS = (
    "Which of these descriptions fits the symbol?",
    "A partner cannot see this symbol. Which words would tell it best?",
    "How is this symbol to be described?",
)
_LIKE: Mapping[str, str] = {"iotified_yus": "big_yus", "big_yus": "iotified_yus"}
"""Symbols whose description may fit another one as well."""


class Sample(msgspec.Struct, frozen=True):
    """A symbol, dark on light or (`inverted`) light on dark."""

    symbol: str
    inverted: bool


@cache
def samples() -> tuple[Sample, ...]:
    """Every symbol of the standard columns once, and then some of them a second time, inverted."""
    columns = standard().keypad.columns
    names = sorted({name for column in columns for name in column})
    stream(0, _NAME, "symbols").shuffle(names)
    more = names[: SAMPLES - len(names)]
    return (*(Sample(name, False) for name in names), *(Sample(name, True) for name in more))


@cache
def question(number: int) -> Question:
    """The descriptions to choose from for a sample: one of its own, four of other symbols."""
    sample = samples()[number]
    rng = stream(0, _NAME, "choice", number)
    right = rng.choice(symbols()[sample.symbol].gold)
    options = arranged(right, _others(sample.symbol, rng), rng.below(OPTIONS), rng)
    return Question(
        "choice",
        "Keypad",
        rng.choice(_ASKS),
        options,
        options.index(right),
        derivation=f"the symbol is {sample.symbol}",
        given={"symbol": sample.symbol, "inverted": sample.inverted},
    )


def _others(symbol: str, rng: Stream) -> list[str]:
    """Descriptions of symbols on the same column first, which a player has to tell apart."""
    columns = [column for column in standard().keypad.columns if symbol in column]
    near = [name for column in columns for name in column]
    far = sorted({*symbols()} - {*near})
    rng.shuffle(near)
    rng.shuffle(far)
    names = dict.fromkeys((*near[:OPTIONS], *far, *near[OPTIONS:]))
    chosen = [name for name in names if name not in (symbol, _LIKE.get(symbol))]
    return [rng.choice(symbols()[name].gold) for name in chosen[: OPTIONS - 1]]
