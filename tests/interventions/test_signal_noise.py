"""Signal noise: its size, its shape, and that equal seeds give equal signals."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.interventions.senses import SPEC, film, grey, observation

from polyathlon.core.chance import stream
from polyathlon.core.parts import Audio, Image, Part, Text, Video
from polyathlon.interventions.build import build
from polyathlon.interventions.degrade import degrade

KINDS = [("gaussian", 0.1), ("salt_pepper", 0.2), ("blur", 2.0), ("camera", 1.0)]
PARTS = [
    Image(17, 11, bytes(range(256)) * 2 + bytes(49)),
    Audio(8_000, bytes(range(200)), 1),
    Audio(8_000, bytes(range(200)), 2),
    Video(8, 8, 5.0, bytes(range(192)) * 3),
]


def pixels(image: Part) -> np.ndarray:
    assert isinstance(image, Image)
    return np.frombuffer(image.rgb, np.uint8).astype(float)


@pytest.mark.parametrize(("kind", "strength"), KINDS)
@pytest.mark.parametrize("part", PARTS)
def test_noise_changes_the_signal_and_keeps_its_form(
    kind: str, strength: float, part: Part
) -> None:
    noisy = degrade(part, kind, strength, 5)
    assert type(noisy) is type(part)
    assert noisy != part
    assert degrade(part, kind, strength, 5) == noisy
    for field in set(part.__struct_fields__) - {"rgb", "pcm"}:
        assert getattr(noisy, field) == getattr(part, field)


@pytest.mark.parametrize("kind", ["gaussian", "salt_pepper", "blur"])
@pytest.mark.parametrize("part", [*PARTS, Text("words"), Audio(8_000, b"")])
def test_a_strength_of_zero_changes_nothing(kind: str, part: Part) -> None:
    assert degrade(part, kind, 0.0, 5) == part


@pytest.mark.parametrize("kind", ["gaussian", "salt_pepper"])
def test_seeds_and_frames_differ(kind: str) -> None:
    assert degrade(grey(128), kind, 0.1, 1) != degrade(grey(128), kind, 0.1, 2)
    noisy = degrade(film(128), kind, 0.3, 1)
    assert isinstance(noisy, Video)
    size = len(noisy.rgb) // noisy.frames
    assert noisy.rgb[:size] != noisy.rgb[size : 2 * size]


@pytest.mark.parametrize(("kind", "strength"), KINDS)
def test_a_noisy_video_tells_its_story_in_the_same_frames(kind: str, strength: float) -> None:
    """Whoever takes pictures only is shown the same moments, clean or noisy."""
    video = Video(8, 8, 5.0, bytes(range(192)) * 3, key_frames=(0, 2))
    noisy = degrade(video, kind, strength, 5)
    assert isinstance(noisy, Video)
    assert noisy.key_frames == video.key_frames


def test_gaussian_noise_has_the_standard_deviation_it_says() -> None:
    noise = pixels(degrade(Image(200, 200, bytes([128]) * 120_000), "gaussian", 0.1, 3)) - 128
    assert abs(noise.mean()) < 0.4
    assert noise.std() == pytest.approx(25.5, rel=0.02)
    quiet = degrade(Audio(16_000, bytes(80_000)), "gaussian", 0.01, 3)
    assert isinstance(quiet, Audio)
    assert np.frombuffer(quiet.pcm, "<i2").std() == pytest.approx(327.67, rel=0.02)


def test_salt_and_pepper_hit_the_share_of_pixels_it_says() -> None:
    noisy = pixels(degrade(Image(200, 200, bytes([128]) * 120_000), "salt_pepper", 0.2, 3))
    whole = noisy.reshape(-1, 3)
    assert (whole == whole[:, :1]).all()
    assert (whole[:, 0] == 0).mean() == pytest.approx(0.1, abs=0.01)
    assert (whole[:, 0] == 255).mean() == pytest.approx(0.1, abs=0.01)


def test_blur_smears_an_edge_and_keeps_the_mean() -> None:
    edge = Image(40, 4, (bytes(60) + bytes([200]) * 60) * 4)
    soft = pixels(degrade(edge, "blur", 3.0, 0)).reshape(4, 40, 3)
    assert 0 < soft[0, 18, 0] < soft[0, 21, 0] < 200
    assert soft.mean() == pytest.approx(100, abs=2)
    click = Audio(8_000, bytes(100) + (10_000).to_bytes(2, "little") + bytes(100))
    smeared = degrade(click, "blur", 2.0, 0)
    assert isinstance(smeared, Audio)
    samples = np.frombuffer(smeared.pcm, "<i2")
    assert samples.argmax() == 50
    assert samples.max() == pytest.approx(10_000 / (2.0 * np.sqrt(2 * np.pi)), rel=0.02)
    assert samples.sum() == pytest.approx(10_000, rel=0.01)


@given(st.binary(min_size=2, max_size=400), st.sampled_from(KINDS), st.integers(0, 2**64 - 1))
@settings(max_examples=60)
def test_any_sound_can_be_degraded(raw: bytes, kind: tuple[str, float], seed: int) -> None:
    sound = Audio(16_000, raw[: len(raw) // 2 * 2])
    noisy = degrade(sound, *kind, seed)
    assert isinstance(noisy, Audio)
    assert len(noisy.pcm) == len(sound.pcm)


def test_noise_is_drawn_when_wanted_and_known_by_its_seed() -> None:
    delivered = build("noise:gaussian=0.2@board", SPEC).apply(observation(), stream(1))
    again = build("noise:gaussian=0.2@board", SPEC).apply(observation(), stream(1))
    other = build("noise:gaussian=0.2@board", SPEC).apply(observation(), stream(2))
    board = delivered.percepts[0]
    assert board.render().digest == board.render().digest == again.percepts[0].render().digest
    assert board.render().digest != other.percepts[0].render().digest
    assert board.render() != grey(128)
    assert board.meaning == "grey 128"


def test_noise_stacks_in_the_order_given() -> None:
    obs = observation()
    for text in ("noise:salt_pepper=0.1@board", "noise:blur=1@board"):
        obs = build(text, SPEC).apply(obs, stream(0))
    image = pixels(obs.percepts[0].render())
    assert len(set(image)) > 3


def test_golden_noise() -> None:
    """Equal seeds give equal signals on every machine."""
    noisy = degrade(grey(128), "gaussian", 0.1, 7)
    peppered = degrade(grey(128), "salt_pepper", 0.1, 7)
    assert (noisy.digest[:16], peppered.digest[:16]) == ("af7da8b79d5ae284", "d1973d2a0347d971")


def test_interventions_import_no_numpy_until_something_is_degraded() -> None:
    code = (
        "import sys; from polyathlon.interventions import build, ablate, aid, conflict, signal, "
        "substitute, words; sys.exit('numpy' in sys.modules or 'PIL' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": "src"}).returncode == 0
