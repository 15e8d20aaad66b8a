"""Phantom Soldiers in the Fog: what the commander is told."""

from __future__ import annotations

from polyathlon.core.world import Brief, Role
from polyathlon.envs.omniplay.phantom.rules import Rules
from polyathlon.envs.omniplay.phantom.rules.world import CALL_SIGNS

_ROUND = (
    "Each round you give exactly one command. Several commands in one reply are an error, and "
    "none is: then `COMMAND: all status` is used, which changes nothing, and the round is lost. "
)
_MOVEMENT = (
    "Movement is imprecise. A member goes to a place near the one you name; the miss grows with "
    "the distance, with wounds and with the role: a scout hardly errs, a heavy errs most. Short "
    "orders are exact. Scouts are fast and see far, heavies are slow. An order holds until you "
    "replace it: a member keeps on defending, scouting or attacking, and stands idle after a "
    "plain move. "
)
_WORK = (
    "Objectives are done in one of four ways. Go: somebody has to come close. Hold: somebody must "
    "`defend` close by for three rounds. Scout: somebody must `recon` near it. Attack: somebody "
    "must `attack` near it until the threat there is gone. `attack` hits the nearest threat in "
    "reach, `recon` widens the sight, `defend` halves wounds, `status` leaves all orders as they "
    "are. Threats wound whoever comes near; at 0 health a member is out. An idle medic heals "
    "comrades beside it. "
)
_HIDDEN = (
    "Some objectives are hidden and worth more than the marked ones. In sight of a scout one is "
    "found with 80 % chance a round, in sight of others with 40 %; unusual activity may be "
    "reported near one. Others may appear during the mission. "
)


def brief(rules: Rules, role: Role) -> Brief:
    return Brief(
        task=(
            f"You command a squad of {len(rules.members)} under fog of war: members 0 to "
            f"{len(rules.members) - 1} with the call signs {_call_signs(rules)}. Complete all "
            f"objectives, marked and hidden ones, within {rules.rounds} rounds, in as few rounds "
            "and with as few vain orders as you can. The score is out of 100."
        ),
        rules=_ROUND + reliability(rules) + _MOVEMENT + _WORK + _HIDDEN + _sources(),
        answer=(
            "Reason first if you like, then end with exactly one line in one of three forms:\n"
            "COMMAND: [member] [action] [x] [y]\n"
            "COMMAND: [member],[member] [action] [x] [y]\n"
            "COMMAND: all [action] [x] [y]\n"
            "Actions: move, attack, defend, recon, status. x and y lie between 0 and 100; x grows "
            "to the east, y grows to the north, (0, 0) is the south-west corner. status needs no "
            "coordinates. Write numbers and words without brackets.\n"
            "Right: `COMMAND: 0 recon 70 35`, `COMMAND: 0,1 defend 22 64`, `COMMAND: all status`\n"
            "Wrong: two COMMAND lines (one only), `COMMAND: 1 run 20 20` (no such action), "
            "`COMMAND: 0 move 130 20` (off the map), `COMMAND: 0 move to 20 20` (extra word)"
        ),
        advice=(
            "Weigh exploring against finishing what is known. Send scouts ahead with recon, let "
            "members near an objective finish it, allow for the miss of far orders and correct it "
            "by a short one, watch health, and look for hidden objectives: they count twice."
        ),
    )


def reliability(rules: Rules) -> str:
    """The note on whether commands are carried out, which fits option `command_failure_p`."""
    if rules.failure_p:
        return (
            f"Links are bad: a valid command gets lost with {100 * rules.failure_p:g} % chance, "
            "and then all orders stay as they were. Check what was done and repeat. "
        )
    return (
        "Every valid command is carried out, none fails by chance, so attend to positions and to "
        "who does what. "
    )


def ask(rules: Rules, role: Role) -> str:
    return (
        "Weigh all you see, hear and read, hints of unusual activity too, and decide on this "
        "round. End with exactly one line COMMAND: ..."
    )


def _sources() -> str:
    return (
        "You may be given numbers (health, status and position of the members, rounds left, "
        "score), a clip of the tactical map with the movement of the last round, on which the tip "
        "of a shield is the objective's place, spoken guidance from headquarters, the members' own "
        "radio with the places they really go to, and hints."
    )


def _call_signs(rules: Rules) -> str:
    return ", ".join(CALL_SIGNS[: len(rules.members)])
