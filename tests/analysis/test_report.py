"""The report page, Markdown and JSON, and what hostile text can do to them."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from tests.analysis import synthetic as made

from polyathlon.analysis import cells, reference
from polyathlon.analysis.against import compare, own_study
from polyathlon.analysis.effects import glass
from polyathlon.analysis.report import page, sheets
from polyathlon.analysis.report.format import number, plus_minus, usd
from polyathlon.analysis.report.frames import redraw
from polyathlon.analysis.report.plots import plots
from polyathlon.analysis.report.replay import choose, replay
from polyathlon.analysis.report.text import markdown
from polyathlon.analysis.stats import summary
from polyathlon.analysis.table import episodes
from polyathlon.cli.report import as_json, report, show_run
from polyathlon.core import trace
from polyathlon.core.errors import UserError

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    "\"' onmouseover='alert(3) <!-- ]]> \u2028 | [link](javascript:alert(4)) \x1b[31m {{ 7 * 7 }}"
)
PLAIN_ELEMENTS = (
    "html head meta title style body header p h1 h2 h3 ul li b span nav a main section figure "
    "figcaption div table thead tbody tr th td details summary dl dt dd img script footer"
)
LONG_GAME = 6
LMGAME = reference.load("lmgame")


def page_of(path: Path, against: str | None = None) -> str:
    report(path, html=path / "page.html", against=against)
    return (path / "page.html").read_text(encoding="utf-8")


class Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def replay_data(text: str) -> list[dict]:
    blocks = re.findall(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)
    return [json.loads(block) for block in blocks]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "run"
    agent = made.llm(HOSTILE, prompts=HOSTILE)
    run = made.played(made.spec(agent), 8, HOSTILE)
    failed = made.episode(made.spec(agent, 1), 0.0, "failed")
    failed[-1] = msgspec.structs.replace(failed[-1], cause=HOSTILE)
    made.write(path, [run, failed])
    return path, page_of(path, "lmgame")


def test_hostile_text_makes_no_element_and_no_attribute(hostile):
    elements = Elements(hostile[1]).found
    assert {tag for tag, _ in elements} <= set(PLAIN_ELEMENTS.split())
    assert not [name for _, attrs in elements for name in attrs if name.startswith("on")]
    scripts = [attrs for tag, attrs in elements if tag == "script"]
    assert [attrs for attrs in scripts if not attrs] == [{}]
    assert all(attrs.get("src", "data:").startswith("data:") for _, attrs in elements)


def test_hostile_text_survives_unchanged_as_data(hostile):
    step = replay_data(hostile[1])[0]["steps"][0]
    assert step["raw"] == HOSTILE
    assert step["thought"] == HOSTILE


def test_the_page_asks_nothing_of_the_network(hostile):
    text = hostile[1]
    elements = Elements(text).found
    (policy,) = [attrs["content"] for tag, attrs in elements if attrs.get("http-equiv")]
    assert policy.startswith("default-src 'none'; img-src data:;")
    links = [attrs["href"] for _, attrs in elements if attrs.get("href")]
    assert links
    assert all(link.startswith("#") for link in links)
    assert "url(" not in text.split("</style>")[0]


def test_the_script_is_the_one_the_policy_allows(hostile):
    text = hostile[1]
    script = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)[-1]
    assert f"script-src 'sha256-{page._hash(script)}'" in text.replace("&#39;", "'")


def test_templates_never_see_text_as_templates(hostile):
    assert "{{ 7 * 7 }}" in hostile[1]


def test_hostile_labels_in_plots_stay_text(hostile):
    found = cells(episodes(hostile[0]).episodes)
    for plot in plots(found):
        assert "<script" not in plot.svg
        assert "<img" not in plot.svg
        assert ElementTree.fromstring(plot.svg).tag.endswith("svg")
        assert plot.data_uri.startswith("data:image/svg+xml;base64,")


def test_markdown_escapes_tables_and_markup(hostile):
    found = cells(episodes(hostile[0]).episodes)
    text = markdown(HOSTILE, [sheets.scores(found)])
    assert "<" not in text
    assert "\x1b" not in text
    assert "\u2028" not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1


def test_the_page_shows_failures_recovery_and_unknown_cost(tmp_path):
    agent = made.llm("vendor/model")
    run = made.played(made.spec(agent), 10, "down")
    unpriced = [
        msgspec.structs.replace(e, reply=msgspec.structs.replace(e.reply, cost_usd=None))
        if isinstance(e, trace.Attempted) and e.reply
        else e
        for e in run
    ]
    made.write(tmp_path / "run", [unpriced, made.episode(made.spec(agent, 1), 0.0, "failed")])
    text = page_of(tmp_path / "run")
    assert "<b>unknown</b><span>cost</span>" in text
    assert '<li class="bad"><b>1</b><span>failed</span>' in text
    assert "rate_limit 2" in text
    assert "action line missing 2" in text
    assert "no cost is known" in text


@pytest.mark.parametrize("runs", [[], [made.episode(made.spec(), None)]], ids=["empty", "running"])
def test_runs_without_a_finished_episode_still_have_a_page(tmp_path, runs):
    made.write(tmp_path / "run", runs)
    assert "</html>" in page_of(tmp_path / "run", "lmgame")


def test_a_single_episode_has_no_spread(tmp_path):
    made.write(tmp_path / "run", [made.played(made.spec(), 5)])
    text = page_of(tmp_path / "run")
    assert "only episode" in text
    assert ">nan<" not in text.lower()


def test_redrawing_reaches_the_recorded_states(tmp_path):
    events = made.played(made.spec(), 12)
    drawn = redraw(events, {("player", 0), ("player", 11)})
    assert drawn.problem == ""
    assert set(drawn.moments) == {("player", 0), ("player", 11), ("player", 12)}
    assert drawn.moments["player", 0] != drawn.moments["player", 11]


def test_redrawing_stops_where_the_world_differs():
    events = made.played(made.spec(), 12)
    at = [n for n, event in enumerate(events) if isinstance(event, trace.Acted)][4]
    events[at] = msgspec.structs.replace(events[at], state="0" * 64)
    drawn = redraw(events, {("player", 0), ("player", 11)})
    assert "differs" in drawn.problem
    assert set(drawn.moments) == {("player", 0)}


def test_an_env_that_is_not_installed_has_no_pictures_and_a_reason():
    spec = msgspec.structs.replace(made.spec(), env="else/where-v0")
    drawn = redraw([trace.Header(trace.SCHEMA, spec.id, spec)], {("player", 0)})
    assert "else/where-v0" in drawn.problem


def test_stored_pictures_are_preferred_and_named_as_sent(tmp_path):
    made.write(tmp_path / "run", [made.played(made.spec(made.llm()), 4, "down")])
    (data,) = replay_data(page_of(tmp_path / "run"))
    captions = [shown["source"] for step in data["steps"] for shown in step["shown"]]
    assert captions == ["as sent to the model"] * 4 + ["drawn again from the recorded actions"]
    assert all(file["uri"].startswith("data:image/png;base64,") for file in data["media"])


def test_replays_are_thinned_to_their_budget_and_keep_both_ends(tmp_path):
    run = made.write(tmp_path / "run", [made.played(made.spec(seed=LONG_GAME), 200)])
    (row,) = episodes(run.path).episodes
    long, short = replay(run, row, "", 10**7), replay(run, row, "", 60_000)
    assert row.turns > 100
    assert len(long.data["steps"]) <= 121
    assert len(short.data["steps"]) < len(long.data["steps"])
    assert len(msgspec.json.encode(short.data)) <= 60_000
    for found in (long, short):
        steps = found.data["steps"]
        assert (steps[0]["turn"], steps[-2]["turn"]) == (1, row.turns)
        assert steps[-1]["end"] == "done: no_moves"


def test_best_and_worst_are_chosen_once_each(tmp_path):
    scores = {0: 50.0, 1: 90.0, 2: 10.0, 3: None}
    made.write(tmp_path / "run", [made.episode(made.spec(seed=s), v) for s, v in scores.items()])
    chosen = choose(cells(episodes(tmp_path / "run").episodes))
    assert [(title.split(" · ")[-1], row.seed) for title, row in chosen] == [
        ("best", 1),
        ("worst", 2),
    ]


def test_published_figures_stand_beside_own_ones(tmp_path):
    random = [made.episode(made.spec(seed=s), 96.0 + s) for s in range(6)]
    harnessed = made.llm("m", perception="symbolic", history=10, reflection="every:1")
    llm = [made.episode(made.spec(harnessed, s), 110.0 + s) for s in range(3)]
    made.write(tmp_path / "run", [*random, *llm])
    found = {cell.model: cell for cell in cells(episodes(tmp_path / "run").episodes)}
    ours = compare(found["m"], LMGAME)
    assert (ours.game, ours.setting) == ("2048", "harness")
    assert ours.delta == pytest.approx((111.0 - 100.4412) / 7.8324, abs=1e-3)
    baseline = compare(found["random"], LMGAME)
    assert baseline.random_sems == pytest.approx((98.5 - 100.4) / (7.8 / 30**0.5), abs=1e-3)
    sheet = sheets.published([(cell, compare(cell, LMGAME)) for cell in found.values()])
    assert ("published", "human", "115.5 ± 10.9 (3)", "", "", "", "") in sheet.rows
    assert any(row[1] == "o3-2025-04-16" for row in sheet.rows)
    assert len(sheets.baselines(sheet).rows) == 4


def test_caveats_are_shown_and_unknown_references_are_refused(tmp_path):
    assert "no ceiling" in LMGAME.games["candy_crush"].caveats[0]
    assert "count_final_piece" in LMGAME.games["tetris"].caveats[0]
    with pytest.raises(UserError, match="did you mean lmgame"):
        reference.load("lmgmae")


def test_the_harness_effect_of_own_runs(tmp_path):
    both = {"perception": "symbolic", "history": 10, "reflection": "every:1"}
    runs = [made.episode(made.spec(seed=s), 95.0 + s) for s in range(4)]
    for place, model in enumerate(("a", "b", "c")):
        for s in range(3):
            runs.append(made.episode(made.spec(made.llm(model), s), 80.0 + place + s))
            runs.append(made.episode(made.spec(made.llm(model, **both), s), 100.0 + 2 * place + s))
    made.write(tmp_path / "run", runs)
    study = own_study(cells(episodes(tmp_path / "run").episodes), None)
    assert set(study.models) == {"a", "b", "c"}
    assert all(row.harness > 0 > row.no_harness for row in glass(study))
    paired, *_ = sheets.effect(study)
    assert paired.rows[0][1:3] == ("3", "+21.00")


def test_json_is_one_object_and_nothing_else_on_stdout(tmp_path, capsys):
    made.write(tmp_path / "run", [made.episode(made.spec(seed=s), 90.0 + s) for s in range(3)])
    report(tmp_path / "run", json=True, against="lmgame")
    found = json.loads(capsys.readouterr().out)
    assert found["run"] == str(tmp_path / "run")
    assert found["cells"][0]["against"]["random"]["mean"] == 100.4
    assert not (tmp_path / "run" / "report.html").exists()
    show_run(made.RunDir(tmp_path / "run"), True)
    assert json.loads(capsys.readouterr().out)["cells"][0]["episodes"] == 3


def test_without_options_tables_are_printed_and_a_page_is_written(tmp_path, capsys):
    made.write(tmp_path / "run", [made.played(made.spec(seed=s), 4) for s in (0, 1)])
    report(tmp_path / "run", against="lmgame")
    out = capsys.readouterr().out
    assert "raw_score" in out
    assert out.splitlines()[-1] == str(tmp_path / "run" / "report.html")
    assert (tmp_path / "run" / "report.html").stat().st_size > 10_000


def test_several_runs_are_put_together(tmp_path):
    paths = [tmp_path / name for name in ("one", "two")]
    for seed, path in enumerate(paths):
        made.write(path, [made.episode(made.spec(seed=seed), 90.0)])
    found = cells(episodes(*paths).episodes)
    assert [cell.episodes for cell in found] == [2]
    assert as_json(paths, found, None)["runs"] == [str(path) for path in paths]
    assert "two" in (report(*paths, html=tmp_path / "p.html"), (tmp_path / "p.html").read_text())[1]


@pytest.mark.parametrize(
    "wrong", [{}, {"md": True, "json": True}, {"html": Path("/dev/null/x")}], ids=str
)
def test_wrong_requests_are_refused(tmp_path, wrong):
    made.write(tmp_path / "run", [])
    runs = [tmp_path / "run"] if wrong else []
    with pytest.raises(UserError):
        report(*runs, **wrong)


def test_numbers_for_people():
    assert [number(x) for x in (0, 0.5, 12.345, 1234.5, 3e-7)] == [
        "0",
        "0.5",
        "12.3",
        "1,234",
        "3e-07",
    ]
    assert [usd(x) for x in (None, 0.0, 0.0123, 12.5)] == ["unknown", "$0", "$0.012", "$12.50"]
    assert plus_minus(summary([1.0, 2.0], "ab")) == "1.50 ± 0.71"
    assert plus_minus(None) == "–"
