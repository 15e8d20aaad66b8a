"""Defusal: who may do what, what is told, what is sensed, and how it ends."""

from __future__ import annotations

from typing import Any

import pytest

from polyathlon import registry
from polyathlon.core.actions import Malformed
from polyathlon.core.chance import stream
from polyathlon.core.errors import UserError
from polyathlon.core.percepts import Percept
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Env, Mail, Step
from polyathlon.envs.gptnt.bomb import missions
from polyathlon.envs.gptnt.bomb.play import catalogue
from polyathlon.envs.gptnt.bomb.play.actions import (
    PRESSINGS,
    TURNINGS,
    Flawed,
    Interact,
    Mark,
    Message,
    Point,
    Wait,
)
from polyathlon.envs.gptnt.bomb.play.handbook import Sheet
from polyathlon.envs.gptnt.bomb.play.levels import Settings, mission_of
from polyathlon.envs.gptnt.bomb.simulator import view
from polyathlon.testing.drive import play

ID = "gptnt/defusal-v0"
DEFUSER, EXPERT = "defuser", "expert"
SECOND_US = 1_000_000


def started(level: str = "wires", seed: int = 0, **options: Any) -> Env:
    env = registry.make(ID, level, options)
    env.reset(seed)
    return env


def marks(env: Env) -> tuple[Mark, ...]:
    worn: tuple[Mark, ...] = env.observe(DEFUSER).actions.hands.marks  # type: ignore[attr-defined]
    return worn


def click(env: Env, place: int = 0, name: str = "click_release") -> Step:
    return env.act(DEFUSER, Interact(name, marks(env)[place]))  # type: ignore[arg-type]


def bomb(env: Env) -> Any:
    return env.state()["bomb"]  # type: ignore[index, call-overload]


def channels(env: Env, role: str = DEFUSER) -> list[str]:
    return [percept.channel for percept in env.observe(role).percepts]


def shown(env: Env, channel: str = "view") -> Percept:
    return next(p for p in env.observe(DEFUSER).percepts if p.channel == channel)


def test_levels_are_those_of_the_missions() -> None:
    assert set(catalogue.SINGLE) == {missions.slug(kind) for kind in missions.MODULES}
    assert set(catalogue.LEVELS) - set(catalogue.PUBLISHED) == {*missions.LEVELS, "random"}


def test_seeds_run_through_the_ten_missions_of_a_level() -> None:
    published = missions.multi_missions(missions.child_seeds())
    assert [mission_of("multi", seed, Settings()) for seed in range(10)] == list(published)
    assert mission_of("multi", 13, Settings()) == published[3]
    assert mission_of("multi", 0, Settings(mission=10)) == published[9]
    keypad = mission_of("keypad", 2, Settings(time_limit="table"))
    assert (keypad.name, keypad.time_limit_s) == ("keypad-3", 54)


def test_time_runs_out_before_the_horizon() -> None:
    longest_s = max(missions.formula_limit_s([kind] * 11, back=True) for kind in missions.MODULES)
    assert longest_s * 1_000_000 / catalogue.TICK_US < catalogue.HORIZON


def test_options_change_the_mission() -> None:
    mission = mission_of("multi", 4, Settings(strike_limit=1, widgets=0, needy=3))
    assert (mission.strike_limit, mission.widgets) == (1, 0)
    assert mission.needy == ("Vent", "Discharge")  # three puzzles on the front leave two slots
    assert mission_of("random", 5, Settings(mission=2)) == mission_of("random", 2, Settings())


def test_a_wrong_option_is_refused() -> None:
    with pytest.raises(UserError, match="marker"):
        started(interaction="marker")


def test_nothing_has_elapsed_when_play_begins() -> None:
    env = started()
    assert env.pending() == (DEFUSER, EXPERT)
    assert bomb(env)["timer"]["remaining_s"] == 81
    assert env.observe(DEFUSER).time_us == 0


def test_the_expert_gets_the_manual_once_and_never_the_bomb() -> None:
    env = started()
    first = env.observe(EXPERT)
    pages = len(first.percepts) // 2
    assert pages > 15
    assert [p.channel for p in first.percepts] == ["manual_text", "manual_pages"] * pages
    assert all(p.keep == "episode" and isinstance(p.scene, Sheet) for p in first.percepts)
    env.act(EXPERT, Wait())
    assert env.observe(EXPERT).percepts == ()


