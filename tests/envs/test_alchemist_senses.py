"""The Alchemist's Melody: every channel counts, and experiments move players as they should."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable

import pytest

from polyathlon import registry
from polyathlon.core.chance import Stream, stream
from polyathlon.core.world import Observation
from polyathlon.envs.omniplay.alchemist import SPEC
from polyathlon.envs.omniplay.alchemist.baselines import full, note_only, state_only
from polyathlon.envs.omniplay.alchemist.rules import ROLE, Play, block_of, successor
from polyathlon.interventions.build import build

ROUNDS = 60


def score(act: Callable[[Observation, Stream], Play], *interventions: str) -> float:
    """The mean composite score of a player under interventions given in the order of stages."""
    env = registry.make(SPEC.id)
    built = [build(text, env.spec) for text in interventions]
    found = []
    for seed in range(ROUNDS):
        env.reset(seed)
        rng = stream(seed, "senses")
        while env.pending():
            seen = env.observe(ROLE)
            for item in built:
                seen = item.apply(seen, stream(seed, item.name, seen.turn))
            env.act(ROLE, act(seen, rng))
        found.append(env.metrics()["composite"])
    return statistics.mean(found)


def reader(observation: Observation, rng: Stream) -> Play:
    """Hears the last note and reads the report, and knows no flask but by the mapping, if told."""
    said = {percept.channel: percept.meaning or "" for percept in observation.percepts}
    entries = re.findall(r"'(\w+)' ='(\w+)'", said.get("mapping", ""))
    known = {colour.upper(): note.upper() for colour, note in entries if note != "Unknown"}
    proven = observation.percepts[-1 - ("mapping" in said)].scene.proven()
    if "Correct Sequence: True" in said["state"]:
        colour = block_of(known, successor(said["note"]))
    else:
        colour = proven.get(0) or observation.percepts[0].facts.get("suggests")
    blocks = [block for block in observation.actions.colours if block not in known]
    return Play(colour or rng.choice(blocks or observation.actions.colours))


@pytest.fixture(scope="module")
def clean() -> float:
    return score(full)


@pytest.mark.parametrize("channel", ["board", "note", "state"])
def test_every_channel_is_needed(clean: float, channel: str) -> None:
    assert score(full, f"ablate:{channel}") < clean - 2.0


@pytest.mark.parametrize("channel", ["board", "note", "state"])
def test_every_lie_costs(clean: float, channel: str) -> None:
    assert score(full, f"conflict:{channel}") < clean - 2.0


def test_who_trusts_one_channel_does_not_mind_the_others() -> None:
    assert score(note_only, "conflict:state", "ablate:board") == score(note_only)
    assert score(state_only, "conflict:note", "ablate:board") == score(state_only)
    assert score(note_only, "conflict:note") < 40.0 < score(note_only)


def test_the_learned_mapping_helps_who_has_no_memory() -> None:
    assert score(reader, "aid:mapping") > score(reader) + 10.0


def test_the_name_of_a_note_does_for_its_sound(clean: float) -> None:
    assert score(full, "substitute:note") == clean
