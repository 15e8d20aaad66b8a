"""What a model remembers of the game: how is a module solved?"""

from polyathlon.core.spec import Channel, EnvSpec, Metric, Option

SPEC = EnvSpec(
    id="gptnt/exposure-v0",
    title="Prior exposure",
    doc=(
        "An open question without a manual: how is this module solved? One level names the game, "
        "the other does not. The answer shows by string match whether the model connects the "
        "module with the game, and how many of the standard rules it states. Seeds 0 to 10 ask "
        "for each of the eleven modules once; later seeds begin again. The answers are in the "
        "traces, for a person to judge."
    ),
    entry=__name__,
    roles=("answerer",),
    channels=(Channel("question", "text", "the question"),),
    levels=("named", "unnamed"),
    metrics=(
        Metric("raw_score", "share of the module's checkable standard rules that are stated"),
        Metric("mentions_game", "the answer has the game's name or abbreviation", event=True),
        Metric("rule_matches", "checkable standard rules that the answer states"),
        Metric("rules", "checkable standard rules of the module"),
        Metric("answer_words", "length of the answer", "words"),
    ),
    options=(
        Option(
            "module",
            "all",
            "ask about this module only",
            choices=(
                *("all", "Wires", "Button", "Keypad", "Simon Says", "Who's On First", "Memory"),
                *("Maze", "Morse Code", "Complicated Wires", "Wire Sequence", "Passwords"),
            ),
        ),
    ),
    horizon=1,
    bounds=(0.0, 1.0),
)