@pytest.mark.parametrize("level", ["multi", "simon-says"])
def test_all_that_an_expert_is_given_is_manual_messages_and_feedback(level: str) -> None:
    env = started(level)
    rng = stream(1, "asymmetry")
    scenes: list[object] = []
    for turn in play(env, 0, lambda seen: seen.actions.sample(rng)):
        if turn.role == EXPERT and turn.observation is not None:
            scenes += [percept.scene for percept in turn.observation.percepts]
            assert turn.observation.actions.hands is None  # type: ignore[attr-defined]
            assert not turn.step.feedback
    assert scenes
    assert all(isinstance(scene, Sheet) for scene in scenes)


def test_a_message_goes_to_the_partner_and_leaves_the_bomb_alone() -> None:
    env = started()
    before = bomb(env)
    step = env.act(EXPERT, Message("How many wires?"))
    assert step.mail == (Mail(EXPERT, (DEFUSER,), "How many wires?"),)
    assert env.act(DEFUSER, Message("Three.")).mail == (Mail(DEFUSER, (EXPERT,), "Three."),)
    assert bomb(env) == before


def test_a_label_means_what_wore_it_when_the_player_looked() -> None:
    env = started()
    seen = env.observe(DEFUSER)
    click(env)
    env.advance_to(SECOND_US)
    wire = env.observe(DEFUSER).actions.parse(
        '<action>{"result": {"kind": "interact_game", "data": '
        '{"action": "click_release", "location": "A"}}}</action>'
    )
    assert wire == Interact("click_release", Mark("A", "m1/wire1"))
    module = seen.actions.parse(env.observe(DEFUSER).actions.write(wire))
    assert module == Interact("click_release", Mark("A", "m1"))


def test_a_stale_label_does_nothing() -> None:
    env = started()
    module = marks(env)[0]
    click(env)
    before = bomb(env)
    assert env.act(DEFUSER, Interact("click_release", module)).status == "ok"
    assert bomb(env) == before


