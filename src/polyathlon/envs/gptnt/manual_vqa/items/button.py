"""Items about the Button."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.casing import LABELS
from polyathlon.envs.gptnt.bomb.manual.wording import condition
from polyathlon.envs.gptnt.bomb.rulebook import button
from polyathlon.envs.gptnt.bomb.rulebook.book import (
    ButtonCondition,
    ButtonRule,
    ButtonRules,
    ColourIs,
    LabelIs,
    RuleBook,
)
from polyathlon.envs.gptnt.bomb.rulebook.facts import CasingFacts, Indicator
from polyathlon.envs.gptnt.manual_vqa.items import sides
from polyathlon.envs.gptnt.manual_vqa.items.wording import (
    TRIES,
    Draft,
    nth,
    ordinal,
    others,
    said,
    series,
    shuffled,
)

_DO = {"tap": "Press it and let go at once", "hold": "Press it and keep it down"}
_ASKS = ("How is it to be pressed?", "What do you tell them to do first?", "Tap or hold?")
_LETTING_GO = ("When may it be let go?", "At which moment do they release it?")
_WHOLE = ("What is to be done, from the press to the release?", "Give the complete instruction.")
_NEEDS = (
    *sides.NEEDS.values(),
    "the word on the button",
    "the colour of the button",
    "the colour of the strip",
)
_UNKNOWN_COLOURS = ("green", "purple", "orange", "black")
_UNKNOWN_LABELS = ("defuse", "panic", "start")
_HIDDEN = ("strip", "label", sides.BATTERIES, "colour", sides.INDICATORS, "strip")


def reading(book: RuleBook, index: int, rng: Stream) -> Draft:
    """What a rule says to do, which condition it has, and which digit a strip's colour has."""
    rules = book.button.rules
    entries: list[tuple[str, int]] = [
        *(("do", place) for place in range(len(rules))),
        *(("when", place) for place in range(len(rules) - 1)),
        *(("strip", place) for place in range(len(button.COLOURS))),
    ]
    asked, place = nth(entries, index, "button")
    given: dict[str, JSON] = {"asked": asked, "place": place}
    if asked == "strip":
        strip = button.COLOURS[place]
        text = f"The strip beside a held button is {strip}. Which digit do the rules name for it?"
        right = _digit(button.release_digit(book.button, strip))
        wrong: Iterable[str] = map(_digit, _digits(book.button, strip, rng))
    elif asked == "do":
        text = f"What do the rules for the button say about {_case(rules[place])}?"
        right, wrong = _DO[rules[place].do], _DO.values()
    else:
        text = f"On which condition is the {ordinal(place)} rule for the button?"
        right, wrong = _when(rules[place]), map(_when, shuffled(rules[:-1], rng))
    return Draft(
        text=text, right=right, wrong=others(right, wrong), why="read", given=given, needs=_NEEDS
    )


