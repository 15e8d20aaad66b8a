"""EnvSpec: options, levels and names are checked where they are asked for."""

from typing import Any

import pytest

from polyathlon.core.errors import UserError
from polyathlon.core.spec import Channel, EnvSpec, Metric, Option

SPEC = EnvSpec(
    id="test/spec-v0",
    title="",
    doc="",
    entry="nowhere",
    roles=("player",),
    channels=(Channel("board", "image", ""),),
    levels=("easy", "hard"),
    metrics=(Metric("raw_score", ""),),
    options=(
        Option("size", 4, "", 3, 8),
        Option("rate", 0.5, "", 0.0, 1.0),
        Option("fog", False, ""),
        Option("mode", "slow", "", choices=("slow", "fast")),
    ),
)


def test_defaults_are_filled_in() -> None:
    assert SPEC.configure({}) == {"size": 4, "rate": 0.5, "fog": False, "mode": "slow"}


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({"size": "5"}, 5),
        ({"rate": 1}, 1.0),
        ({"rate": "0.25"}, 0.25),
        ({"fog": "on"}, True),
        ({"fog": "False"}, False),
        ({"mode": "fast"}, "fast"),
    ],
)
def test_values_take_the_type_of_their_option(options: dict[str, Any], value: object) -> None:
    (name,) = options
    chosen = SPEC.configure(options)[name]
    assert (type(chosen), chosen) == (type(value), value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 2}, "size must lie in 3..8"),
        ({"size": "many"}, "size takes an? int"),
        ({"size": 4.5}, "size takes an? int"),
        ({"rate": "nan"}, r"rate must lie in 0.0..1.0"),
        ({"fog": "perhaps"}, "fog takes an? bool"),
        ({"mode": "fasst"}, "did you mean fast"),
        ({"sizes": 4}, "did you mean size"),
    ],
)
def test_wrong_options_say_what_is_allowed(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message) as error:
        SPEC.configure(options)
    assert "\n" not in str(error.value)


def test_levels() -> None:
    assert SPEC.level(None) == "easy"
    assert SPEC.level("hard") == "hard"
    with pytest.raises(UserError, match="did you mean hard"):
        SPEC.level("herd")


def test_channels_and_metrics_by_name() -> None:
    assert SPEC.channel("board").modality == "image"
    assert SPEC.metric("raw_score").name == "raw_score"
    with pytest.raises(UserError, match="did you mean board"):
        SPEC.channel("bored")
    with pytest.raises(UserError, match="did you mean raw_score"):
        SPEC.metric("raw_scores")
