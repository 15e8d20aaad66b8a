"""A toy env's spec and observations for the tests of interventions."""

from __future__ import annotations

import msgspec

from polyathlon.core.actions import Labels
from polyathlon.core.parts import Audio, Image, Part, Video
from polyathlon.core.percepts import Percept, text_percept
from polyathlon.core.spec import Channel, EnvSpec
from polyathlon.core.world import Observation

SPEC = EnvSpec(
    id="toy/senses-v0",
    title="Senses",
    doc="One channel of every modality.",
    entry="toy",
    roles=("player",),
    channels=(
        Channel("board", "image", "a grey picture"),
        Channel("film", "video", "three grey frames"),
        Channel("speech", "audio", "a guide"),
        Channel("tone", "audio", "a sound without words"),
        Channel("state", "text", "the state in words"),
        Channel("hint", "text", "help", default=False),
    ),
    levels=("one",),
    metrics=(),
)
STATE = "go left\nthen take  the second door"
GUIDANCE = "turn left and walk ten steps to the old door"


class Utterance(msgspec.Struct, frozen=True):
    words: str
    angle_deg: float = 0.0


def grey(level: int) -> Image:
    return Image(32, 24, bytes([level]) * (32 * 24 * 3))


def film(level: int) -> Video:
    return Video(8, 8, 10.0, bytes([level]) * (3 * 8 * 8 * 3))


def spoken(scene: Utterance) -> Audio:
    return Audio(16_000, scene.words.encode("utf-16-le") * 50)


def tone(scene: int) -> Audio:
    return Audio(16_000, scene.to_bytes(2, "little") * 400, 2)


def named(level: object) -> str:
    return f"grey {level}"


def heard(scene: Utterance) -> str:
    return scene.words


def never(scene: object) -> Part:
    raise AssertionError("rendered")


def guided(words: str) -> Percept:
    return Percept(
        "speech", "audio", Utterance(words, 30.0), spoken, heard, {"words": words, "says": words}
    )


def observation() -> Observation:
    hint = text_percept("hint", "step 2 of 5")
    lies = {"right": guided("turn right"), "back": guided("turn back")}
    speech = msgspec.structs.replace(guided(GUIDANCE), counterfactuals=lies)
    return Observation(
        "player",
        3,
        0,
        (
            Percept("board", "image", 128, grey, named, aids=(hint,)),
            Percept("film", "video", 128, film, named),
            speech,
            Percept("tone", "audio", 4, tone),
            text_percept("state", STATE),
        ),
        "What do you do?",
        Labels(("left", "right")),
    )


def unrendered() -> Observation:
    """The observation with draws that must not be called."""
    seen = observation()
    percepts = tuple(msgspec.structs.replace(p, draw=never) for p in seen.percepts)
    return msgspec.structs.replace(seen, percepts=percepts)
