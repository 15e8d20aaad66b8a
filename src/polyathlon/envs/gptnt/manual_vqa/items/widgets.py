"""Items about the appendix on what the edges of the bomb carry."""

from __future__ import annotations

from polyathlon.core.chance import Stream
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook
from polyathlon.envs.gptnt.bomb.rulebook.facts import Port
from polyathlon.envs.gptnt.manual_vqa.items import sides
from polyathlon.envs.gptnt.manual_vqa.items.wording import Draft, nth, others, said, shuffled

PORTS: dict[Port, str] = {
    "DVI-D": "a wide socket with a block of many small holes and one flat slot beside it",
    "Parallel": "a very long socket, slanted at its ends, with two rows of many small holes",
    "Serial": "a short socket, slanted at its ends, with two rows of few pins, nine in all",
    "PS/2": "a round socket with a handful of small holes in it",
    "RJ-45": "a nearly square socket with a notch for a plastic clip, as for a network cable",
    "Stereo RCA": "two round sockets side by side, each a ring with a hole in the middle",
}


def grounding(book: RuleBook, index: int, rng: Stream) -> Draft:
    """Which port it is that looks like this."""
    port = nth(PORTS, index, "ports")
    words = rng.choice(("On one side there is {}.", "I have found {}.", "At the edge I see {}."))
    return Draft(
        text=f"{said(words.format(PORTS[port]), rng)} What does the manual call this port?",
        right=f"{port} port",
        wrong=others(f"{port} port", (f"{other} port" for other in shuffled(PORTS, rng))),
        why=port,
        given={"port": port},
        needs=tuple(sides.NEEDS.values()),
    )
