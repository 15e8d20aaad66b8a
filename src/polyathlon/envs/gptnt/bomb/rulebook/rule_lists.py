"""Random first-match rule lists for Wires and the Button in which every rule matters.

Lists are drawn until each rule is the first match of some case that the list without it answers
differently, so that no rule is unreachable or redundant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement
from typing import TypeAlias, TypeVar, get_args

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook import button, wires
from polyathlon.envs.gptnt.bomb.rulebook.book import (
    ButtonCondition,
    ButtonRule,
    ColourIs,
    Cut,
    Do,
    LabelIs,
    LastWire,
    WireColour,
    WireCondition,
    WireRule,
    WiresOf,
)
from polyathlon.envs.gptnt.bomb.rulebook.facts import (
    Batteries,
    CasingCondition,
    CasingFacts,
    HasPort,
    Indicator,
    Lit,
    Port,
    SerialIs,
)

Rule = TypeVar("Rule")
Case = TypeVar("Case")
_Wires: TypeAlias = tuple[WireColour, ...]

PORTS: tuple[Port, ...] = get_args(Port)
INDICATORS: tuple[Indicator, ...] = get_args(Indicator)
ANSWERS: tuple[Do, ...] = get_args(Do)
BUTTON_RULES = 6
_FOUR_RULES = _TWO_CONDITIONS = 0.4
_SERIAL = (SerialIs("letter_first"), SerialIs("odd"))


def draw_wire_rules(count: int, rng: Stream) -> tuple[WireRule, ...]:
    """Three or four rules for `count` wires, longer conditions first, and one that always holds."""

    def match(rules: Sequence[WireRule], case: tuple[_Wires, CasingFacts]) -> WireRule:
        return wires.first_match(rules, *case)

    def answer(rule: WireRule, case: tuple[_Wires, CasingFacts]) -> int:
        return wires.position(rule.cut, case[0])

    while True:
        size = 4 if rng.uniform() < _FOUR_RULES else 3
        drawn = [_wire_rule(count, rng) for _ in range(size)]
        drawn.sort(key=lambda rule: -len(rule.when))
        rules = (*drawn, WireRule(_any_cut(count, rng)))
        if all_matter(rules, lambda rule: _wire_cases(count, rule), match, answer):
            return rules


def draw_button_rules(rng: Stream) -> tuple[ButtonRule, ...]:
    """Six rules, about half of them with two conditions, the sixth a tap, and then: hold."""

    def match(rules: Sequence[ButtonRule], case: tuple[button.Button, CasingFacts]) -> ButtonRule:
        return button.first_match(rules, *case)

    while True:
        firsts, seconds = _button_conditions(rng)
        answers: list[Do] = [*(rng.choice(ANSWERS) for _ in range(BUTTON_RULES - 1)), "tap"]
        drawn = [_button_rule(do, firsts, seconds, rng) for do in answers]
        rules = (*drawn, ButtonRule("hold"))
        if all_matter(rules, _button_cases, match, lambda rule, _: rule.do):
            return rules


def all_matter(
    rules: tuple[Rule, ...],
    cases: Callable[[Rule], Iterable[Case]],
    match: Callable[[Sequence[Rule], Case], Rule],
    answer: Callable[[Rule, Case], object],
) -> bool:
    """Whether each rule is reached in some of its `cases` and changes the answer there.

    The last rule, which always holds, only has to be reached.
    """

    def matters(index: int) -> bool:
        rule, rest = rules[index], rules[:index] + rules[index + 1 :]
        is_last = index == len(rules) - 1
        return any(
            match(rules, case) is rule
            and (is_last or answer(match(rest, case), case) != answer(rule, case))
            for case in cases(rule)
        )

    return all(matters(index) for index in range(len(rules)))


def _wire_rule(count: int, rng: Stream) -> WireRule:
    conditions = [_wire_condition(rng)]
    if rng.uniform() < _TWO_CONDITIONS:
        conditions.append(_second_condition(conditions[0], rng))
    named = [c for c in conditions if isinstance(c, WiresOf) and c.count != "none"]
    if named and rng.below(2):
        return WireRule(_cut_of(rng.choice(named), rng), tuple(conditions))
    return WireRule(_any_cut(count, rng), tuple(conditions))


def _second_condition(first: WireCondition, rng: Stream) -> WireCondition:
    casing: list[CasingCondition] = [*_SERIAL, *map(HasPort, PORTS)]
    while True:
        second = rng.choice(casing) if rng.below(2) else _wire_condition(rng)
        if second != first:
            return second


def _wire_condition(rng: Stream) -> WireCondition:
    colour = rng.choice(wires.COLOURS)
    options: tuple[WireCondition, ...] = (
        WiresOf(colour, "none"),
        WiresOf(colour, "one"),
        WiresOf(colour, "several"),
        LastWire(colour),
    )
    return rng.choice(options)


def _cut_of(condition: WiresOf, rng: Stream) -> Cut:
    if condition.count == "one":
        return Cut(1, condition.colour)
    return Cut("last" if rng.below(2) else 1, condition.colour)


def _any_cut(count: int, rng: Stream) -> Cut:
    place = 1 + rng.below(count)
    return Cut("last" if place == count else place)


def _wire_cases(count: int, rule: WireRule) -> Iterator[tuple[_Wires, CasingFacts]]:
    facts = _exactly(rule.when, batteries=0)
    return ((colours, facts) for colours in _arrangements(count))


@cache
def _arrangements(count: int) -> tuple[_Wires, ...]:
    """Every choice of colours, in every rotation of one order: 1,260 for six wires."""
    return tuple(
        dict.fromkeys(
            colours[turn:] + colours[:turn]
            for colours in combinations_with_replacement(wires.COLOURS, count)
            for turn in range(count)
        )
    )


def _button_conditions(
    rng: Stream,
) -> tuple[tuple[ButtonCondition, ...], tuple[ButtonCondition, ...]]:
    """The first and the second conditions that the rules of one list may use."""
    ports, indicators = list(PORTS), list(INDICATORS)
    rng.shuffle(ports)
    rng.shuffle(indicators)
    firsts: tuple[ButtonCondition, ...] = (
        *map(ColourIs, button.COLOURS),
        *map(Batteries, (1, 2)),
        *map(HasPort, ports[:3]),
    )
    seconds: tuple[ButtonCondition, ...] = (
        *map(LabelIs, button.LABELS),
        *map(Lit, indicators[:3]),
        *map(HasPort, ports[3:]),
        *_SERIAL,
    )
    return firsts, seconds


def _button_rule(
    do: Do, firsts: tuple[ButtonCondition, ...], seconds: tuple[ButtonCondition, ...], rng: Stream
) -> ButtonRule:
    second = (rng.choice(seconds),) if rng.below(2) else ()
    return ButtonRule(do, (rng.choice(firsts), *second))


def _button_cases(rule: ButtonRule) -> Iterator[tuple[button.Button, CasingFacts]]:
    for batteries in range(4):
        facts = _exactly(rule.when, batteries)
        for colour in button.COLOURS:
            for label in button.LABELS:
                yield button.Button(colour, label), facts


def _exactly(conditions: Iterable[object], batteries: int) -> CasingFacts:
    """A casing on which these conditions hold and no other that the lists use.

    Whatever else is on the casing could only make more of the earlier rules match.
    """
    wanted = set(conditions)
    first = "B" if SerialIs("letter_first") in wanted else "2"
    last = "1" if SerialIs("odd") in wanted else "2"
    return CasingFacts(
        serial=f"{first}22BB{last}",
        batteries=batteries,
        lit=frozenset(c.label for c in wanted if isinstance(c, Lit)),
        ports=frozenset(c.port for c in wanted if isinstance(c, HasPort)),
    )
