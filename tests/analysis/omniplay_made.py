"""OmniPlay episodes made for tests: single ones, and the paper's own figures as if we ran them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from polyathlon.analysis.labels import JOIN
from polyathlon.analysis.omniplay.arms import TRANSCRIBED, Kind
from polyathlon.analysis.omniplay.figures import Figures, Row, load, raw_score
from polyathlon.analysis.omniplay.published import Printed, full_results, printed
from polyathlon.analysis.omniplay.study import Study, study
from polyathlon.analysis.rows import EpisodeRow, RoleRow, Spend
from polyathlon.core import trace

FIGURES = load()
TREATMENTS: dict[tuple[str, str], tuple[str, ...]] = {
    ("pathfinding", "audio conflict"): ("conflict:guidance=opposite",),
    ("pathfinding", "text conflict"): ("conflict:state=inverted",),
    ("pathfinding", "no audio"): ("ablate:audio",),
    ("pathfinding", "no image"): ("ablate:image",),
    ("pathfinding", "no text"): ("ablate:text",),
    ("echoes", "no audio"): ("ablate:audio",),
    ("echoes", "no image"): ("ablate:video", "ablate:image"),
    ("echoes", "no text"): ("ablate:text",),
    ("echoes", "aid: step"): ("aid:step",),
    ("alchemist", "aid: mapping"): ("aid:mapping",),
    ("phantom", "audio noise"): ("words:noise=0.4@guidance",),
    ("phantom", "image noise"): ("noise:gaussian=0.098@map", "noise:blur=1@map"),
    ("phantom", "audio in words"): ("substitute:audio",),
}
ROLES = {"phantom": "commander"}


def row(
    game: str = "pathfinding",
    level: str = "hard",
    who: str = "m",
    seed: int = 0,
    interventions: Sequence[str] = (),
    agent: str = "llm",
    harness: dict[str, str] | None = None,
    condition: str = "",
    options: dict[str, object] | None = None,
    run: str = "run",
    **metrics: float,
) -> EpisodeRow:
    """One counted episode; steps in the maze are its raw score too."""
    if "steps" in metrics and game == "pathfinding":
        metrics.setdefault("raw_score", metrics["steps"])
    role = ROLES.get(game, "player")
    seat = RoleRow(role, agent, who, harness or {}, metrics, {}, {}, 0, 0, {}, 0, Spend(), "plain")
    treated = " + ".join(interventions)
    shown = JOIN.join(filter(None, [condition, treated])) or "default"
    id = "-".join([game, level, who, str(seed), shown])
    return EpisodeRow(
        run, id, f"omniplay/{game}-v0", level, options or {}, f"{role}={who}", shown, seed, 0,
        "done", "", metrics, (), {role: seat}, (), 0.0, "", "", tuple(interventions),
    )  # fmt: skip


def no_traces(row: EpisodeRow) -> Iterable[trace.Event]:
    return ()


def of(rows: Iterable[EpisodeRow], events=no_traces) -> Study:
    found = study(rows, events, FIGURES)
    assert found is not None
    return found


def published_study(kind: Kind, *games: str, figures: Figures = FIGURES) -> Study:
    """A published diagnostic study as if its printed means were our episodes."""
    return of(
        one
        for game in games
        for line in printed(figures, kind, game)
        for one in _episodes(game, line, "llm")
    )


def published_results(*games: str, figures: Figures = FIGURES) -> Study:
    """The published full results as if they were our episodes."""
    return of(
        one
        for game in games
        for line in full_results(figures, game)
        for one in _episodes(game, line, line.who if line.who in ("human", "random") else "llm")
    )


def _episodes(game: str, line: Printed, agent: str) -> Iterator[EpisodeRow]:
    simplified = line.treatment == TRANSCRIBED
    for seed, metrics in enumerate(_metrics(game, line.columns, simplified)):
        yield row(
            game,
            line.level,
            line.who,
            seed,
            TREATMENTS.get((game, line.treatment), ()),
            agent,
            condition="phases=1" if simplified else "",
            options={"phases": 1} if simplified else {},
            **metrics,
        )


def _metrics(game: str, columns: Row, simplified: bool) -> Iterator[dict[str, float]]:
    """Metrics of episodes with the printed columns; the mean of steps is not kept."""
    match game:
        case "pathfinding":
            for name in ("min_steps", "trimmed_mean_steps", "max_steps"):
                invalid = columns["mean_invalid_actions"]
                yield {"steps": columns[name], "invalid_actions": invalid, "success": 1.0}
        case "echoes":
            score = columns["mean_score"] if simplified else raw_score(game, columns)
            yield {
                "raw_score": score,
                "score": columns["mean_score"],
                "coordinate_accuracy": columns["mean_coordinate_accuracy"],
                "icon_accuracy": columns["mean_icon_accuracy"],
                "success": columns.get("success_rate_pct", 0) / 100,
                "parse_failure": columns.get("parse_failure_pct", 0) / 100,
            }
        case "alchemist":
            composite = columns["composite_score"]
            completed = columns["completion_rate_pct"] / 100
            yield {"raw_score": composite, "composite": composite, "completed": completed}
        case "phantom":
            yield {
                "raw_score": raw_score(game, columns),
                "normalized_score": columns["normalized_score"],
                "success_rate": columns["success_rate"],
            }
