"""Blasting Showdown: what a player is told."""

from __future__ import annotations

from polyathlon.core.world import Brief, Role
from polyathlon.envs.omniplay.showdown.rules.arena import SIZE
from polyathlon.envs.omniplay.showdown.rules.game import Rules
from polyathlon.envs.omniplay.showdown.rules.pieces import FIRE, ROLES, STEPS
from polyathlon.envs.omniplay.showdown.view.orders import BOMB


def brief(rules: Rules, role: Role) -> Brief:
    seat = ROLES.index(role)
    last = SIZE - 1
    view = f" You see {rules.view_radius} cells around you." if rules.view_radius else ""
    return Brief(
        task=(
            f"You are {role.title()}, player {seat + 1} of {len(ROLES)}, in an arena of "
            f"{SIZE}x{SIZE} cells. Outlive the other three: the last player standing wins. Decide "
            "each turn from everything you see, hear and read."
        ),
        rules=(
            f"Cells are (x, y), both from 0 to {last}; (0, 0) is the top left, x grows to the "
            f"right and y downwards.{view}\n"
            "Grey pillars stand on every cell whose x and y are both odd and never break. Brown "
            "crates break in flames and may leave a power-up. Nobody can pass pillars, crates or "
            "bombs; players do not block each other.\n"
            f"Every living player acts once a round. A move takes the shortest way and at most "
            f"{STEPS} cells; speed power-ups add one each. Towards a cell out of reach you go to "
            "the cell within reach that is nearest to it. A bomb is placed on your own cell if "
            "you have one left.\n"
            f"A bomb explodes at the end of the round in which its countdown shows 1; a new one "
            f"shows {rules.fuse}. Its flames form a cross of its owner's fire power, {FIRE} cells "
            "each way at first. They stop in the first crate and before pillars, set off other "
            "bombs at once, and eliminate every player they reach, the owner too.\n"
            "Power-ups are taken by crossing them: fire power adds 1 to the range of your later "
            "bombs, bomb count 1 to the bombs you may have out at once, speed 1 to your moves.\n"
            f"Nobody wins when the last players fall together, or after {rules.cap} rounds."
        ),
        answer=(
            "Answer with one JSON object and nothing else. To move: "
            '{"action_type": 0, "target_x": x, "target_y": y}, a cell of the arena. To place a '
            f"bomb: {BOMB}. Anything else, or a bomb you do not have, leaves you where you are."
        ),
        advice=(
            "Aims, in this order:\n"
            "1. Safety: be out of every blast when its bomb explodes, and keep a way out.\n"
            "2. Bombs with a purpose: break crates, cut off opponents, and know your escape "
            "before you place one.\n"
            "3. Power-ups, when the way to them is safe.\n"
            "4. Think ahead about where the others will go."
        ),
    )


def ask(rules: Rules, role: Role) -> str:
    """The question to whose turn it is; to others, the observing variant, which asks nothing.

    Schedulers observe pending roles only, so the observing variant is not sent. What the waiting
    players may be told instead is the mail of the option `observers`.
    """
    pending = rules.pending()
    if role in pending:
        return "What do you do? Safety first. Answer with one JSON object."
    if not rules.by_role[role].alive:
        return "You are eliminated and watch. No action is asked of you."
    if not pending:
        return "The game is over. No action is asked of you."
    return f"It is {pending[0].title()}'s turn; you watch. No action is asked of you."
