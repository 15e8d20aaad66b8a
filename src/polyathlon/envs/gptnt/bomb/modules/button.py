"""The button module: tap it, or hold it and let go at the right moment."""

from __future__ import annotations

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.modules.base import Effect, Moment
from polyathlon.envs.gptnt.bomb.rulebook.book import ButtonColour, RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.button import Button, draw_strip, may_release, to_do


class ButtonModule(msgspec.Struct, frozen=True):
    """A button that has been held `holds` times; held now since `held_us` with a lit `strip`.

    Every hold draws the strip's colour anew.
    """

    puzzle: Button
    holds: int = 0
    held_us: int | None = None
    strip: ButtonColour | None = None

    def parts(self) -> tuple[str, ...]:
        """The button."""
        return ("button",)

    def tap(self, part: str, moment: Moment) -> Effect:
        """Solved if a tap is asked for."""
        right = to_do(moment.book.button, self.puzzle, moment.facts) == "tap"
        return Effect(self, "solved" if right else "strike")

    def hold(self, part: str, moment: Moment) -> Effect:
        """Light the strip."""
        strip = draw_strip(moment.draws(self.holds))
        return Effect(ButtonModule(self.puzzle, self.holds + 1, moment.time_us, strip))

    def release(self, moment: Moment) -> Effect:
        """Solved if a hold is asked for and the countdown shows the strip's digit."""
        after = ButtonModule(self.puzzle, self.holds)
        return Effect(after, "solved" if self._may_release(moment) else "strike")

    def _may_release(self, moment: Moment) -> bool:
        rules = moment.book.button
        return (
            self.strip is not None
            and to_do(rules, self.puzzle, moment.facts) == "hold"
            and may_release(rules, self.strip, moment.countdown)
        )

    def config(self, book: RuleBook) -> dict[str, JSON]:
        """The cap."""
        return {"colour": self.puzzle.colour, "label": self.puzzle.label}

    def runtime(self, time_us: int) -> dict[str, JSON]:
        """Whether it is held, since when, and what the strip shows."""
        held = self.held_us is not None
        since_s = None if self.held_us is None else self.held_us / SECOND_US
        return {"held": held, "held_since_s": since_s, "strip_colour": self.strip}
