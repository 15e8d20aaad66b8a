"""Sounds, videos and what interventions changed, in the replays of a report."""

from __future__ import annotations

import base64
import importlib.util
import json
from pathlib import Path

import msgspec
import pytest
from tests import toys as toys
from tests.analysis import synthetic as made
from tests.analysis.test_report import page_of, replay_data
from tests.runtime.support import episode, played, services

from polyathlon import registry
from polyathlon.analysis.report import embedding, gallery
from polyathlon.analysis.report.embedding import embedded
from polyathlon.analysis.report.frames import redraw
from polyathlon.analysis.report.replay import replay
from polyathlon.analysis.table import episodes
from polyathlon.core import trace
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.parts import Audio, Image, Part, Video
from polyathlon.core.percepts import Percept
from polyathlon.experiments.rundir import RunDir, create
from polyathlon.media import flac, png

RELAY = "toys/relay-v0"
MODEL = AgentSpec("llm", "scripted/random:watch,red,green,blue,yellow")
RANDOM = AgentSpec("random")
CODEC = importlib.util.find_spec("av") is not None
HOSTILE = "</script><img src=x onerror=alert(1)>"


def run_of(path: Path, agent: AgentSpec, *interventions: str, keep: bool = True) -> RunDir:
    run = create(path, {"experiment": {}})
    spec = episode(RELAY, {"player": agent}, interventions=interventions)
    store = run.store if keep else lambda part: None
    events = played(spec, use=services(store=store))
    run.trace_path(spec.id).write_bytes(b"".join(trace.encode(e) + b"\n" for e in events))
    return run


def steps_of(run: RunDir) -> tuple[list[dict], list[dict]]:
    (data,) = replay_data(page_of(run.path))
    return data["steps"], data["media"]


def test_sent_sounds_and_pictures_are_shown_with_their_words(tmp_path: Path) -> None:
    steps, media = steps_of(run_of(tmp_path / "run", MODEL))
    lamp, tone = steps[0]["shown"]
    assert (lamp["channel"], tone["channel"]) == ("lamp", "tone")
    assert lamp["words"] == tone["words"] != ""
    assert tone["source"] == gallery.SENT
    sound = media[tone["place"]]
    assert sound["kind"] == "audio"
    assert sound["uri"].startswith("data:audio/")
    assert sound["about"] == "0.1 s"
    assert len({file["uri"] for file in media}) == len(media)


def test_the_page_allows_media_from_itself_alone(tmp_path: Path) -> None:
    text = page_of(run_of(tmp_path / "run", MODEL).path)
    assert "default-src 'none'; img-src data:; media-src data:;" in text


@pytest.mark.parametrize("agent", [MODEL, RANDOM], ids=["sent", "redrawn"])
def test_lie_and_truth_are_both_shown(tmp_path: Path, agent: AgentSpec) -> None:
    steps, media = steps_of(run_of(tmp_path / "run", agent, "conflict:tone"))
    lamp, tone = steps[0]["shown"]
    (change,) = steps[0]["changes"]
    (true,) = change["media"]
    assert change["channel"] == "tone"
    assert change["true"] == true["words"] == lamp["words"]
    assert change["delivered"] == tone["words"] != lamp["words"]
    assert true["source"] == gallery.TRUE
    assert media[true["place"]] != media[tone["place"]]


def test_without_stored_media_what_was_delivered_is_drawn_again(tmp_path: Path) -> None:
    kept, _ = steps_of(run_of(tmp_path / "kept", MODEL, "conflict:tone"))
    run = run_of(tmp_path / "hashed", MODEL, "conflict:tone", keep=False)
    again, media = steps_of(run)
    assert [step["shown"] for step in again] == [step["shown"] for step in kept]
    assert media


def test_what_was_ablated_is_shown_as_missing(tmp_path: Path) -> None:
    steps, _ = steps_of(run_of(tmp_path / "run", RANDOM, "ablate:audio"))
    assert [shown["channel"] for shown in steps[0]["shown"]] == ["lamp"]
    (change,) = steps[0]["changes"]
    assert (change["channel"], change["delivered"]) == ("tone", "nothing")


def test_signal_noise_says_that_the_words_are_the_same(tmp_path: Path) -> None:
    steps, _ = steps_of(run_of(tmp_path / "run", RANDOM, "noise:gaussian=0.3@lamp"))
    (change,) = steps[0]["changes"]
    assert (change["channel"], change["true"]) == ("lamp", gallery.SAME_WORDS)
    assert change["media"]


