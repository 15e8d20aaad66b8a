"""The six diagnostics on the real games: each moves a listener that trusts the channel, or not.

With `-s` the tests print their means with 95 % intervals.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.marking import first_fast
from tests.omniplay.arms import Arm, Forgetful, Obedient, Watcher, arm, table

from polyathlon.analysis.stats import Summary
from polyathlon.core.parts import Text, Video
from polyathlon.media.video import arrays

SEEDS = range(10)
CAP = 100


@cache
def _walk(player: str, *interventions: str) -> Arm:
    return arm("pathfinding", "easy", player, *interventions, seeds=SEEDS, cap=CAP)


def _apart(worse: Summary, better: Summary, higher: bool = True) -> bool:
    """Whether the intervals of two means do not even touch."""
    assert worse.interval is not None
    assert better.interval is not None
    if higher:
        return worse.interval[1] < better.interval[0]
    return better.interval[1] < worse.interval[0]


VOICE_LIES, TEXT_LIES = "conflict:guidance=opposite", "conflict:state=inverted"


@pytest.mark.parametrize(
    ("player", "trusted", "lie", "other"),
    first_fast(
        [
            ("guidance_only", "guidance", VOICE_LIES, TEXT_LIES),
            ("state_listener", "state", TEXT_LIES, VOICE_LIES),
        ]
    ),
)
def test_conflict_ruins_who_trusts_the_liar_and_nobody_else(
    player: str, trusted: str, lie: str, other: str
) -> None:
    true, lied, elsewhere = _walk(player), _walk(player, lie), _walk(player, other)
    rows = [(each.condition, each.summary()) for each in (true, lied, elsewhere)]
    table(f"D1, steps of a listener to {trusted}", rows)
    assert _apart(lied.summary(), true.summary(), higher=False)
    assert lied.mean() == CAP
    assert elsewhere.values("raw_score") == true.values("raw_score")


@pytest.mark.parametrize(
    ("player", "channel", "others"),
    first_fast(
        [
            ("guidance_only", "guidance", ("view", "state")),
            ("state_only", "state", ("view", "guidance")),
        ]
    ),
)
def test_ablation_leaves_who_trusted_the_channel_to_chance(
    player: str, channel: str, others: tuple[str, ...]
) -> None:
    true, deaf, chance = _walk(player), _walk(player, f"ablate:{channel}"), _walk("random")
    rest = [_walk(player, f"ablate:{other}") for other in others]
    rows = [(each.condition, each.summary()) for each in (true, deaf, *rest)]
    table(f"D2, steps of {player}", [*rows, ("random", chance.summary())])
    assert deaf.values("raw_score") == chance.values("raw_score")
    assert _apart(deaf.summary(), true.summary(), higher=False)
    for other in rest:
        assert other.values("raw_score") == true.values("raw_score")


@pytest.mark.parametrize(
    ("player", "channel", "trust"),
    first_fast([("guidance_listener", "guidance", 0.85), ("state_listener", "state", 0.85)]),
)
def test_the_cues_followed_are_the_trust_declared(player: str, channel: str, trust: float) -> None:
    """A whim in five moves is a turn in any quarter, so that one of 20 moves agrees by chance."""
    lie = VOICE_LIES if channel == "guidance" else TEXT_LIES
    cues = _walk(player, lie).cues()
    assert cues[channel].share == pytest.approx(trust, abs=0.03)
    assert cues[channel].bias == pytest.approx(trust, abs=0.03)
    for other, cue in cues.items():
        assert other == channel or (cue.bias is not None and cue.bias < 0.2)


@pytest.mark.parametrize(
    ("game", "channel"),
    first_fast([("alchemist", "note"), ("phantom", "guidance"), ("alchemist", "state")]),
)
def test_an_obedient_player_follows_one_channel_alone(game: str, channel: str) -> None:
    cues = arm(game, "medium", lambda: Obedient(channel), seeds=range(8)).cues()
    assert cues[channel].offered > 10
    assert cues[channel].share == cues[channel].bias == 1.0
    assert all(cue.share < 0.2 for name, cue in cues.items() if name != channel and cue.share)


def test_word_noise_costs_a_listener_and_no_onlooker() -> None:
    arms = [
        arm("phantom", "medium", "guidance_only", *noise, seeds=range(6))
        for noise in ((), ("words:noise=0.4@guidance",), ("words:noise=0.8@guidance",))
    ]
    table("D3, raw score of a listener", [(each.condition, each.summary()) for each in arms])
    assert _apart(arms[1].summary(), arms[0].summary())
    assert arms[2].mean() < arms[1].mean()
    onlooker = [
        arm("phantom", "medium", "map_only", *noise, seeds=range(2))
        for noise in ((), ("words:noise=0.4@guidance",))
    ]
    assert onlooker[0].values("raw_score") == onlooker[1].values("raw_score")


def test_camera_noise_grows_with_its_strength_and_leaves_the_words() -> None:
    true, *noisy = [
        _maps(*noise) for noise in ((), ("noise:camera=0.5@map",), ("noise:camera=1@map",))
    ]
    away = [np.abs(frames - true).mean() for frames in noisy]
    print(f"\nD3, mean distance of the map in grey levels: {away[0]:.1f}, {away[1]:.1f}")
    assert 2 < away[0] < away[1] < 60
    heard = [_told("guidance", *noise) for noise in ((), ("noise:camera=1@map",))]
    assert heard[0] == heard[1]


def _watched(*interventions: str, turns: int) -> Watcher:
    """Who sat still for a few turns of phantom, and watched."""
    watcher = Watcher("omniplay/phantom-v0", "passive")
    arm("phantom", "medium", lambda: watcher, *interventions, seeds=[0], turns=turns)
    assert len(watcher.seen) == turns
    return watcher


def _maps(*interventions: str) -> np.ndarray:
    (seen,) = _watched(*interventions, turns=1).seen
    shown = next(percept.render() for percept in seen.percepts if percept.channel == "map")
    assert isinstance(shown, Video)
    return arrays(shown).astype(int)


def _told(channel: str, *interventions: str) -> list[tuple[str, str | None]]:
    """The modality and the meaning of a channel, moment by moment."""
    seen = _watched(*interventions, turns=12).seen
    percepts = [percept for moment in seen for percept in moment.percepts]
    return [(p.modality, p.meaning) for p in percepts if p.channel == channel]


def test_substitution_writes_the_very_words_that_were_spoken() -> None:
    spoken, written = _told("guidance"), _told("guidance", "substitute:audio")
    assert len(spoken) == len(written) == 12
    assert [words for _, words in spoken] == [words for _, words in written]
    assert {modality for modality, _ in spoken} == {"audio"}
    assert {modality for modality, _ in written} == {"text"}
    for moment in _watched("substitute:audio", turns=2).seen:
        texts = [p.render() for p in moment.percepts if p.channel == "guidance"]
        meanings = [p.meaning for p in moment.percepts if p.channel == "guidance"]
        assert texts == [Text(words or "") for words in meanings]
    same = [
        arm("phantom", "medium", "guidance_only", *change, seeds=range(3)).values("raw_score")
        for change in ((), ("substitute:audio",), ("substitute:audio", "noise:camera=1@map"))
    ]
    assert same[0] == same[1] == same[2]


def test_the_step_helps_who_does_not_see_what_was_clicked() -> None:
    arms = [
        arm("echoes", "medium", "full", *change, seeds=SEEDS)
        for change in (("ablate:screen",), ("ablate:screen", "aid:step"))
    ]
    table("D4, right clicks of ten", [(each.condition, each.summary("score")) for each in arms])
    assert _apart(arms[0].summary("score"), arms[1].summary("score"))
    assert arms[1].mean("success") == 1.0


def test_the_mapping_helps_who_remembers_no_note() -> None:
    arms = [
        arm("alchemist", "medium", Forgetful, *change, seeds=SEEDS)
        for change in ((), ("aid:mapping",))
    ]
    table("D4, composite score", [(each.condition, each.summary()) for each in arms])
    assert _apart(arms[0].summary(), arms[1].summary())
    assert arms[1].mean("completed") > arms[0].mean("completed")


@pytest.mark.parametrize("player", ["full", "clip_only", "sounds_only", "recall7", "random"])
def test_one_phase_scores_what_was_written_and_two_also_what_was_clicked(player: str) -> None:
    one, two = (arm("echoes", "medium", player, seeds=range(6), phases=n) for n in (1, 2))
    names = ("coordinate_accuracy", "icon_accuracy", "score")
    for phases, shares in ((one, (0.5, 0.5, 0.0)), (two, (0.25, 0.25, 0.5))):
        parts = np.array([phases.values(name) for name in names])
        assert phases.values("raw_score") == pytest.approx(list(shares @ parts))
    assert all(count == 1 for count in one.values("steps"))
    for name in names[:2]:
        assert one.values(name) == two.values(name)
