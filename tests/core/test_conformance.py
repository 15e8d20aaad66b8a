"""Every built-in env and every toy holds the contract."""

from collections.abc import Callable
from operator import attrgetter

import pytest
from tests.toys import FACTORIES, TOYS

from polyathlon import registry
from polyathlon.testing.cases import Case, Factory, cases
from polyathlon.testing.conformance import CHECKS, Check, check_env, check_processes

TOY_CASES = [case for factory in FACTORIES for case in cases(factory, seeds=(0,))]
SPECS = registry.built_in_env_specs().values()
SAMPLED = [(spec.id, level) for spec in SPECS for level in spec.sampled]
OTHERS = [(spec.id, level) for spec in SPECS for level in spec.levels if level not in spec.sampled]


@pytest.mark.parametrize("case", TOY_CASES, ids=str)
@pytest.mark.parametrize("check", CHECKS, ids=attrgetter("__name__"))
def test_toy(check: Check, case: Case) -> None:
    check(case)


@pytest.mark.parametrize(("env", "level"), SAMPLED)
def test_built_in(env: str, level: str) -> None:
    check_env(env, levels=[level], seeds=(0,))


@pytest.mark.slow
@pytest.mark.parametrize(("env", "level"), OTHERS)
def test_built_in_at_levels_that_others_stand_for(env: str, level: str) -> None:
    check_env(env, levels=[level], seeds=(0,))


@pytest.mark.slow
@pytest.mark.parametrize("spec", TOYS, ids=attrgetter("id"))
def test_toy_under_more_seeds(spec) -> None:  # type: ignore[no-untyped-def]
    check_env(spec.id, seeds=range(1, 8))


@pytest.mark.slow
@pytest.mark.parametrize("env", sorted({env for env, _ in SAMPLED}))
def test_built_in_in_a_fresh_process(env: str) -> None:
    check_processes(cases(env, seeds=(3,))[0])


@pytest.mark.slow
@pytest.mark.parametrize("factory", FACTORIES, ids=attrgetter("__name__"))
def test_toy_in_a_fresh_process(factory: Factory) -> None:
    check_processes(cases(factory, seeds=(3,))[0])


def test_one_call_checks_a_factory_of_anybodys() -> None:
    fresh: Callable[[str | None], object] = FACTORIES[1]
    check_env(lambda level: fresh(level))  # type: ignore[arg-type, return-value]
