"""Substitution: the same content in another modality."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from polyathlon.core.chance import Stream
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.interventions import Stage
from polyathlon.core.percepts import Percept, in_words
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Observation
from polyathlon.interventions.forms import Target, find_target


class Substitute(msgspec.Struct, frozen=True):
    """Gives the targeted percepts as their meaning, written or spoken, instead of their signal."""

    name: str
    where: Target
    form: str = "text"
    stage: Stage = "substitute"

    def apply(self, obs: Observation, rng: Stream) -> Observation:
        percepts = tuple(
            self._replaced(percept) if self.where.hits(percept) else percept
            for percept in obs.percepts
        )
        return msgspec.structs.replace(obs, percepts=percepts)

    def _replaced(self, percept: Percept) -> Percept:
        try:
            return FORMS[self.form](percept)
        except ValueError as error:
            hint = f"leave {self.name} out or target another channel"
            raise UserError(f"{error}: {hint}") from error


def aloud(percept: Percept) -> Percept:
    """The percept with its signal replaced by its meaning, spoken; speech stays as it is.

    Raises ValueError when the percept has no meaning in words.
    """
    from polyathlon.media.speech import Spoken, said, spoken

    if isinstance(percept.scene, Spoken):
        return percept
    words = percept.meaning
    if words is None:
        raise ValueError(f"channel {percept.channel!r} has no meaning in words")
    return msgspec.structs.replace(
        percept,
        modality="audio",
        scene=Spoken(words),
        draw=spoken,
        tell=said,
        facts={**percept.facts, "words": words},
    )


FORMS: dict[str, Callable[[Percept], Percept]] = {"text": in_words, "speech": aloud}


def substitute(*, subject: str, value: str = "text", spec: EnvSpec) -> Substitute:
    """substitute:TARGET[=FORM]

    Replace a channel's or modality's signal by its meaning in words; FORM is text or speech.
    """
    if value not in FORMS:
        raise unknown("substitute modality", value, FORMS)
    if value == "text":
        where = find_target(spec, subject, ("image", "audio", "video"))
        return Substitute(f"substitute:{subject}", where)
    return Substitute(f"substitute:{subject}={value}", find_target(spec, subject), value)
