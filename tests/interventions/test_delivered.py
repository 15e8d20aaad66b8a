"""Interventions together: fixed order, spoken text, marked insertions, and what people get."""

from __future__ import annotations

import re
from itertools import permutations

import anyio
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agents.fakes import FakeContext, always, game
from tests.interventions.senses import GUIDANCE, SPEC, STATE, observation

from polyathlon import cli, registry
from polyathlon.agents.human import HumanAgent
from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError
from polyathlon.core.interventions import in_order
from polyathlon.core.parts import Audio, Image, Text, Video
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Observation
from polyathlon.experiments.rundir import open_run
from polyathlon.interventions.build import build
from polyathlon.interventions.degrade import degrade
from polyathlon.interventions.word_noise import NOISE_LETTERS, NOISE_WORDS, WordNoise
from polyathlon.media.speech import Spoken


def delivered(*texts: str, obs: Observation | None = None, spec: EnvSpec = SPEC) -> Observation:
    """What arrives, as a session applies it."""
    seen = obs or observation()
    for item in in_order([build(text, spec) for text in texts]):
        seen = item.apply(seen, stream(0, "intervention", item.name))
    return seen


def percept(obs: Observation, channel: str) -> Percept:
    return next(item for item in obs.percepts if item.channel == channel)


def test_the_noise_lists_are_the_published_ones() -> None:
    assert (len(NOISE_WORDS), len(NOISE_LETTERS)) == (34, 15)
    assert (NOISE_WORDS[0], NOISE_WORDS[9], NOISE_WORDS[-1]) == ("xyz", "vwx", "gain")
    assert "".join(NOISE_LETTERS) == "xzqjkvwypfghbnm"


@given(st.floats(0, 1), st.text("ab \n", max_size=60), st.integers(0, 999))
def test_inserted_noise_is_from_the_lists_and_bracketed_for_reports(
    rate: float, text: str, seed: int
) -> None:
    noise = WordNoise("noise", rate, seed)
    marked = noise.marked(text)
    assert marked is not None
    assert re.sub(r" \[\w+\]", "", marked) == text
    assert set(re.findall(r"\[(\w+)\]", marked)) <= {*NOISE_WORDS, *NOISE_LETTERS}
    if text.strip():
        assert noise.disturb(text) == re.sub(r"[\[\]]", "", marked)


def test_inserted_noise_has_the_rate_and_the_shares_it_says() -> None:
    marked = WordNoise("noise", 0.4, 3).marked(" ".join(["go"] * 5_001))
    added = re.findall(r"\[(\w+)\]", marked or "")
    assert len(added) / 5_000 == pytest.approx(0.4, abs=0.02)
    assert sum(word in NOISE_WORDS for word in added) / len(added) == pytest.approx(2 / 3, abs=0.03)
    assert set(added) == {*NOISE_WORDS, *NOISE_LETTERS}
    assert (marked or "").endswith(" go")


def test_the_bracketed_text_is_in_the_facts_and_not_in_the_speech() -> None:
    speech = percept(delivered("words:noise=1@speech"), "speech")
    assert str(speech.facts["noisy"]).count("[") == len(GUIDANCE.split()) - 1
    assert speech.meaning == speech.facts["words"] == re.sub(r"[\[\]]", "", speech.facts["noisy"])
    state = percept(delivered("words:noise=1@state"), "state")
    assert re.sub(r" \[\w+\]", "", str(state.facts["noisy"])) == STATE
    assert "noisy" not in percept(delivered("words:swap=1"), "speech").facts


def test_a_guide_is_the_harder_to_follow_the_more_words_come_between() -> None:
    """A listener that goes where the word behind `turn` says."""

    def understood(rate: float) -> float:
        heard = [WordNoise("noise", rate, seed).disturb("please turn left") for seed in range(300)]
        return sum("turn left" in words for words in heard) / len(heard)

    shares = [understood(rate) for rate in (0.0, 0.2, 0.4, 0.8)]
    assert shares[0] == 1.0
    assert shares == sorted(shares, reverse=True)
    assert shares[2] == pytest.approx(0.6, abs=0.08)


def test_text_can_be_spoken() -> None:
    state = percept(delivered("substitute:state=speech"), "state")
    assert (state.modality, state.scene, state.meaning) == ("audio", Spoken(STATE), STATE)
    assert state.facts["words"] == STATE
    sound = state.render()
    assert isinstance(sound, Audio)
    assert 1.0 < sound.duration_s < 10.0
    board = percept(delivered("substitute:board=speech"), "board")
    assert board.scene == Spoken("grey 128")
    with pytest.raises(UserError, match="'tone' has no meaning in words: leave substitute:tone"):
        delivered("substitute:tone=speech")


def test_what_is_spoken_already_stays() -> None:
    spoken = msgspec.structs.replace(percept(observation(), "speech"), scene=Spoken("go"))
    seen = msgspec.structs.replace(observation(), percepts=(spoken,))
    assert delivered("substitute:audio=speech", obs=seen) == seen


STACK = ("conflict:speech=right", "words:noise=1@speech", "substitute:speech", "ablate:board")


def test_stages_compose_in_one_way_whatever_the_order_given() -> None:
    outcomes = [delivered(*order) for order in permutations(STACK)]
    assert all(outcome == outcomes[0] for outcome in outcomes)
    speech = percept(outcomes[0], "speech")
    assert speech.facts["lie"] == "right"
    part = speech.render()
    assert isinstance(part, Text)
    first, _, last = part.text.split()
    assert (first, last) == ("turn", "right")


