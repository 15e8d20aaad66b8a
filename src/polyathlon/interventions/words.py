"""Word noise: words are lost, swapped, misspelt or added before they are written or spoken.

A spoken percept carries its words in `facts["words"]` and in its scene, which is that string or
a Struct with a field `words`; it is spoken again from the changed words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from polyathlon.core.canonical import JSON
from polyathlon.core.chance import Stream, stream
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.interventions import Stage
from polyathlon.core.parts import Part, Text
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Observation
from polyathlon.interventions.forms import Target, change, find_target, number, suffix

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
LONGEST_ADDED = 5


def delete(words: Sequence[str], rate: float, rng: Stream) -> list[str]:
    """Every word is lost with probability `rate`."""
    return [word for word in words if rng.uniform() >= rate]


def swap(words: Sequence[str], rate: float, rng: Stream) -> list[str]:
    """From the left, every word changes places with the next with probability `rate`."""
    mixed = list(words)
    for place in range(len(mixed) - 1):
        if rng.uniform() < rate:
            mixed[place : place + 2] = mixed[place + 1], mixed[place]
    return mixed


def letters(words: Sequence[str], rate: float, rng: Stream) -> list[str]:
    """In every word, one character becomes a random letter with probability `rate`."""
    return [_misspelt(word, rng) if word and rng.uniform() < rate else word for word in words]


def insert(words: Sequence[str], rate: float, rng: Stream) -> list[str]:
    """Behind every word, 1 to 5 random letters follow with probability `rate`."""
    longer: list[str] = []
    for word in words:
        longer.append(word)
        if rng.uniform() < rate:
            count = 1 + rng.below(LONGEST_ADDED)
            longer.append("".join(rng.choice(ALPHABET) for _ in range(count)))
    return longer


KINDS: dict[str, Callable[[Sequence[str], float, Stream], list[str]]] = {
    "delete": delete,
    "swap": swap,
    "letters": letters,
    "insert": insert,
}


class WordNoise(msgspec.Struct, frozen=True):
    """A change of words, the same for the same seed. Lines stay lines; spaces are kept."""

    kind: str
    rate: float
    seed: int

    def disturb(self, text: str) -> str:
        """The changed text; where every word would be lost, the first one stays."""
        rng = stream(self.seed, "words", self.kind)
        lines = [KINDS[self.kind](line.split(" "), self.rate, rng) for line in text.split("\n")]
        disturbed = "\n".join(" ".join(words) for words in lines)
        return disturbed if disturbed.strip() else "".join(text.split()[:1])


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

    Change words at a rate in [0, 1]; KIND is delete, swap, letters or insert.
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
    if "words" not in percept.facts:
        return percept.facts
    return {**percept.facts, "words": noise.disturb(str(percept.facts["words"]))}


def _misspelt(word: str, rng: Stream) -> str:
    place = rng.below(len(word))
    return word[:place] + rng.choice(ALPHABET) + word[place + 1 :]
