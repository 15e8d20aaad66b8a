"""Word noise: words are lost, swapped, misspelt or added before they are written or spoken.

A spoken percept carries its words in `facts["words"]` and in its scene, which is that string or
a Struct with a field `words`; it is spoken again from the changed words. Where words were added,
`facts["noisy"]` is the same text with brackets around them, for reports; nobody senses brackets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.interventions import NOISY, Stage
from polyathlon.core.parts import Part, Text
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Observation
from polyathlon.interventions.forms import Target, change, find_target, number, suffix
from polyathlon.interventions.word_noise import KINDS, WordNoise


class Words(msgspec.Struct, frozen=True):
    """Changes the words of the targeted percepts that are text or carry `facts["words"]`."""

    name: str
    where: Target
    kind: str
    rate: float
    stage: Stage = "words"

    def apply(self, obs: Observation, rng: Stream) -> Observation:
        return change(obs, self.where, rng, self._disturbed)

    def _disturbed(self, percept: Percept, rng: Stream) -> Percept:
        noise = WordNoise(self.kind, self.rate, rng.word())
        if percept.modality == "text":
            return _rewritten(percept, noise)
        return _respoken(percept, noise) if "words" in percept.facts else percept


def words(*, subject: str, value: str, target: str = "", spec: EnvSpec) -> Words:
    """words:KIND=RATE[@TARGET]

    Change words at a rate in [0, 1]; KIND is delete, swap, letters, insert, or noise (the words
    and letters of OmniPlay's audio noise, in the gaps between words).
    """
    if subject not in KINDS:
        raise unknown("word noise", subject, KINDS)
    rate = number(value, f"words:{subject}", 0.0, 1.0)
    where = find_target(spec, target, ("text", "audio"))
    return Words(f"words:{subject}={rate:.12g}{suffix(where)}", where, subject, rate)


class _Written(msgspec.Struct, frozen=True):
    draw: Callable[[Any], Part]
    noise: WordNoise

    def __call__(self, scene: Any) -> Part:
        part = self.draw(scene)
        return Text(self.noise.disturb(part.text)) if isinstance(part, Text) else part


class _Told(msgspec.Struct, frozen=True):
    tell: Callable[[Any], str]
    noise: WordNoise

    def __call__(self, scene: Any) -> str:
        return self.noise.disturb(self.tell(scene))


def _rewritten(percept: Percept, noise: WordNoise) -> Percept:
    tell = None if percept.tell is None else _Told(percept.tell, noise)
    draw, facts = _Written(percept.draw, noise), _facts(percept, noise)
    return msgspec.structs.replace(percept, draw=draw, tell=tell, facts=facts)


def _respoken(percept: Percept, noise: WordNoise) -> Percept:
    scene, facts = percept.scene, _facts(percept, noise)
    said = percept.facts["words"]
    if scene == said:
        return msgspec.structs.replace(percept, scene=facts["words"], facts=facts)
    if isinstance(scene, msgspec.Struct) and getattr(scene, "words", None) == said:
        changed = msgspec.structs.replace(scene, words=facts["words"])
        return msgspec.structs.replace(percept, scene=changed, facts=facts)
    raise UserError(
        f"channel {percept.channel!r} cannot be spoken again: give its scene a field 'words' "
        "that equals facts['words']"
    )


def _facts(percept: Percept, noise: WordNoise) -> Mapping[str, JSON]:
    heard = percept.facts.get("words")
    said = percept.meaning if heard is None else str(heard)
    facts = dict(percept.facts)
    if heard is not None:
        facts["words"] = noise.disturb(str(heard))
    if said is not None and (marked := noise.marked(said)) is not None:
        facts[NOISY] = marked
    return facts
