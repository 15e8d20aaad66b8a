"""A calculator: arithmetic read as a syntax tree and evaluated under limits, never executed."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Annotated, TypeAlias

import msgspec

from polyathlon.core.agents import ToolResult
from polyathlon.core.parts import Text
from polyathlon.core.tools import ToolContext

Number: TypeAlias = int | float

MAX_CHARS = 300
MAX_BITS = 4_096
"""Whole numbers stay below 2**MAX_BITS, about 1,200 digits."""

MAX_DIGITS = 400
"""Decimal places, before or after the point, that `round` goes to."""


def _round(value: Number, digits: int = 0) -> Number:
    if abs(digits) > MAX_DIGITS:
        raise OverflowError
    return round(value, digits) if digits else round(value)


_BINARY: Mapping[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_UNARY: Mapping[type[ast.unaryop], Callable[[Number], Number]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
_FUNCTIONS: Mapping[str, Callable[..., Number]] = {
    "abs": abs,
    "ceil": math.ceil,
    "cos": math.cos,
    "exp": math.exp,
    "floor": math.floor,
    "log": math.log,
    "log10": math.log10,
    "log2": math.log2,
    "max": max,
    "min": min,
    "round": _round,
    "sin": math.sin,
    "sqrt": math.sqrt,
    "tan": math.tan,
}
_CONSTANTS: Mapping[str, float] = {"pi": math.pi, "e": math.e, "tau": math.tau}


def evaluate(expression: str) -> Number:
    """The value of an arithmetic expression.

    Knows `+ - * / // % **`, brackets, the constants pi, e, tau and the functions abs, ceil, cos,
    exp, floor, log, log10, log2, max, min, round, sin, sqrt and tan (angles in radians). Raises
    ValueError, with what to change, for anything else and for values that are not finite real
    numbers or need more than MAX_BITS bits.
    """
    if len(expression) > MAX_CHARS:
        raise ValueError(f"longer than {MAX_CHARS} characters: split it")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
        return _value(tree.body)
    except ZeroDivisionError:
        raise ValueError("division by zero") from None
    except OverflowError:
        raise ValueError("a value is too large") from None
    except (SyntaxError, RecursionError, MemoryError, TypeError):
        raise ValueError("not an arithmetic expression, such as 2 * (3 + 4)") from None


def _value(node: ast.expr) -> Number:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return _bounded(number)
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _UNARY:
            return _UNARY[type(sign)](_value(operand))
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left), _value(right))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            return _bounded(_BINARY[type(sign)](_value(left), _value(right)))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            return _bounded(_FUNCTIONS[name](*map(_value, arguments)))
    raise ValueError("only numbers, + - * / // % **, brackets, and functions such as sqrt(2)")


def _power(base: Number, exponent: Number) -> Number:
    whole = isinstance(base, int) and isinstance(exponent, int) and exponent >= 0
    if whole and (int(base).bit_length() - 1) * exponent >= MAX_BITS:
        raise OverflowError
    value: Number | complex = base**exponent
    if isinstance(value, complex):
        raise ValueError("an even root of a negative number is not real")
    return _bounded(value)


def _bounded(value: Number) -> Number:
    if isinstance(value, int):
        if value.bit_length() > MAX_BITS:
            raise OverflowError
    elif not math.isfinite(value):
        raise OverflowError
    return value


class Expression(msgspec.Struct, frozen=True):
    """What to calculate."""

    expression: Annotated[
        str, msgspec.Meta(min_length=1, max_length=MAX_CHARS, examples=["2 * (3 + sqrt(16))"])
    ]


class Calculator:
    """The tool `calculator`. Touches no media, no network and no files."""

    name = "calculator"
    doc = (
        "Evaluates an arithmetic expression: + - * / // % **, brackets, pi, e, tau, abs, ceil, "
        "cos, exp, floor, log, log10, log2, max, min, round, sin, sqrt, tan (radians)."
    )
    arguments: type[msgspec.Struct] = Expression
    timeout_s = 1.0

    async def run(self, arguments: Expression, ctx: ToolContext) -> ToolResult:
        """The value as text, or the error `bad_expression` with what to change."""
        try:
            return ToolResult((Text(str(evaluate(arguments.expression))),))
        except ValueError as error:
            return ToolResult(error=f"bad_expression: {error}")


def calculator() -> Calculator:
    """The calculator tool."""
    return Calculator()
