"""How descriptions of an env tell sounds, videos and pictures."""

from __future__ import annotations

import pytest
from tests import toys as toys

from polyathlon import cli, registry
from polyathlon.cli.description import describe, first_picture, form
from polyathlon.core.errors import UserError
from polyathlon.core.parts import Audio, Image, Part, Text, Video
from polyathlon.core.percepts import Percept


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (Text("words"), ""),
        (Image(3, 2, bytes(18)), "3x2"),
        (Audio(16_000, bytes(48_000)), "1.5 s, 16,000 Hz mono"),
        (Audio(8_000, bytes(32_000), 2), "1.0 s, 8,000 Hz stereo"),
        (Video(2, 1, 2.5, bytes(30)), "2x1, 2.0 s, 5 frames at 2.5 a second"),
    ],
)
def test_the_form_of_a_signal_in_words(part: Part, said: str) -> None:
    assert form(part) == said


def test_show_tells_the_length_of_sounds(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", "toys/relay-v0"]) == 0
    page = capsys.readouterr().out
    assert "[lamp, image, 24x24]" in page
    assert "[tone, audio, 0.1 s, 8,000 Hz mono]" in page
    assert "[progress, text]" in page


def test_what_cannot_be_made_here_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(percept: Percept) -> Part:
        raise UserError("install the voice")

    env = registry.make("toys/relay-v0")
    env.reset(0)
    monkeypatch.setattr(Percept, "render", missing)
    (seat,) = describe(env, "short", 0).seats
    assert [percept.form for percept in seat.percepts] == ["install the voice"] * 2 + [""]


@pytest.mark.parametrize(("modality", "red"), [("image", 7), ("video", 9)])
def test_the_first_picture_may_come_from_a_video(
    modality: str, red: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clip = Video(1, 1, 5.0, bytes([8, 0, 0, 9, 0, 0]), key_frames=(1,))
    parts = {"image": Image(1, 1, bytes([7, 0, 0])), "audio": clip, "video": clip, "text": clip}
    env = registry.make("toys/relay-v0")
    env.reset(0)
    monkeypatch.setattr(Percept, "render", lambda percept: parts[percept.modality])
    if modality == "video":
        observation = env.observe("player")
        film = Percept("film", "video", None, lambda scene: clip)
        seen = (film, *observation.percepts[1:])
        monkeypatch.setattr(
            env, "observe", lambda role: type(observation)(role, 0, 0, seen, "?", None)
        )
    picture = first_picture(env)
    assert picture is not None
    assert picture.rgb[0] == red
