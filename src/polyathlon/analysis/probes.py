"""Trust: whose lies move a player, from decisions that were asked again.

A recorded decision is asked under the truth, once more under the truth, and with each lie of one
channel (`polyathlon probe`). All that differs is what the channel said, so that what the decisions
come to differ by is caused by it, or by the chance that the second asking measures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from polyathlon.analysis import labels
from polyathlon.analysis.headings import heading
from polyathlon.analysis.stats import bootstrap, wilson
from polyathlon.core import trace
from polyathlon.core.interventions import LIE
from polyathlon.core.world import Role
from polyathlon.experiments.probing import AGAIN, TRUTH
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.traces import DamagedTrace

MALFORMED = "(malformed)"
Span = tuple[float, float]


class Answer(msgspec.Struct, frozen=True):
    """What one probe came to: the action's text, and whether it did what the liar suggested.

    `lie` is `CHANNEL: NAME`, `truth` or `truth again`; `followed` is None where nothing was
    suggested.
    """

    env: str
    level: str
    who: str
    role: Role
    parent: str
    turn: int
    lie: str
    action: str
    followed: bool | None = None


class Trust(msgspec.Struct, frozen=True):
    """How far one lie moves a player of a level, over `moments` decisions of `episodes` episodes.

    `moved` is the share of them whose action is another than under the truth, with its 95 %
    Wilson interval; `noise` the same of the second asking under the truth. `trust` is their
    difference, with its 95 % bootstrap interval over episodes, None for a single one. `followed`
    is the share that did what the lie suggested, None where it suggests nothing.
    """

    env: str
    level: str
    who: str
    role: Role
    lie: str
    moments: int
    episodes: int
    moved: float
    moved_interval: Span
    noise: float
    noise_interval: Span
    trust: float
    trust_interval: Span | None
    followed: float | None


def is_probe(header: trace.Header) -> bool:
    """Whether an episode asks for one recorded decision again."""
    branch = header.episode.branch
    return branch is not None and branch.moment is not None


def trusts(runs: Iterable[RunDir]) -> list[Trust]:
    """What the ended probes of some runs come to, one row a player, level and lie."""
    groups: dict[tuple[str, ...], dict[tuple[str, int], dict[str, Answer]]] = {}
    for answer in (answer for run in runs for answer in _answers(run)):
        player = (answer.env, answer.level, answer.who, answer.role)
        moments = groups.setdefault(player, {})
        moments.setdefault((answer.parent, answer.turn), {})[answer.lie] = answer
    return [row for moments in groups.values() for row in _rows(moments)]


def _answers(run: RunDir) -> Iterator[Answer]:
    for id in run.episode_ids():
        try:
            header = run.header(id)
            if is_probe(header) and run.ended(id) is not None:
                yield from _answer(header, run.events(id))
        except DamagedTrace:
            continue


def _answer(header: trace.Header, events: Iterable[trace.Event]) -> Iterator[Answer]:
    spec = header.episode
    assert spec.branch is not None
    assert spec.branch.moment is not None
    moment = spec.branch.moment
    told = _told(moment.interventions, spec.branch.differs)
    who = labels.marked(spec.lineup[moment.role].label, header.access.get(moment.role, "plain"))
    suggested = ""
    for event in events:
        match event:
            case trace.Observed() if (event.role, event.turn) == (moment.role, moment.turn):
                suggested = _suggested(event)
            case trace.Acted() if (event.role, event.turn) == (moment.role, moment.turn):
                action = MALFORMED if event.action is None else event.action
                followed = heading(spec.env, action) == suggested if suggested else None
                place = (spec.env, spec.level, who, moment.role, spec.branch.parent, moment.turn)
                yield Answer(*place, told, action, followed)


def _told(interventions: Sequence[str], differs: str) -> str:
    for text in interventions:
        _, _, lie = text.partition(":")
        return ": ".join(lie.split("=", 1))
    return differs


def _suggested(event: trace.Observed) -> str:
    for sensed in event.percepts:
        if LIE in sensed.facts and sensed.facts.get("suggests") is not None:
            return str(sensed.facts["suggests"])
    return ""


def _rows(moments: Mapping[tuple[str, int], Mapping[str, Answer]]) -> Iterator[Trust]:
    complete = [asked for asked in moments.values() if TRUTH in asked and AGAIN in asked]
    lies = dict.fromkeys(lie for asked in complete for lie in asked if lie not in (TRUTH, AGAIN))
    for lie in lies:
        yield _row(lie, [asked for asked in complete if lie in asked])


def _row(lie: str, moments: Sequence[Mapping[str, Answer]]) -> Trust:
    first, n = moments[0][lie], len(moments)
    moved = [asked[lie].action != asked[TRUTH].action for asked in moments]
    noise = [asked[AGAIN].action != asked[TRUTH].action for asked in moments]
    beyond = [float(one) - float(other) for one, other in zip(moved, noise, strict=True)]
    parents = [asked[lie].parent for asked in moments]
    followed = [one for asked in moments if (one := asked[lie].followed) is not None]
    return Trust(
        first.env,
        first.level,
        first.who,
        first.role,
        lie,
        n,
        len(set(parents)),
        sum(moved) / n,
        wilson(sum(moved), n),
        sum(noise) / n,
        wilson(sum(noise), n),
        sum(beyond) / n,
        bootstrap(beyond, parents),
        sum(followed) / len(followed) if followed else None,
    )