WRONG = {
    "a letter that nothing wears": Interact("click_release", Mark("Z")),
    "a press without a place": Interact("click_release"),
    "a turn with a place": Interact("flip", Mark("A", "m1")),
    "a release with a place": Interact("release", Mark("A", "m1")),
    "a point among markers": Interact("click_release", Point(3, 4)),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_done_is_skipped_and_said_in_the_past_tense(case: str) -> None:
    env = started()
    before = bomb(env)
    step = env.act(DEFUSER, WRONG[case])
    assert step.status == "illegal"
    assert told(step).startswith("Your previous turn was skipped: ")
    assert bomb(env) == before
    metrics = env.metrics(DEFUSER)
    assert (metrics["invalid_actions"], metrics["waits"], metrics["interactions"]) == (1, 1, 0)


def told(step: Step) -> str:
    """The one feedback of a step, without its tags."""
    (percept,) = step.feedback
    assert percept.channel == "feedback"
    before, words, after = (percept.meaning or "").split("\n")
    assert (before, after) == ("<execution-feedback>", "</execution-feedback>")
    return words


def test_letters_that_nothing_wears_are_counted_apart() -> None:
    env = started()
    env.act(DEFUSER, Interact("click_release", Mark("Z")))
    env.act(DEFUSER, Interact("click_release"))
    assert env.metrics()["unknown_labels"] == 1
    assert env.metrics()["invalid_actions"] == 2


def test_feedback_directs_nothing_and_tells_nothing_of_the_game() -> None:
    for env, action in [(started(), action) for action in WRONG.values()]:
        words = told(env.act(DEFUSER, action)).lower()
        for forbidden in ("please", "try", "must", "should", "instead", "again", "wire", "strike"):
            assert forbidden not in words


def test_the_expert_cannot_reach_the_bomb() -> None:
    env = started()
    before = bomb(env)
    assert env.act(EXPERT, Interact("click_release", Mark("A", "m1"))).status == "illegal"
    assert env.act(EXPERT, Interact("flip")).status == "illegal"
    assert bomb(env) == before


def test_a_malformed_reply_costs_the_turn() -> None:
    env = started()
    step = env.act(DEFUSER, Malformed("it held no action"))
    assert (step.status, told(step)) == (
        "malformed",
        "Your previous turn was skipped: it held no action.",
    )
    assert env.metrics(DEFUSER)["structural_errors"] == 1


def test_a_flawed_reply_is_carried_out_and_warned_of() -> None:
    env = started()
    step = env.act(DEFUSER, Flawed(Interact("flip"), ("something followed it",)))
    assert step.status == "ok"
    assert told(step) == "Your previous reply was carried out although something followed it."
    assert bomb(env)["camera"]["pose"] == "back"
    assert env.metrics()["soft_warnings"] == 1


def test_a_flawed_reply_whose_command_is_illegal_is_told_of_both() -> None:
    env = started()
    step = env.act(DEFUSER, Flawed(Interact("hold"), ("it was cut off",)))
    assert step.status == "illegal"
    assert told(step) == (
        "Your previous turn was skipped: it was cut off and hold came without a location."
    )
    assert env.metrics()["soft_warnings"] == 0


def test_nobody_is_told_what_an_action_brought() -> None:
    env = started()
    click(env)
    while env.outcome() is None and bomb(env)["strikes"] < 2:
        env.advance_to(env.observe(DEFUSER).time_us + 3 * SECOND_US)
        step = click(env, len(marks(env)) - 1)
        if env.outcome() is None:
            assert step == Step.ok()


def test_while_a_button_is_held_only_waiting_and_letting_go_are_legal() -> None:
    env = started("button")
    click(env)
    env.advance_to(SECOND_US)
    assert env.observe(DEFUSER).actions.hands.holdable == marks(env)  # type: ignore[attr-defined]
    assert click(env, name="hold").status == "ok"
    for action in [*map(Interact, TURNINGS), Interact("zoom_out"), *map(Interact, PRESSINGS)]:
        assert env.act(DEFUSER, action).status == "illegal"
    assert bomb(env)["camera"]["held_element"] == "m1/button"
    assert env.act(DEFUSER, Wait()).status == "ok"
    assert env.act(DEFUSER, Message("A blue strip lights up.")).status == "ok"
    assert env.act(DEFUSER, Interact("release")).status == "ok"
    assert bomb(env)["camera"]["held_element"] is None


def test_turning_zooms_out_by_itself() -> None:
    env = started()
    click(env)
    assert bomb(env)["camera"]["zoomed_module"] == "m1"
    env.act(DEFUSER, Interact("rotate_left"))
    assert bomb(env)["camera"]["zoomed_module"] is None
    assert bomb(env)["camera"]["pose"] == "left"


def test_the_frame_before_the_last_turn_comes_without_markers() -> None:
    env = started()
    assert channels(env) == ["view"]
    before = shown(env).scene.scene
    click(env)
    env.advance_to(3 * SECOND_US)
    assert channels(env) == ["previous", "view"]
    assert shown(env, "previous").scene.scene == before
    env.act(EXPERT, Wait())
    assert shown(env, "previous").scene.scene == before


@pytest.mark.parametrize("level", ["simon-says", "morse-code"])
def test_before_a_blinking_module_the_last_seconds_are_shown(level: str) -> None:
    env = started(level)
    assert "burst" not in channels(env)
    click(env)
    env.advance_to(6 * SECOND_US)
    assert channels(env) == ["previous", *["burst"] * 15, "view"]
    times = [p.scene.scene.bomb.time_us for p in env.observe(DEFUSER).percepts[1:]]
    assert times == [6 * SECOND_US - 250_000 * back for back in range(15, -1, -1)]
    env.act(DEFUSER, Interact("zoom_out"))
    assert "burst" not in channels(env)


def test_other_modules_need_no_burst() -> None:
    env = started("memory")
    click(env)
    env.advance_to(6 * SECOND_US)
    assert "burst" not in channels(env)


def test_the_view_says_nothing_in_words() -> None:
    env = started()
    assert shown(env).meaning is None


def test_sounds_are_an_aid() -> None:
    env = started()
    click(env)
    env.advance_to(3 * SECOND_US)
    (sounds,) = shown(env).aids
    assert sounds.channel == "sounds"
    assert sounds.render().duration_s == pytest.approx(3, abs=0.01)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("interaction", "outside"),
    [("absolute", Point(448, 0)), ("scaled", Point(0, 1_001)), ("relative", Point(1.01, 0))],
)
def test_points_press_what_is_there(interaction: str, outside: Point) -> None:
    env = started("wires", interaction=interaction, size="448x448")
    x, y = view(shown(env).scene.scene).centroid("m1") or (0, 0)
    there = env.observe(DEFUSER).actions.from_point("view", x, y)
    assert env.act(DEFUSER, Interact("click_release", outside)).status == "illegal"
    assert env.act(DEFUSER, Interact("click_release", Mark("A", "m1"))).status == "illegal"
    assert bomb(env)["camera"]["zoomed_module"] is None
    assert env.act(DEFUSER, there).status == "ok"
    assert bomb(env)["camera"]["zoomed_module"] == "m1"


