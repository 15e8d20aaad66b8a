"""`polyathlon probe`: ask for recorded decisions again while a channel lies."""

from __future__ import annotations

from pathlib import Path

from polyathlon.cli.run import Many, run
from polyathlon.cli.terms import Budget
from polyathlon.core.console import counted, note
from polyathlon.core.errors import UserError
from polyathlon.core.ownmodules import import_all
from polyathlon.experiments.branching import write
from polyathlon.experiments.probing import places, probes, some
from polyathlon.experiments.provenance import provenance
from polyathlon.experiments.rundir import begun, open_run
from polyathlon.experiments.trust import trusted_by


def probe(
    recorded: Path,
    /,
    *,
    lie: str,
    out: Path,
    moments: int = 50,
    model: Many = (),
    agent: Many = (),
    import_: Many = (),
    trust: bool = False,
    concurrency: int = 8,
    workers: int = 1,
    rate: Many = (),
    budget_usd: Budget | None = None,
    price: Many = (),
    json: bool = False,
) -> int:
    """Measure whose lies move a player: recorded decisions are asked again while a channel lies.

    Each is asked under the truth, once more under the truth, and with each lie. What came before
    is copied from the recorded episode and was paid for. Cut off, it goes on by
    `polyathlon run --resume --out OUT`; `polyathlon report OUT` shows the table again.

    Parameters
    ----------
    recorded
        A run directory of undisturbed senses.
    lie
        The channel that lies; CHANNEL=LIE for one of its lies.
    out
        The run directory of the probes.
    moments
        How many decisions at most, drawn evenly over the episodes.
    model
        A model that the run names, so that its host may get a key.
    agent
        Code that the run may name, module:function as it names it.
    import_
        A Python module to import first, such as one that registers envs.
    trust
        Let the run name code that runs and hosts that get keys.
    concurrency
        Probes at once.
    workers
        Worker processes.
    rate
        Bounds of a provider, as of `polyathlon run`.
    budget_usd
        Stop before the probes cost more.
    price
        MODEL=INPUT,OUTPUT in US dollars per million tokens.
    json
        Print one JSON object.
    """
    import_all(import_)
    if moments < 1:
        raise UserError(f"--moments counts from 1, not {moments}")
    if begun(out):
        raise UserError(f"{out} exists already: go on with polyathlon run --resume --out {out}")
    directory = open_run(recorded)
    allowed = trusted_by(agent, model, trust)
    channel, _, name = lie.partition("=")
    found = [
        place
        for id in directory.episode_ids()
        for place in places(directory, id, channel, name, allowed)
    ]
    if not found:
        raise UserError(f"{channel} could lie at no decision of {recorded}: choose another --lie")
    chosen = some(found, moments)
    about = {**provenance(), "probed": f"{recorded}: {lie}"}
    made = write(directory, list(probes(directory, chosen, channel, allowed)), out, about)
    asked = counted(len(made.episode_ids()), "probe")
    note(f"{asked} of {counted(len(chosen), 'decision')} out of {len(found)}")
    return run(
        agent=agent, model=model, import_=import_, trust=trust, concurrency=concurrency,
        workers=workers, rate=rate, budget_usd=budget_usd, price=price, out=out, resume=True,
        json=json,
    )  # fmt: skip
