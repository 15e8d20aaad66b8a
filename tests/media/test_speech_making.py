"""Speech: equal words, equal bytes; any text; what a recogniser hears."""

import threading
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyathlon.core.errors import UserError
from polyathlon.core.parts import Audio
from polyathlon.media import sound, speech
from polyathlon.media.speech import Spoken, said, speak, spoken
from polyathlon.media.voices import espeak, resampling

pytest.importorskip("espeakng_loader")

SENTENCE = "goal, 12.4 metres, slightly left; turn left, then go straight to the next corner"
OTHERS = ("hello", "exit, 4.7 metres, behind; turn around", "日本語 Ж 🙂", "Delta holds at 30, 55.")


def test_equal_words_equal_bytes_whatever_was_said_before() -> None:
    first = espeak.speak(SENTENCE)
    for other in OTHERS:
        espeak.speak(other)
        assert espeak.speak(SENTENCE) == first


def test_threads_share_the_engine() -> None:
    wanted = {words: espeak.speak(words) for words in (SENTENCE, *OTHERS)}
    heard: list[tuple[str, bytes]] = []

    def say() -> None:
        heard.extend((words, espeak.speak(words)) for words in wanted)

    threads = [threading.Thread(target=say) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(heard) == 4 * len(wanted)
    assert all(pcm == wanted[words] for words, pcm in heard)


def test_format_pace_and_level() -> None:
    made = speak(SENTENCE)
    assert (made.rate_hz, made.channels) == (16_000, 1)
    spoken_s = made.duration_s - 2 * speech.PAUSE_S
    assert 110 < 60 * 18 / spoken_s < 180, "18 spoken words (12.4 is four)"
    peak = np.abs(np.frombuffer(made.pcm, "<i2").astype(int)).max()
    assert 5_000 < peak < 32_768


def test_a_sentence_is_spoken_in_time() -> None:
    espeak.speak("warm")
    spent_s = []
    for _ in range(5):
        before = time.process_time()
        espeak.speak(SENTENCE)
        spent_s.append(time.process_time() - before)
    assert min(spent_s) < 0.03, "measured 0.012; twice that leaves room for a busy machine"


def test_recent_speech_is_kept() -> None:
    assert speak("kept for later").pcm is speak("kept for later").pcm


def test_scenes_are_told_drawn_and_placed() -> None:
    scene = Spoken("exit to the right", pan=0.8)
    assert said(scene) == "exit to the right"
    stereo = spoken(scene)
    left, right = np.abs(sound.samples(stereo)).T
    assert stereo.channels == 2
    assert right.sum() > 2 * left.sum()
    assert spoken(Spoken("exit to the right")) == speak("exit to the right")


def test_unknown_voices_say_what_exists() -> None:
    with pytest.raises(UserError, match="did you mean espeak"):
        speak("hello", "espeek")


def test_nothing_to_say_is_silence() -> None:
    for words in ("", "  \n", "\x00\x01", "<>[]"):
        assert not any(speak(words).pcm)
        assert speak(words).duration_s == pytest.approx(2 * speech.PAUSE_S)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=60))
def test_any_text_is_spoken_and_leaves_the_engine_as_it_was(words: str) -> None:
    assert isinstance(speak(words), Audio)


@settings(max_examples=25, deadline=None)
@given(st.text(alphabet="<>/&;\x01\x1b[]{}=\"'!-%@#+0159 abPRS", max_size=60))
def test_markup_and_commands_are_words(words: str) -> None:
    speak(words)
    assert espeak.speak("hello") == _HELLO


_HELLO = espeak.speak("hello")


def test_markup_brings_no_pause_and_no_change_of_voice() -> None:
    paused = speak('one <break time="20s"/> two')
    assert paused.duration_s < 8.0
    assert speak("\x01300Pone") == speak(" 300Pone")
    assert speak("[[w'0t]]") == speak("w'0t")


@pytest.mark.parametrize(
    "words",
    [
        ".,;!?" * 4_000,
        pytest.param("a" * 20_000, marks=pytest.mark.slow),
        pytest.param("é" * 20_000, marks=pytest.mark.slow),
        pytest.param("north west, 12. " * 1_250, marks=pytest.mark.slow),
    ],
)
def test_very_long_text(words: str) -> None:
    assert speak(words).duration_s > 0.6


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(-32_768, 32_767), max_size=400), st.sampled_from([22_050, 44_100]))
def test_resampling_is_exact(values: list[int], from_hz: int) -> None:
    samples = np.array(values, dtype=np.int16)
    weights, starts, up, down = resampling.filter_bank(from_hz)
    padded = np.pad(samples.astype(object), (resampling.REACH, weights.shape[1] + down))
    wanted = []
    for place in range(-(-len(values) * up // down)):
        block, phase = divmod(place, up)
        group, column = divmod(phase, resampling.GROUP)
        first = block * down + starts[group]
        window = padded[first : first + weights.shape[1]]
        total = sum(int(s) * int(w) for s, w in zip(window, weights[group, :, column], strict=True))
        rounded = (total + (1 << resampling.COEFFICIENT_BITS - 1)) >> resampling.COEFFICIENT_BITS
        wanted.append(max(-32_768, min(32_767, rounded)))
    assert np.frombuffer(resampling.to_16_khz(samples, from_hz), "<i2").tolist() == wanted


def test_resampling_keeps_tones_and_drops_what_cannot_be_said() -> None:
    moments_s = np.arange(22_050) / 22_050
    for pitch_hz, kept in ((300.0, 1.0), (3_000.0, 1.0), (6_000.0, 1.0), (10_000.0, 0.0)):
        tone = np.rint(20_000 * np.sin(2 * np.pi * pitch_hz * moments_s)).astype(np.int16)
        heard = np.frombuffer(resampling.to_16_khz(tone, 22_050), "<i2")[200:-200].astype(float)
        assert np.sqrt(2 * np.mean(heard**2)) == pytest.approx(20_000 * kept, abs=200)
