"""A plug-in that cannot be used is named and breaks nothing; names from files stay single names."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from polyathlon import registry
from polyathlon.cli import main
from polyathlon.core.errors import UserError
from polyathlon.core.slugs import MOST_CHARACTERS, slug

ENV = "lmgame/twenty48-v0"
MODULES = {
    "acme_good": "from msgspec.structs import replace\n"
    "from polyathlon.envs.lmgame.twenty48 import SPEC\n"
    "OWN = replace(SPEC, id='acme/own-v0')\nTHEFT = replace(SPEC, title='stolen')\n"
    "TWIN = replace(SPEC, id='acme/own-v0', title='twin')\n"
    "ODD = replace(SPEC, id='../../odd')\nWRONG = replace(SPEC, id='acme/wrong-v0', roles=7)\n"
    "def agent(spec, env, role):\n    '''An agent.'''\n",
    "acme_broken": "raise RuntimeError('\\x1b[2Jbroken on import')\n",
    "acme_leaving": "import sys\nsys.exit(3)\n",
}
POINTS = """
[polyathlon.envs]
own = acme_good:OWN
theft = acme_good:THEFT
twin = acme_good:TWIN
odd = acme_good:ODD
wrong = acme_good:WRONG
nothing = acme_good:NOTHING
number = acme_good:__name__
broken = acme_broken:SPEC
leaving = acme_leaving:SPEC
[polyathlon.agents]
random = acme_good:agent
acme = acme_good:agent
a:b = acme_good:agent
broken = acme_broken:agent
[polyathlon.models]
openai = acme_good:agent
leaving = acme_leaving:model
[polyathlon.tools]
calculator = acme_good:agent
broken = acme_broken:tool
[polyathlon.interventions]
ablate = acme_broken:ablate
broken = acme_broken:tool
[polyathlon.scorers]
loops = acme_good:agent
broken = acme_broken:tool
"""
LEFT_OUT = {
    "envs": ["theft", "twin", "odd", "wrong", "nothing", "number", "broken", "leaving"],
    "agents": ["random", "a:b", "broken"],
    "models": ["openai", "leaving"],
    "tools": ["calculator", "broken"],
    "interventions": ["ablate", "broken"],
    "scorers": ["loops", "broken"],
}


@pytest.fixture
def acme(tmp_path, monkeypatch):
    """An installed package whose plug-ins take names, fail and are no plug-ins."""
    site = tmp_path / "site"
    about = site / "acme-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)
    for name, text in MODULES.items():
        (site / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(site))
    for cached in (registry._entry_points, registry._third_party_envs):
        cached.cache_clear()
    yield
    monkeypatch.undo()
    for cached in (registry._entry_points, registry._third_party_envs):
        cached.cache_clear()


@pytest.mark.parametrize("kind", list(LEFT_OUT))
def test_list_names_the_plug_ins_that_it_leaves_out(acme, kind, capsys):
    assert main(["list", kind]) == 0
    said = capsys.readouterr()
    lines = [line for line in said.err.splitlines() if line.startswith("left out: ")]
    assert sorted(line.split()[2] for line in lines) == sorted(LEFT_OUT[kind])
    assert all(" of acme: " in line for line in lines)
    assert "\x1b" not in said.out + said.err
    assert main(["list", kind, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert sorted(problem["name"] for problem in told["problems"]) == sorted(LEFT_OUT[kind])


def test_doctor_names_them_all(acme, capsys):
    assert main(["doctor", "--json"]) == 0
    checks = json.loads(capsys.readouterr().out)["checks"]
    named = [check["name"] for check in checks if check["area"] == "plug-in"]
    assert len(named) == sum(map(len, LEFT_OUT.values()))
    assert "agent random of acme" in named


def test_built_ins_stay_what_they_are(acme, tmp_path):
    assert registry.env_spec(ENV).title != "stolen"
    assert registry.factory("agents", "random").__module__ == "polyathlon.agents.baselines"
    assert registry.env_spec("acme/own-v0").title != "twin"
    assert registry.factory("agents", "acme").__module__ == "acme_good"
    out = str(tmp_path / "run")
    assert main(["run", ENV, "--agent", "random", "--turns", "1", "--out", out]) == 0
    assert main(["run", "acme/own-v0", "--agent", "random", "--turns", "1", "--out", out]) == 2


def test_a_plug_in_that_is_asked_for_says_why_it_fails(acme, monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})
    with pytest.raises(UserError, match=r"scorer broken of acme: .*broken on import"):
        registry.factory("scorers", "broken")
    with pytest.raises(UserError, match="SystemExit"):
        registry.factory("models", "leaving")


NAMES = [
    "../../x", "/etc/passwd", "", ".", "..", "...", "-", "~root", "a/../../b", "x" * 5_000,
    "CON", "nul.txt", "com1", "\x00", "\x1b[2J", "a\nb", "\u202eevil", "漢字", ".hidden", "--out",
    "$(touch x)", "%2e%2e%2f", "a\\..\\b", "\ud800",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_slug_is_one_plain_name(name):
    made = slug(name, "run")
    assert 0 < len(made) <= MOST_CHARACTERS + len("run-")
    assert made.replace("-", "").replace("_", "").replace(".", "").isalnum()
    assert made[0] not in ".-"
    assert made.isascii()
    assert made.lower().split(".")[0] not in ("con", "nul", "com1")


@given(st.text())
def test_slugs_of_any_text(name):
    made = slug(name, "run")
    assert made not in ("", ".", "..")
    assert "/" not in made


def test_plain_names_stay_as_they_are():
    assert slug("lmgame-twenty48-v0", "run") == "lmgame-twenty48-v0"


@pytest.mark.parametrize("name", ["../../x", "/tmp/polyathlon-x", "x" * 5_000, "", "NUL"])
def test_an_experiment_stays_in_the_folder_of_runs(tmp_path, monkeypatch, name):
    here = tmp_path / "a" / "b"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    group = {"targets": [ENV], "lineups": [{"*": {"kind": "random"}}], "limits": {"turns": 1}}
    (here / "shared.yaml").write_text(yaml.safe_dump({"name": name, "groups": [group]}))
    assert main(["run", "shared.yaml"]) == 0
    [run] = (here / "runs").iterdir()
    assert (run / "experiment.yaml").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a"]
    assert sorted(path.name for path in here.iterdir()) == ["runs", "shared.yaml"]
