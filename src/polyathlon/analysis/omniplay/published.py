"""The published studies and full results, in the shape of own ones, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from polyathlon.analysis.omniplay.arms import TRANSCRIBED, Kind
from polyathlon.analysis.omniplay.figures import FULL_RESULTS, TASKS, Figures, Row, raw_score
from polyathlon.analysis.omniplay.nps import Spread, efficiency

EPISODES = 50
"""What the published standard errors divide by (Tables 16 to 18)."""
STEPS = "trimmed_mean_steps"
MEDIUM = "medium"
"""The level of the tables that name none."""
LEVELS = {task.partition("/")[2] for task in TASKS}


class Printed(msgspec.Struct, frozen=True):
    """A published line: who under which treatment, its columns, and of a study its score.

    `score` is that of a contrast: as printed on hard, elsewhere from the columns by the same
    formula. `spread` holds a printed one with its sd.
    """

    who: str
    level: str
    treatment: str
    columns: Row
    score: float | None = None
    spread: Spread | None = None


class StudyTable(msgspec.Struct, frozen=True):
    """Where a study of a game is printed: its table, that of its scores, and its conditions."""

    table: str
    conditions: Mapping[str, str]
    scores: str = ""


STUDIES: Mapping[tuple[Kind, str], StudyTable] = {
    ("conflict", "pathfinding"): StudyTable(
        "8",
        {
            "baseline_no_conflict": "baseline",
            "audio_conflict": "audio conflict",
            "text_conflict": "text conflict",
        },
        "16",
    ),
    ("ablation", "pathfinding"): StudyTable(
        "9",
        {
            "full_modality": "baseline",
            "removed_audio": "no audio",
            "removed_image": "no image",
            "removed_text": "no text",
        },
        "17",
    ),
    ("ablation", "echoes"): StudyTable(
        "10",
        {
            "full_modality": "baseline",
            "removed_audio": "no audio",
            "removed_image": "no image",
            "removed_text": "no text",
        },
        "17",
    ),
    ("noise", "phantom"): StudyTable(
        "11",
        {
            "baseline_no_noise": "baseline",
            "audio_noise": "audio noise",
            "image_noise": "image noise",
        },
    ),
    ("aid", "echoes"): StudyTable("12", {"baseline": "baseline", "aided_prompt": "aid: step"}),
    ("aid", "alchemist"): StudyTable(
        "13", {"baseline": "baseline", "aided_prompt": "aid: mapping"}
    ),
    ("simplification", "echoes"): StudyTable(
        "14", {"original_task": "baseline", "simplified_task": TRANSCRIBED}
    ),
    ("substitution", "phantom"): StudyTable(
        "15",
        {
            "baseline_video_text_audio": "baseline",
            "substituted_video_text_only": "audio in words",
        },
    ),
}

CAVEATS: Mapping[str, str] = {
    "8": (
        "The paper says every model gets slower under the audio conflict; Flash on easy improves "
        "(10.9 to 10.1). It calls Flash almost deaf to the text conflict, which holds on easy "
        "and medium alone."
    ),
    "9": (
        "The paper calls missing audio harmful throughout; Flash on easy and medium and MiniCPM "
        "on hard improve in its table. Without text Flash is said to improve slightly; on medium "
        "it worsens (19.0 to 23.1)."
    ),
    "10": (
        "The paper says every removal hurts Pro; medium without image improves (10 to 30 %) and "
        "easy without audio keeps 70 %."
    ),
    "11": (
        "The paper's text gives a drop of over 40 % for visual noise; its table gives that for "
        "audio (Pro -40.9 %), and -82.0 % for images."
    ),
    "14": (
        "The paper says all models gain; Flash's score on hard falls (1.90 to 1.55) and Pro's "
        "coordinates do (13.5 to 10.6)."
    ),
    "15": "The paper says all models gain; MiniCPM falls from 11.60 to 1.80.",
    "16": "The baseline reads 89.4 here and 86.7 in Table 17: each study has its own worst cell.",
    "17": "MiniCPM without text is printed as 0.40 in echoes; Table 10 gives 0.25.",
    "18": (
        "NPS of pathfinding is linear in steps, though the paper speaks of the inverse, and "
        "standard errors are over 50 runs, though phantom had 30 episodes."
    ),
    "20": (
        "Table 20's wins are rates of 50 games; the real wins are those of Table 25. Deaths of "
        "Table 25 sum to more than the seats played, so they count hits rather than ends."
    ),
    "21": (
        "Trimmed means drop one episode at each end; the printed ones fit 5 to 40 episodes, "
        "not the 50 stated."
    ),
    "23": "The paper calls the one level medium and default.",
    "24": "The paper gives 30 episodes for phantom in one table and 50 in another.",
}
"""What to know about a table before comparing (specification, known inconsistencies)."""


def printed(figures: Figures, kind: Kind, game: str) -> Iterator[Printed]:
    """The published lines of a study, none where the paper has no such study."""
    place = STUDIES.get((kind, game))
    if place is None:
        return
    lines = [
        (condition, model, level, columns)
        for condition in place.conditions
        for model, levels in figures.tables[place.table][condition].items()
        for level, columns in (levels if LEVELS.intersection(levels) else {MEDIUM: levels}).items()
    ]
    for condition, model, level, columns in lines:
        line = Printed(figures.models[model], level, place.conditions[condition], columns)
        spread = _spread(figures, place, game, model, condition) if level == "hard" else None
        peers = [other for _, _, at, other in lines if at == level]
        score = spread.mean if spread else _score(figures, game, line, peers)
        yield msgspec.structs.replace(line, score=score, spread=spread)


def full_results(figures: Figures, game: str) -> Iterator[Printed]:
    """The published full results of a game: human, models, random (Tables 21 to 24)."""
    for who, levels in figures.tables[FULL_RESULTS[game]].items():
        name = figures.models.get(who, who)
        for level, columns in (levels if game != "alchemist" else {MEDIUM: levels}).items():
            yield Printed(name, level, "baseline", columns)


def caveats(*tables: str) -> str:
    """What to know about some tables, as one text."""
    return " ".join(CAVEATS[table] for table in tables if table in CAVEATS)


def _score(figures: Figures, game: str, line: Printed, peers: Sequence[Row]) -> float:
    """The score of a line by the formula of own ones; `peers` are all lines of its level."""
    if game == "pathfinding":
        human = figures.raw(f"{game}/{line.level}", "human")
        return efficiency(line.columns[STEPS], human, max(peer[STEPS] for peer in peers))
    if line.treatment == TRANSCRIBED:
        return line.columns["mean_score"]
    return raw_score(game, line.columns)


def _spread(
    figures: Figures, place: StudyTable, game: str, model: str, condition: str
) -> Spread | None:
    """A printed score, of the hard level; Table 16 calls its baseline otherwise than Table 8."""
    if not place.scores:
        return None
    table = figures.tables[place.scores]
    row = table.get(game, table)[model]
    found = row.get(condition) or row["no_conflict"]
    return Spread(found["mean"], found["sd"], EPISODES)
