"""Myriad Echoes: players without a model.

Each decides from one observation, without memory, as a model does that gets a fresh request every
turn: in phase 2 only the sequence on display tells what to click, and only the picture where one
is. What a player needs and does not sense it guesses, uniformly among what is possible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from polyathlon.core.actions import Malformed
from polyathlon.core.agents import with_access
from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation, Role
from polyathlon.envs.omniplay.echoes.answers import Click, Transcription

Answer: TypeAlias = Transcription | Click
UNSEEN = "unseen"
RECALLED = 7
"""Items that a human-like player remembers: the 7 of the 7 +- 2 of working memory."""


def random(observation: Observation, rng: Stream) -> Answer:
    """Phase 1: the cells in uniform order, names from the vocabulary. Phase 2: a uniform cell."""
    guess: Answer = observation.actions.sample(rng)
    return guess


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> Answer:
    """The true sequence."""
    order = [tuple(cell) for cell in state["order"]]
    if state["turns"]:
        return Click(*order[len(state["clicks"])])
    kinds = [state["layout"][(row - 1) * state["columns"] + column - 1] for row, column in order]
    return Transcription(tuple(order), tuple(kinds))


@with_access("informed")
def full(observation: Observation, rng: Stream) -> Answer:
    """All channels: cells from the clip, names as heard; then the cell after the marked one.

    The aid `step`, when it is there, decides which entry of the sequence is next.
    """
    guess = random(observation, rng)
    if isinstance(guess, Click):
        return _next(observation, rng) or guess
    seen, heard = _facts(observation, "clip"), _facts(observation, "sounds")
    return _answer(seen.get("cells"), heard.get("icons") or seen.get("icons"), guess)


@with_access("informed")
def clip_only(observation: Observation, rng: Stream) -> Answer:
    """Video alone: writes what lit up. No video comes with the clicks, so they are guesses."""
    return _transcribed(observation, rng, "clip")


@with_access("informed")
def sounds_only(observation: Observation, rng: Stream) -> Answer:
    """Audio alone: writes what was heard, in guessed cells; a sound has no place to click."""
    return _transcribed(observation, rng, "sounds")


@with_access("informed")
def layout_only(observation: Observation, rng: Stream) -> Answer:
    """Text alone: guesses the sequence, then clicks the first of the listed cells."""
    guess = random(observation, rng)
    told = _facts(observation, "sequence").get("cells")
    return Click(*told[0]) if told else guess


@with_access("informed")
def screen_only(observation: Observation, rng: Stream) -> Answer:
    """Pictures alone: guesses, but never clicks the marked cell again."""
    guess = random(observation, rng)
    marked = _facts(observation, "screen").get("last")
    while isinstance(guess, Click) and (guess.row, guess.column) == marked:
        guess = random(observation, rng)
    return guess


@with_access("informed")
def shifted(observation: Observation, rng: Stream) -> Answer:
    """As `full`, but the written sequence lacks its first entry."""
    answer = full(observation, rng)
    if isinstance(answer, Click):
        return answer
    return Transcription(answer.cells[1:], answer.icons[1:])


def invalid(observation: Observation, rng: Stream) -> Malformed:
    """Never an action."""
    return Malformed("no answer", "no answer")


@with_access("informed")
def recall7(observation: Observation, rng: Stream) -> Answer:
    """As `full`, but remembers `RECALLED` entries of the clip and guesses the others."""
    answer, guess = full(observation, rng), random(observation, rng)
    if isinstance(answer, Click) or isinstance(guess, Click):
        return answer
    known = answer.cells[:RECALLED]
    others = tuple([cell for cell in guess.cells if cell not in known])
    return Transcription(known + others, answer.icons[:RECALLED] + guess.icons[RECALLED:])


def _facts(observation: Observation, channel: str) -> Mapping[str, Any]:
    """What a channel says; nothing where it is missing."""
    for percept in observation.percepts:
        if percept.channel == channel:
            return percept.facts
    return {}


def _next(observation: Observation, rng: Stream) -> Click | None:
    """The entry of the sequence that comes next; any entry where nothing says which."""
    told: Sequence[Any] = _facts(observation, "sequence").get("cells", ())
    step = _facts(observation, "step").get("step")
    marked = _facts(observation, "screen").get("last", UNSEEN)
    if step:
        place = step - 1
    elif marked == UNSEEN:
        place = rng.below(max(1, len(told)))
    else:
        place = told.index(marked) + 1 if marked in told else 0
    return Click(*told[place]) if place < len(told) else None


def _answer(
    cells: Sequence[Any] | None, icons: Sequence[str] | None, guess: Transcription
) -> Transcription:
    return Transcription(tuple(cells or guess.cells), tuple(icons or guess.icons))


def _transcribed(observation: Observation, rng: Stream, channel: str) -> Answer:
    guess = random(observation, rng)
    if isinstance(guess, Click):
        return guess
    known = _facts(observation, channel)
    return _answer(known.get("cells"), known.get("icons"), guess)
