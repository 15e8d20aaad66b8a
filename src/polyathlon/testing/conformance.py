"""What every env must hold, as checks that anybody can run on their own env.

In one call: `check_env("family/name-v0")`, or with a factory of the user's own:
`check_env(lambda level: MyEnv(level or "easy"))`. Check by check under pytest:

    @pytest.mark.parametrize("case", cases("family/name-v0"), ids=str)
    @pytest.mark.parametrize("check", CHECKS, ids=attrgetter("__name__"))
    def test_env(check, case):
        check(case)

A check raises AssertionError with the env, level and seed in its text, or lets an exception of
the env itself through.
`check_processes` starts a fresh interpreter and takes a second or two; it is not in `CHECKS`.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from typing import Any, TypeAlias

from polyathlon.core.actions import Labels, Malformed, reads_reply
from polyathlon.core.canonical import canonical
from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError
from polyathlon.core.parts import Image, modality
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import Option
from polyathlon.core.world import STATUSES, Brief, Env, Observation, Role
from polyathlon.testing.cases import (
    SEEDS,
    SHORT,
    Case,
    Factory,
    cases,
    ending,
    fingerprint,
    global_randomness,
    is_json,
    observations,
    percepts,
    pickles,
    signals_built,
    transcript,
)
from polyathlon.testing.drive import Turn, play, replay, state_hash
from polyathlon.testing.passing import check_next_event, check_time
from polyathlon.testing.reach import in_scene, reachable

Check: TypeAlias = Callable[[Case], None]

RENDERED = 2
HIDDEN = 2
KEPT = 6
ORACLE_TURNS = 3
SAMPLES = 20
JUNK = ("", " \n\t", "no such action", "()[]{},;:'\"`*#", "\x00\ud800", "-1e999", "9" * 5_000)


def check_env(
    env: str | Factory, levels: Sequence[str] | None = None, seeds: Sequence[int] = SEEDS
) -> None:
    """Run every check of `CHECKS`; raises AssertionError at the first that does not hold."""
    for case in cases(env, levels, seeds):
        for check in CHECKS:
            check(case)


def check_spec(case: Case) -> None:
    """The spec says one thing: names are unique, bounds ordered, defaults allowed."""
    spec = case.env().spec
    case.require(spec == case.spec, "two envs of one factory have different specs")
    base, _, version = spec.id.rpartition("-v")
    case.require("/" in base and version.isdigit(), "an id reads family/name-vN")
    for kind, names in {
        "role": spec.roles,
        "level": spec.levels,
        "channel": tuple(channel.name for channel in spec.channels),
        "metric": tuple(metric.name for metric in spec.metrics),
    }.items():
        case.require(len(names) > 0, f"no {kind} is declared")
        case.require(len(set(names)) == len(names), f"a {kind} is declared twice: {names}")
    for option in spec.options:
        case.require(_allowed(option), f"option {option.name} does not allow its own default")
    case.require(set(spec.samples) <= set(spec.levels), "samples must be levels")
    case.require(spec.horizon >= 1, "the horizon must be at least 1")
    case.require(spec.clock == "none" or spec.tick_us > 0, "a clocked env needs tick_us")
    case.require(spec.pause_us >= 0, "pause_us must be at least 0")
    case.require(spec.buyer in spec.roles, f"{spec.buys_time} buys time and is no role")
    low, high = spec.bounds
    case.require(low is None or high is None or low <= high, f"bounds {spec.bounds} are reversed")
    endless = [metric.name for metric in spec.metrics if not math.isfinite(metric.failed)]
    case.require(not endless, f"failed values must be finite: {endless}")


def check_brief(case: Case) -> None:
    """Every role is told its task and how to answer, and telling changes nothing."""
    env = case.started()
    before = state_hash(env)
    for role in case.spec.roles:
        brief = env.brief(role)
        case.require(isinstance(brief, Brief), f"brief({role!r}) is no Brief")
        told = all(text.strip() for text in (brief.task, brief.rules, brief.answer))
        case.require(told, f"the brief of {role} needs a task, rules and an answer format")
    case.require(state_hash(env) == before, "brief() changed the state")


def check_percepts(case: Case) -> None:
    """Percepts use declared channels and render what they declare."""
    channels = {channel.name: channel for channel in case.spec.channels}
    for percept in _some_percepts(case):
        name = f"channel {percept.channel}"
        case.require(percept.channel in channels, f"{name} is not declared")
        channel = channels[percept.channel]
        case.require(percept.modality == channel.modality, f"{name} carries {percept.modality}")
        part = percept.render()
        case.require(modality(part) == channel.modality, f"{name} renders {modality(part)}")
        if isinstance(part, Image) and channel.size_px is not None:
            size = (part.width_px, part.height_px)
            case.require(size == channel.size_px, f"{name} is drawn {size}, not {channel.size_px}")
        canonical(percept.facts)
        case.require(percept.meaning != "", f"{name} means nothing: use tell=None for no words")


def check_same_seed(case: Case) -> None:
    """One seed gives one game: in two envs, and in one env that has played before."""
    if "states" not in case.spec.promises:
        return
    first, second = case.env(), case.env()
    fresh, other, again = (transcript(case, env, RENDERED) for env in (first, second, first))
    case.require(fresh == other, "two envs with one seed differ")
    case.require(fresh == again, "an env that played before differs after reset")


def check_separate(case: Case) -> None:
    """Playing one env leaves another as it was."""
    still = case.started()
    before = state_hash(still), _looks(still)
    case.turns()
    case.require((state_hash(still), _looks(still)) == before, "two envs share state")


def check_observe(case: Case) -> None:
    """Looking twice shows the same and changes nothing."""
    env = case.env()
    for _ in islice(play(env, case.seed, case.random()), SHORT):
        before = state_hash(env)
        case.require(_looks(env) == _looks(env), "two looks at one moment differ")
        case.require(state_hash(env) == before, "observe() changed the state")


def check_renders_nothing(case: Case) -> None:
    """Resetting, observing, sampling and acting build no picture, sound or video."""
    with signals_built() as built:
        case.turns()
    case.require(not built, f"{', '.join(sorted(set(built)))} built while nobody perceives it")


def check_scenes_pickle(case: Case) -> None:
    """A percept that was sent to another process renders the same."""
    for percept in _some_percepts(case):
        name = f"channel {percept.channel}"
        case.require(pickles(percept), f"{name} does not pickle: draw with module-level functions")
        copy = pickle.loads(pickle.dumps(percept))
        same = copy.render().digest == percept.render().digest
        case.require(same, f"{name} renders differently after pickling")


def check_scenes_captured(case: Case) -> None:
    """What was seen stays as it was, whatever happens later."""
    kept: list[tuple[Percept, bytes]] = []
    choose = case.random()

    def keep(seen: Observation) -> Any:
        if len(kept) < KEPT:
            kept.extend((percept, pickle.dumps(percept)) for percept in percepts([seen]))
        return choose(seen)

    list(islice(play(case.env(), case.seed, keep), SHORT))
    for percept, then in kept:
        case.require(
            percept.render().digest == pickle.loads(then).render().digest,
            f"a later act changed what channel {percept.channel} showed earlier",
        )


def check_actions(case: Case) -> None:
    """Actions read back as written; any text parses to an action or a Malformed."""
    rng = stream(case.seed, "conformance", "actions")
    for seen in observations(case.turns()):
        space = seen.actions
        case.require(bool(space.describe().strip()), "describe() is empty")
        case.require(bool(space.gbnf().strip()), "gbnf() is empty")
        canonical(space.schema())
        pointed = [space.from_point(p.channel, 0.5, 0.5) for p in seen.percepts]
        sampled = [space.sample(rng) for _ in range(SAMPLES)]
        for action in sampled + [action for action in pointed if action is not None]:
            text = space.write(action)
            case.require(space.parse(text) == action, f"{text!r} does not read back as {action!r}")
        for text in JUNK:
            space.parse(text)
            if reads_reply(space):
                space.read(text, cut=True)


def check_actions_hide(case: Case) -> None:
    """No attribute of an action space leads to what a channel shows: agents hold it as it is."""
    for seen in observations(case.turns(HIDDEN)):
        found = {id(value): path for path, value in reachable(seen.actions, "actions")}
        for percept in percepts([seen]):
            held = [found[id(value)] for value in in_scene(percept.scene) if id(value) in found]
            case.require(
                not held,
                f"{held[:1]} is of the scene of channel {percept.channel}: keep it as a "
                "core.hidden.Hidden there",
            )


def check_malformed(case: Case) -> None:
    """Malformed replies are counted as such and cannot keep an episode alive."""
    for turn in case.whole_game(case.env(), lambda seen: Malformed("conformance")):
        case.require(
            turn.role is None or turn.step.status == "malformed",
            f"a Malformed brought status {turn.step.status!r}, not 'malformed'",
        )


def check_illegal(case: Case) -> None:
    """Stale actions, acts out of turn and unknown labels are judged by the rules, not crashes."""
    turns = case.turns()
    acts = [turn.action for turn in turns if turn.role is not None]
    for role in case.spec.roles:
        env = case.started()
        for action in acts[:: max(1, len(acts) // 4)]:
            status = env.act(role, action).status
            case.require(status in STATUSES, f"unknown status {status!r}")
        env = case.started()
        if isinstance(env.observe(role).actions, Labels):
            status = env.act(role, "no such label").status
            case.require(status != "ok", "an unknown label took effect: judge it illegal")


def check_after_end(case: Case) -> None:
    """When it is over it is over: nobody is pending and nothing changes it."""
    env = case.env()
    last_us, acted = 0, dict[Role | None, Any]()
    for turn in case.whole_game(env, case.random()):
        last_us, acted[turn.role] = turn.time_us, turn.action
    case.require(env.pending() == (), "somebody is pending after the outcome")
    before, ended = state_hash(env), ending(env)
    for role in case.spec.roles:
        env.observe(role)
        for action in (acted.get(role), Malformed("conformance")):
            rewards = {} if action is None else env.act(role, action).rewards
            case.require(not any(rewards.values()), "an act after the end was rewarded")
    case.require(state_hash(env) == before, "an act after the end changed the state")
    env.advance_to(last_us + 60_000_000)
    case.require(ending(env) == ended, "time after the end changed outcome or metrics")


def check_state(case: Case) -> None:
    """States are plain JSON, and the recorded actions bring back every one of them."""
    env = case.started()
    case.require(is_json(env.state()), "state() is not plain JSON of finite numbers")
    for _ in islice(play(env, case.seed, case.random()), SHORT):
        case.require(is_json(env.state()), "state() is not plain JSON of finite numbers")
    if "states" in case.spec.promises:
        turns = list(case.whole_game(env, case.random()))
        hashes = list(replay(case.env(), case.seed, turns))
        case.require(hashes == [turn.state for turn in turns], "replay leads to other states")


def check_metrics(case: Case) -> None:
    """Metrics are the declared ones, finite, and the raw score lies within its bounds."""
    env = case.started()
    _require_metrics(case, env)
    for _ in case.whole_game(env, case.random()):
        _require_metrics(case, env)


def check_policies(case: Case) -> None:
    """Declared policies exist, pickle, and act within the rules."""
    for name in case.spec.policies:
        policy = case.policy(name)
        case.require(pickles(policy), f"policy {name} does not pickle: make it a module's function")
    _require_legal(case, case.turns(), "random")
    oracle = case.policy("oracle")
    if oracle is not None:
        env, rng = case.env(), stream(case.seed, "conformance", "oracle")
        game = play(env, case.seed, lambda seen: oracle(env.state(), seen.role, rng))
        _require_legal(case, list(islice(game, ORACLE_TURNS)), "oracle")


def check_no_global_random(case: Case) -> None:
    """Playing and rendering draw nothing from the generators that a whole process shares."""
    before = global_randomness()
    for percept in _some_percepts(case):
        percept.render()
    case.require(
        global_randomness() == before, "global randomness is used: take core.chance.stream"
    )


def check_processes(case: Case) -> None:
    """A fresh process plays the same game. Its factory must pickle and register the env."""
    if "states" not in case.spec.promises:
        return
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        there = pool.submit(_elsewhere, case.factory, case.level, case.seed).result()
    here = transcript(case, case.env(), RENDERED)
    case.require(there == here, "a fresh process plays another game")


CHECKS: tuple[Check, ...] = (
    check_spec,
    check_state,
    check_brief,
    check_percepts,
    check_same_seed,
    check_separate,
    check_observe,
    check_renders_nothing,
    check_scenes_pickle,
    check_scenes_captured,
    check_actions,
    check_actions_hide,
    check_malformed,
    check_illegal,
    check_after_end,
    check_time,
    check_next_event,
    check_metrics,
    check_policies,
    check_no_global_random,
)


def _some_percepts(case: Case) -> list[Percept]:
    seen = observations(case.turns())
    return percepts([*seen[:RENDERED], *seen[-1:]])


def _looks(env: Env) -> list[list[object]]:
    return [fingerprint(env.observe(role)) for role in env.spec.roles]


def _allowed(option: Option) -> bool:
    try:
        return option.check(option.default) == option.default
    except UserError:
        return False


def _require_metrics(case: Case, env: Env) -> None:
    declared = {metric.name for metric in case.spec.metrics}
    for role in (None, *case.spec.roles):
        values = env.metrics(role)
        differ = sorted(declared ^ set(values))
        case.require(not differ, f"metrics({role!r}) and the declared ones differ in {differ}")
        endless = [name for name, value in values.items() if not math.isfinite(value)]
        case.require(not endless, f"metrics must be finite: {endless}")
    low, high = case.spec.bounds
    score = env.metrics().get("raw_score", 0.0)
    within = (low is None or score >= low) and (high is None or score <= high)
    case.require(within, f"raw_score {score} lies outside {case.spec.bounds}")


def _require_legal(case: Case, turns: list[Turn], policy: str) -> None:
    for turn in turns:
        legal = turn.role is None or turn.step.status in ("ok", "ineffective")
        case.require(legal, f"the {policy} policy acts {turn.step.status}: {turn.action!r}")
        if turn.observation is not None:
            space = turn.observation.actions
            fits = space.parse(space.write(turn.action)) == turn.action
            case.require(fits, f"the {policy} policy leaves the action space: {turn.action!r}")


def _elsewhere(factory: Factory, level: str, seed: int) -> list[object]:
    (case,) = cases(factory, [level], [seed])
    return transcript(case, case.env(), RENDERED)
