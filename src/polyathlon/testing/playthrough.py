"""Golden playthroughs: one readable transcript of a game, which must come out the same again.

    python -m polyathlon.testing.playthrough ENV LEVEL > FILE     one
    python -m polyathlon.testing.playthrough all DIRECTORY        every level of every built-in env

A file starts with what was played and the versions that made it, and then holds, turn by turn,
what each percept meant, the actions offered, the action taken and what it brought. Signals appear
as digests, which count only where the fingerprints of pictures and sounds are the file's. Long
words that are told once and kept are their first line and a digest.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from polyathlon import __version__, registry
from polyathlon.core import chance
from polyathlon.core.canonical import canonical, digest
from polyathlon.core.errors import UserError
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Env, Observation, Role, Step
from polyathlon.media.fingerprint import (
    raster_fingerprint,
    render_fingerprint,
    sound_fingerprint,
)
from polyathlon.testing.drive import Choose, Turn, play, state_hash

FORMAT = 1
ACTS = 20
MANY_LINES = 4
ACTION = "> "
SIGNAL = "  signal "
NOT_COMPARED = ("package: ", "render: ")


def file_name(env: str, level: str) -> str:
    """The name of an env's and level's golden file."""
    return f"{env.replace('/', '.')}.{level}.txt"


def write(env: str, level: str, seed: int = 0, acts: int = ACTS) -> str:
    """The transcript of the first acts of a seeded random game."""
    policy = registry.policy(env, "random")
    rng = chance.stream(seed, "playthrough", env, level)
    return _transcript(env, level, seed, acts, lambda seen: (policy or _sample)(seen, rng))


def verify(text: str) -> None:
    """Take the recorded actions again; raises AssertionError at the first line that differs."""
    header = _header(text)
    recorded = [line.removeprefix(ACTION) for line in text.splitlines() if line.startswith(ACTION)]
    actions = iter(recorded)
    again = _transcript(
        header["env"],
        header["level"],
        int(header["seed"]),
        len(recorded),
        lambda seen: seen.actions.parse(next(actions)),
    )
    compare(text, again)


def compare(then: str, now: str) -> None:
    """Compare two transcripts; raises AssertionError at the first line that differs.

    Digests of signals count only where both were written under equal fingerprints.
    """
    header, other = _header(then), _header(now)
    left_out = NOT_COMPARED if header["render"] == other["render"] else (*NOT_COMPARED, SIGNAL)
    lines = (_compared(each, left_out) for each in (then, now))
    for number, (old, new) in enumerate(zip_longest(*lines), 1):
        if old != new:
            place = f"{header['env']} {header['level']}, line {number}"
            raise AssertionError(f"{place}: {old!r} is now {new!r}")


def _header(text: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in text.split("\n\n", 1)[0].splitlines())


def _compared(text: str, left_out: tuple[str, ...]) -> Iterator[str]:
    """The lines; of those that begin as `left_out` says, no more than that."""
    for line in text.splitlines():
        yield next((start for start in left_out if line.startswith(start)), line)


def _transcript(id: str, level: str, seed: int, acts: int, choose: Choose) -> str:
    env = registry.make(id, level)
    options = env.spec.configure({})
    lines = [
        f"format: {FORMAT}",
        f"env: {id}",
        f"level: {level}",
        f"options: {canonical(options).decode()}",
        f"seed: {seed}",
        f"chance: {chance.VERSION}",
        f"package: {__version__}",
        f"render: {_fingerprints(env.spec)}",
    ]
    env.reset(seed)
    lines += ["", f"start: state {state_hash(env)}"]
    known: dict[tuple[Role, str], str] = {}
    for number, turn in enumerate(_first(play(env, seed, choose), acts)):
        lines += ["", *_turn(number, turn, known)]
    lines += ["", *_ending(env), ""]
    return "\n".join(lines)


def _fingerprints(spec: EnvSpec) -> str:
    """What decides the signals that an env's channels carry."""
    modalities = {channel.modality for channel in spec.channels}
    seen = [render_fingerprint(), raster_fingerprint()] if modalities & {"image", "video"} else []
    heard = [sound_fingerprint()] if "audio" in modalities else []
    return " ".join([*seen, *heard])


