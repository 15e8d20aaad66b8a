"""Signal noise: pictures, sounds and videos are degraded when they are rendered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from polyathlon.core.chance import Stream
from polyathlon.core.errors import unknown
from polyathlon.core.interventions import Stage
from polyathlon.core.parts import Modality, Part
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Observation
from polyathlon.interventions.forms import Target, change, find_target, number, suffix

SIGNALS: tuple[Modality, ...] = ("image", "audio", "video")
FILTERED: dict[str, tuple[Modality, ...]] = {"camera": ("image", "video")}
"""What a kind degrades, where that is not every signal."""
STRONGEST = {"gaussian": 1.0, "salt_pepper": 1.0, "blur": 100.0, "camera": 10.0}


class Noisy(msgspec.Struct, frozen=True):
    """A `draw` whose signal is degraded, in the same way for the same seed."""

    draw: Callable[[Any], Part]
    kind: str
    strength: float
    seed: int

    def __call__(self, scene: Any) -> Part:
        from polyathlon.interventions.degrade import degrade

        return degrade(self.draw(scene), self.kind, self.strength, self.seed)


class Noise(msgspec.Struct, frozen=True):
    """Degrades the signal of the targeted percepts.

    What they mean in words stays clean: the noise is of the camera or the ear, and whoever is
    given words instead of the signal is given all of them.
    """

    name: str
    where: Target
    kind: str
    strength: float
    stage: Stage = "signal"

    def apply(self, obs: Observation, rng: Stream) -> Observation:
        return change(obs, self.where, rng, self._degraded)

    def _degraded(self, percept: Percept, rng: Stream) -> Percept:
        if percept.modality not in FILTERED.get(self.kind, SIGNALS):
            return percept
        noisy = Noisy(percept.draw, self.kind, self.strength, rng.word())
        return msgspec.structs.replace(percept, draw=noisy)


def noise(*, subject: str, value: str, target: str = "", spec: EnvSpec) -> Noise:
    """noise:KIND=STRENGTH[@TARGET]

    KIND is gaussian (standard deviation as a share of full scale, in [0, 1]), salt_pepper (share
    of pixels or samples, in [0, 1]), blur (standard deviation in pixels or samples, up to 100) or
    camera (pictures and videos only: all three in this order, up to 10 times 25/255, 2 % and 1).
    Several apply in the order given; each has its own chance, and so has each frame of a video.
    """
    if subject not in STRONGEST:
        raise unknown("noise", subject, STRONGEST)
    strength = number(value, f"noise:{subject}", 0.0, STRONGEST[subject])
    where = find_target(spec, target, FILTERED.get(subject, SIGNALS))
    return Noise(f"noise:{subject}={strength:.12g}{suffix(where)}", where, subject, strength)