def test_later_stages_act_on_what_earlier_ones_made() -> None:
    loud = delivered("substitute:state=speech", "noise:gaussian=0.1@audio")
    clean = percept(delivered("substitute:state=speech"), "state")
    assert percept(loud, "state").render() != clean.render()
    words = delivered("words:noise=1@state", "substitute:state=speech")
    assert percept(words, "state").scene.words == percept(words, "state").facts["words"] != STATE
    text = delivered("substitute:board", "noise:blur=3@image", "ablate:image")
    assert percept(text, "board").render() == Text("grey 128")
    assert "hint" not in [p.channel for p in delivered("aid:hint", "ablate:hint").percepts]
    assert "hint" in [p.channel for p in delivered("aid:hint", "ablate:board").percepts]


def test_filters_of_one_stage_apply_in_the_order_given() -> None:
    first = delivered("noise:salt_pepper=0.2@board", "noise:blur=1@board")
    second = delivered("noise:blur=1@board", "noise:salt_pepper=0.2@board")
    assert percept(first, "board").render() != percept(second, "board").render()


def test_a_poor_camera_is_the_three_filters_in_the_published_order() -> None:
    grey = Image(200, 100, bytes([128]) * 60_000)
    grainy = degrade(grey, "gaussian", 25 / 255, 7)
    specked = degrade(grainy, "salt_pepper", 0.02, 7 ^ 1)
    assert degrade(grey, "camera", 1.0, 7) == degrade(specked, "blur", 1.0, 7)
    assert build("noise:camera=1@film", SPEC).name == "noise:camera=1@film"
    with pytest.raises(UserError, match="speech of toy/senses-v0 is not image or video"):
        build("noise:camera=1@speech", SPEC)


def test_a_poor_camera_leaves_sounds_alone() -> None:
    seen, got = observation(), delivered("noise:camera=1")
    changed = {item.channel for item in got.percepts if item != percept(seen, item.channel)}
    assert changed == {"board", "film"}


def test_each_frame_has_its_own_noise_whatever_else_the_video_holds() -> None:
    frame = bytes([128]) * (16 * 16 * 3)
    short, long = (Video(16, 16, 5.0, frame * count) for count in (2, 3))
    two, three = (degrade(video, "camera", 1.0, 5) for video in (short, long))
    assert isinstance(two, Video)
    assert isinstance(three, Video)
    assert three.rgb.startswith(two.rgb)
    assert two.rgb[: len(frame)] != two.rgb[len(frame) :]


def test_the_meaning_of_a_noisy_picture_stays_clean() -> None:
    board = percept(delivered("noise:camera=5@board"), "board")
    assert board.meaning == "grey 128"
    assert board.render() != percept(observation(), "board").render()


EVERYTHING = (
    "conflict:{}",
    "words:noise=0.4@{}",
    "words:delete=0.2@{}",
    "substitute:{}",
    "substitute:{}=speech",
    "noise:gaussian=0.1@{}",
    "noise:camera=1@{}",
    "ablate:{}",
    "aid:{}",
)


def offered(spec: EnvSpec) -> list[str]:
    """Every intervention that an env's channels allow."""
    found = []
    for text in EVERYTHING:
        for channel in spec.channels:
            try:
                found.append(build(text.format(channel.name), spec).name)
            except UserError:
                continue
    return found


@pytest.mark.parametrize("id", registry.built_in_env_specs())
@settings(max_examples=6, deadline=None)
@given(data=st.data(), seed=st.integers(0, 9), acts=st.integers(0, 3))
def test_any_of_them_applies_to_any_env_that_offers_the_channel(
    id: str, data: st.DataObject, seed: int, acts: int
) -> None:
    env = registry.make(id)
    env.reset(seed)
    for _ in range(acts):
        for role in env.pending():
            env.act(role, env.observe(role).actions.sample(stream(seed, "acts")))
    chosen = data.draw(st.lists(st.sampled_from(offered(env.spec)), max_size=3, unique=True))
    for role in env.pending():
        seen = env.observe(role)
        try:
            got = delivered(*chosen, obs=seen, spec=env.spec)
        except UserError as error:
            if "no meaning in words" not in str(error):
                raise
            continue
        assert (got.ask, got.actions) == (seen.ask, seen.actions)
        assert env.observe(role) == seen


@pytest.mark.parametrize("text", [t.format("speech") for t in EVERYTHING[:6] + EVERYTHING[7:8]])
def test_an_intervention_on_a_channel_that_is_silent_now_does_nothing(text: str) -> None:
    others = tuple(p for p in observation().percepts if p.channel != "speech")
    quiet = msgspec.structs.replace(observation(), percepts=others)
    assert delivered(text, obs=quiet) == quiet


def test_people_get_exactly_what_is_delivered() -> None:
    texts = [
        "conflict:speech=back",
        "words:noise=1@state",
        "aid:hint",
        "ablate:film",
        "ablate:tone",
    ]
    got = delivered(*texts)
    shown: list[str] = []
    person = HumanAgent(lambda: "left\n", shown.append)
    anyio.run(person.act, got, None, FakeContext(game(), always("")))
    page = "\n".join(shown)
    for item in got.percepts:
        assert f"{item.channel}:\n{item.meaning}" in page
    assert "turn back" in page
    assert GUIDANCE not in page
    assert STATE not in page
    assert not any(f"{name}:" in page.splitlines() for name in ("film", "tone"))


def test_the_command_line_takes_them(tmp_path, capsys) -> None:
    out = tmp_path / "run"
    changes = ["conflict:note=wrong", "substitute:state=speech", "aid:mapping", "ablate:board"]
    flags = [word for text in changes for word in ("--intervene", text)]
    run = ["run", "omniplay/alchemist-v0", "--agent", "full", "--episodes", "1", *flags]
    assert cli.main([*run, "--out", str(out), "--json"]) == 0
    [id] = open_run(out).episode_ids()
    ended = open_run(out).ended(id)
    assert ended is not None
    assert ended.status == "done"