def procedural(book: RuleBook, index: int, rng: Stream) -> Draft:
    """Tap or hold, when to let go, and both together (hard)."""
    kind = ("first", "whole", "release", "whole")[index % 4]
    if kind == "release":
        return _release(book.button, rng)
    puzzle, casing = _aimed(book.button, index // 2, rng)
    strip = button.draw_strip(rng)
    rule = button.first_match(book.button.rules, puzzle, casing.facts)
    words = f"{_tell(puzzle.colour, puzzle.label, rng)} {sides.tell(casing, rng)}"
    given: dict[str, JSON] = {"colour": puzzle.colour, "label": puzzle.label, **casing.without(())}
    why = f"{_case(rule)}: {rule.do}"
    if kind == "first":
        right = _DO[rule.do]
        text = f"{said(words, rng)} {rng.choice(_ASKS)}"
        wrong = others(right, _DO.values())
        return Draft(text=text, right=right, wrong=wrong, why=why, given=given, needs=_NEEDS)
    words = f"{words} When it is held, a strip beside it turns {strip}."
    digit = button.release_digit(book.button, strip)
    right = _DO["tap"] if rule.do == "tap" else _hold(digit)
    other = [_DO["tap"], _hold(digit), *map(_hold, _digits(book.button, strip, rng))]
    return Draft(
        text=f"{said(words, rng)} {rng.choice(_WHOLE)}",
        right=right,
        wrong=others(right, other),
        why=f"{why}; {strip} strip: {digit}",
        given={**given, "strip": strip},
        needs=_NEEDS,
        hard=True,
    )


def ambiguity(book: RuleBook, index: int, rng: Stream) -> Draft:
    """One fact is not told: the strip's colour, or what tap or hold depends on."""
    hidden = _HIDDEN[index % len(_HIDDEN)]
    for _ in range(TRIES if hidden != "strip" else 0):
        puzzle, casing = _aimed(book.button, rng.below(len(book.button.rules)), rng)
        cases = dict(_completions(puzzle, casing.facts, hidden))
        answers = {case: button.to_do(book.button, *each) for case, each in cases.items()}
        if len(set(answers.values())) > 1:
            return _unclear(puzzle, casing, hidden, answers, rng)
    return _unclear_strip(book.button, rng)


def hallucination(book: RuleBook, index: int, rng: Stream) -> Draft:
    """A colour or a word that the button never has."""
    puzzle, casing = button.draw(rng), sides.draw(rng)
    colour: str = puzzle.colour
    label: str = puzzle.label
    if index % 2:
        label = strange = _UNKNOWN_LABELS[index // 2 % len(_UNKNOWN_LABELS)]
    else:
        colour = strange = _UNKNOWN_COLOURS[index // 2 % len(_UNKNOWN_COLOURS)]
    words = f"{_tell(colour, label, rng)} {sides.tell(casing, rng)}"
    return Draft(
        text=f"{said(words, rng)} {rng.choice(_WHOLE)}",
        wrong=others("", [_DO["tap"], *map(_hold, _digits(book.button, None, rng))]),
        why=f"no button is {strange}",
        given={"colour": colour, "label": label, **casing.without(())},
        needs=_NEEDS,
    )


def _release(rules: ButtonRules, rng: Stream) -> Draft:
    strip, puzzle = button.draw_strip(rng), button.draw(rng)
    digit = button.release_digit(rules, strip)
    words = rng.choice(
        (
            f"I am holding the {puzzle.colour} button. The strip next to it glows {strip}.",
            f"Holding it now, and a {strip} light came on at its side.",
            f"The button marked {puzzle.label.upper()} is down; the strip shows {strip}.",
        )
    )
    return Draft(
        text=f"{said(words, rng)} {rng.choice(_LETTING_GO)}",
        right=_let_go(digit),
        wrong=others(_let_go(digit), map(_let_go, _digits(rules, strip, rng))),
        why=f"{strip} strip: {digit}",
        given={"strip": strip},
        needs=_NEEDS,
    )


def _unclear_strip(rules: ButtonRules, rng: Stream) -> Draft:
    puzzle = button.draw(rng)
    words = rng.choice(
        (
            f"I am holding the {puzzle.colour} button down, and the strip beside it has lit up.",
            f"It says {puzzle.label.upper()}. I keep it pressed and some light came on.",
        )
    )
    answers = {strip: button.release_digit(rules, strip) for strip in button.COLOURS}
    return Draft(
        text=f"{said(words, rng)} {rng.choice(_LETTING_GO)}",
        missing="the colour of the strip",
        wrong=others("", map(_let_go, [*answers.values(), *_digits(rules, None, rng)])),
        why="; ".join(f"{strip}: {digit}" for strip, digit in answers.items()),
        given={"holding": True},
    )


def _unclear(
    puzzle: button.Button,
    casing: sides.Sides,
    hidden: str,
    answers: Mapping[str, str],
    rng: Stream,
) -> Draft:
    colour = None if hidden == "colour" else puzzle.colour
    label = None if hidden == "label" else puzzle.label
    words = f"{_tell(colour, label, rng)} {sides.tell(casing, rng, (hidden,))}"
    missing = {"colour": "the colour of the button", "label": "the word on the button"}
    return Draft(
        text=f"{said(words, rng)} {rng.choice(_ASKS)}",
        missing={**missing, **sides.NEEDS}[hidden],
        wrong=tuple(_DO.values()),
        why="; ".join(f"{case}: {do}" for case, do in answers.items()),
        given={"colour": colour, "label": label, **casing.without((hidden,))},
    )


def _completions(
    puzzle: button.Button, facts: CasingFacts, hidden: str
) -> Iterator[tuple[str, tuple[button.Button, CasingFacts]]]:
    """What the hidden fact may be, with the whole case that it makes."""
    match hidden:
        case "colour":
            for colour in button.COLOURS:
                yield colour, (replace(puzzle, colour=colour), facts)
        case "label":
            for label in button.LABELS:
                yield label, (replace(puzzle, label=label), facts)
        case sides.BATTERIES:
            for count in range(4):
                yield f"{count} batteries", (puzzle, replace(facts, batteries=count))
        case _:
            lit: Sequence[frozenset[Indicator]] = [frozenset(), *map(_only, LABELS)]
            for labels in lit:
                yield f"lit {sorted(labels)}", (puzzle, replace(facts, lit=labels))


def _only(label: Indicator) -> frozenset[Indicator]:
    return frozenset((label,))


def _aimed(rules: ButtonRules, index: int, rng: Stream) -> tuple[button.Button, sides.Sides]:
    """A button and edges that the rule of this number decides, if some draws bring it."""
    rule = rules.rules[index % len(rules.rules)]
    for _ in range(TRIES):
        puzzle, casing = button.draw(rng), sides.draw(rng)
        if button.first_match(rules.rules, puzzle, casing.facts) is rule:
            break
    return puzzle, casing


def _digits(rules: ButtonRules, strip: str | None, rng: Stream) -> list[int]:
    """The digits of other strips, then any."""
    named = [rules.release_otherwise, *(d for s, d in rules.release.items() if s != strip)]
    return [*shuffled(dict.fromkeys(named), rng), *shuffled(range(10), rng)]


def _tell(colour: str | None, label: str | None, rng: Stream) -> str:
    """The button in words; None is not told."""
    colour = f"{colour} " if colour else ""
    if label is None:
        return rng.choice(
            (f"One big {colour}button with a word on it.", f"Just a round {colour}button here.")
        )
    return rng.choice(
        (
            f"One big {colour}button that says {label.upper()}.",
            f"A round {colour}button, and on it the word {label.upper()}.",
            f"There is a single {colour}button labelled {label.capitalize()}.",
        )
    )


def _hold(digit: int) -> str:
    return f"Keep it down and let go while the countdown shows a {digit}"


def _let_go(digit: int) -> str:
    return f"While the countdown shows a {digit} anywhere"


def _digit(digit: int) -> str:
    return f"The digit {digit}"


def _case(rule: ButtonRule) -> str:
    return f"the case that {_when(rule)}" if rule.when else "all other cases"


def _when(rule: ButtonRule) -> str:
    return series(map(_condition, rule.when))


def _condition(found: ButtonCondition) -> str:
    match found:
        case ColourIs(colour):
            return f"the button is {colour}"
        case LabelIs(label):
            return f"the button says {label.upper()}"
        case _:
            return condition(found)
