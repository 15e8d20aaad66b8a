"""Myriad Echoes: the clip, its sounds in step, and the screen."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from polyathlon import registry
from polyathlon.core.parts import Audio, Image, Video
from polyathlon.core.percepts import Percept
from polyathlon.envs.omniplay.echoes.answers import KINDS, Click, Transcription
from polyathlon.envs.omniplay.echoes.grid import boxes
from polyathlon.envs.omniplay.echoes.rules import GRIDS
from polyathlon.envs.omniplay.echoes.view.scenes import DARK_S, LIT_S, duration_s, starts_s
from polyathlon.media import icons
from polyathlon.media.sound import samples

ID = "omniplay/echoes-v0"


def started(level: str, seed: int = 0, **options: Any) -> Any:
    env = registry.make(ID, level, options)
    env.reset(seed)
    return env


def seen(env: Any) -> dict[str, Percept]:
    return {percept.channel: percept for percept in env.observe("player").percepts}


def frames(video: Video) -> Any:
    flat = np.frombuffer(video.rgb, np.uint8)
    return flat.reshape(video.frames, video.height_px, video.width_px, 3)


def lit_cells(frame: Any, dark: Any, level: str) -> list[tuple[int, int]]:
    """The cells that differ from the dark frame."""
    return [
        cell
        for cell, (left, top, right, bottom) in boxes(*GRIDS[level]).items()
        if (frame[top:bottom, left:right] != dark[top:bottom, left:right]).any()
    ]


def loudness(sound: Any, start_s: float, seconds: float) -> float:
    start = round(start_s * 16_000)
    return float(np.sqrt(np.mean(sound[start : start + round(seconds * 16_000)] ** 2)))


@pytest.mark.parametrize("level", GRIDS)
def test_clip_and_sounds_are_in_step(level: str) -> None:
    env = started(level)
    channels, rules = seen(env), env.rules
    video, sound = channels["clip"].render(), channels["sounds"].render()
    assert isinstance(video, Video)
    assert isinstance(sound, Audio)
    assert video.duration_s == sound.duration_s == duration_s(len(rules.order))
    pictures, heard = frames(video), samples(sound)
    dark = pictures[0]
    assert loudness(heard, 0.0, 0.5) == 0.0
    for cell, start_s in zip(rules.order, starts_s(len(rules.order)), strict=True):
        first = round(start_s * video.fps)
        for frame in pictures[first : first + 7]:
            assert lit_cells(frame, dark, level) == [cell]
            assert frame.mean() > dark.mean()
        assert (pictures[first + 7 : first + 10] == dark).all()
        quiet = loudness(heard, start_s + LIT_S, DARK_S)
        assert loudness(heard, start_s, LIT_S) > 0.01
        assert quiet < 0.001


@pytest.mark.parametrize("level", GRIDS)
def test_key_frames_show_each_light_and_each_gap(level: str) -> None:
    env = started(level)
    video = seen(env)["clip"].render()
    assert isinstance(video, Video)
    pictures = frames(video)[list(video.key_frames)]
    assert len(pictures) == 2 * len(env.rules.order)
    shown = [lit_cells(picture, pictures[1], level) for picture in pictures]
    assert shown[::2] == [[cell] for cell in env.rules.order]
    assert not any(shown[1::2])


def test_key_frames_lie_within_their_video_and_leave_its_identity() -> None:
    rgb = bytes(2 * 12)
    assert Video(2, 2, 1.0, rgb, (0, 1)).digest == Video(2, 2, 1.0, rgb).digest
    for wrong in ((2,), (-1,), (0, 5)):
        with pytest.raises(ValueError, match="key frames"):
            Video(2, 2, 1.0, rgb, wrong)


def test_equal_icons_of_the_hard_level_sound_alike_and_lie_apart() -> None:
    env = started("hard")
    rules, heard = env.rules, samples(seen(env)["sounds"].render())
    starts = [round(start_s * 16_000) for start_s in starts_s(15)]
    kinds = rules.icons(rules.order)
    twice = [kind for kind in KINDS if kinds.count(kind) == 2]
    assert len(twice) == 5
    for kind in twice:
        one, other = [i for i, found in enumerate(kinds) if found == kind]
        assert rules.order[one] != rules.order[other]
        a, b = (heard[starts[i] : starts[i] + 11_200] for i in (one, other))
        assert np.array_equal(a, b)


def test_every_icon_has_its_own_sound_and_picture() -> None:
    env = started("medium", sequence_source="truth")
    env.act("player", Transcription(((1, 1),), ("dog",)))
    heard = set()
    for cell in env.rules.order[:-1]:
        env.act("player", Click(*cell))
        percept = seen(env)["click"]
        assert percept.meaning == env.rules.kinds[cell]
        heard.add(percept.render().digest)
    assert len(heard) == 9
    drawn = {icons.icon(kind, 64).tobytes() for kind in icons.NAMES}
    assert set(icons.NAMES) == set(KINDS)
    assert len(drawn) == 10


def test_the_screen_marks_the_last_click() -> None:
    env = started("hard", sequence_source="truth")
    env.act("player", Transcription(((1, 1),), ("dog",)))
    channels = seen(env)
    assert set(channels) == {"screen", "sequence"}
    assert channels["screen"].meaning.endswith("last click: none")
    before = picture(channels["screen"])
    first = env.rules.order[0]
    env.act("player", Click(*first))
    channels = seen(env)
    assert set(channels) == {"screen", "click", "sequence"}
    assert lit_cells(picture(channels["screen"]), before, "hard") == [first]
    assert channels["screen"].facts["last"] == first


def picture(percept: Percept) -> Any:
    image = percept.render()
    assert isinstance(image, Image)
    return np.frombuffer(image.rgb, np.uint8).reshape(image.height_px, image.width_px, 3)


def test_text_channels_carry_what_the_questions_leave_out() -> None:
    env = started("easy")
    assert seen(env)["layout"].meaning == "6 icons in 2 rows and 3 columns"
    asked = env.observe("player").ask
    env.act("player", Transcription(((2, 1), (9, 9)), ("dog",)))
    sequence = seen(env)["sequence"]
    assert sequence.meaning == "[(2, 1), (9, 9)]"
    assert [aid.meaning for aid in sequence.aids] == ["step 1 in the sequence"]
    asked += env.observe("player").ask
    assert not any(character.isdigit() for character in asked)


@pytest.mark.parametrize("channel", ["clip", "sounds"])
@pytest.mark.parametrize("level", GRIDS)
def test_a_shuffled_channel_contradicts_the_other(level: str, channel: str) -> None:
    env = started(level)
    true = seen(env)[channel]
    lie = true.counterfactuals["shuffled"]
    assert sorted(lie.facts["icons"]) == sorted(true.facts["icons"])
    assert lie.facts["icons"] != true.facts["icons"]
    assert lie.meaning != true.meaning
    assert lie.render().digest != true.render().digest
    if channel == "clip":
        read = env.observe("player").actions.parse(lie.facts["suggests"])
        assert read == Transcription(lie.facts["cells"], lie.facts["icons"])


def test_a_long_clip_is_drawn_fast() -> None:
    clip = seen(started("hard"))["clip"]
    clip.render()
    times = []
    for _ in range(3):
        started_s = time.process_time()
        clip.render()
        times.append(time.process_time() - started_s)
    assert min(times) < 0.4


@pytest.mark.parametrize("size_px", [24, 64, 160])
def test_icons_fill_their_square(size_px: int) -> None:
    for name in icons.NAMES:
        sprite = icons.icon(name, size_px)
        assert sprite.size == (size_px, size_px)
        left, top, right, bottom = sprite.getchannel("A").getbbox()
        assert max(right - left, bottom - top) > 0.8 * size_px
        assert len(sprite.convert("RGB").getcolors(size_px**2)) > 8