def test_changes_of_an_env_that_is_gone_are_told_by_their_facts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of(tmp_path / "run", RANDOM, "conflict:tone")
    monkeypatch.delitem(registry._registered_envs, RELAY)
    steps, _ = steps_of(run)
    (change,) = steps[0]["changes"]
    assert "suggests" in json.loads(change["true"])
    assert change["true"] != change["delivered"]


def test_the_number_of_sounds_is_bounded_and_the_rest_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(gallery.CLIPS, "audio", 2)  # type: ignore[misc]
    steps, _ = steps_of(run_of(tmp_path / "run", MODEL))
    tones = [s for step in steps for s in step["shown"] if s["channel"] == "tone"]
    shown = [tone for tone in tones if tone["place"] != gallery.UNSEEN]
    left = [tone for tone in tones if gallery.LEFT_OUT in tone["source"]]
    assert len(shown) == 2
    assert len(shown) + len(left) == len(tones) > 2


def test_a_small_budget_drops_sounds_too(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", RANDOM)
    (row,) = episodes(run.path).episodes
    data = replay(run, row, "", 4_000).data
    assert len(msgspec.json.encode(data)) < 12_000


def test_media_that_cannot_be_made_cost_nothing_but_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(percept: Percept) -> Part:
        raise RuntimeError("no voice")

    run = run_of(tmp_path / "run", RANDOM)
    monkeypatch.setattr(Percept, "render", broken)
    steps, media = steps_of(run)
    assert media == []
    assert steps[0]["shown"][0]["source"].endswith("cannot be shown here")


def test_hostile_words_stay_data(tmp_path: Path) -> None:
    spec = episode(RELAY, {"player": RANDOM}, interventions=("conflict:tone",))
    events = played(spec)
    facts = {"words": HOSTILE}
    for place, event in enumerate(events):
        if isinstance(event, trace.Observed):
            lies = tuple(msgspec.structs.replace(p, facts=facts) for p in event.percepts)
            events[place] = msgspec.structs.replace(event, percepts=lies)
    made.write(tmp_path / "run", [events])
    text = page_of(tmp_path / "run")
    assert "<img" not in text.split("</script>")[0].split('application/json">')[-1]
    assert any(c["delivered"] == HOSTILE for c in replay_data(text)[0]["steps"][0]["changes"])


def film(frames: int = 30) -> Video:
    return Video(64, 48, 10.0, b"".join(bytes([n * 8] * 64 * 48 * 3) for n in range(frames)))


def data_of(uri: str) -> bytes:
    return base64.b64decode(uri.partition(",")[2])


@pytest.mark.skipif(not CODEC, reason="PyAV is not installed")
def test_a_video_becomes_an_mp4_and_a_sound_a_flac() -> None:
    from polyathlon.media.video import read_mp4

    file = embedded(film())
    assert (file.kind, file.about) == ("video", "3.0 s, 64x48")
    assert read_mp4(data_of(file.uri)).frames == 30
    sound = Audio(8_000, bytes(4_000))
    assert flac.decode(data_of(embedded(sound).uri)) == sound


def test_without_a_codec_a_video_becomes_a_sheet_of_frames(monkeypatch) -> None:
    monkeypatch.setattr("polyathlon.media.video.has_codec", lambda: False)
    file = embedded(film())
    assert file.kind == "image"
    assert file.about.startswith("frames of a video of 3.0 s, at 0.0, 0.2, 0.4,")
    sheet = png.decode(data_of(file.uri))
    assert (sheet.width_px, sheet.height_px) == (4 * 64, 4 * 48)
    sound = embedded(Audio(8_000, bytes(4_000)))
    assert sound.uri.startswith("data:audio/wav;base64,")


def test_what_is_too_large_is_left_out(monkeypatch) -> None:
    monkeypatch.setattr(embedding, "MOST_BYTES", 100)
    assert embedded(film()).kind == "image"
    noise = bytes(n * n % 251 for n in range(8_000))
    assert embedded(Audio(8_000, noise)) is None


def test_a_rendered_scene_with_many_colours_is_a_webp() -> None:
    many = Image(64, 64, bytes(value for n in range(64 * 64) for value in (n // 64, n % 64, 7)))
    flat = Image(64, 64, bytes([9, 9, 9]) * 64 * 64)
    assert embedded(flat).uri.startswith("data:image/png")
    assert embedded(many).uri.startswith("data:image/webp")


def test_redrawing_applies_the_episodes_interventions() -> None:
    spec: EpisodeSpec = episode(RELAY, {"player": RANDOM}, interventions=("conflict:tone",))
    drawn = redraw(played(spec), {("player", 0)})
    moment = drawn.moments["player", 0]
    assert moment.delivered[1].scene == moment.true[1].counterfactuals["other"].scene
    assert moment.delivered[0] == moment.true[0]
