"""What a reader makes of the bomb manual: 884 multiple-choice questions."""

from polyathlon.core.spec import Channel, EnvSpec, Metric, Option

SPEC = EnvSpec(
    id="gptnt/manual-vqa-v0",
    title="Manual questions",
    doc=(
        "The Expert's skills without a partner: one multiple-choice question about the bomb "
        "manual an episode. Reading asks for what the manual says, grounding for what it shows, "
        "procedural for what its rules make of a described bomb; in ambiguity the description "
        "does not suffice, in hallucination it fits nothing. Seeds 0 to 190, 59, 498, 63 and 69 "
        "ask each question of a level once; later seeds begin again."
    ),
    entry=__name__,
    roles=("reader",),
    channels=(
        Channel("manual_text", "text", "the text of a page; one percept a page"),
        Channel("manual_pages", "image", "the picture of a page, after its text"),
        Channel("question", "text", "what the Defuser says, the question and its options"),
    ),
    levels=("reading", "grounding", "procedural", "ambiguity", "hallucination"),
    samples=("procedural",),
    metrics=(
        Metric("raw_score", "1 for the right option, else 0"),
        Metric("correct", "the right option was chosen", event=True),
        Metric("answered", "the answer named an option", event=True),
        Metric(
            "doubted",
            "the option was chosen that asks for more, or says that the manual does not fit",
            event=True,
        ),
        Metric("chance", "what a blind guess scores: one over the number of options"),
    ),
    options=(
        Option("rule_seed", 0, "the manual's rules: 0 the standard ones, others drawn", 0),
        Option(
            "manual",
            "whole",
            "the manual given: all pages, those about the module in question, or none",
            choices=("whole", "module", "none"),
        ),
        Option(
            "module",
            "all",
            "ask about this module only (Widgets: the appendix); seeds then count its items",
            choices=(
                *("all", "Wires", "Button", "Keypad", "Simon Says", "Who's On First", "Memory"),
                *("Maze", "Morse Code", "Complicated Wires", "Wire Sequence", "Passwords"),
                "Widgets",
            ),
        ),
    ),
    horizon=1,
    bounds=(0.0, 1.0),
    policies=("random", "oracle", "first", "longest"),
)
