"""Small worlds that use every part of the env contract. Importing registers them.

The vigil takes too long for what plays every toy on the wall's clock, and is none of `TOYS`.
"""

from tests.toys import beacon, cartpole, quiz, quorum, relay, vigil

from polyathlon import registry
from polyathlon.core.world import Env

TOYS = (
    *(registry.register_env(toy.SPEC) for toy in (beacon, quorum, relay, quiz)),
    cartpole.SPEC,
)
registry.register_env(vigil.SPEC)


def beacon_env(level: str | None = None) -> Env:
    """A beacon. Like the factories below it pickles, and registers the toys where it arrives."""
    return registry.make(beacon.SPEC.id, level)


def quorum_env(level: str | None = None) -> Env:
    return registry.make(quorum.SPEC.id, level)


def relay_env(level: str | None = None) -> Env:
    return registry.make(relay.SPEC.id, level)


def quiz_env(level: str | None = None) -> Env:
    return registry.make(quiz.SPEC.id, level)


def cartpole_env(level: str | None = None) -> Env:
    return registry.make(cartpole.SPEC.id, level)


def vigil_env(level: str | None = None) -> Env:
    return registry.make(vigil.SPEC.id, level)


FACTORIES = (beacon_env, quorum_env, relay_env, quiz_env, cartpole_env, vigil_env)
