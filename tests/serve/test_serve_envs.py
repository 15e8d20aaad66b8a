"""Envs whose bomb is behind a server: the same game, and a server that dies costs one episode."""

from __future__ import annotations

import pytest
from tests.runtime.support import episode, played

from polyathlon import registry
from polyathlon.agents.build import build
from polyathlon.core.agents import Agent, Context, Decision
from polyathlon.core.canonical import canonical
from polyathlon.core.chance import stream
from polyathlon.core.episodes import SchedulerSpec
from polyathlon.core.errors import UserError
from polyathlon.core.trace import Ended
from polyathlon.core.world import Observation, Step
from polyathlon.envs.gptnt.bomb.players import TalkingDefuser
from polyathlon.serve.site import Served, Site

ENV = "gptnt/defusal-v0"
STEP_US = 3_000_000


def test_an_env_is_the_same_wherever_its_bomb_is(url: str) -> None:
    here, there = registry.make(ENV), registry.make(ENV, options={"server": url})
    rng = stream(5, "acts")
    for env in (here, there):
        env.reset(3)
    for turn in range(1, 16):
        seen = [env.observe("defuser") for env in (here, there)]
        action = seen[0].actions.sample(rng)
        assert here.act("defuser", action) == there.act("defuser", action)
        for env in (here, there):
            env.advance_to(turn * STEP_US)
        assert canonical(here.state()) == canonical(there.state())
    local, remote = (env.observe("defuser").percepts for env in (here, there))
    assert [percept.render() for percept in local] == [percept.render() for percept in remote]


class Saboteur:
    """Plays at random and ends the server at its third turn."""

    access = "plain"
    replayable = False

    def __init__(self, served: Served, player: Agent) -> None:
        self._served = served
        self._player = player
        self._turns = 0

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        self._turns += 1
        if self._turns == 3:
            self._served.__exit__()
        return await self._player.act(obs, last, ctx)


@pytest.mark.slow
def test_a_server_that_dies_fails_the_episode_with_its_cause() -> None:
    served = Served(Site())
    with served as url:
        spec = episode(ENV, scheduler=SchedulerSpec("stepped"), server=url)
        agents = {
            role: build(seat, registry.env_spec(ENV), role) for role, seat in spec.lineup.items()
        }
        agents["defuser"] = Saboteur(served, agents["defuser"])
        ended = played(spec, agents=agents)[-1]
    assert isinstance(ended, Ended)
    assert ended.status == "failed"
    assert "does not answer" in str(ended.cause)
    assert "polyathlon serve defusal" in str(ended.cause)


def test_who_has_no_eyes_says_so(url: str) -> None:
    env = registry.make(ENV, "wires", {"server": url})
    env.reset(0)
    with pytest.raises(UserError, match="take oracle or a model"):
        TalkingDefuser()(env.observe("defuser"), stream(0, "talker"))
