"""What holds for every rule book, whatever its seed."""

import hashlib
import random
from collections.abc import Callable
from itertools import combinations
from typing import Any, get_args

import msgspec
import pytest

from polyathlon.core.chance import stream
from polyathlon.envs.gptnt.bomb.rulebook import button, maze, memory, morse, variants, wires
from polyathlon.envs.gptnt.bomb.rulebook.book import (
    Label,
    Position,
    RuleBook,
    SameLabel,
    SamePosition,
    Slot,
    standard,
)
from polyathlon.envs.gptnt.bomb.rulebook.facts import CasingFacts, Indicator, Port
from polyathlon.envs.gptnt.bomb.rulebook.generate import Kind, draw
from polyathlon.envs.gptnt.bomb.rulebook.variants import book

KINDS: tuple[Kind, ...] = get_args(Kind)
SAMPLES = 30_000


@pytest.fixture(scope="module", params=[30, pytest.param(1000, marks=pytest.mark.slow)])
def books(request: pytest.FixtureRequest) -> list[RuleBook]:
    return [book(seed) for seed in range(1, request.param + 1)]


def some_casing(rng: random.Random) -> CasingFacts:
    return CasingFacts(
        serial="".join(rng.choice(pool) for pool in ("AB12", "XZ47", "35", "EKL", "MUV", "0123")),
        batteries=rng.randrange(5),
        lit=frozenset(label for label in get_args(Indicator) if rng.random() < 0.4),
        ports=frozenset(port for port in get_args(Port) if rng.random() < 0.5),
    )


def check_every_rule_matters(
    rules: tuple[Any, ...],
    puzzle: Callable[[], Any],
    match: Callable[[Any, Any, CasingFacts], Any],
    answer: Callable[[Any, Any], object],
    rng: random.Random,
) -> None:
    """In random cases, each rule is reached and the list without it would answer otherwise."""
    assert [not rule.when for rule in rules] == [False] * (len(rules) - 1) + [True]
    assert all(len(set(rule.when)) == len(rule.when) for rule in rules)
    waiting = list(range(len(rules)))
    for _ in range(SAMPLES):
        case, facts = puzzle(), some_casing(rng)
        rule = match(rules, case, facts)
        index = next(i for i, other in enumerate(rules) if other is rule)
        if index in waiting:
            without = (*rules[:index], *rules[index + 1 :])
            last = index == len(rules) - 1
            if last or answer(match(without, case, facts), case) != answer(rule, case):
                waiting.remove(index)
        if not waiting:
            return
    raise AssertionError(f"rules {waiting} never matter in {rules}")


def test_every_wire_rule_matters(books: list[RuleBook]) -> None:
    rng = random.Random(1)
    for rules in books:
        assert list(rules.wires.by_count) == [3, 4, 5, 6]
        for count, listed in rules.wires.by_count.items():
            assert len(listed) in (4, 5)
            check_every_rule_matters(
                listed,
                lambda count=count: rng.choices(wires.COLOURS, k=count),
                wires.first_match,
                lambda rule, case: wires.position(rule.cut, case),
                rng,
            )


def test_every_button_rule_matters(books: list[RuleBook]) -> None:
    rng = random.Random(2)
    for rules in books:
        assert rules.button.rules[-1].do == "hold"
        check_every_rule_matters(
            rules.button.rules,
            lambda: button.Button(rng.choice(button.COLOURS), rng.choice(button.LABELS)),
            button.first_match,
            lambda rule, _: rule.do,
            rng,
        )
        digits = [*rules.button.release.values(), rules.button.release_otherwise]
        assert len(set(digits)) == 4
        assert set(digits) <= set(range(10))


def test_four_symbols_fix_the_column(books: list[RuleBook]) -> None:
    for rules in books:
        columns = [set(column) for column in rules.keypad.columns]
        assert [len(column) for column in columns] == [7] * 6
        assert max(len(one & other) for one, other in combinations(columns, 2)) <= 3
        assert len(set().union(*columns)) == 27


def test_simon_answers_every_flash(books: list[RuleBook]) -> None:
    for rules in books:
        for maps in (rules.simon.vowel, rules.simon.no_vowel):
            assert len(maps) == 3
            for answers in maps:
                assert sorted(answers) == ["blue", "green", "red", "yellow"]
                assert len(set(answers.values())) > 1


