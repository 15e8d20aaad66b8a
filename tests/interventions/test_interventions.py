"""Interventions: what each does, in which order, and that none touches what it is given."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.interventions.senses import (
    GUIDANCE,
    SPEC,
    STATE,
    Utterance,
    observation,
    spoken,
    unrendered,
)

from polyathlon import registry
from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError
from polyathlon.core.interventions import STAGES, Intervention, in_order
from polyathlon.core.parts import Text
from polyathlon.core.percepts import Percept, text_percept
from polyathlon.core.world import Observation
from polyathlon.interventions.build import build
from polyathlon.interventions.word_noise import WordNoise

EVERY = (
    "conflict:speech",
    "conflict:speech=right",
    "words:delete=0.3",
    "words:swap=0.5@speech",
    "words:letters=0.2@state",
    "words:insert=0.4@audio",
    "words:noise=0.4@audio",
    "aid:hint",
    "substitute:board",
    "substitute:state=speech",
    "noise:gaussian=0.2",
    "noise:salt_pepper=0.05@image",
    "noise:blur=2@film",
    "noise:camera=1",
    "ablate:board",
    "ablate:audio",
)


def applied(text: str, obs: Observation | None = None, seed: int = 0) -> Observation:
    return build(text, SPEC).apply(obs or observation(), stream(seed, "test"))


def percept(obs: Observation, channel: str) -> Percept:
    return next(item for item in obs.percepts if item.channel == channel)


def channels(obs: Observation) -> list[str]:
    return [item.channel for item in obs.percepts]


def written(obs: Observation, channel: str) -> str:
    part = percept(obs, channel).render()
    assert isinstance(part, Text)
    return part.text


@pytest.mark.parametrize("text", EVERY)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=5)
def test_applying_renders_nothing_and_leaves_what_it_is_given(text: str, seed: int) -> None:
    given_, same = unrendered(), unrendered()
    delivered = applied(text, given_, seed)
    assert given_ == same
    assert delivered != given_
    assert applied(text, given_, seed) == delivered
    assert (delivered.ask, delivered.turn, delivered.actions) == (same.ask, 3, same.actions)


@pytest.mark.parametrize("text", EVERY)
def test_what_is_delivered_pickles_and_renders_the_same(text: str) -> None:
    delivered = applied(text)
    copy = pickle.loads(pickle.dumps(delivered))
    assert copy == delivered
    digests = [item.render().digest for item in delivered.percepts]
    assert [item.render().digest for item in copy.percepts] == digests


@pytest.mark.parametrize("text", EVERY)
def test_a_name_builds_the_same_intervention_again(text: str) -> None:
    built = build(text, SPEC)
    assert built.name == text
    assert build(built.name, SPEC) == built
    assert built.stage in STAGES


def test_numbers_are_written_in_one_way() -> None:
    assert build("noise:gaussian=.20@board", SPEC).name == "noise:gaussian=0.2@board"
    assert build("words:delete=1e-1", SPEC).name == "words:delete=0.1"


def test_stages_run_in_the_fixed_order() -> None:
    texts = ["ablate:tone", "noise:blur=1", "substitute:film", "aid:hint", "words:swap=1"]
    built = in_order([build(text, SPEC) for text in [*texts, "conflict:speech"]])
    assert [item.stage for item in built] == list(STAGES)


def test_ablate_drops_a_channel_or_a_modality() -> None:
    assert channels(applied("ablate:board")) == ["film", "speech", "tone", "state"]
    assert channels(applied("ablate:audio")) == ["board", "film", "state"]


def test_substitute_gives_the_meaning_instead_of_the_signal() -> None:
    obs = applied("substitute:board=text")
    assert percept(obs, "board").modality == "text"
    assert written(obs, "board") == "grey 128"
    assert percept(obs, "film") == percept(observation(), "film")


def test_substitute_says_when_there_are_no_words_for_it() -> None:
    with pytest.raises(UserError, match="'tone' has no meaning in words: leave substitute:audio"):
        applied("substitute:audio")


def test_conflict_takes_the_named_lie() -> None:
    obs = applied("conflict:speech=right")
    assert percept(obs, "speech").facts["says"] == "turn right"
    assert percept(applied("conflict:audio=back"), "speech").facts["says"] == "turn back"


def test_conflict_without_a_name_takes_every_lie_sometimes() -> None:
    told = {percept(applied("conflict:speech", seed=seed), "speech").meaning for seed in range(20)}
    assert told == {"turn right", "turn back"}


def test_conflict_leaves_a_channel_that_offers_no_lie_and_refuses_an_unknown_one() -> None:
    assert applied("conflict:board") == observation()
    with pytest.raises(UserError, match="unknown counterfactual of channel speech 'rigth': did"):
        applied("conflict:speech=rigth")


def test_a_lie_keeps_the_aids_of_the_moment() -> None:
    hint = text_percept("hint", "ask twice")
    seen = observation()
    speech = msgspec.structs.replace(percept(seen, "speech"), aids=(hint,))
    seen = msgspec.structs.replace(seen, percepts=(speech,))
    assert channels(applied("aid:hint", applied("conflict:speech", seen))) == ["speech", "hint"]


def test_aid_adds_what_the_env_offers_at_the_moment() -> None:
    assert written(applied("aid:hint"), "hint") == "step 2 of 5"
    bare = msgspec.structs.replace(observation(), percepts=observation().percepts[1:])
    assert applied("aid:hint", bare) == bare


def test_word_noise_speaks_again_and_says_so() -> None:
    heard = percept(applied("words:delete=0.5@speech"), "speech")
    words = str(heard.facts["words"])
    assert 0 < len(words.split()) < len(GUIDANCE.split())
    assert heard.scene == Utterance(words, 30.0)
    assert heard.meaning == words
    assert heard.render() == spoken(Utterance(words))
    assert heard.facts["says"] == GUIDANCE


def test_word_noise_changes_written_words_and_their_meaning_alike() -> None:
    obs = applied("words:letters=0.6@state")
    assert written(obs, "state") != STATE
    assert percept(obs, "state").meaning == written(obs, "state")
    assert percept(obs, "speech") == percept(observation(), "speech")


def test_word_noise_without_a_target_changes_everything_with_words() -> None:
    obs, clean = applied("words:letters=1"), observation()
    changed = [item.channel for item in obs.percepts if item != percept(clean, item.channel)]
    assert changed == ["speech", "state"]


def test_words_that_are_not_in_the_scene_cannot_be_spoken_again() -> None:
    mute = msgspec.structs.replace(percept(observation(), "speech"), scene=7)
    seen = msgspec.structs.replace(observation(), percepts=(mute,))
    with pytest.raises(UserError, match="'speech' cannot be spoken again: give its scene"):
        applied("words:delete=0.1", seen)


def test_a_transcript_given_as_text_changes_with_its_facts() -> None:
    spoken_words = msgspec.structs.replace(text_percept("state", STATE), facts={"words": STATE})
    seen = msgspec.structs.replace(observation(), percepts=(spoken_words,))
    obs = applied("words:swap=0.9", seen)
    assert percept(obs, "state").facts["words"] == written(obs, "state") != STATE


KINDS = st.sampled_from(["delete", "swap", "letters", "insert", "noise"])


@given(KINDS, st.text(), st.integers(0, 2**64 - 1))
def test_a_rate_of_zero_changes_no_word(kind: str, text: str, seed: int) -> None:
    if text.strip():
        assert WordNoise(kind, 0.0, seed).disturb(text) == text


@given(KINDS, st.floats(0, 1), st.text("ab \n", max_size=60), st.integers(0, 99))
def test_word_noise_keeps_lines_and_something_to_say(
    kind: str, rate: float, text: str, seed: int
) -> None:
    disturbed = WordNoise(kind, rate, seed).disturb(text)
    assert disturbed == WordNoise(kind, rate, seed).disturb(text)
    assert bool(disturbed.strip()) or not text.strip() or kind == "insert"
    before, after = text.split(), disturbed.split()
    counts: dict[str, Callable[[], bool]] = {
        "delete": lambda: len(after) <= len(before) and set(after) <= set(before),
        "swap": lambda: sorted(after) == sorted(before),
        "letters": lambda: [len(word) for word in after] == [len(word) for word in before],
        "insert": lambda: len(after) >= len(before),
        "noise": lambda: len(after) >= len(before),
    }
    assert counts[kind]()


def test_word_noise_has_the_rate_it_says() -> None:
    text = " ".join(["word"] * 4_000)
    assert 1_080 <= 4_000 - len(WordNoise("delete", 0.3, 1).disturb(text).split()) <= 1_320
    assert 1_080 <= len(WordNoise("insert", 0.3, 1).disturb(text).split()) - 4_000 <= 1_320


def test_one_channel_noise_does_not_depend_on_other_channels_words() -> None:
    both, one = applied("words:letters=0.5"), applied("words:letters=0.5@state")
    assert written(both, "state") == written(one, "state")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an intervention is written NAME:SUBJECT"),
        ("ablat:board", "unknown intervention 'ablat': did you mean ablate?"),
        ("ablate", "cannot read intervention 'ablate': write ablate:TARGET"),
        ("ablate:bord", "unknown channel or modality of toy/senses-v0 'bord': did you mean board?"),
        ("ablate:board=2", "unexpected keyword argument 'value'; write ablate:TARGET"),
        ("noise:gaussian", "missing a required argument: 'value'; write noise:KIND=STRENGTH"),
        ("noise:gausian=0.1", "unknown noise 'gausian': did you mean gaussian?"),
        ("noise:gaussian=lots", "noise:gaussian takes a number from 0 to 1, not 'lots'"),
        ("noise:blur=nan", "noise:blur takes a number from 0 to 100"),
        ("noise:blur=2@state", "state of toy/senses-v0 is not image or audio or video; usable"),
        ("words:delet=0.1", "unknown word noise 'delet': did you mean delete or letters?"),
        ("words:delete=1.5", "words:delete takes a number from 0 to 1"),
        ("words:delete=0.5@board", "board of toy/senses-v0 is not text or audio; usable: audio"),
        ("substitute:board=audio", "unknown substitute modality 'audio': known: speech, text"),
        ("substitute:state", "state of toy/senses-v0 is not image or audio or video"),
        ("aid:hnt", "unknown aid of toy/senses-v0 'hnt': did you mean hint?"),
        ("noise:blur=2@film@board", "cannot read intervention"),
    ],
)
def test_wrong_forms_say_what_to_write(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        build(text, SPEC)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.sampled_from(registry.names("interventions")), st.text("=@: .5aboard", max_size=20))
def test_any_text_builds_or_is_refused_in_one_line(name: str, rest: str) -> None:
    try:
        assert build(f"{name}:{rest}", SPEC).stage in STAGES
    except UserError:
        return


def test_third_parties_build_through_the_registry() -> None:
    class Silence(msgspec.Struct, frozen=True):
        name: str
        stage: str = "ablate"

        def apply(self, obs: Observation, rng: object) -> Observation:
            return msgspec.structs.replace(obs, percepts=())

    def silence(*, subject: str, spec: object) -> Silence:
        """silence:WHAT"""
        return Silence(f"silence:{subject}")

    registry.register("interventions", "silence", silence)
    try:
        built: Intervention = build("silence:all", SPEC)  # type: ignore[assignment]
        assert built.apply(observation(), stream(0)).percepts == ()
    finally:
        registry._registered["interventions"].pop("silence")
