"""Prior exposure: what is asked, and how an answer is matched with the standard rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon import registry
from polyathlon.core.actions import Malformed
from polyathlon.core.chance import stream
from polyathlon.core.world import Env
from polyathlon.envs.gptnt.bomb import manual
from polyathlon.envs.gptnt.bomb.missions import MODULES
from polyathlon.envs.gptnt.exposure import SPEC
from polyathlon.envs.gptnt.exposure.facts import facts, stated
from polyathlon.envs.gptnt.exposure.passages import passages
from polyathlon.envs.gptnt.exposure.scoring import mentions_game

CHECKABLE = [17, 11, 8, 24, 56, 20, 12, 16, 16, 27, 35]

MEMORISED = """
In **Keep Talking and Nobody Explodes**, the Wires module goes like this.

**3 wires:**
- If there are no red wires, cut the second wire.
- Otherwise, if the last wire is white, cut the last wire.
- Otherwise, if there is more than one blue wire, cut the last blue wire.
- Otherwise, cut the last wire.

**4 wires:**
1. If there is more than one red wire and the last digit of the serial number is odd, cut the last
   red wire.
2. If the last wire is yellow and there are no red wires, cut the 1st wire.
"""

TABLE = """
### With a vowel

| Strikes | Red flash | Blue flash | Green flash | Yellow flash |
|---|---|---|---|---|
| No strikes | Blue | Red | Yellow | Green |
| 1 strike | Yellow | Green | Blue | Green |

### No vowel in the serial number

