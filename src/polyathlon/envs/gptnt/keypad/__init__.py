"""Words for the keypad's symbols: 40 to choose a description for, 40 to describe."""

from polyathlon.core.spec import Channel, EnvSpec, Metric

SPEC = EnvSpec(
    id="gptnt/keypad-v0",
    title="Keypad symbols",
    doc=(
        "What two players call a strange symbol decides whether they solve a keypad. One symbol "
        "an episode: in choice one of five descriptions fits, in open it is to be described. An "
        "open description counts here if its words are nearest to one of the symbol's gold "
        "descriptions; by meaning it is judged by `polyathlon score RUN --scorer descriptions`. "
        "Seeds 0 to 39 show each sample once."
    ),
    entry=__name__,
    roles=("describer",),
    channels=(
        Channel("symbol", "image", "the symbol", size_px=(256, 256)),
        Channel("question", "text", "the descriptions to choose from; none in open"),
    ),
    levels=("choice", "open"),
    metrics=(
        Metric("raw_score", "1 for the right description, else 0"),
        Metric("correct", "the description was right, in open by its words", event=True),
        Metric("answered", "the answer could be used", event=True),
        Metric("chance", "what a blind guess scores: one over the descriptions or symbols"),
        Metric("lookalike", "the answer held a character like a symbol", "", False, 0.0, True),
        Metric("wordless", "the answer held no word of three letters", "", False, 0.0, True),
    ),
    horizon=1,
    bounds=(0.0, 1.0),
    policies=("random", "oracle"),
)
