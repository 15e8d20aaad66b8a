"""Items about Who's On First."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook import words
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook, Slot, WordsRules
from polyathlon.envs.gptnt.manual_vqa.items.wording import (
    TRIES,
    Draft,
    nth,
    ordinal,
    others,
    said,
    shuffled,
)

_DISPLAYS_READ = 20
_LISTED = 5
_SOUNDS = (
    ("led", ("LED", "LEAD")),
    ("there", ("THERE", "THEIR", "THEY'RE")),
    ("reed", ("REED", "READ")),
    ("your", ("YOUR", "YOU'RE")),
    ("see", ("SEE", "CEE", "C")),
    ("leed", ("LEED", "LEAD")),
)
_UNKNOWN_DISPLAYS = ("STOP", "MAYBE", "HELLO", "BLUE")
_UNKNOWN_LABELS = ("GO", "NEVER", "AGAIN")
_READ = ("Which label do you need to know to go on?", "Which of the six labels decides what next?")
_PRESS = ("Which label has to be pressed?", "Which one do they press?")
_SPELLING = "how the word on the display is spelled"
_PLACES = {slot: slot.replace("_", " ") for slot in words.SLOTS}
_HIDDEN = "something scratched"


def reading(book: RuleBook, index: int, rng: Stream) -> Draft:
    """The place that a display word names, and the words of a label's list."""
    rules = book.words
    if index < _DISPLAYS_READ:
        display = nth(sorted(rules.read), index, "displays")
        slot = rules.read[display]
        return Draft(
            text=f"{_display(display, rng)} Whose label do the rules tell you to read?",
            right=_place(slot),
            wrong=others(_place(slot), map(_place, shuffled(words.SLOTS, rng))),
            why="read",
            given={"display": display},
            needs=_needs(rng),
        )
    label = nth(sorted(rules.lists), index, "lists")
    row = rules.lists[label]
    place = rng.below(_LISTED)
    near = shuffled((*row[:place], *row[place + 1 : place + 4]), rng)
    return Draft(
        text=f"Which word stands {ordinal(place)} in the list that belongs to {label}?",
        right=row[place],
        wrong=others(row[place], [*near, *row]),
        why="read",
        given={"label": label, "place": place},
        needs=_needs(rng),
    )


def procedural(book: RuleBook, index: int, rng: Stream) -> Draft:
    """Which label to read, or which to press (hard)."""
    hard = index % 2 == 1
    stage = words.draw_stage(book.words, rng)
    read, press = (_slot(book.words, stage, final) for final in (False, True))
    if hard:
        label = stage.labels[words.SLOTS.index(press)]
        right = _press(label)
        wrong = others(right, map(_press, _slips(book.words, stage, rng)))
    else:
        right = _place(read)
        wrong = others(right, map(_place, shuffled(words.SLOTS, rng)))
    return Draft(
        text=(
            f"{said(f'{_display(stage.display, rng)} {_labels(stage.labels, rng)}', rng)} "
            f"{rng.choice(_PRESS if hard else _READ)}"
        ),
        right=right,
        wrong=wrong,
        why=f"read {_PLACES[read]}, press {_PLACES[press]}",
        given={"display": stage.display, "labels": stage.labels},
        needs=_needs(rng),
        hard=hard,
    )


def ambiguity(book: RuleBook, index: int, rng: Stream) -> Draft:
    """The display was only heard, or the label to read was not."""
    sound, spellings = _SOUNDS[index % len(_SOUNDS)]
    for _ in range(TRIES if index % 3 else 0):
        stage = words.draw_stage(book.words, rng)
        answers = {
            spelling: _pressed(book.words, words.WordsStage(spelling, stage.labels))
            for spelling in spellings
        }
        if len(set(answers.values())) > 1:
            heard = f"The display, as my friend reads it to me, sounds like ‘{sound}’."
            told = f"{heard} {_labels(stage.labels, rng)}"
            given: dict[str, JSON] = {"sounds": spellings, "labels": stage.labels}
            return _unclear(told, _SPELLING, answers, given, stage.labels, rng)
    while True:
        stage = words.draw_stage(book.words, rng)
        slot = words.slot_to_read(book.words, stage)
        answers = dict(_unread(book.words, stage, slot))
        if len(set(answers.values())) > 1:
            break
    place = words.SLOTS.index(slot)
    known = [label for i, label in enumerate(stage.labels) if i != place]
    shown = [*known[:place], _HIDDEN, *known[place:]]
    told = f"{_display(stage.display, rng)} {_labels(shown, rng)}"
    given = {
        "display": stage.display,
        "labels": [*known[:place], None, *known[place:]],
    }
    return _unclear(told, _label_at(slot), answers, given, known, rng)


