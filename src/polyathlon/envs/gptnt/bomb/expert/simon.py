"""Simon Says in words: the expert tells the whole map once for each number of strikes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from polyathlon.envs.gptnt.bomb.expert.notes import Notes, Sight
from polyathlon.envs.gptnt.bomb.expert.phrases import UNCLEAR, listed, numbers
from polyathlon.envs.gptnt.bomb.rulebook.book import Lamp
from polyathlon.envs.gptnt.bomb.rulebook.simon import LAMPS, press

PAUSE = 3
"""Dark quarters of a second that end a loop; within one there is a single one."""
_OPENING = "four coloured lamps that flash one after another"
_PAIR = re.compile(rf"({'|'.join(LAMPS)}) flashes press ({'|'.join(LAMPS)})")


def describe(sight: Sight) -> str:
    """That there are such lamps, and the strikes so far."""
    return f"There are {_OPENING}. The bomb has {sight.strikes} strikes."


def advice(text: str, notes: Notes) -> str | None:
    """What to press for each flash."""
    if _OPENING not in text:
        return None
    strikes = numbers(text)
    if not strikes:
        return UNCLEAR
    rules, facts = notes.book.simon, notes.facts
    pairs = (f"{lamp} flashes press {press(rules, lamp, facts, strikes[-1])}" for lamp in LAMPS)
    return f"Answer each flash in turn: when {listed(pairs)}."


def steps(reply: str, sight: Sight) -> tuple[str, ...]:
    """The answers to the flashes of this stage, once all were seen."""
    answers = dict(_PAIR.findall(reply))
    flashes = _flashes(sight.watched, sight.module.stage)
    return tuple(answers[flash] for flash in flashes if flash in answers)


def _flashes(watched: Iterable[Lamp | None], count: int) -> tuple[Lamp, ...]:
    """The first `count` flashes of a loop; () if no loop was seen that far."""
    for loop in _loops(watched):
        if len(loop) >= count:
            return tuple(loop[:count])
    return ()


def _loops(watched: Iterable[Lamp | None]) -> Iterator[list[Lamp]]:
    """What flashed between pauses; the watching began with a pause."""
    loop: list[Lamp] = []
    for lamp, quarters in groupby(watched):
        if lamp is not None:
            loop.append(lamp)
        elif len(list(quarters)) >= PAUSE:
            yield loop
            loop = []
    yield loop
