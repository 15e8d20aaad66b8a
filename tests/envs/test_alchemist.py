"""The Alchemist's Melody: rules, answers, percepts, picture and sound."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyathlon import registry
from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import digest
from polyathlon.core.chance import stream
from polyathlon.core.parts import Audio, Image
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Observation
from polyathlon.envs.omniplay.alchemist import SPEC, bells, prompts, view
from polyathlon.envs.omniplay.alchemist.rules import (
    COLOURS,
    LENGTH,
    NOTES,
    ROLE,
    Play,
    Rules,
    successor,
)

ANSWERS = st.builds(Play, st.sampled_from(COLOURS), st.none() | st.sampled_from(NOTES))


def game(seed: int = 0, **options: object) -> Rules:
    rules = Rules("medium", **SPEC.configure(options))
    rules.reset(seed)
    return rules


def wrong(rules: Rules) -> str:
    return next(block for block in rules.blocks if block != rules.melody[rules.place])


def sense(rules: Rules, channel: str) -> Percept:
    return next(p for p in view.percepts(rules, ROLE) if p.channel == channel)


def channels(rules: Rules) -> list[str]:
    return [percept.channel for percept in view.percepts(rules, ROLE)]


@pytest.mark.parametrize("seed", range(40))
def test_a_round_has_five_flasks_with_consecutive_notes(seed: int) -> None:
    rules = game(seed)
    assert len(set(rules.blocks)) == LENGTH
    assert set(rules.blocks) == set(rules.melody) <= set(COLOURS)
    notes = [rules.notes[colour] for colour in rules.melody]
    assert notes[1:] == [successor(note) for note in notes[:-1]]


def test_any_note_begins_and_the_listing_says_nothing_of_the_melody() -> None:
    rounds = [game(seed) for seed in range(400)]
    assert {rules.notes[rules.melody[0]] for rules in rounds} == set(NOTES)
    assert {colour for rules in rounds for colour in rules.blocks} == set(COLOURS)
    places = [rules.blocks.index(rules.melody[0]) for rules in rounds]
    assert all(50 <= places.count(place) <= 110 for place in range(LENGTH))


def test_the_melody_completes_the_round() -> None:
    rules = game()
    for colour in rules.melody:
        assert rules.pending() == (ROLE,)
        assert rules.act(ROLE, Play(colour, rules.notes[colour])).rewards == {ROLE: 1.0}
    outcome = rules.outcome()
    assert outcome is not None
    assert (outcome.reason, outcome.winners, rules.pending()) == ("melody", (ROLE,), ())
    assert rules.act(ROLE, Play(rules.melody[0])).status == "illegal"
    assert len(rules.steps) == LENGTH


@pytest.mark.parametrize(
    ("answer", "status"),
    [(None, "ok"), (Play("NO SUCH"), "illegal"), (Malformed("nonsense"), "malformed")],
)
def test_a_wrong_or_invalid_step_starts_the_melody_again(
    answer: Play | Malformed | None, status: str
) -> None:
    rules = game()
    rules.act(ROLE, Play(rules.melody[0]))
    rules.act(ROLE, Play(rules.melody[1]))
    step = rules.act(ROLE, Play(wrong(rules)) if answer is None else answer)
    assert (step.status, step.rewards, rules.place) == (status, {ROLE: 0.0}, 0)


def test_the_first_note_that_breaks_a_sequence_does_not_begin_the_next() -> None:
    rules = game()
    rules.act(ROLE, Play(rules.melody[0]))
    rules.act(ROLE, Play(rules.melody[0]))
    assert rules.place == 0
    rules.act(ROLE, Play(rules.melody[0]))
    assert rules.place == 1


def test_the_cap_ends_the_round() -> None:
    rules = game(cap=3)
    for _ in range(3):
        rules.act(ROLE, Malformed("nothing"))
    outcome = rules.outcome()
    assert outcome is not None
    assert (outcome.reason, outcome.winners) == ("cap", ())


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.lists(ANSWERS | st.just(Malformed("x")), max_size=60))
def test_invariants_of_play(seed: int, answers: list[Play | Malformed]) -> None:
    rules, again = game(seed), game(seed)
    for answer in answers:
        place, over = rules.place, rules.outcome() is not None
        step = rules.act(ROLE, answer)
        assert again.act(ROLE, answer) == step
        assert rules.place == (place if over else place + 1 if rules.steps[-1].right else 0)
        assert rules.heard.items() <= rules.notes.items()
        assert set(rules.misheard) == set(rules.heard)
        assert all(rules.misheard[colour] in rules.notes.values() for colour in rules.misheard)
        assert rules.believed <= rules.stated <= len(rules.steps) <= 50
        report = sense(rules, "state").scene
        assert all(rules.melody[at] == block for at, block in report.proven().items())
        assert all(rules.melody[at] not in report.refuted(at) for at in range(LENGTH))
    assert digest(rules.state()) == digest(again.state())


def test_states_are_snapshots() -> None:
    rules = game()
    before = rules.state()
    frozen = digest(before)
    rules.act(ROLE, Play(rules.melody[0]))
    assert digest(before) == frozen != digest(rules.state())


def test_an_answer_is_a_colour_and_a_note_and_nothing_else() -> None:
    rules = game()
    space, (colour, *_) = view.actions(rules, ROLE), rules.blocks
    absent = next(other for other in COLOURS if other not in rules.blocks)
    assert space.parse(f"{colour}, MI") == Play(colour, "MI")
    assert space.parse(f" **{colour}, SOL**.\n") == Play(colour, "SOL")
    assert space.parse(f"`{colour}`") == Play(colour)
    for text in (
        f"I play {colour}, MI",
        f"{colour},MI",
        f"{colour} MI",
        f"{colour.lower()}, mi",
        f"{colour}, HI",
        f"{absent}, MI",
        f"{colour}, MI\n{colour}, FA",
        "",
    ):
        assert isinstance(space.parse(text), Malformed), text


@given(st.text() | st.from_regex(r"[ *`]*[A-Z]{3,6}(, ?[A-Z]{2,3})?[.;* ]*"), st.integers(0, 9))
def test_any_text_reads_as_an_answer_or_malformed(text: str, seed: int) -> None:
    rules = game(seed)
    space = view.actions(rules, ROLE)
    read = space.parse(text)
    if isinstance(read, Play):
        assert read.colour in rules.blocks
        assert space.parse(space.write(read)) == read


def test_grammar_schema_and_controls_give_only_what_parses() -> None:
    rules = game(3)
    space = view.actions(rules, ROLE)
    colours, notes = (set(re.findall(r'"([A-Z]+)"', part)) for part in space.gbnf().split('", "'))
    assert (colours, notes) == (set(rules.blocks), set(NOTES))
    schema = space.schema()
    for colour in colours:
        for note in (None, *notes):
            play = Play(colour, note)
            assert space.parse(space.write(play)) == play
            assert re.search(schema["pattern"], space.write(play))
    controls = space.controls()
    regions = {region.text for region in controls.regions}
    assert set(controls.keys.values()) == set(controls.buttons.values()) == regions == colours
    assert [controls.keys[key] for key in "12345"] == list(rules.blocks)
    rng = stream(0, "test")
    assert {space.sample(rng).colour for _ in range(80)} == colours


def test_a_click_on_a_flask_plays_it() -> None:
    space = view.actions(game(), ROLE)
    for region in space.controls().regions:
        x, y = (region.left + region.right) / 2, (region.top + region.bottom) / 2
        assert space.from_point("board", x, y) == Play(region.text)
    assert space.from_point("board", 0.01, 0.6) is None
    assert space.from_point("board", 0.5, 0.05) is None
    assert space.from_point("note", 0.5, 0.6) is None


def test_the_first_flask_is_revealed_by_light_and_sound_and_not_in_words() -> None:
    rules = game()
    first = rules.melody[0]
    assert sense(rules, "board").facts == {"block": first, "suggests": first}
    assert sense(rules, "note").meaning == rules.notes[first]
    report = sense(rules, "state").meaning
    assert report is not None
    assert first not in report
    assert "suggests" not in sense(rules, "state").facts


def test_nothing_is_revealed_when_it_is_switched_off() -> None:
    rules = game(reveal_first=False)
    assert channels(rules) == ["board", "state"]
    assert sense(rules, "board").facts == {"block": ""}


def test_an_invalid_step_lights_and_sounds_nothing() -> None:
    rules = game()
    rules.act(ROLE, Malformed("nothing"))
    assert channels(rules) == ["board", "state"]
    assert "lit: none" in (sense(rules, "board").meaning or "")


def test_the_report_after_reset_and_after_two_steps() -> None:
    rules = game()
    text = sense(rules, "state").meaning or ""
    for line in (
        "Last Clicked Action ID: 0",
        "Currently in Correct Sequence: False",
        "Needs Restart from Beginning: True",
        "Current Correct Sequence: []",
        "Previous Clicks History: []",
        "Sequence Length: 5",
        "Current Input Length: 0",
        "Game Over: False",
        "Current Tick: 0.0",
        "Attempts: 0",
    ):
        assert f"- {line}\n" in text
    first, second = rules.melody[:2]
    rules.act(ROLE, Play(first))
    rules.act(ROLE, Play(second))
    text = sense(rules, "state").meaning or ""
    assert f"Action ID: {rules.blocks.index(second) + 1}\n" in text
    assert f"Last Clicked Block Color: {second}\n" in text
    assert f"Previous Block Color (last_last): {first}\n" in text
    assert f"Current Correct Sequence: [{first}, {second}]\n" in text
    assert text.endswith(f"Round 2\nGame state: in correct sequence True\nAction: {second}")


def test_the_history_holds_the_last_ten_rounds() -> None:
    rules = game()
    for _ in range(13):
        rules.act(ROLE, Play(wrong(rules)))
    text = sense(rules, "state").meaning or ""
    assert re.findall(r"Round (\d+)", text) == [str(number) for number in range(4, 14)]


def test_channels_suggest_the_next_flask_when_they_know_it() -> None:
    rules = game()
    first, second = rules.melody[:2]
    rules.act(ROLE, Play(first))
    rules.act(ROLE, Play(second))
    rules.act(ROLE, Play(wrong(rules)))
    assert sense(rules, "state").facts["suggests"] == first
    assert "suggests" not in sense(rules, "note").facts
    rules.act(ROLE, Play(first))
    assert sense(rules, "note").facts["suggests"] == f"{second}, {rules.notes[second]}"
    assert sense(rules, "state").facts["suggests"] == second
    space = view.actions(rules, ROLE)
    told = [sense(rules, channel).facts["suggests"] for channel in ("note", "state")]
    assert [space.parse(str(text)) for text in told] == [
        Play(second, rules.notes[second]),
        Play(second),
    ]


@given(st.integers(0, 500), st.integers(0, 12))
@settings(max_examples=40, deadline=None)
def test_lies_contradict(seed: int, steps: int) -> None:
    rules, rng = game(seed), stream(seed, "test")
    for _ in range(steps):
        rules.act(ROLE, view.actions(rules, ROLE).sample(rng))
    board, note, state = view.percepts(rules, ROLE)
    shown, heard = (p.counterfactuals["wrong"] for p in (board, note))
    assert shown.facts["block"] in set(rules.blocks) - {board.facts["block"]}
    assert heard.facts["note"] in set(rules.notes.values()) - {note.facts["note"]}
    inverted = state.counterfactuals["inverted"]
    assert inverted.facts["in_sequence"] is not state.facts["in_sequence"]
    changed = [
        new
        for old, new in zip(
            (state.meaning or "").splitlines(), (inverted.meaning or "").splitlines(), strict=True
        )
        if old != new
    ]
    flag = inverted.facts["in_sequence"]
    assert changed == [
        f"- Currently in Correct Sequence: {flag}",
        f"- Needs Restart from Beginning: {not flag}",
    ]


def test_the_aid_tells_the_learned_mapping() -> None:
    rules = game()
    colour = rules.melody[0]
    (aid,) = sense(rules, "board").aids
    assert (aid.meaning or "").count("'Unknown'") == LENGTH
    rules.act(ROLE, Play(colour))
    (aid,) = sense(rules, "board").aids
    assert f"'{colour.title()}' ='{rules.notes[colour].lower()}'" in (aid.meaning or "")
    assert (aid.meaning or "").count("'Unknown'") == LENGTH - 1


def test_the_default_level_and_the_colours_of_the_brief() -> None:
    env = registry.make(SPEC.id, "default")
    env.reset(5)
    assert isinstance(env.observe(ROLE), Observation)
    brief = env.brief(ROLE)
    assert brief.rules.endswith("\n".join(env.state()["blocks"]))
    assert "lit and sounds" in brief.rules
    hidden = registry.make(SPEC.id, "default", {"reveal_first": False})
    hidden.reset(5)
    assert "lit and sounds" not in hidden.brief(ROLE).rules
    assert not any(word in prompts.ASK for word in (*COLOURS, "hear", "see", "picture"))


def image(blocks: tuple[str, ...], lit: str) -> Image:
    return view.draw((blocks, lit))


def test_the_picture_shows_which_flask_is_lit_and_no_more() -> None:
    blocks = COLOURS[:5]
    dark = np.frombuffer(image(blocks, "").rgb, np.uint8).reshape(400, 640, 3)
    for place, colour in enumerate(blocks):
        shown = np.frombuffer(image(blocks, colour).rgb, np.uint8).reshape(400, 640, 3)
        columns = np.flatnonzero((shown != dark).any(axis=(0, 2)))
        left, right = view.EDGES[place]
        assert left * 640 <= columns.min() <= columns.max() < right * 640
        assert shown.mean() > dark.mean()
    assert len({image((colour,), "").digest for colour in COLOURS}) == len(COLOURS)


def test_pictures_are_fast_when_warm() -> None:
    blocks = COLOURS[:5]
    image(blocks, blocks[0])
    times = []
    for _ in range(20):
        start = time.process_time()
        image(blocks, blocks[0])
        times.append(time.process_time() - start)
    assert min(times) < 0.003


@pytest.mark.parametrize("note", NOTES)
def test_a_note_sounds_at_its_pitch(note: str) -> None:
    sound = view.sound(note)
    assert isinstance(sound, Audio)
    samples = np.frombuffer(sound.pcm, "<i2")
    strength = np.abs(np.fft.rfft(samples))
    loudest_hz = strength.argmax() * sound.rate_hz / len(samples)
    assert loudest_hz == pytest.approx(bells.pitch_hz(note), abs=1.5)
    assert 3_000 < abs(samples).max() < 32_767


def test_the_scale_runs_from_c4_to_b4() -> None:
    pitches = [bells.pitch_hz(note) for note in NOTES]
    assert pitches == sorted(pitches)
    assert pitches[0] == pytest.approx(261.63, abs=0.01)
    assert pitches[5] == pytest.approx(440.0)
    assert pitches[6] == pytest.approx(493.88, abs=0.01)