def hallucination(book: RuleBook, index: int, rng: Stream) -> Draft:
    """A display word or a label that the manual does not know."""
    stage = words.draw_stage(book.words, rng)
    display, labels = stage.display, list(stage.labels)
    if index % 2:
        strange = _UNKNOWN_LABELS[index // 2 % len(_UNKNOWN_LABELS)]
        labels[words.SLOTS.index(words.slot_to_read(book.words, stage))] = strange
    else:
        display = strange = _UNKNOWN_DISPLAYS[index // 2 % len(_UNKNOWN_DISPLAYS)]
    told = f"{_display(display, rng)} {_labels(labels, rng)}"
    return Draft(
        text=f"{said(told, rng)} {rng.choice(_PRESS)}",
        wrong=[_press(label) for label in shuffled(labels, rng)],
        why=f"the manual has no word {strange} there",
        given={"display": display, "labels": labels},
        needs=_needs(rng),
    )


def _unclear(
    told: str,
    missing: str,
    answers: dict[str, str],
    given: Mapping[str, JSON],
    labels: Sequence[str],
    rng: Stream,
) -> Draft:
    return Draft(
        text=f"{said(told, rng)} {rng.choice(_PRESS)}",
        missing=missing,
        wrong=others("", map(_press, [*answers.values(), *shuffled(labels, rng)])),
        why="; ".join(f"{case}: {answer}" for case, answer in answers.items()),
        given=given,
    )


def _unread(rules: WordsRules, stage: words.WordsStage, slot: Slot) -> Iterator[tuple[str, str]]:
    """The label to press for each that may stand at the slot, if another than that is pressed."""
    place = words.SLOTS.index(slot)
    group = next(group for group in rules.groups if stage.labels[0] in group)
    for label in group:
        if label == stage.labels[place] or label not in stage.labels:
            labels = (*stage.labels[:place], label, *stage.labels[place + 1 :])
            yield label, _pressed(rules, words.WordsStage(stage.display, labels))


def _slot(rules: WordsRules, stage: words.WordsStage, final: bool) -> Slot:
    return words.slot_to_press(rules, stage) if final else words.slot_to_read(rules, stage)


def _pressed(rules: WordsRules, stage: words.WordsStage) -> str:
    return stage.labels[words.SLOTS.index(words.slot_to_press(rules, stage))]


def _slips(rules: WordsRules, stage: words.WordsStage, rng: Stream) -> list[str]:
    """The label read; then the other labels."""
    read = stage.labels[words.SLOTS.index(words.slot_to_read(rules, stage))]
    return [read, *shuffled(stage.labels, rng)]


def _display(word: str, rng: Stream) -> str:
    if not word:
        return rng.choice(("The display is lit but empty.", "There is no word on the display."))
    told = ("The display says {}.", "On the screen I read {}.", "The word at the top is {}.")
    return rng.choice(told).format(word)


def _labels(labels: Sequence[str], rng: Stream) -> str:
    told = [f"{_PLACES[slot]} {label}" for slot, label in zip(words.SLOTS, labels, strict=True)]
    rows = [" and ".join(labels[i : i + 2]) for i in (0, 2, 4)]
    return rng.choice(
        (
            f"Below it are six labels: {', '.join(told)}.",
            f"Three rows of two words: {'; '.join(rows)}.",
            f"The six labels, {', '.join(told)}.",
        )
    )


def _place(slot: Slot) -> str:
    return f"The {_PLACES[slot]} label"


def _label_at(slot: Slot) -> str:
    return f"the {_PLACES[slot]} label"


def _press(label: str) -> str:
    return f"Press {label}"


def _needs(rng: Stream) -> tuple[str, ...]:
    return (_SPELLING, _label_at(rng.choice(words.SLOTS)), "the word on the display")
