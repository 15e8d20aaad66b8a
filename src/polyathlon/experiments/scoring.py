"""Scoring: a scorer over the ended episodes of a run, written beside their traces."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import TypeAlias

import anyio
import anyio.to_thread
import msgspec

from polyathlon import __version__, registry
from polyathlon.core import trace
from polyathlon.core.addresses import bare, logins, redacted
from polyathlon.core.errors import UserError
from polyathlon.core.models import Abilities, CallFailed, Model, Reply, Request, Sampling, Usage
from polyathlon.core.parts import Part
from polyathlon.core.scoring import Scorer, Scores
from polyathlon.core.slugs import slug
from polyathlon.experiments.clients import client
from polyathlon.experiments.durable import make_folder, write_whole
from polyathlon.experiments.ledger import Ledger, priced
from polyathlon.experiments.measure import check_metrics
from polyathlon.experiments.rundir import RunDir
from polyathlon.experiments.score_estimate import Forecast, forecast
from polyathlon.experiments.terms import Terms
from polyathlon.experiments.tidy import check_writable
from polyathlon.experiments.traces import DamagedTrace
from polyathlon.runtime.caller import Attempt, Caller
from polyathlon.runtime.limits import BudgetReached

SCHEMA = 1
CAUSE_CHARACTERS = 500
MOST_BYTES = 64 << 20
"""Of a file of scores; a larger one is made anew."""

Given: TypeAlias = Callable[[Terms], Terms]
"""The terms to score under, out of those that were there."""


class ScorerCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model call of a scorer: the request's hash, its last message, and what every attempt
    brought: the reply with usage and cost, or the cause of its failure."""

    purpose: str
    request: str
    head: str
    sampling: Sampling
    attempts: tuple[Attempt, ...]


class ScoreFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """What `scores/SCORER/ID.json` holds. `trace_digest` is the SHA-256 of its lines.

    `cause` says why there are no scores; it is empty where there are.
    """

    schema: int
    scorer: str
    version: int
    model: str
    episode: str
    trace_digest: str
    package: str
    cause: str = ""
    scores: Scores = Scores()
    messages: tuple[trace.Said, ...] = ()
    calls: tuple[ScorerCall, ...] = ()

    @property
    def replies(self) -> list[Reply]:
        """The replies of all calls."""
        return [a.reply for call in self.calls for a in call.attempts if a.reply is not None]


class Scored(msgspec.Struct, frozen=True):
    """The score files of a run in order of episode id; `reused` counts those that were there.

    `damaged` says which episodes are left out because their traces cannot be read, and why.
    `left` episodes were not scored for want of money: all that the scorer ever asked for in this
    run, `spent_usd`, reached the budget.
    """

    scorer: str
    version: int
    model: str
    files: tuple[ScoreFile, ...]
    reused: int
    damaged: tuple[str, ...] = ()
    left: int = 0
    budget_usd: float | None = None
    spent_usd: float = 0.0

    @property
    def failed(self) -> list[ScoreFile]:
        """Those without scores."""
        return [file for file in self.files if file.cause]

    @property
    def usage(self) -> Usage:
        """Tokens of all replies, those of reused files too."""
        return sum((reply.usage for file in self.files for reply in file.replies), Usage())

    @property
    def cost_usd(self) -> float | None:
        """US dollars of all replies; None where a price is unknown."""
        costs = [reply.cost_usd for file in self.files for reply in file.replies]
        return None if None in costs else sum(cost for cost in costs if cost is not None)


class RecordedContext:
    """core.scoring.ScorerContext for one episode; keeps what was asked and what came back."""

    def __init__(
        self, run: RunDir, client: Model | None, model: str, caller: Caller, ledger: Ledger | None
    ) -> None:
        self.abilities = Abilities() if client is None else client.abilities
        self.calls: list[ScorerCall] = []
        self.messages: dict[str, trace.Said] = {}
        self._run = run
        self._client = client
        self._model = model
        self._caller = caller
        self._ledger = ledger

    async def complete(self, request: Request, purpose: str) -> Reply:
        """Raises CallFailed when the last attempt failed, BudgetReached when money is short."""
        if self._client is None or self._ledger is None:
            raise UserError("this scorer does not say that it asks a model: set its `asks`")
        self._keep_messages(request)
        attempts: list[Attempt] = []
        asked = await self._ledger.ask(self._client, request)
        try:
            return await self._caller.call(self._client, request, attempts.append)
        finally:
            if attempts and attempts[-1].final:
                self._ledger.ended(asked, attempts[-1].reply)
            else:
                self._ledger.cut_off(asked)
            key, head = request.hash(self._model), request.thread.hash
            self.calls.append(ScorerCall(purpose, key, head, request.sampling, tuple(attempts)))

    def media(self, ref: trace.Ref) -> Part:
        return self._run.load(ref)

    def _keep_messages(self, request: Request) -> None:
        nodes = takewhile(lambda node: node.hash not in self.messages, request.thread.nodes())
        for node in reversed(list(nodes)):
            parent = "" if node.parent is None else node.parent.hash
            self.messages[node.hash] = trace.said(node.message, node.hash, parent)


