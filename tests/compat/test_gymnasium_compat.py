"""Gymnasium, both ways."""

import runpy
import warnings
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import msgspec
import numpy as np
import pytest
import tests.toys
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env as gymnasium_checks

from polyathlon import registry
from polyathlon.compat.gymnasium import from_gymnasium, to_gymnasium
from polyathlon.core.actions import Labels, Malformed
from polyathlon.core.errors import UserError
from polyathlon.core.parts import Image
from polyathlon.core.world import Env
from polyathlon.testing.conformance import check_env

EXAMPLE = Path(__file__).parents[2] / "examples" / "gymnasium_env.py"
COLOURS = tuple(tests.toys.relay.COLOURS)


@pytest.mark.parametrize(
    ("id", "arguments"),
    [
        ("toys/quiz-v0", {"images": ("bars",)}),
        ("toys/quiz-v0", {"level": "product"}),
        ("toys/cartpole-v0", {}),
        ("toys/relay-v0", {"images": ("lamp",), "actions": ("watch", *COLOURS)}),
        ("lmgame/twenty48-v0", {"images": ("board",), "options": {"size": 3}}),
    ],
)
def test_gymnasiums_own_checker_is_content(id: str, arguments: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gymnasium_checks(to_gymnasium(id, **arguments))


def test_a_game_through_gymnasium_is_the_same_game() -> None:
    ours = registry.make("lmgame/twenty48-v0")
    theirs = to_gymnasium("lmgame/twenty48-v0", images=("board",))
    ours.reset(5)
    seen, _ = theirs.reset(seed=5)
    labels = ours.observe("player").actions.labels
    for action in (0, 3, 1, 2, 0):
        percept = ours.observe("player").percepts[0]
        picture = percept.render()
        assert isinstance(picture, Image)
        assert seen["text"].startswith(f"board: {percept.meaning}\n")
        assert seen["board"].tobytes() == picture.rgb
        step = ours.act("player", labels[action])
        seen, reward, terminated, truncated, info = theirs.step(action)
        assert reward == step.rewards["player"]
        assert (terminated, truncated) == (False, False)
        assert info["metrics"] == ours.metrics()
        assert info["status"] == step.status


def test_a_horizon_truncates_and_a_rule_terminates() -> None:
    cut = to_gymnasium("lmgame/twenty48-v0", options={"horizon": 1})
    cut.reset(seed=0)
    assert cut.step(0)[2:4] == (False, True)
    asked = to_gymnasium("toys/quiz-v0")
    asked.reset(seed=0)
    assert asked.step("12")[2:4] == (True, False)


def test_without_a_seed_games_differ_and_repeat_under_the_first_one() -> None:
    def three(env: gymnasium.Env[Any, Any]) -> list[str]:
        first, _ = env.reset(seed=3)
        return [first["text"], *(env.reset()[0]["text"] for _ in range(2))]

    games = three(to_gymnasium("lmgame/twenty48-v0"))
    assert len(set(games)) == 3
    assert games == three(to_gymnasium("lmgame/twenty48-v0"))


def test_the_mask_follows_the_phase_and_a_masked_action_is_illegal() -> None:
    env = to_gymnasium("toys/relay-v0", actions=("watch", *COLOURS))
    _, info = env.reset(seed=0)
    assert info["action_mask"].tolist() == [1, 0, 0, 0, 0]
    assert env.step(1)[4]["status"] == "illegal"
    for _ in range(3):
        _, _, _, _, info = env.step(0)
    assert info["action_mask"].tolist() == [0, 1, 1, 1, 1]


def test_labels_beyond_the_action_space_are_an_error_not_a_loss() -> None:
    env = to_gymnasium("toys/relay-v0")
    env.reset(seed=0)
    env.step(0)
    env.step(0)
    with pytest.raises(UserError, match="list them in actions="):
        env.step(0)


def test_a_clock_moves_on_between_steps() -> None:
    spec = tests.toys.beacon.SPEC
    single = registry.register_env(_solo(spec), lambda level, **rest: Solo(level, **rest))
    env = to_gymnasium(single.id, options={"limit_s": 3})
    env.reset(seed=0)
    ends = [env.step("hello")[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (True, False)]


def _solo(spec: Any) -> Any:
    return msgspec.structs.replace(spec, id="test/solo-v0", roles=("operator",))


class Solo(tests.toys.beacon.Beacon):
    """A beacon whose guide is away."""

    spec = _solo(tests.toys.beacon.SPEC)

    def pending(self) -> tuple[str, ...]:
        return super().pending()[:1]


def test_actions_of_text_may_be_given_as_a_list() -> None:
    env = to_gymnasium("toys/quiz-v0", actions=("3", "14", "27"))
    _, info = env.reset(seed=0)
    assert info["action_mask"].tolist() == [1, 1, 1]
    assert env.step(1)[4]["status"] == "ok"


def test_several_roles_are_refused() -> None:
    for id in ("toys/beacon-v0", "toys/quorum-v0"):
        with pytest.raises(UserError, match="Gymnasium holds one player"):
            to_gymnasium(id)


def test_long_text_is_refused_not_cut() -> None:
    env = to_gymnasium("lmgame/twenty48-v0", text_chars=10)
    with pytest.raises(UserError, match="raise text_chars"):
        env.reset(seed=0)


class Corridor(gymnasium.Env[Any, Any]):
    """A third-party env with every kind of space, a picture, and text of its own."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"]}

    def __init__(self, action_space: Any = None, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0, 9, (2,), np.int64)
        self.action_space = action_space or spaces.Discrete(3, start=-1)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.place = int(self.np_random.integers(3, 6))
        self.taken: list[Any] = []
        return np.array([self.place, 0]), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        assert action in self.action_space
        self.taken.append(action)
        self.place += int(np.sign(np.sum(action)))
        seen = np.array([self.place, len(self.taken)])
        return seen, float(self.place), self.place in (0, 9), False, {}

    def render(self) -> Any:
        return np.full((4, 6, 3), 20 * self.place, np.uint8)


SPACES = {
    "discrete": spaces.Discrete(3, start=-1),
    "multi-discrete": spaces.MultiDiscrete([3, 2]),
    "multi-binary": spaces.MultiBinary(3),
    "box": spaces.Box(-1.0, 1.0, (2, 2), np.float32),
    "endless": spaces.Box(-np.inf, np.inf, (1,), np.float64),
}


@pytest.mark.parametrize("name", SPACES)
def test_every_action_space_plays_and_conforms(name: str) -> None:
    spec = from_gymnasium(
        Corridor,
        id=f"test/corridor-{name}-v0",
        levels={"only": {"action_space": SPACES[name]}},
        picture=True,
        horizon=30,
    )
    check_env(spec.id, seeds=(0,))


def test_discrete_actions_have_names_and_a_start() -> None:
    spec = from_gymnasium(Corridor, id="test/named-v0", actions=("back", "stay", "on"), horizon=9)
    env = registry.make(spec.id)
    env.reset(1)
    assert env.observe("player").actions == Labels(("back", "stay", "on"))
    before = env.metrics()["raw_score"]
    places = [env.act("player", name).rewards["player"] for name in ("on", "back", "stay")]
    assert (before, places[0] - places[1], places[1] - places[2]) == (0.0, 1.0, 0.0)
    assert env.metrics()["raw_score"] == sum(places)


def test_what_is_no_action_never_reaches_the_env() -> None:
    spec = from_gymnasium(Corridor, id="test/strict-v0", horizon=3)
    env = registry.make(spec.id)
    env.reset(1)
    seen = env.observe("player").percepts[0].meaning
    assert env.act("player", Malformed("nonsense")).status == "malformed"
    assert env.act("player", "7").status == "illegal"
    assert env.observe("player").percepts[0].meaning == seen
    assert env.metrics()["invalid_rate"] == 1.0
    env.act("player", "0")
    ended = env.outcome()
    assert ended is not None
    assert ended.truncated


def test_words_and_pictures_of_a_guest() -> None:
    spec = from_gymnasium(
        Corridor, id="test/told-v0", text=lambda seen: f"you are at {seen[0]}", picture=True
    )
    env = registry.make(spec.id)
    env.reset(4)
    told, frame = env.observe("player").percepts
    place = int(str(told.meaning).split()[-1])
    env.act("player", "1")
    picture = frame.render()
    assert isinstance(picture, Image)
    assert (picture.width_px, picture.height_px, picture.rgb[0]) == (6, 4, 20 * place)


def test_levels_are_keyword_arguments() -> None:
    spec = from_gymnasium(
        "FrozenLake-v1",
        id="test/lake-v0",
        levels={"small": {"map_name": "4x4"}, "large": {"map_name": "8x8"}},
        actions=("left", "down", "right", "up"),
    )
    assert spec.levels == ("small", "large")
    check_env(spec.id, seeds=(0,))


def test_spaces_that_cannot_be_written_are_refused() -> None:
    space = spaces.Dict({"a": spaces.Discrete(2)})
    with pytest.raises(UserError, match="wrap it into Discrete or Box"):
        from_gymnasium(Corridor, id="test/dict-v0", levels={"only": {"action_space": space}})


def test_names_must_fit_the_action_space() -> None:
    with pytest.raises(UserError, match="has 3 actions"):
        from_gymnasium(Corridor, id="test/names-v0", actions=("on", "off"))


def test_the_example_is_short_and_plays(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line for line in EXAMPLE.read_text().splitlines() if line.strip()]
    assert len(lines) < 15
    played: Env = runpy.run_path(str(EXAMPLE))["env"]
    assert played.outcome() is not None
    assert f"'raw_score': {played.metrics()['raw_score']}" in capsys.readouterr().out
