"""The Alchemist's Melody: the written report of a round, and what can be read from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from polyathlon.envs.omniplay.alchemist.rules import LENGTH, Taken

WINDOW = 10
HINTS = (
    "a correct sequence that is not empty holds the first colours of the melody",
    "learn from the clicks before: which colour went on, and which ended the sequence",
    "the current input length is the place of the next note",
)


class Report(NamedTuple):
    """What the text channel says at one moment.

    `clicks` holds the flask of every step, "" for none; `recent` the last steps, and
    `in_sequence_before` whether the sequence was right when the first of them was taken. `place`
    counts the notes played rightly in a row. `attempts` counts wrong steps.
    """

    blocks: tuple[str, ...]
    clicks: tuple[str, ...]
    recent: tuple[Taken, ...]
    place: int
    attempts: int
    over: bool
    in_sequence: bool
    in_sequence_before: bool

    @property
    def sequence(self) -> tuple[str, ...]:
        """The flasks played rightly in a row up to now."""
        return self.clicks[len(self.clicks) - self.place :]

    def placed(self) -> Iterator[tuple[int, Taken]]:
        """Recent steps with the place they were played for, as far as the report shows it."""
        place = None if self.in_sequence_before else 0
        for step in self.recent:
            if place is not None:
                yield place, step
            if not step.right:
                place = 0
            elif place is not None:
                place += 1

    def proven(self) -> dict[int, str]:
        """The flasks that recent rounds show to be right, by place."""
        shown = {place: step.colour for place, step in self.placed() if step.right}
        return {**shown, **dict(enumerate(self.sequence))}

    def refuted(self, place: int) -> set[str]:
        """The flasks that recent rounds show to be wrong at a place."""
        return {step.colour for at, step in self.placed() if at == place and not step.right}


def told(report: Report) -> str:
    """The report in words: last action, sequence, game, hints, recent rounds."""
    last, before = ("", "", *report.clicks)[:-3:-1]
    return "\n".join(
        [
            "Last action:",
            f"- Last Clicked Action ID: {report.blocks.index(last) + 1 if last else 0}",
            f"- Last Clicked Block Color: {last or 'none'}",
            f"- Previous Block Color (last_last): {before or 'none'}",
            "Sequence status:",
            f"- Currently in Correct Sequence: {report.in_sequence}",
            f"- Needs Restart from Beginning: {not report.in_sequence}",
            f"- Current Correct Sequence: {_list(report.sequence)}",
            f"- Previous Clicks History: {_list(report.clicks)}",
            f"- Sequence Length: {LENGTH}",
            f"- Current Input Length: {report.place}",
            "Game status:",
            f"- Game Over: {report.over}",
            f"- Current Tick: {float(len(report.clicks))}",
            f"- Attempts: {report.attempts}",
            "Hints:",
            *(f"- {hint}" for hint in HINTS),
            "Recent history:",
            *(_history(report) or ("none",)),
        ]
    )


def _history(report: Report) -> list[str]:
    flags = (report.in_sequence_before, *(step.right for step in report.recent))
    first = len(report.clicks) - len(report.recent) + 1
    lines: list[str] = []
    for number, (flag, step) in enumerate(zip(flags, report.recent, strict=False), first):
        lines += [
            f"Round {number}",
            f"Game state: in correct sequence {flag}",
            f"Action: {step.colour or 'none'}",
        ]
    return lines


def _list(colours: tuple[str, ...]) -> str:
    return f"[{', '.join(colour or 'none' for colour in colours)}]"
