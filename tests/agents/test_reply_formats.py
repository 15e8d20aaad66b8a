"""Games whose answer is the form of a whole reply: nothing is asked around it, it is read as is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from polyathlon import registry
from polyathlon.agents.harness.protocol import grammar, parse
from polyathlon.agents.preview import first_requests
from polyathlon.core.actions import Malformed, ReplyFormat, ReplyReader
from polyathlon.core.agents import AgentSpec
from polyathlon.core.models import Request

PLAN = "My next action: look.\nThe answer: below.\n\n"
CELLS = "(1,1) (1,2) (1,3) (2,1) (2,2) (2,3)"
SEQUENCE = f"Sequence analysis: [{CELLS}]\nSequence icons: [dog, cat, bird, cow, piano, drum]"
FLIP = '<action>{"result": {"kind": "interact_game", "data": {"action": "flip"}}}</action>'
ORDER = '{"action_type": 0, "target_x": 2, "target_y": 0}'


def _moment(name: str) -> tuple[Any, str]:
    """The answers of the first moment of a game, and who is asked."""
    env = registry.make(f"omniplay/{name}-v0")
    env.reset(0)
    (role, *_) = env.pending()
    return env.observe(role).actions, role


def _echoes(clicking: bool) -> Any:
    env = registry.make("omniplay/echoes-v0", level="easy")
    env.reset(0)
    if clicking:
        env.act("player", env.observe("player").actions.parse(SEQUENCE))
    return env.observe("player").actions


def _colour() -> str:
    return str(_moment("alchemist")[0].colours[0])


@pytest.mark.parametrize("before", ["", "I see the board.\n", PLAN])
def test_published_formats_are_read_after_analysis_of_any_wording(before: str) -> None:
    replies = [
        (_echoes(clicking=False), SEQUENCE),
        (_echoes(clicking=True), "Suggested click: (1,2)"),
        (_moment("phantom")[0], "COMMAND: 0 move 40 50"),
        (_moment("pathfinding")[0], "Suggested action: 1.0 -45"),
    ]
    for actions, answer in replies:
        parsed = parse(before + answer, actions)
        assert (parsed.action, parsed.repairs) == (actions.parse(answer), ())
        assert not isinstance(parsed.action, Malformed)


def test_bare_formats_are_read_bare_and_after_prose_say_what_is_wanted() -> None:
    for actions, answer, wanted in [
        (_moment("alchemist")[0], f"{_colour()}, DO", "COLOUR, NOTE"),
        (_moment("showdown")[0], ORDER, "one bare JSON object"),
    ]:
        parsed = parse(answer, actions)
        assert (parsed.action, parsed.repairs) == (actions.parse(answer), ())
        spoiled = parse(f"I think of it.\n{answer}", actions).action
        assert isinstance(spoiled, Malformed)
        assert wanted in spoiled.reason


TWO = "COMMAND: 0 move 40 50\nCOMMAND: 1 move 3 4"


@pytest.mark.parametrize(
    "reply",
    [
        TWO,
        f"thought: split up\nmove: {TWO}",
        f"move: {TWO.replace(chr(10), f'{chr(10)}move: ')}",
        "thought: COMMAND: 1 move 3 4 or not\nmove: COMMAND: 0 move 40 50",
    ],
)
def test_no_label_makes_one_command_out_of_two(reply: str) -> None:
    actions = _moment("phantom")[0]
    found = parse(reply, actions).action
    assert isinstance(found, Malformed)
    assert "several COMMAND:" in found.reason


def test_labels_around_an_answer_are_read_and_keep_the_thought() -> None:
    alchemist, phantom = _moment("alchemist")[0], _moment("phantom")[0]
    for actions, answer in [(alchemist, f"{_colour()}, DO"), (phantom, "COMMAND: all status")]:
        parsed = parse(f"thought: why not\nmove: {answer}", actions)
        assert (parsed.action, parsed.thought) == (actions.parse(answer), "why not")
        assert parsed.repairs == ()


def _first(game: str, options: Mapping[str, object] | None = None, **harness: str) -> Request:
    env = registry.make(game, options=options)
    env.reset(0)
    spec = AgentSpec("llm", model="scripted/echo", harness=harness)
    return first_requests(spec, env, env.pending()[0])[-1].request


@pytest.mark.parametrize("game", ["pathfinding", "echoes", "alchemist", "phantom", "showdown"])
@pytest.mark.parametrize("prompts", ["default", "plain", "coach"])
def test_no_frame_is_asked_around_the_format_of_a_game(game: str, prompts: str) -> None:
    assert isinstance(_moment(game)[0], ReplyFormat)
    words = _words(_first(f"omniplay/{game}-v0", prompts=prompts))
    assert "thought:" not in words
    assert "then move" not in words
    assert "answer format that the game asks for" in words


def test_a_grammar_and_games_without_a_format_keep_the_labels() -> None:
    for request in (
        _first("omniplay/showdown-v0", grammar="on"),
        _first("lmgame/twenty48-v0"),
    ):
        assert "thought: <" in _words(request)


@pytest.mark.parametrize("thinking", ["thoughts", "think"])
def test_a_game_that_reads_replies_itself_gets_them_as_they_came(thinking: str) -> None:
    env = registry.make("gptnt/solo-v0", options={"thinking": thinking, "manual": False})
    env.reset(0)
    actions = env.observe("player").actions
    assert isinstance(actions, ReplyReader)
    reply = f"<{thinking}>Hm.</{thinking}>\n{actions.write(actions.parse(FLIP))}"
    parsed = parse(reply, actions)
    assert (parsed.thought, parsed.repairs, parsed.warnings) == ("Hm.", (), ())
    assert parse(reply, actions, cut=True).warnings
    assert grammar(actions, None).startswith(f'root ::= "<{thinking}>" words "</{thinking}>')
    for settings in ({}, {"grammar": "on"}):
        assert "thought: <" not in _words(_first("gptnt/solo-v0", {"manual": False}, **settings))


def _words(request: Request) -> str:
    return "\n".join(node.message.text for node in request.thread.nodes())
