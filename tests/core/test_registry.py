"""The registry: names to things, and errors that name the nearest ones."""

import msgspec
import pytest
from tests.toys import TOYS, quiz

from polyathlon import registry
from polyathlon.core.errors import UserError


def test_an_unknown_env_names_the_nearest() -> None:
    with pytest.raises(UserError, match="did you mean toys/beacon-v0"):
        registry.make("toys/becon-v0")


def test_an_unknown_version_names_those_that_exist() -> None:
    with pytest.raises(UserError, match="these versions exist: toys/quiz-v0"):
        registry.make("toys/quiz-v7")


def test_levels_and_options_are_checked() -> None:
    with pytest.raises(UserError, match="did you mean sum"):
        registry.make("toys/quiz-v0", "summ")
    with pytest.raises(UserError, match="rounds must lie in"):
        registry.make("toys/quorum-v0", options={"rounds": 0})
    with pytest.raises(UserError, match="unknown option of toys/quiz-v0"):
        registry.make("toys/quiz-v0", options={"rounds": 1})


def test_an_id_names_one_env() -> None:
    assert registry.register_env(quiz.SPEC) is quiz.SPEC
    with pytest.raises(UserError, match="registered already"):
        registry.register_env(msgspec.structs.replace(quiz.SPEC, title="Another"))
    with pytest.raises(UserError, match="registered already"):
        registry.register_env(msgspec.structs.replace(quiz.SPEC, id="lmgame/twenty48-v0"))


def test_a_factory_comes_before_the_entry() -> None:
    spec = msgspec.structs.replace(quiz.SPEC, id="test/made-v0", entry="no.such:thing")
    registry.register_env(spec, quiz.Quiz)
    assert isinstance(registry.make("test/made-v0", "sum"), quiz.Quiz)


def test_makes_a_fresh_env_each_time() -> None:
    for spec in TOYS:
        assert registry.make(spec.id) is not registry.make(spec.id)
        assert registry.make(spec.id).spec == spec


def test_policies_are_found_where_declared() -> None:
    assert registry.policy("toys/quiz-v0", "oracle") is quiz.oracle
    assert registry.policy("toys/cartpole-v0", "oracle") is None
    assert registry.policy("toys/quiz-v0", "expert") is None


def test_names_and_factories() -> None:
    registry.register("scorers", "counting", dict)
    assert "counting" in registry.names("scorers")
    assert registry.factory("scorers", "counting") is dict
    with pytest.raises(UserError, match="did you mean counting"):
        registry.factory("scorers", "countin")


def test_built_ins_of_every_kind_exist() -> None:
    for kind in ("tools", "interventions"):
        assert all(callable(registry.factory(kind, name)) for name in registry.names(kind))
