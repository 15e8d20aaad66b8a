"""Rule books drawn from a seed: other tables of the same form, consistent and always solvable.

Mechanics, colours, symbols' shapes and the words of Who's On First stay; what varies follows the
degrees of freedom of the community's rule seeds. Each module has a stream of its own, so that a
change in how one is drawn leaves the others alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import TypeVar, get_args

import msgspec
from msgspec import Struct

from polyathlon.core.chance import Stream, stream
from polyathlon.envs.gptnt.bomb.rulebook import (
    button,
    maze,
    memory,
    rule_lists,
    sequence,
    simon,
    wires,
    words,
)
from polyathlon.envs.gptnt.bomb.rulebook.book import (
    ButtonRules,
    Cell,
    ComplicatedRules,
    Instruction,
    KeypadRules,
    Label,
    Lamp,
    MazeMap,
    MazeRules,
    MemoryRules,
    MorseRules,
    PasswordRules,
    Position,
    RuleBook,
    SameLabel,
    SamePosition,
    SequenceRules,
    SimonRules,
    Tint,
    Verdict,
    WiresRules,
    WordsRules,
    standard,
)

Item = TypeVar("Item")

STANDARD = 0
FREQUENCIES_KHZ = (
    *(502, 505, 512, 515, 522, 525, 532, 535, 542, 545, 552),
    *(555, 562, 565, 572, 575, 582, 585, 592, 595, 600),
)
_COLUMNS, _COLUMN_LENGTH, _REUSED = 6, 7, 3
_MAPS = 3
_MAZES = 9
_MORSE_WORDS, _MORSE_CORE = 16, 8
_PASSWORDS, _PASSWORD_CORE = 35, 17
_CUT_AT_END = 0.45


class Pools(Struct, frozen=True):
    """What rule books choose from: 31 symbol names and two sets of lower-case words."""

    symbols: tuple[str, ...]
    morse: tuple[str, ...]
    passwords: tuple[str, ...]


@lru_cache(maxsize=256)
def book(rule_seed: int) -> RuleBook:
    """The rule book of a seed, any integer; 0 is the standard.

    Drawing one takes some 50 ms, nearly all of it spent on rule lists without idle rules.
    """
    if rule_seed == STANDARD:
        return standard()

    def rng(module: str) -> Stream:
        return stream(rule_seed, "gptnt/defusal", "rulebook", module)

    return RuleBook(
        wires=_wires(rng("wires")),
        button=_button(rng("button")),
        keypad=_keypad(rng("keypad")),
        simon=_simon(rng("simon")),
        words=_words(rng("words")),
        memory=_memory(rng("memory")),
        maze=_maze(rng("maze")),
        morse=_morse(rng("morse")),
        complicated=_complicated(rng("complicated")),
        sequence=_sequence(rng("sequence")),
        password=_password(rng("password")),
    )


@cache
def _pools() -> Pools:
    text = files(__package__).joinpath("pools.json").read_bytes()
    return msgspec.json.decode(text, type=Pools)


def _shuffled(items: Sequence[Item], rng: Stream) -> list[Item]:
    copy = list(items)
    rng.shuffle(copy)
    return copy


def _wires(rng: Stream) -> WiresRules:
    counts = range(wires.FEWEST, wires.MOST + 1)
    return WiresRules({count: rule_lists.draw_wire_rules(count, rng) for count in counts})


def _button(rng: Stream) -> ButtonRules:
    """Three strip colours and the others have a digit each, all different."""
    strips = _shuffled(button.COLOURS, rng)[:3]
    *digits, otherwise = _shuffled(range(10), rng)[:4]
    release = dict(zip(strips, digits, strict=True))
    return ButtonRules(rule_lists.draw_button_rules(rng), release, otherwise)


def _keypad(rng: Stream) -> KeypadRules:
    """Each column after the first takes three symbols that occurred once, the rest are new."""
    new = _shuffled(_pools().symbols, rng)
    columns: list[list[str]] = []
    once: list[str] = []
    for index in range(_COLUMNS):
        reused = _shuffled(once, rng)[: _REUSED if index else 0]
        fresh = [new.pop() for _ in range(_COLUMN_LENGTH - len(reused))]
        once = [symbol for symbol in once if symbol not in reused] + fresh
        columns.append(_shuffled(reused + fresh, rng))
    return KeypadRules(tuple(map(tuple, columns)))


def _simon(rng: Stream) -> SimonRules:
    maps = tuple(_simon_map(rng) for _ in range(2 * _MAPS))
    return SimonRules(vowel=maps[:_MAPS], no_vowel=maps[_MAPS:])


def _simon_map(rng: Stream) -> dict[Lamp, Lamp]:
    """Any map but a constant one."""
    while True:
        answers = {flash: rng.choice(simon.LAMPS) for flash in simon.LAMPS}
        if len(set(answers.values())) > 1:
            return answers


def _words(rng: Stream) -> WordsRules:
    """Every slot is read for some display."""
    rules = standard().words
    displays = _shuffled(sorted(rules.read), rng)
    extra = [rng.choice(words.SLOTS) for _ in displays[len(words.SLOTS) :]]
    lists = {label: tuple(_shuffled(group, rng)) for group in rules.groups for label in group}
    read = dict(sorted(zip(displays, [*words.SLOTS, *extra], strict=True)))
    return WordsRules(read, rules.groups, lists)


def _memory(rng: Stream) -> MemoryRules:
    stages = range(1, memory.STAGES + 1)
    return MemoryRules(
        tuple(tuple(_instruction(stage, rng) for _ in range(memory.BUTTONS)) for stage in stages)
    )


def _instruction(stage: int, rng: Stream) -> Instruction:
    """Even stages refer back to positions, odd ones to labels."""
    back = SamePosition if stage % 2 == 0 else SameLabel
    options: list[Instruction] = [
        *(Position(place) for place in range(1, memory.BUTTONS + 1)),
        Label(1 + rng.below(memory.BUTTONS)),
        *(back(earlier) for earlier in range(1, stage)),
    ]
    return rng.choice(options)


def _maze(rng: Stream) -> MazeRules:
    cells = _shuffled(maze.CELLS, rng)[: 2 * _MAZES]
    pairs = zip(cells[::2], cells[1::2], strict=True)
    return MazeRules(tuple(_maze_map(pair, rng) for pair in pairs))


def _maze_map(markers: tuple[Cell, Cell], rng: Stream) -> MazeMap:
    """Walls wherever a randomised depth-first search of all cells opened no passage."""
    start = rng.choice(maze.CELLS)
    passages: set[tuple[Cell, Cell]] = set()
    seen, trail = {start}, [start]
    while trail:
        cell = trail[-1]
        near = [maze.step(cell, direction) for direction in maze.STEPS]
        unseen = [other for other in near if maze.inside(other) and other not in seen]
        if not unseen:
            trail.pop()
            continue
        other = rng.choice(unseen)
        passages |= {(cell, other), (other, cell)}
        seen.add(other)
        trail.append(other)

    def walls(rows: int, columns: int, direction: maze.Direction) -> tuple[str, ...]:
        return tuple(
            "".join(
                "0" if ((row, column), maze.step((row, column), direction)) in passages else "1"
                for column in range(columns)
            )
            for row in range(rows)
        )

    size = maze.SIZE
    return MazeMap(markers, walls(size, size - 1, "right"), walls(size - 1, size, "down"))


def _morse(rng: Stream) -> MorseRules:
    chosen = sorted(_alike(_pools().morse, _MORSE_CORE, _MORSE_WORDS, rng))
    frequencies = _shuffled(FREQUENCIES_KHZ, rng)[:_MORSE_WORDS]
    return MorseRules(dict(zip(chosen, frequencies, strict=True)))


def _complicated(rng: Stream) -> ComplicatedRules:
    """A plain white wire is always cut; the other fifteen states share the letters evenly."""
    letters: list[Verdict] = list(get_args(Verdict)) * 3
    rng.shuffle(letters)
    draw = letters.pop
    verdicts: dict[Tint, tuple[Verdict, Verdict, Verdict, Verdict]] = {
        "white": ("C", draw(), draw(), draw()),
        "red": (draw(), draw(), draw(), draw()),
        "blue": (draw(), draw(), draw(), draw()),
        "red+blue": (draw(), draw(), draw(), draw()),
    }
    return ComplicatedRules(verdicts)


def _sequence(rng: Stream) -> SequenceRules:
    def ends() -> str:
        return "".join(end for end in sequence.ENDS if rng.uniform() < _CUT_AT_END)

    count = range(sequence.MOST_OF_COLOUR)
    return SequenceRules({colour: tuple(ends() for _ in count) for colour in sequence.COLOURS})


def _password(rng: Stream) -> PasswordRules:
    chosen = _alike(_pools().passwords, _PASSWORD_CORE, _PASSWORDS, rng)
    return PasswordRules(tuple(sorted(chosen)))


def _alike(pool: Sequence[str], core: int, size: int, rng: Stream) -> list[str]:
    """`core` random words and those of the pool most like them, none a rotation of another."""
    shuffled = _shuffled(pool, rng)
    first, rest = shuffled[:core], shuffled[core:]
    rest.sort(key=lambda word: min(_difference(word, other) for other in first))
    chosen: list[str] = []
    for word in first + rest:
        if len(chosen) < size and not any(_is_rotation(word, other) for other in chosen):
            chosen.append(word)
    return chosen


def _difference(one: str, other: str) -> int:
    """Places that differ, plus the difference in length."""
    return sum(map(str.__ne__, one, other)) + abs(len(one) - len(other))


def _is_rotation(one: str, other: str) -> bool:
    return len(one) == len(other) and one in other + other