def _first(turns: Iterator[Turn], acts: int) -> Iterator[Turn]:
    """The turns up to the `acts`-th act."""
    taken = 0
    for turn in turns:
        yield turn
        taken += turn.role is not None
        if taken == acts:
            return


def _turn(number: int, turn: Turn, known: dict[tuple[Role, str], str]) -> Iterator[str]:
    seen = turn.observation
    if seen is None:
        yield f"turn {number}: time passes to {turn.time_us} us"
    else:
        yield f"turn {number}: {seen.role} at {turn.time_us} us"
        for percept in seen.percepts:
            yield from _percept(percept, seen.role, known)
        yield f"ask: {seen.ask}"
        yield f"actions: {seen.actions.describe()}"
        yield f"{ACTION}{seen.actions.write(turn.action)}"
    yield from _step(turn.step)
    yield f"state: {turn.state}"


def _percept(percept: Percept, role: Role, known: dict[tuple[Role, str], str]) -> Iterator[str]:
    meaning = _kept(percept.meaning) if percept.keep == "episode" else percept.meaning
    meaning = meaning or "(no words)"
    facts = [f"facts {canonical(percept.facts).decode()}"] if percept.facts else []
    yield f"{percept.channel} ({'; '.join([percept.modality, f'keep {percept.keep}', *facts])})"
    if known.get((role, percept.channel)) == meaning:
        yield "  as before"
    else:
        yield from (f"  {line}".rstrip() for line in meaning.splitlines())
    known[role, percept.channel] = meaning
    if percept.modality != "text":
        yield f"{SIGNAL}{percept.render().digest}"
    for name, lie in percept.counterfactuals.items():
        yield f"  counterfactual {name}: {_one_line(lie)}"
    for aid in percept.aids:
        yield f"  aid {aid.channel}: {_one_line(aid)}"


def _kept(words: str | None) -> str | None:
    """The first line, with the digest of all when there are many more."""
    if words is None or words.count("\n") < MANY_LINES:
        return words
    return f"{words.partition(chr(10))[0]} … {digest(words)[:16]}"


def _one_line(percept: Percept) -> str:
    return " / ".join((percept.meaning or "(no words)").splitlines())


def _step(step: Step) -> Iterator[str]:
    rewards = {role: reward for role, reward in step.rewards.items() if reward}
    yield f"status: {step.status}; rewards {canonical(rewards).decode()}"
    for percept in step.feedback:
        yield f"feedback {percept.channel}: {percept.meaning}"
    for mail in step.mail:
        yield f"mail from {mail.sender} to {', '.join(mail.to)}: {mail.text}"


def _ending(env: Env) -> Iterator[str]:
    outcome = env.outcome()
    yield f"outcome: {outcome.reason if outcome else 'still running'}"
    yield f"metrics: {canonical(env.metrics()).decode()}"


def _sample(seen: Observation, rng: chance.Stream) -> object:
    return seen.actions.sample(rng)


def write_all(directory: Path) -> None:
    """A file for every level of every built-in env; no other golden file stays."""
    texts = {
        file_name(spec.id, level): write(spec.id, level)
        for spec in registry.built_in_env_specs().values()
        for level in spec.levels
    }
    directory.mkdir(parents=True, exist_ok=True)
    for stale in {path.name for path in directory.glob("*.txt")} - set(texts):
        (directory / stale).unlink()
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8")


def main(arguments: list[str]) -> None:
    """The command line of this module."""
    if len(arguments) != 2:
        raise UserError(
            "write: python -m polyathlon.testing.playthrough ENV LEVEL, or all DIRECTORY"
        )
    first, second = arguments
    if first == "all":
        write_all(Path(second))
    else:
        sys.stdout.write(write(first, second))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except UserError as error:
        sys.exit(str(error))