- No strikes: red → blue, blue → yellow, green → green, yellow → blue
"""


def env(level: str, seed: int = 0, **options: object) -> Env:
    made = registry.make(SPEC.id, level, options)
    made.reset(seed)
    return made


def test_every_module_is_asked_for_by_name() -> None:
    for seed, module in enumerate(MODULES):
        for level in SPEC.levels:
            asked = env(level, seed)
            (question,) = asked.observe("answerer").percepts
            assert f"the {module} module" in str(question.meaning)
            assert mentions_game(str(question.meaning)) == (level == "named")
            assert env(level, seed + 11).state() == asked.state()
    assert env("named", 5, module="Maze").state() == env("named", 6).state()


def test_nothing_hints_at_the_game_where_it_is_not_named() -> None:
    asked = env("unnamed", 3)
    brief, seen = asked.brief("answerer"), asked.observe("answerer")
    told = " ".join([brief.task, brief.rules, brief.answer, brief.advice, seen.ask]).lower()
    assert not mentions_game(told)
    assert not {"bomb", "defuse", "manual", "expert", "game"} & set(told.split())


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ("This is from Keep Talking and Nobody Explodes.", True),
        ("keep talking\n and nobody explodes", True),
        ("It is a KTANE module", True),
        ("(ktane)", True),
        ("Keep talking to the expert; nobody explodes.", False),
        ("unktaned", False),
        ("", False),
    ],
)
def test_the_name_is_matched(answer: str, named: bool) -> None:
    assert mentions_game(answer) == named


def test_how_many_rules_can_be_checked() -> None:
    assert [len(facts(module)) for module in MODULES] == CHECKABLE
    for module in MODULES:
        names = [fact.name for fact in facts(module)]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("module", MODULES)
def test_the_manual_states_every_rule_and_nothing_states_none(module: str) -> None:
    pages = manual.module_pages(MODULES[module].kind)
    recited = "\n".join(page.text for page in pages)
    assert len(stated(module, recited)) == len(facts(module))
    assert stated(module, "") == ()
    assert stated(module, "I do not know this module. It may be a puzzle of some kind.") == ()


@pytest.mark.parametrize("module", MODULES)
def test_other_rules_are_not_taken_for_the_standard(module: str) -> None:
    """Drawn rules agree with standard ones here and there; mostly they do not."""
    for rule_seed in (1, 2, 3):
        pages = manual.module_pages(MODULES[module].kind, rule_seed)
        found = stated(module, "\n".join(page.text for page in pages))
        assert len(found) <= 0.5 * len(facts(module)), found


def test_an_answer_from_memory() -> None:
    assert stated("Wires", MEMORISED) == (
        "3 wires, rule 1",
        "3 wires, rule 2",
        "3 wires, rule 3",
        "3 wires, rule 4",
        "4 wires, rule 2",
    )


def test_an_answer_with_a_table() -> None:
    assert stated("Simon Says", TABLE) == (
        *(f"vowel, 0 strikes, {flash}" for flash in ("red", "blue", "green", "yellow")),
        *(f"vowel, 1 strikes, {flash}" for flash in ("red", "blue", "green")),
        *(f"no vowel, 0 strikes, {flash}" for flash in ("red", "blue", "green")),
    )


@pytest.mark.parametrize(
    ("module", "answer", "found"),
    [
        ("Morse Code", "shell: 3.505 MHz\nhalls: 3.522 MHz", ["shell"]),
        ("Button", "If it is blue and says Abort, hold it.", ["rule 1"]),
        ("Button", "When the strip is blue, release at 4.", ["blue strip"]),
        ("Maze", "There are circles at (1,2) and (3,6).", ["circles of maze 1"]),
        ("Passwords", "Think about it first.", []),
        ("Passwords", "about, after, again, zebra, below", ["about", "after", "again", "below"]),
        ("Complicated Wires", "Red wire with a star: cut it.", ["red star"]),
        ("Wire Sequence", "Third red wire: cut if it leads to A.", ["red 3"]),
        ("Wire Sequence", "Third red wire: cut if it leads to B.", []),
        ("Memory", "Stage 1: if it shows 2, press the second position.", ["stage 1, display 2"]),
        ("Who's On First", "UR: look at the top left label.", ["display UR"]),
        ("Keypad", "Find the column that has all four symbols.", ["one column holds all four"]),
    ],
)
def test_single_rules(module: str, answer: str, found: list[str]) -> None:
    assert list(stated(module, answer)) == found


def test_passages_stand_under_their_headings() -> None:
    text = "# A\nOne. Two.\n## B\n- three\n\n**C**\n- four is here.\n# D\nFive."
    assert list(passages(text)) == [
        "A",
        "A One.",
        "A Two.",
        "A B",
        "A B three",
        "A B C",
        "A B C four is here.",
        "D",
        "D Five.",
    ]


@given(st.text(st.sampled_from("#*|-: \nab.1)"), max_size=80))
def test_any_answer_can_be_cut(text: str) -> None:
    for passage in passages(text):
        assert passage.strip() == passage or passage
    for module in ("Wires", "Passwords"):
        assert set(stated(module, text)) <= {fact.name for fact in facts(module)}


def test_the_numbers_of_an_answer() -> None:
    asked = env("named", 0)
    assert asked.pending() == ("answerer",)
    assert asked.act("answerer", MEMORISED).status == "ok"
    assert asked.metrics() == {
        "raw_score": 5 / 17,
        "mentions_game": 1.0,
        "rule_matches": 5.0,
        "rules": 17.0,
        "answer_words": float(len(MEMORISED.split())),
    }
    assert asked.pending() == ()
    assert asked.act("answerer", "more").status == "illegal"


def test_no_answer_scores_nothing() -> None:
    asked = env("unnamed", 4)
    assert asked.act("answerer", Malformed("empty answer")).status == "malformed"
    outcome = asked.outcome()
    assert outcome is not None
    assert outcome.reason == "no answer"
    assert asked.metrics()["raw_score"] == asked.metrics()["mentions_game"] == 0


def test_the_whole_reply_is_the_answer() -> None:
    space = env("named").observe("answerer").actions
    assert space.parse(MEMORISED) == MEMORISED.strip()
    assert isinstance(space.parse(" \n"), Malformed)


@pytest.mark.parametrize("seed", range(11))
def test_the_oracle_knows_all(seed: int) -> None:
    oracle = registry.policy(SPEC.id, "oracle")
    assert oracle is not None
    asked = env("unnamed", seed)
    asked.act("answerer", oracle(asked.state(), "answerer", stream(seed, "test")))
    assert asked.metrics()["raw_score"] == 1
