"""Multiple-choice questions: what the probes about bombs and manuals share.

A probe is an env of one step. It makes a `Question` for each seed; `OneQuestion` are its rules,
`Choices` reads the answer, `percept` puts the question, and `metrics` scores it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from polyathlon.core.actions import Malformed, gbnf_literal, tidy
from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.core.controls import Controls
from polyathlon.core.parts import Text
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Outcome, Role, Step

GAME = "Keep Talking and Nobody Explodes"
ABBREVIATION = "KTANE"
LETTERS = "ABCDEFGH"
FEWEST_OPTIONS, MOST_OPTIONS = 2, len(LETTERS)

_LABEL = re.compile(
    r"(?:the )?(?:correct |right |final )?(?:answer|option|choice)\b[ :]*(?:is )?[ :]*"
)
_STATED = re.compile(
    r"\b(?:answer|option|choice)\b\W*(?:(?:is|would be)\b\W*)?([a-h])\b"
    r"(?=[\s)\]*]*(?:[.,:;]|$|(?:is|because|since|as)\b))",
    re.I,
)
_LETTER = re.compile(r"[(\[]?([a-h])(?:[)\]]+[ .:,-]*|[.:,]+ ?|(?= - )|$)(.*)", re.S)


class Question(msgspec.Struct, frozen=True):
    """One item. `answer` is the index of the right option, `derivation` says why it is right.

    `doubt` is the index of the option that declines to decide (something must be known first, or
    does not fit), None without such an option. `given` is what the text says, as data.
    Raises ValueError for options that are too few, too many or equal.
    """

    category: str
    module: str
    text: str
    options: tuple[str, ...]
    answer: int
    derivation: str
    doubt: int | None = None
    hard: bool = False
    given: Mapping[str, JSON] = {}

    def __post_init__(self) -> None:
        if not FEWEST_OPTIONS <= len(self.options) <= MOST_OPTIONS:
            raise ValueError(f"{len(self.options)} options, not 2 to 8: {self.text}")
        if len({tidy(option).lower() for option in self.options}) < len(self.options):
            raise ValueError(f"two options are equal: {self.options}")
        if not 0 <= self.answer < len(self.options):
            raise ValueError(f"option {self.answer} does not exist: {self.text}")

    @property
    def letter(self) -> str:
        """The letter of the right option."""
        return LETTERS[self.answer]


def arranged(right: str, wrong: Sequence[str], place: int, rng: Stream) -> tuple[str, ...]:
    """The options: the wrong ones shuffled, the right one at `place`."""
    options = list(wrong)
    rng.shuffle(options)
    options.insert(place, right)
    return tuple(options)


def listed(options: Sequence[str]) -> str:
    """Options on lines of their own, each behind its letter."""
    return "\n".join(f"{letter}) {text}" for letter, text in zip(LETTERS, options, strict=False))


def percept(question: Question, channel: str = "question") -> Percept:
    """The question and its options; its facts hold what a report needs, and the derivation."""
    text = f"{question.text}\n\n{listed(question.options)}"
    facts: Mapping[str, JSON] = {
        "category": question.category,
        "module": question.module,
        "difficulty": "hard" if question.hard else "easy",
        "suggests": question.letter,
        "derivation": question.derivation,
        "given": question.given,
    }
    return Percept(channel, "text", text, Text, str, facts)


class Choices(msgspec.Struct, frozen=True):
    """The letters of 2 to 8 options; the action is a capital letter."""

    options: tuple[str, ...]

    @property
    def letters(self) -> str:
        return LETTERS[: len(self.options)]

    def parse(self, text: str) -> str | Malformed:
        """A letter, however it is bracketed, alone or before more words; an option's words; or the
        last letter that a sentence calls the answer, the option or the choice.

        A letter with the words of another option is malformed.
        """
        answer = _LABEL.sub("", tidy(text).lower(), count=1).strip(" *`'\"")
        by_words = self._by_words(answer)
        if by_words is not None:
            return by_words
        found = _LETTER.fullmatch(answer)
        stated = [found[1]] if found else _STATED.findall(tidy(text))
        if not stated or stated[-1].upper() not in self.letters:
            return Malformed(f"no letter from A to {self.letters[-1]}", text[:200])
        letter = stated[-1].upper()
        if found and self._by_words(found[2].strip(" -")) not in (None, letter):
            return Malformed(f"{letter} with the words of another option", text[:200])
        return letter

    def write(self, action: str) -> str:
        return action

    def sample(self, rng: Stream) -> str:
        return rng.choice(self.letters)

    def describe(self) -> str:
        return f"one letter from A to {self.letters[-1]}"

    def schema(self) -> JSON:
        return {"type": "string", "enum": list(self.letters)}

    def gbnf(self) -> str:
        return " | ".join(map(gbnf_literal, self.letters))

    def from_point(self, channel: str, x: float, y: float) -> str | None:
        return None

    def controls(self) -> Controls:
        """A button for each option."""
        options = zip(self.letters, self.options, strict=True)
        return Controls(buttons={f"{letter}) {text}": letter for letter, text in options})

    def _by_words(self, answer: str) -> str | None:
        for letter, option in zip(self.letters, self.options, strict=True):
            if answer in (words := tidy(option).lower(), f"{letter.lower()} {words}"):
                return letter
        return None


class OneQuestion:
    """The rules of an env that asks one question. `draw(seed)` makes it.

    Any answer ends the episode, an unusable one too: it counts as wrong.
    """

    def __init__(self, role: Role, draw: Callable[[int], Question]) -> None:
        self._role = role
        self._draw = draw

    def reset(self, seed: int) -> None:
        self.question = self._draw(seed)
        self.chosen: str | None = None
        self.turns = 0

    @property
    def correct(self) -> bool:
        """Whether the right letter was chosen."""
        return self.chosen == self.question.letter

    @property
    def doubted(self) -> bool:
        """Whether the option was chosen that declines to decide."""
        doubt = self.question.doubt
        return doubt is not None and self.chosen == LETTERS[doubt]

    def turn(self, role: Role) -> int:
        return self.turns

    def time_us(self) -> int:
        return 0

    def pending(self) -> tuple[Role, ...]:
        return () if self.turns else (self._role,)

    def act(self, role: Role, action: str | Malformed) -> Step:
        if self.turns:
            return Step.illegal()
        self.turns = 1
        if isinstance(action, Malformed):
            return Step.malformed()
        if action not in LETTERS[: len(self.question.options)]:
            return Step.illegal()
        self.chosen = action
        return Step.ok({role: float(self.correct)})

    def advance_to(self, time_us: int) -> Step:
        return Step.ok()

    def outcome(self) -> Outcome | None:
        if not self.turns:
            return None
        return Outcome("right", winners=(self._role,)) if self.correct else Outcome("wrong")

    def state(self) -> JSON:
        question: JSON = msgspec.to_builtins(self.question)
        return {"question": question, "chosen": self.chosen, "turns": self.turns}


def metrics(rules: OneQuestion) -> dict[str, float]:
    """`raw_score` and `correct` 1 for the right option; `answered`, `doubted`; the `chance` of a
    blind guess."""
    return {
        "raw_score": float(rules.correct),
        "correct": float(rules.correct),
        "answered": float(rules.chosen is not None),
        "doubted": float(rules.doubted),
        "chance": 1 / len(rules.question.options),
    }
