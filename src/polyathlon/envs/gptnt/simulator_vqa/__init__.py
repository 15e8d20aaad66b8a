"""What a viewer makes of pictures of the bomb: 640 multiple-choice questions."""

from polyathlon.core.spec import Channel, EnvSpec, Metric, Option
from polyathlon.envs.gptnt.bomb.play.catalogue import SIZE_PX, SIZES

SPEC = EnvSpec(
    id="gptnt/simulator-vqa-v0",
    title="Picture questions",
    doc=(
        "The Defuser's eyes without a partner: one multiple-choice question about one picture of a "
        "bomb an episode. Pictures are moments of games that an optimal and a stochastic collector "
        "played. Reading asks for text and values, colour for the colour of something named, "
        "counting for how many there are; in ambiguity several answers fit, in hallucination what "
        "is asked about is not there. Seeds 0 to 151, 60, 204, 90 and 130 ask each question of a "
        "level once; later seeds begin again."
    ),
    entry=__name__,
    roles=("observer",),
    channels=(
        Channel("view", "image", "the bomb, without location markers", size_px=SIZE_PX),
        Channel("question", "text", "the question and its options"),
    ),
    levels=("reading", "colour", "counting", "ambiguity", "hallucination"),
    samples=("counting",),
    metrics=(
        Metric("raw_score", "1 for the right option, else 0"),
        Metric("correct", "the right option was chosen", event=True),
        Metric("answered", "the answer named an option", event=True),
        Metric("said_several", "the answer was that several fit", event=True),
        Metric("said_none", "the answer was that nothing of the kind is there", event=True),
        Metric("chance", "what a blind guess scores: one over the number of options"),
    ),
    options=(
        Option("size", "640x480", "pictures of the bomb in pixels", choices=tuple(SIZES)),
        Option("props", True, "whether things lie on the table that do not matter"),
        Option(
            "module",
            "all",
            "ask about this module only, or about timer, strikes or serial number; seeds then "
            "count its items",
            choices=(
                *("all", "Wires", "Button", "Keypad", "Simon Says", "Who's On First", "Memory"),
                *("Maze", "Morse Code", "Complicated Wires", "Wire Sequence", "Passwords"),
                *("Timer", "Strikes", "Serial Number"),
            ),
        ),
    ),
    horizon=1,
    bounds=(0.0, 1.0),
    policies=("random", "oracle", "several", "none"),
)