class Scoring:
    """Scores episodes of one run with one scorer."""

    def __init__(
        self, run: RunDir, scorer: Scorer, model: str, given: Given, *, again: bool
    ) -> None:
        self.files: dict[str, ScoreFile] = {}
        self.reused = self.left = 0
        self.terms = Terms()
        self._run = run
        self._scorer = scorer
        self._model = bare(model)
        self._client = client(self._model, logins(model)) if model else None
        self._again = again
        self._caller = Caller()
        self._folder = run.path / "scores" / slug(scorer.name, "scorer")
        self.ledger = None if self._client is None else self._opened(self._client, given)

    async def close(self) -> None:
        """Release the model and the ledger."""
        if self._client is not None:
            await self._client.close()
        if self.ledger is not None:
            self.ledger.close()

    async def forecast(self, ids: Sequence[str]) -> Forecast | None:
        """What it may cost to score those that have no scores yet; None where it costs nothing."""
        client = self._client
        if client is None or (client.price and not (client.price.input or client.price.output)):
            return None
        fresh = [id for id in ids if self._again or self._kept(self._blank(id)) is None]
        return await forecast(self._run, self._scorer, client, fresh) if fresh else None

    async def score(self, id: str) -> None:
        """Score an episode, unless a file of the same scorer, model and trace has its scores.

        Once the money is spent, those that have no such file are left.
        """
        blank = await anyio.to_thread.run_sync(self._blank, id)
        kept = None if self._again else self._kept(blank)
        self.reused += kept is not None
        try:
            if kept is None and self.left:
                raise BudgetReached
            self.files[id] = kept or await self._made(blank)
        except BudgetReached:
            self.left += 1

    def _opened(self, client: Model, given: Given) -> Ledger:
        ledger = Ledger(self._folder, _earlier_usd(self._folder))
        try:
            self.terms = given(ledger.remembered())
            priced(client, self._model, self.terms)
            ledger.begin(self.terms)
        except BaseException:
            ledger.close()
            raise
        return ledger

    def _blank(self, id: str) -> ScoreFile:
        hasher = hashlib.sha256()
        for line in self._run.lines(id):
            hasher.update(line + b"\n")
        name, version = self._scorer.name, self._scorer.version
        return ScoreFile(SCHEMA, name, version, self._model, id, hasher.hexdigest(), __version__)

    def _kept(self, blank: ScoreFile) -> ScoreFile | None:
        path = self._folder / f"{blank.episode}.json"
        try:
            if path.stat().st_size > MOST_BYTES:
                return None
            file = msgspec.json.decode(path.read_bytes(), type=ScoreFile)
            for values in (file.scores.values, *file.scores.roles.values()):
                check_metrics(values)
        except (OSError, msgspec.MsgspecError, RecursionError, DamagedTrace):
            return None
        return file if not file.cause and _key(file) == _key(blank) else None

    async def _made(self, blank: ScoreFile) -> ScoreFile:
        ctx = RecordedContext(self._run, self._client, self._model, self._caller, self.ledger)
        scores, cause = Scores(), ""
        try:
            events = await anyio.to_thread.run_sync(self._events, blank.episode)
            scores = await self._scorer.score(events, ctx)
        except BudgetReached:
            raise
        except CallFailed as error:
            cause = f"model:{error.cause}"
        except Exception as error:
            cause = f"{type(error).__name__}: {error}"
        made = msgspec.structs.replace(
            blank,
            cause=redacted(cause)[:CAUSE_CHARACTERS],
            scores=scores,
            messages=tuple(ctx.messages.values()),
            calls=tuple(ctx.calls),
        )
        self._write(made)
        return made

    def _events(self, id: str) -> list[trace.Event]:
        return list(self._run.events(id))

    def _write(self, file: ScoreFile) -> None:
        path = self._folder / f"{file.episode}.json"
        try:
            make_folder(self._folder)
            write_whole(path, msgspec.json.format(msgspec.json.encode(file)))
        except OSError as error:
            raise UserError(
                f"cannot write {path} ({error.strerror}): make room and score again"
            ) from None


