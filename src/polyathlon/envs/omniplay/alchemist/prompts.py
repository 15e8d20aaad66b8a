"""The Alchemist's Melody: what the player is told."""

from __future__ import annotations

from polyathlon.core.world import Brief, Role
from polyathlon.envs.omniplay.alchemist.rules import LENGTH, NOTES, Rules

SCALE = " -> ".join(note.lower() for note in NOTES)
REVEALED = "Before you play, the flask that is lit and sounds is the first of the melody."
ASK = (
    "Which flask do you play next?\n"
    "- In the correct sequence: go on with the next note up.\n"
    "- A restart is needed: play the first note of the round.\n"
    "- Not in the correct sequence: do not play the last colour again.\n"
    f"Notes rise {SCALE} -> do."
)


def brief(rules: Rules, role: Role) -> Brief:
    colours = "\n".join(rules.blocks)
    revealed = f"6. {REVEALED}\n" if rules.reveal_first else ""
    return Brief(
        task=(
            "You are an agent that sees, hears and reads, in a game of colours and music. Play "
            "exactly one coloured flask a turn until you have played the melody of the round."
        ),
        rules=(
            f"1. Notes rise {SCALE}, and do comes again after si.\n"
            "2. The first note of the round can be any of them. From it the melody goes up note "
            f"by note, without a gap, until {LENGTH} notes are played.\n"
            "3. A wrong flask ends the sequence: it has to be played again from the first note.\n"
            "4. Every flask sounds one note. Which colour sounds which note is drawn anew for "
            "every round.\n"
            "5. One flask a turn. Only the colours listed below exist; an answer with another "
            "colour is invalid and ends the sequence like a wrong flask.\n"
            f"{revealed}"
            "You may be given:\n"
            "- image: the flasks; the one played last is lit\n"
            "- audio: the note of the flask played last, not of the next one\n"
            "- Currently in Correct Sequence: True or False\n"
            "- Needs Restart from Beginning: True or False\n"
            "- Current Correct Sequence: the colours played rightly so far\n"
            "- Current Input Length: how many those are\n"
            f"Colours of this round, in an order that means nothing:\n{colours}"
        ),
        answer=(
            "Answer with <COLOUR>, <NOTE> in upper case and with nothing else: the flask you play, "
            "a comma, a blank, and the note you believe it sounds. Colours are those listed; notes "
            f"are {', '.join(NOTES)}. Only the colour acts."
        ),
        advice=(
            "Before you answer, check:\n"
            "1. Is a restart needed? Then play the first note of the round.\n"
            "2. Otherwise, which note comes next above the last one?\n"
            "3. The note just heard belongs to the flask you played last: remember the pair.\n"
            "4. Play the colour of the note you need. If you do not know it, try a colour whose "
            "note you have not heard."
        ),
    )


def ask(rules: Rules, role: Role) -> str:
    return ASK
