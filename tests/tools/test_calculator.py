"""The calculator: arithmetic and nothing else."""

from __future__ import annotations

import asyncio
import math
import operator

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon.core.parts import Part
from polyathlon.core.tools import tool_schema
from polyathlon.tools.calculator import MAX_BITS, Expression, calculator, evaluate


class NoMedia:
    def media(self, id: str) -> Part:
        raise KeyError(id)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 * (3 + 4)", 14),
        (" 7 // 2 + 7 % 2 ", 4),
        ("-2 ** 2", -4),
        ("2 ** -1", 0.5),
        ("10 / 4", 2.5),
        ("sqrt(16) + max(1, 2, 3)", 7.0),
        ("round(2.675, 2)", round(2.675, 2)),
        ("sin(pi / 2)", 1.0),
        ("1e3", 1000.0),
        ("2 ** 4095 % 10 ** 6", 2**4095 % 10**6),
        ("round(2.5) + round(1234, -2)", 1202),
        ("0 ** 99999999", 0),
        ("1 ** 99999999", 1),
    ],
)
def test_values(expression: str, value: float) -> None:
    assert evaluate(expression) == value


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("", "arithmetic"),
        ("2 +", "arithmetic"),
        ("1 / 0", "division by zero"),
        ("2 ** 5000", "too large"),
        ("9 ** 9 ** 9", "too large"),
        ("10.0 ** 400", "too large"),
        ("2 ** 4096", "too large"),
        ("round(5, -999999999)", "too large"),
        ("round(5, 0.5)", "arithmetic"),
        ("(-8) ** 0.5", "not real"),
        ("sqrt(-1)", "math domain|nonnegative"),
        ("True + 1", "only numbers"),
        ("'a' * 9", "only numbers"),
        ("(1).__class__", "only numbers"),
        ("__import__('os')", "only numbers"),
        ("[1] * 9", "only numbers"),
        ("x := 3", "arithmetic"),
        ("lambda: 1", "only numbers"),
        ("max(1, key=2)", "only numbers"),
        ("max(*[1])", "only numbers"),
        ("sqrt(1, 2, 3)", "arithmetic"),
        ("1j", "only numbers"),
        ("1 < 2", "only numbers"),
        ("(" * 290 + "1", "arithmetic"),
        ("1" * 400, "split it"),
        ("a\x00b", "."),
    ],
)
def test_everything_else_is_refused_with_a_reason(expression: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        evaluate(expression)


PIECES = ["1", "2.5", "99", "1e308", "+", "-", "*", "/", "//", "%", "**", "(", ")", ",", " "]
PIECES += ["sqrt", "exp", "round", "floor", "max", "pi", "e", "x", ".", "[", "]", "'", "\n", "_"]


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_any_text_gives_a_bounded_number_or_a_value_error(expression: str) -> None:
    try:
        value = evaluate(expression)
    except ValueError:
        return
    assert isinstance(value, int | float)
    assert math.isfinite(value) if isinstance(value, float) else value.bit_length() <= MAX_BITS


@given(st.integers(-999, 999), st.integers(-999, 999), st.sampled_from("+-*"))
def test_agrees_with_the_language(left: int, right: int, sign: str) -> None:
    function = {"+": operator.add, "-": operator.sub, "*": operator.mul}[sign]
    assert evaluate(f"({left}) {sign} ({right})") == function(left, right)


def test_as_a_tool() -> None:
    tool = calculator()
    schema = tool_schema(tool)
    assert schema.name == "calculator"
    assert schema.parameters["required"] == ["expression"]  # type: ignore[index,call-overload]
    good = asyncio.run(tool.run(Expression("6*7"), NoMedia()))
    assert [part.text for part in good.parts] == ["42"]  # type: ignore[union-attr]
    bad = asyncio.run(tool.run(Expression("6*"), NoMedia()))
    assert bad.error.startswith("bad_expression: ")
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"expression": "1" * 1000}, tool.arguments)
