"""Pointing at what an instruction means: 665 instructions about pictures of the bomb."""

from polyathlon.core.spec import Channel, EnvSpec, Metric, Option
from polyathlon.envs.gptnt.bomb.play.catalogue import SIZE_PX, SIZES

SPEC = EnvSpec(
    id="gptnt/localisation-v0",
    title="Localisation",
    doc=(
        "The Defuser's finger without a partner: one instruction about one picture of a bomb an "
        "episode, to be followed by the letter of a marker or by coordinates. The thing to press "
        "is told by what is written there, its colour, its number in a row, its kind or its "
        "place; in ambiguity several things fit and in hallucination nothing does, so that the "
        "right answer is none. Seeds 0 to 70, 59, 71, 65, 127, 129 and 137 give each instruction "
        "of a level once; later seeds begin again."
    ),
    entry=__name__,
    roles=("pointer",),
    channels=(
        Channel(
            "view",
            "image",
            "the bomb, with location markers if they are asked for",
            size_px=SIZE_PX,
        ),
        Channel("instruction", "text", "what is to be pressed"),
    ),
    levels=("reading", "colour", "counting", "element", "position", "ambiguity", "hallucination"),
    samples=("position",),
    metrics=(
        Metric("raw_score", "1 for the right place, or for none where that is right, else 0"),
        Metric("correct", "the right thing was met, or rightly none", event=True),
        Metric("answered", "the answer could be used", event=True),
        Metric("said_none", "the answer was none", event=True),
        Metric("unknown_label", "the letter belonged to no marker", "", False, 0.0, True),
        Metric("beside", "the answer met nothing that can be pressed", "", False, 0.0, True),
        Metric(
            "distance",
            "from the point to the middle of the right thing, in diagonals of the picture; 0 if "
            "right, 1 without a point or a right thing",
            "",
            False,
            1.0,
        ),
        Metric("elements", "things in the picture that can be pressed"),
    ),
    options=(
        Option(
            "paradigm",
            "markers",
            "how a place is named: by marker, by pixel, in 0..1000, or in 0..1",
            choices=("markers", "absolute", "scaled", "relative"),
        ),
        Option("size", "640x480", "pictures of the bomb in pixels", choices=tuple(SIZES)),
        Option("props", True, "whether things lie on the table that do not matter"),
        Option(
            "module",
            "all",
            "give instructions about this module only; seeds then count its items",
            choices=(
                *("all", "Wires", "Button", "Keypad", "Simon Says", "Who's On First", "Memory"),
                *("Maze", "Morse Code", "Complicated Wires", "Wire Sequence", "Passwords"),
            ),
        ),
    ),
    horizon=1,
    bounds=(0.0, 1.0),
    policies=("random", "oracle", "none"),
)
