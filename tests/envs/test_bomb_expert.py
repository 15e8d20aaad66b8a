"""Two players solve bombs by words alone, and no words confuse them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyathlon.envs.gptnt.bomb.bomb import acted, advanced, build, lights_on
from polyathlon.envs.gptnt.bomb.clock import SECOND_US
from polyathlon.envs.gptnt.bomb.expert.casing import QUESTIONS, Hearsay, Untold, tell
from polyathlon.envs.gptnt.bomb.expert.notes import Notes
from polyathlon.envs.gptnt.bomb.expert.phrases import UNCLEAR
from polyathlon.envs.gptnt.bomb.expert.reader import Reader
from polyathlon.envs.gptnt.bomb.expert.talker import Talker
from polyathlon.envs.gptnt.bomb.expert.topics import TOPICS
from polyathlon.envs.gptnt.bomb.missions import (
    TURN_S,
    MissionSpec,
    child_seeds,
    multi_missions,
    random_mission,
    single_missions,
)
from polyathlon.envs.gptnt.bomb.rulebook.variants import book

SEEDS = child_seeds()
PUBLISHED = (*single_missions(SEEDS), *multi_missions(SEEDS))
STEP_US = TURN_S * SECOND_US


class Game:
    """A game of the two in frozen time: what was said, and the bomb at its end."""

    def __init__(self, mission: MissionSpec, rule_seed: int = 0) -> None:
        self.told: list[str] = []
        self.replies: list[str] = []
        talker, reader = Talker(), Reader(book(rule_seed))
        bomb, heard = lights_on(build(mission, rule_seed)), list[str]()
        while bomb.phase == "lights_on":
            done = talker.turn(bomb, heard)
            said = [done] if isinstance(done, str) else []
            if done is not None and not isinstance(done, str):
                bomb = acted(bomb, done).bomb
            bomb = advanced(bomb, bomb.time_us + STEP_US)
            reply = reader.reply(said)
            heard = [] if reply is None else [reply]
            self.told += said
            self.replies += heard
        self.bomb = bomb


def require_solved(games: Sequence[Game]) -> None:
    for game in games:
        bomb = game.bomb
        assert (bomb.phase, bomb.strikes) == ("solved", ()), bomb.plan.mission.name
        assert UNCLEAR not in game.replies


def test_every_published_mission() -> None:
    require_solved([Game(mission) for mission in PUBLISHED])


@pytest.mark.parametrize("seed", range(8))
def test_a_sample_of_drawn_missions_and_rules(seed: int) -> None:
    require_solved([Game(random_mission(seed), rule_seed=seed)])


@pytest.mark.slow
def test_a_hundred_drawn_missions_under_a_hundred_rule_books() -> None:
    require_solved([Game(random_mission(seed), rule_seed=seed) for seed in range(1, 101)])


def test_a_game_in_words() -> None:
    game = Game(PUBLISHED[0])
    assert game.told[0].startswith("I see")
    assert "wires running across" in game.told[0]
    assert game.replies[-1].startswith("Cut the")


def test_the_edges_are_asked_for_only_if_a_rule_needs_them() -> None:
    notes = Notes(book(0))
    button = TOPICS["button"]
    assert "keep it pressed" in (
        button.advice('There is one big round button, blue, that says "abort".', notes) or ""
    )
    with pytest.raises(Untold) as untold:
        button.advice('There is one big round button, red, that says "detonate".', notes)
    assert untold.value.fact == "batteries"


def test_an_answer_about_the_edges_leads_back_to_the_open_question() -> None:
    reader = Reader(book(0))
    seen = "I see 3 wires running across. From the top they are red, red and blue."
    assert reader.reply([seen]) == "Cut the third wire from the top."
    four = "I see 4 wires running across. From the top they are red, red, blue and blue."
    assert reader.reply([four]) == QUESTIONS["serial"]
    assert reader.reply(["The serial number is AB3CD5."]) == "Cut the second wire from the top."
    assert reader.reply([four]) == "Cut the second wire from the top."


def test_more_wires_of_a_colour_than_there_are_rules_for_are_not_believed() -> None:
    wires = "red from the first to A, red from the second to B and red from the third to C"
    told = "Number {} of the panels with wires from numbers to letters has " + wires
    reader = Reader(book(0))
    replies = [reader.reply([told.format(panel)]) for panel in range(1, 5)]
    assert [reply == UNCLEAR for reply in replies] == [False, False, False, True]


@pytest.mark.parametrize("seed", range(30))
def test_what_is_told_of_the_edges_is_what_is_heard(seed: int) -> None:
    casing = build(random_mission(seed)).plan.casing
    heard = Hearsay()
    assert heard.learn(tell((casing.serial, *casing.widgets), all_edges=True))
    facts = casing.facts
    assert (heard.serial, heard.batteries) == (facts.serial, facts.batteries)
    assert (heard.lit, heard.ports) == (facts.lit, facts.ports)


def test_a_description_that_fits_no_rule_is_asked_for_again() -> None:
    reader = Reader(book(0))
    assert reader.reply(["I see 2 wires running across: red and purple."]) == UNCLEAR
    assert reader.reply(["Hello, are you there?"]) == UNCLEAR
    assert reader.reply([]) is None


GAMES = [Game(mission) for mission in PUBLISHED[:110:10]]
TOLD = [message for game in GAMES for message in game.told]
REPLIES = [reply for game in GAMES for reply in game.replies]


@st.composite
def garbled(draw: st.DrawFn) -> str:
    """Words of true descriptions, mixed, cut and doubled, with anything between."""
    words = draw(st.sampled_from(TOLD)).split(" ")
    other = draw(st.sampled_from(TOLD)).split(" ")
    start, end = sorted(draw(st.tuples(st.integers(0, len(words)), st.integers(0, len(words)))))
    middle = draw(st.text(max_size=12))
    return " ".join([*words[:start], middle, *other[: draw(st.integers(0, 30))], *words[end:]])


@given(st.lists(st.one_of(st.text(), garbled(), st.sampled_from(TOLD)), max_size=6))
def test_no_message_makes_the_expert_raise(messages: list[str]) -> None:
    reader = Reader(book(3))
    for message in messages:
        assert isinstance(reader.reply([message]), str)


@given(
    st.sampled_from(PUBLISHED[:110:10]),
    st.lists(st.one_of(st.text(), st.sampled_from([*REPLIES, UNCLEAR])), max_size=12),
)
def test_no_message_makes_the_defuser_raise(mission: MissionSpec, messages: list[str]) -> None:
    talker, bomb = Talker(), lights_on(build(mission))
    for message in messages:
        done = talker.turn(bomb, [message])
        if done is not None and not isinstance(done, str):
            bomb = acted(bomb, done).bomb
        bomb = advanced(bomb, bomb.time_us + STEP_US)


def test_the_expert_knows_nothing_but_what_it_is_told() -> None:
    game = Game(PUBLISHED[-3])
    again = Reader(book(0))
    assert [again.reply([message]) for message in game.told] == game.replies
