"""The Alchemist's Melody: players by chance, by sight of the truth, and by their senses.

A single-channel player gets one channel and remembers what it did itself; `full` gets all.
Policies see one moment: what was heard before is in the note's facts, what was done before in
the report. They read facts; `state_only` reads the report behind its words, and so is privileged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from polyathlon.core.actions import Malformed
from polyathlon.core.agents import with_access
from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation, Role
from polyathlon.envs.omniplay.alchemist.actions import Plays
from polyathlon.envs.omniplay.alchemist.report import Report
from polyathlon.envs.omniplay.alchemist.rules import (
    LENGTH,
    NOTES,
    Play,
    block_of,
    successor,
)


def random(observation: Observation, rng: Stream) -> Play:
    """Uniform over the flasks and, as belief, over the notes."""
    played: Play = observation.actions.sample(rng)
    return played


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> Play:
    """The melody from its first note to its last."""
    colour = state["melody"][min(state["place"], LENGTH - 1)]
    return Play(colour, state["notes"][colour])


def invalid(observation: Observation, rng: Stream) -> Malformed:
    """Never an action."""
    return Malformed("invalid by design")


@with_access("informed")
def full(observation: Observation, rng: Stream) -> Play:
    """Goes on as far as it knows the notes, and then tries a flask it has not heard.

    At the start it plays the flask that is lit.
    """
    board, note, report = (_facts(observation, name) for name in ("board", "note", "state"))
    blocks = _blocks(observation)
    heard: Mapping[str, str] = note.get("heard", {})
    if report.get("in_sequence") and note:
        wanted = successor(note["note"])
        return Play(block_of(heard, wanted) or _untried(blocks, heard, rng), wanted)
    first = board.get("suggests") or report.get("suggests")
    if first:
        return Play(first, heard.get(first, note.get("note")))
    return Play(_untried(blocks, heard, rng), rng.choice(NOTES))


@with_access("informed")
def board_only(observation: Observation, rng: Stream) -> Play:
    """Plays the flask that is lit at the start, and later any but the one lit."""
    facts = _facts(observation, "board")
    others = [block for block in _blocks(observation) if block != facts.get("block")]
    return Play(facts.get("suggests") or rng.choice(others), rng.choice(NOTES))


@with_access("informed")
def note_only(observation: Observation, rng: Stream) -> Play:
    """Hears out every flask; the one note without a note below it begins the melody.

    It never knows whether a sequence is right: it plays on upwards, and from the top it begins
    again.
    """
    facts, blocks = _facts(observation, "note"), _blocks(observation)
    heard: Mapping[str, str] = facts.get("heard", {})
    if len(heard) < len(blocks):
        return Play(_untried(blocks, heard, rng), rng.choice(NOTES))
    following = block_of(heard, successor(facts["note"]))
    colour = following or next(c for c in heard if heard[c] not in map(successor, heard.values()))
    return Play(colour, heard[colour])


@with_access("privileged")
def state_only(observation: Observation, rng: Stream) -> Play:
    """Repeats what the report proves, and tries at the next place what it has not refuted."""
    blocks, note = _blocks(observation), rng.choice(NOTES)
    scene = next((p.scene for p in observation.percepts if p.channel == "state"), None)
    if not isinstance(scene, Report):
        return Play(rng.choice(blocks), note)
    proven = scene.proven()
    if scene.place in proven:
        return Play(proven[scene.place], note)
    earlier = {proven.get(place) for place in range(scene.place)} | scene.refuted(scene.place)
    return Play(rng.choice([block for block in blocks if block not in earlier]), note)


def _blocks(observation: Observation) -> tuple[str, ...]:
    return cast(Plays, observation.actions).colours


def _facts(observation: Observation, channel: str) -> Mapping[str, Any]:
    return next((p.facts for p in observation.percepts if p.channel == channel), {})


def _untried(blocks: tuple[str, ...], heard: Mapping[str, str], rng: Stream) -> str:
    return rng.choice([block for block in blocks if block not in heard] or blocks)
