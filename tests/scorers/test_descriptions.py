"""Descriptions, judged by the embedding model."""

from __future__ import annotations

import re
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import pytest
from tests.marking import first_fast

from polyathlon import registry
from polyathlon.agents.models.scripted import register_script
from polyathlon.core import extras
from polyathlon.core.agents import AgentSpec
from polyathlon.core.episodes import EpisodeSpec
from polyathlon.core.errors import UserError
from polyathlon.experiments.rundir import RunDir, create
from polyathlon.experiments.runner import run_plan
from polyathlon.experiments.scoring import score_run
from polyathlon.experiments.settings import Settings
from polyathlon.media import embeddings
from polyathlon.scorers import descriptions

KEYPAD = "gptnt/keypad-v0"
GOLD = descriptions.Gold(
    ("star", "star", "fork", "horseshoe"),
    ("a star with five points", "a black star", "a fork with three prongs", "a horseshoe"),
)

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")


def run_of(path: Path, agent: str, level: str, seeds: range, model: str = "") -> RunDir:
    env = registry.env_spec(KEYPAD)
    lineup = {"describer": AgentSpec(agent, model)}
    specs = [EpisodeSpec(env.id, level, env.configure({}), seed, lineup) for seed in seeds]
    run = create(path / "run", {"experiment": {}})
    run_plan(run, specs, Settings())
    return run


def test_like_sentences_are_near() -> None:
    like, also, other, far = embeddings.embedded(
        ["a solid five-pointed star", "a black star with five points", "a trident", "It rains."]
    )
    assert like @ like == pytest.approx(1, abs=1e-5)
    assert like @ also > 0.7
    assert like @ other < 0.5
    assert abs(like @ far) < 0.2


def test_a_batch_changes_nothing() -> None:
    sentences = ["a star", "a horseshoe with two long feet that point to both sides"]
    together = embeddings.embedded(sentences)
    for sentence, vector in zip(sentences, together, strict=True):
        assert embeddings.embedded([sentence])[0] @ vector > 0.98
    assert embeddings.embedded([]).shape == (0, embeddings.DIMENSIONS)


def test_the_vocabulary_is_the_published_one() -> None:
    path = resources.files("polyathlon.media") / "vocabularies" / embeddings.VOCABULARY
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 30_522
    assert [lines.index(token) for token in ("[PAD]", "[CLS]", "[SEP]")] == [0, 101, 102]


def test_missing_weights_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(name: str) -> Any:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(embeddings, "files", gone)
    with pytest.raises(UserError, match=re.escape(extras.install("embeddings"))):
        embeddings._weights()


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(UserError, match="is not the expected file"):
        embeddings._weights()


@pytest.mark.parametrize(
    ("words", "name", "near"),
    [
        ("a dark star that has five points", "star", True),
        ("a fork whose three prongs point up", "fork", True),
        ("I do not know", "", False),
    ],
)
def test_what_words_mean(words: str, name: str, near: bool) -> None:
    found = descriptions.meant(words, "star", GOLD)
    assert (found.cosine >= descriptions.ENOUGH) == near
    if near:
        assert found.name == name
        assert (found.own == found.cosine) == (name == "star")


@pytest.mark.parametrize("seeds", first_fast([range(0, 40, 4), range(40)]))
def test_the_oracles_descriptions_are_all_accepted(seeds: range, tmp_path: Path) -> None:
    run = run_of(tmp_path, "oracle", "open", seeds)
    scored = score_run(run, "descriptions")
    assert not scored.failed
    assert len(scored.files) == len(seeds)
    for file in scored.files:
        assert file.scores.values["correct"] == 1, file.scores.notes
        assert file.scores.values["short_by"] == 0


def test_other_symbols_words_are_not(tmp_path: Path) -> None:
    run = run_of(tmp_path, "random", "open", range(20))
    scored = score_run(run, "descriptions")
    assert sum(file.scores.values["correct"] for file in scored.files) <= 4


def test_a_choice_has_nothing_to_judge(tmp_path: Path) -> None:
    run = run_of(tmp_path, "oracle", "choice", range(2))
    assert [file.scores.values for file in score_run(run, "descriptions").files] == [{}, {}]


def test_no_answer_is_wrong(tmp_path: Path) -> None:
    register_script("silent", lambda request: "")
    run = run_of(tmp_path, "llm", "open", range(1), model="scripted/silent")
    (file,) = score_run(run, "descriptions").files
    assert file.scores.values == {"correct": 0.0}
