"""Arms: the episodes of one player under one treatment, and what a treatment is called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias, get_args

import msgspec

from polyathlon.analysis.cells import Seat
from polyathlon.analysis.labels import DEFAULT, JOIN, Stamp, known_env
from polyathlon.analysis.omniplay.figures import FULL_RESULTS, TASKS
from polyathlon.analysis.rows import EpisodeRow, RoleRow
from polyathlon.core.spec import Channel

Kind: TypeAlias = Literal[
    "baseline",
    "conflict",
    "ablation",
    "noise",
    "aid",
    "simplification",
    "substitution",
    "mixed",
]
KINDS: dict[str, Kind] = {
    "conflict": "conflict",
    "words": "noise",
    "noise": "noise",
    "aid": "aid",
    "substitute": "substitution",
    "ablate": "ablation",
}
SENSES = {"video": "image"}
"""Pictures that move are pictures (section 10.2)."""
SIGNALS = ("image", "video", "audio")
TRANSCRIBED = "phase 1 only"
HUMAN = "human"


class Treatment(msgspec.Struct, frozen=True):
    """What was done to a task, such as an ablation named "no audio"."""

    kind: Kind
    name: str


class Entry(msgspec.Struct, frozen=True, order=True):
    """Who plays what. All people are one player.

    `setting` is the condition without treatment: harness, other options, scheduler, limits.
    """

    game: str
    level: str
    player: str
    setting: str

    @property
    def task(self) -> str:
        return f"{self.game}/{self.level}"

    @property
    def who(self) -> str:
        """The player with its setting."""
        return JOIN.join(filter(None, [self.player, self.setting]))


class Arm(msgspec.Struct, frozen=True):
    """The counted episodes of an entry under one treatment; people's warm-up is left out."""

    entry: Entry
    treatment: Treatment
    seats: tuple[Seat, ...]

    @property
    def agent(self) -> str:
        return self.seats[0][1].agent

    @property
    def access(self) -> Stamp:
        return self.seats[0][1].access

    def values(self, metric: str) -> list[float]:
        """A metric's value in every episode that has it."""
        return [seat.metrics[metric] for _, seat in self.seats if metric in seat.metrics]


def arms(rows: Iterable[EpisodeRow]) -> list[Arm]:
    """The arms of OmniPlay's games of one player, in order of game, level and player.

    An episode that several runs hold, such as the baseline of two studies, counts once.
    """
    groups: dict[tuple[Entry, Treatment], list[Seat]] = {}
    for row in {row.id: row for row in rows}.values():
        game = game_of(row.env)
        if game not in FULL_RESULTS or not row.counted:
            continue
        (seat,) = row.roles.values()
        if seat.metrics and not (seat.agent == HUMAN and seat.harness.get("warm_up")):
            entry = Entry(game, row.level, *_player(row, seat))
            groups.setdefault((entry, treatment(row)), []).append((row, seat))
    found = [Arm(entry, treated, tuple(group)) for (entry, treated), group in groups.items()]
    return sorted(found, key=_order)


def game_of(env: str) -> str:
    """The game an env of the family is, whatever its version; "" for any other env."""
    family, _, name = env.rsplit("-v", 1)[0].partition("/")
    return name if family == "omniplay" else ""


def treatment(row: EpisodeRow) -> Treatment:
    """What an episode's interventions and its option `phases` amount to.

    Interventions of one kind are named by the senses they touch; of several kinds, as written.
    """
    kinds = {KINDS.get(_split(text)[0], "mixed") for text in row.interventions}
    simplified = row.options.get("phases") == 1
    if simplified:
        kinds.add("simplification")
    if not kinds:
        return Treatment("baseline", "baseline")
    if len(kinds) > 1 or "mixed" in kinds:
        return Treatment("mixed", " + ".join([*row.interventions, *["phase 1"] * simplified]))
    (kind,) = kinds
    return Treatment(kind, _name(kind, row))


def _name(kind: Kind, row: EpisodeRow) -> str:
    targets = [target for text in row.interventions for target in _split(text)[1]]
    match kind:
        case "ablation":
            return f"no {' + '.join(_removed(row.env, targets))}"
        case "aid":
            return f"aid: {' + '.join(targets)}"
        case "simplification":
            return TRANSCRIBED
        case "substitution":
            return f"{' + '.join(_touched(row.env, targets))} in words"
    return f"{' + '.join(_touched(row.env, targets))} {kind}"


def _split(text: str) -> tuple[str, tuple[str, ...]]:
    """The name of an intervention and the channels and modalities it was aimed at."""
    name, _, rest = text.partition(":")
    subject, _, target = rest.partition("@")
    if name == "noise":
        return name, (target,) if target else SIGNALS
    if name == "words":
        return name, (target or "audio",)
    return name, (subject.partition("=")[0],)


def _removed(env: str, targets: Sequence[str]) -> Iterator[str]:
    """Senses of which every channel is a target, and the other targets by channel."""
    spec = known_env(env)
    if spec is None:
        yield from targets
        return
    senses: dict[str, list[Channel]] = {}
    for channel in spec.channels:
        if channel.default:
            senses.setdefault(sense(channel), []).append(channel)
    for name, channels in senses.items():
        hit = [channel.name for channel in channels if _hits(channel, targets)]
        yield from [name] if len(hit) == len(channels) else hit


def _touched(env: str, targets: Sequence[str]) -> list[str]:
    """The senses of which some channel is a target."""
    spec = known_env(env)
    if spec is None:
        return list(dict.fromkeys(targets))
    return list(dict.fromkeys(sense(ch) for ch in spec.channels if _hits(ch, targets)))


def sense(channel: Channel) -> str:
    """The sense a channel speaks to: image (videos too), audio or text."""
    return SENSES.get(channel.modality, channel.modality)


def _hits(channel: Channel, targets: Sequence[str]) -> bool:
    return channel.name in targets or channel.modality in targets


def _order(arm: Arm) -> tuple[int, int, Entry, int, str]:
    games, kinds = list(FULL_RESULTS), get_args(Kind)
    entry, treated = arm.entry, arm.treatment
    place = TASKS.index(entry.task) if entry.task in TASKS else len(TASKS)
    return games.index(entry.game), place, entry, kinds.index(treated.kind), treated.name


def _player(row: EpisodeRow, seat: RoleRow) -> tuple[str, str]:
    """Who plays, and the condition without treatment and phases."""
    if seat.agent == HUMAN:
        return HUMAN, ""
    treated, phases = " + ".join(row.interventions), f"phases={row.options.get('phases')}"
    parts = [part for part in row.condition.split(JOIN) if part not in (treated, DEFAULT)]
    kept = (", ".join(item for item in part.split(", ") if item != phases) for part in parts)
    return seat.model, JOIN.join(filter(None, kept))