def score_run(
    run: RunDir,
    name: str,
    model: str = "",
    *,
    concurrency: int = 8,
    again: bool = False,
    given: Given = lambda remembered: remembered,
    on_forecast: Callable[[Forecast], None] = lambda forecast: None,
    on_scored: Callable[[int, int], None] = lambda done, total: None,
) -> Scored:
    """Score the ended episodes of a run that the scorer understands, in a new event loop.

    A fault of scorer or model gives the episode a file with a cause, which the next call tries
    anew; other files are reused unless `again`. `given` makes the terms, budget and prices, out of
    those of the last time; they are written down, and money is counted over all times. Episodes
    that there is no money for are left. `on_forecast` is told what it may
    cost before that, `on_scored` how many are done, of how many. Raises UserError for an unknown
    scorer or model, and where there is nothing to score.
    """
    scorer: Scorer = registry.factory("scorers", name)()
    check_writable(run.path, "scores")
    if concurrency < 1:
        raise UserError(f"concurrency is at least 1, not {concurrency}")
    _check_model(scorer, model)
    damaged: list[str] = []
    ids = [id for id in run.episode_ids() if _fits(run, scorer, id, damaged.append)]
    if not ids and not damaged:
        what = f" of {', '.join(scorer.envs)}" if scorer.envs else ""
        raise UserError(f"{run.path} has no ended episode{what}: scorer {name} has nothing to do")
    scoring = Scoring(run, scorer, model, given, again=again)
    try:
        asyncio.run(_score_all(scoring, ids, concurrency, on_forecast, on_scored))
    except ExceptionGroup as group:
        raise group.exceptions[0] from None
    files = tuple(scoring.files[id] for id in ids if id in scoring.files)
    spent_usd = 0.0 if scoring.ledger is None else scoring.ledger.spent_usd
    return Scored(
        scorer.name, scorer.version, bare(model), files, scoring.reused, tuple(damaged),
        scoring.left, scoring.terms.budget_usd, spent_usd,
    )  # fmt: skip


async def _score_all(
    scoring: Scoring,
    ids: Sequence[str],
    concurrency: int,
    on_forecast: Callable[[Forecast], None],
    on_scored: Callable[[int, int], None],
) -> None:
    waiting = iter(ids)

    async def work() -> None:
        for id in waiting:
            await scoring.score(id)
            on_scored(len(scoring.files) + scoring.left, len(ids))

    try:
        may_cost = await scoring.forecast(ids)
        if may_cost is not None:
            on_forecast(may_cost)
        async with anyio.create_task_group() as group:
            for _ in range(concurrency):
                group.start_soon(work)
    finally:
        with anyio.CancelScope(shield=True):
            await scoring.close()


def _check_model(scorer: Scorer, name: str) -> None:
    if scorer.asks and not name:
        raise UserError(f"scorer {scorer.name} asks a model: add --model PROVIDER/NAME")
    if name and not scorer.asks:
        raise UserError(f"scorer {scorer.name} asks no model: leave --model out")


def _fits(run: RunDir, scorer: Scorer, id: str, on_damage: Callable[[str], object]) -> bool:
    """Whether an episode is scored; one whose trace cannot be read is told to `on_damage`."""
    try:
        if run.ended(id) is None:
            return False
        env = run.header(id).episode.env
        for _ in run.lines(id):
            pass
    except DamagedTrace as damage:
        on_damage(f"{run.path} {id}: {damage}")
        return False
    return not scorer.envs or env in scorer.envs


def _earlier_usd(folder: Path) -> float:
    """What the replies in score files cost that were made before there was a ledger."""
    found = 0.0
    for path in folder.glob("*.json"):
        with suppress(msgspec.MsgspecError, OSError):
            file = msgspec.json.decode(path.read_bytes(), type=ScoreFile)
            found += sum(reply.cost_usd or 0.0 for reply in file.replies)
    return found


def _key(file: ScoreFile) -> tuple[object, ...]:
    return (file.schema, file.scorer, file.version, file.model, file.trace_digest)