def test_a_click_into_the_view_presses_what_is_there() -> None:
    env = started("multi", 4)
    actions = env.observe(DEFUSER).actions
    seen = view(shown(env).scene.scene)
    for mark in marks(env):
        x, y = seen.centroid(mark.element or "") or (0, 0)
        assert actions.from_point("view", x, y) == Interact("click_release", mark)
    assert actions.from_point("view", 0.01, 0.01) is None
    assert actions.from_point("previous", 0.5, 0.5) is None


def test_everything_a_page_offers_is_an_answer() -> None:
    env = started("button")
    click(env)
    env.advance_to(SECOND_US)
    actions = env.observe(DEFUSER).actions
    controls = actions.controls()  # type: ignore[attr-defined]
    for text in [*controls.buttons.values(), *controls.keys.values(), controls.idle]:
        assert not isinstance(actions.parse(text), Malformed)
    assert "Hold A" in controls.buttons
    assert actions.say("Hello") == Message("Hello")  # type: ignore[attr-defined]


def test_the_end_is_a_solution_a_strike_too_many_or_the_time() -> None:
    late = started()
    assert late.advance_to(80 * SECOND_US).rewards == {}
    assert late.advance_to(82 * SECOND_US).rewards == {DEFUSER: 0.0, EXPERT: 0.0}
    assert ended(late) == ("timeout", ())
    struck = started(strike_limit=1)
    click(struck)
    oracle = registry.policy(ID, "oracle")
    assert oracle is not None
    right = oracle(struck.state(), DEFUSER, stream(0, "x"))
    wrong = next(mark for mark in marks(struck) if mark != right.at)
    assert struck.act(DEFUSER, Interact("click_release", wrong)).rewards[EXPERT] == 0.0
    assert ended(struck) == ("strikeout", ())
    solved = started()
    click(solved)
    assert solved.act(DEFUSER, right).rewards == {DEFUSER: 1.0, EXPERT: 1.0}
    assert ended(solved) == ("solved", (DEFUSER, EXPERT))
    assert solved.metrics()["solved"] == solved.metrics()["raw_score"] == 1.0


def ended(env: Env) -> tuple[str, tuple[str, ...]]:
    outcome = env.outcome()
    assert outcome is not None
    assert env.pending() == ()
    return outcome.reason, outcome.winners


def test_turns_fall_into_four_kinds() -> None:
    env = started()
    click(env)
    env.act(DEFUSER, Interact("zoom_out"))
    env.act(DEFUSER, Message("Hello"))
    env.act(DEFUSER, Wait())
    env.act(EXPERT, Malformed("it held no action"))
    mine, all_ = env.metrics(DEFUSER), env.metrics()
    kinds = ("waits", "messages", "navigations", "interactions")
    assert [mine[kind] for kind in kinds] == [1, 1, 1, 1]
    assert (mine["zoom_ins"], mine["message_chars"]) == (1, 5)
    assert [all_[kind] for kind in kinds] == [2, 1, 1, 1]
    assert sum(all_[kind] for kind in kinds) == all_["turns"] == 5


def test_metrics_of_a_game_in_play() -> None:
    env = started()
    env.advance_to(27 * SECOND_US)
    metrics = env.metrics()
    assert metrics["time_left_s"] == 54
    assert metrics["time_share"] == pytest.approx(1 / 3)
    assert (metrics["modules"], metrics["mission"], metrics["time_limit_s"]) == (1, 1, 81)


def test_the_oracle_needs_fewer_turns_than_the_limit_grants() -> None:
    """A turn of the frozen clock takes three seconds."""
    oracle = registry.policy(ID, "oracle")
    assert oracle is not None
    for level in ("keypad", "memory", "wire-sequence"):
        env = started(level, 3)
        rng = stream(0, "oracle")
        while env.outcome() is None:
            env.act(DEFUSER, oracle(env.state(), DEFUSER, rng))
            env.advance_to(env.observe(DEFUSER).time_us + 3 * SECOND_US)
        assert ended(env)[0] == "solved"
        assert env.metrics()["strikes"] == 0


def test_the_spec_is_data() -> None:
    spec: EnvSpec = registry.env_spec(ID)
    assert spec.roles == (DEFUSER, EXPERT)
    assert (spec.clock, spec.tick_us, spec.context) == ("real", 500_000, "chat")