def test_words_are_permutations_of_their_groups(books: list[RuleBook]) -> None:
    for rules in books:
        assert rules.words.groups == standard().words.groups
        assert set(rules.words.read) == set(standard().words.read)
        assert set(rules.words.read.values()) == set(get_args(Slot))
        for group in rules.words.groups:
            for label in group:
                assert sorted(rules.words.lists[label]) == sorted(group)


def test_memory_refers_to_the_past_only(books: list[RuleBook]) -> None:
    for rules in books:
        assert [len(row) for row in rules.memory.stages] == [4] * memory.STAGES
        for number, row in enumerate(rules.memory.stages, start=1):
            for instruction in row:
                match instruction:
                    case Position(value) | Label(value):
                        assert 1 <= value <= 4
                    case SamePosition(stage) | SameLabel(stage):
                        assert 1 <= stage < number


def test_mazes_are_spanning_trees(books: list[RuleBook]) -> None:
    for rules in books:
        markers = [cell for drawn in rules.maze.mazes for cell in drawn.markers]
        assert len(markers) == len(set(markers)) == 18
        for drawn in rules.maze.mazes:
            walls = "".join(drawn.right + drawn.below)
            assert (len(walls), walls.count("0")) == (60, 35)
            reached = {(0, 0)}
            edge = [(0, 0)]
            for cell in edge:
                open_ways = [way for way in maze.STEPS if not maze.blocked(drawn, cell, way)]
                fresh = {maze.step(cell, way) for way in open_ways} - reached
                reached |= fresh
                edge += fresh
            assert len(reached) == 36


def test_morse_words_sound_different(books: list[RuleBook]) -> None:
    for rules in books:
        frequencies = list(rules.morse.frequencies_khz.values())
        assert len(frequencies) == len(set(frequencies)) == 16
        assert set(frequencies) <= set(variants.FREQUENCIES_KHZ)
        codes = [morse.code(word) for word in rules.morse.frequencies_khz]
        turned = [{code[k:] + code[:k] for k in range(len(code))} for code in codes]
        assert all(not one & other for one, other in combinations(turned, 2))


def test_complicated_wires_can_always_be_drawn(books: list[RuleBook]) -> None:
    for rules in books:
        verdicts = rules.complicated.verdicts
        assert verdicts["white"][0] == "C"
        assert sorted("".join("".join(row) for row in verdicts.values())) == sorted(
            "CCCC" + "DDD" + "SSS" + "PPP" + "BBB"
        )


def test_sequences_count_to_nine(books: list[RuleBook]) -> None:
    possible = {"", "A", "B", "C", "AB", "AC", "BC", "ABC"}
    for rules in books:
        assert {len(ends) for ends in rules.sequence.cut_at.values()} == {9}
        assert {end for ends in rules.sequence.cut_at.values() for end in ends} <= possible


def test_passwords_are_different_words(books: list[RuleBook]) -> None:
    for rules in books:
        assert len(set(rules.password.words)) == len(rules.password.words) == 35
        assert all(len(w) == 5 and w.isalpha() and w.islower() for w in rules.password.words)


def test_seeds_and_modules_differ() -> None:
    drawn = [msgspec.to_builtins(book(seed)) for seed in range(6)]
    for one, other in combinations(drawn, 2):
        assert all(one[kind] != other[kind] for kind in KINDS)


def test_seed_zero_is_the_standard() -> None:
    assert book(0) is standard()


def test_rule_books_never_change() -> None:
    """A change here changes every score under these seeds: it needs a new version of the env."""
    text = b"".join(msgspec.json.encode(book(seed)) for seed in range(4))
    assert hashlib.blake2b(text, digest_size=8).hexdigest() == "13fc10ea456bda7c"


@pytest.mark.parametrize("kind", KINDS)
def test_puzzles_are_the_same_again(kind: Kind) -> None:
    facts = CasingFacts("AB1CD4")
    for seed in range(5):
        one, other = (draw(kind, book(seed), facts, stream(seed, kind)) for _ in range(2))
        assert one == other
