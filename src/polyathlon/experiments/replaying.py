"""Recorded episodes played again without a live call: to verify them, and to mend their media."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterable, Sequence

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.errors import UserError
from polyathlon.core.interventions import Intervention
from polyathlon.core.models import Model
from polyathlon.core.parts import Part
from polyathlon.core.tools import Tool
from polyathlon.experiments.rundir import SCHEMA, RunDir
from polyathlon.experiments.traces import DamagedTrace
from polyathlon.experiments.trust import Trust, check_code
from polyathlon.experiments.worker import cast
from polyathlon.runtime.caller import Caller
from polyathlon.runtime.recorder import EndOfTrace
from polyathlon.runtime.replay import verify
from polyathlon.runtime.services import Services, inline

NAMED_AT_MOST = 3
_DIGEST = re.compile(rb'"digest":"([0-9a-f]{64})"')


class Unplayable(Exception):
    """An episode that no replay can follow; the text says why."""


def replayed(
    run: RunDir,
    id: str,
    events: Sequence[trace.Event],
    store: Callable[[Part], None],
    trust: Trust,
    listeners: Sequence[Intervention] = (),
) -> trace.Ended:
    """The end of a recorded episode that is played again and compared event by event.

    `store` is given the media that models and tools are shown on the way, and `listeners`, which
    change nothing, all observations. Raises Unplayable,
    ReplayMismatch at the first difference, EndOfTrace when the trace is unfinished, and UserError
    where it names code without trust.
    """
    header = events[0]
    if not isinstance(header, trace.Header):
        raise UserError(f"the trace of {id} has no header: delete it to play it again")
    if header.episode.scheduler.kind == "realtime" and header.schema == 1:
        raise Unplayable("a wall-clock game cannot be replayed")
    check_code([header.episode], trust, f"the trace of {id}")
    env, agents, interventions = cast(header.episode)
    for role, agent in agents.items():
        if not agent.replayable:
            raise Unplayable(f"{header.episode.lineup[role].label} cannot be replayed")
    tools: dict[str, Tool] = {n: registry.factory("tools", n)() for n in env.spec.tools}
    services = Services(
        model=_no_model,
        caller=Caller(),
        tool=lambda name: tools[name],
        compute=inline,
        store=store,
        load=run.load,
        clock_s=time.monotonic,
    )
    return asyncio.run(verify(events, env, agents, [*interventions, *listeners], services))


def named_media(events: Iterable[trace.Event]) -> list[trace.Ref]:
    """The media that events name, each once."""
    named = (event.parts for event in events if isinstance(event, trace.Said | trace.Used))
    return list({ref.digest: ref for parts in named for ref in parts if ref.digest}.values())


def check_media(run: RunDir, events: Iterable[trace.Event]) -> None:
    """Raises UserError, which says what is missing, unless every named medium is there whole."""
    refs = named_media(events)
    missing = [ref for ref in refs if not run.kept.holds(ref.digest)]
    if missing:
        raise UserError(f"{_told(missing, len(refs))}; polyathlon run --resume draws them again")
    for ref in refs:
        run.load(ref)


def mend(run: RunDir, ids: Iterable[str], trust: Trust) -> list[str]:
    """Draw the media again that ended episodes name and that are not there any more.

    Returns a line about each episode that does not get them all back. Runs of schema 1, whose
    media have other names, are left as they are.
    """
    if run.request()["schema"] < SCHEMA:
        return []
    lost = [id for id in ids if _lost(run, id)]
    told = [line for line in (_mended(run, id, trust) for id in lost) if line]
    run.kept.close()
    return told


def _lost(run: RunDir, id: str) -> bool:
    """Whether an ended episode has lost media; a damaged trace is found by who plays it."""
    try:
        digests = {d.decode() for line in run.lines(id) for d in _DIGEST.findall(line)}
        return not all(map(run.kept.holds, digests)) and run.ended(id) is not None
    except DamagedTrace:
        return False


def _mended(run: RunDir, id: str, trust: Trust) -> str:
    """Play an ended episode again for its media; what is missing after that, or nothing."""
    try:
        events = list(run.events(id))
    except DamagedTrace as damage:
        return f"episode {id}: {damage}"
    refs = named_media(events)
    try:
        replayed(run, id, events, run.store, trust)
        why = "they do not come back when it is played again"
    except (Unplayable, EndOfTrace, UserError) as error:
        why = str(error)
    left = [ref for ref in refs if not run.kept.holds(ref.digest)]
    return f"episode {id}: {_told(left, len(refs))}; {why}" if left else ""


def _told(missing: Sequence[trace.Ref], of: int) -> str:
    names = [f"{ref.type} {ref.shape} {ref.digest[:12]}" for ref in missing[:NAMED_AT_MOST]]
    more = ", …" if len(missing) > NAMED_AT_MOST else ""
    return f"{len(missing)} of {of} media are missing: {', '.join(names)}{more}"


def _no_model(name: str) -> Model:
    raise EndOfTrace(f"the trace holds no reply of {name} here")
