"""Every conformance check fails for an env with the fault it is there for."""

import os
import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests.toys import beacon, quorum, relay

from polyathlon import registry
from polyathlon.core.actions import Labels, Malformed
from polyathlon.core.percepts import Percept
from polyathlon.core.world import Brief, Env, Mail, Observation, Outcome, Step
from polyathlon.testing import conformance
from polyathlon.testing.cases import cases

replace = msgspec.structs.replace


class Broken(relay.Relay):
    """A relay; the classes below break one thing each."""

    def __init__(self) -> None:
        super().__init__("short", repeats=1)

    def observe(self, role: str) -> Observation:
        seen = super().observe(role)
        changed = tuple(self.twist(percept) for percept in seen.percepts)
        return replace(seen, percepts=changed)

    def twist(self, percept: Percept) -> Percept:
        return percept


class TwoPlayers(Broken):
    spec = replace(relay.SPEC, roles=("player", "player"))


class WrongDefault(Broken):
    spec = replace(relay.SPEC, options=(replace(relay.SPEC.options[0], default=9),))


class StateOfNaN(Broken):
    def state(self) -> Any:
        return {"turns": float("nan")}


class HiddenDraw(Broken):
    def state(self) -> Any:
        return {"turns": self._turns, "luck": os.urandom(4).hex()}


class TellsNothing(Broken):
    def brief(self, role: str) -> Brief:
        return Brief("Remember.", "", "Answer.")


class UndeclaredChannel(Broken):
    def twist(self, percept: Percept) -> Percept:
        return replace(percept, channel="smell")


class WrongModality(Broken):
    def twist(self, percept: Percept) -> Percept:
        return replace(percept, draw=relay.tone, scene="red") if percept.scene else percept


class RemembersEpisodes(Broken):
    games = 0

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self.games += 1

    def state(self) -> Any:
        return {"games": self.games}


SHARED = {"acts": 0}


class SharesState(Broken):
    def act(self, role: str, action: Any, answers_us: int = 0) -> Step:
        SHARED["acts"] += 1
        return super().act(role, action)

    def state(self) -> Any:
        return dict(SHARED)


class LookingCounts(Broken):
    def twist(self, percept: Percept) -> Percept:
        self._invalid += 1
        return percept


class DrawsAtOnce(Broken):
    def twist(self, percept: Percept) -> Percept:
        percept.render()
        return percept


class LocalDraw(Broken):
    def twist(self, percept: Percept) -> Percept:
        return replace(percept, draw=lambda scene: percept.draw(scene))


class LiveScene(Broken):
    """Its scenes are the list that the rules go on changing."""

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self.shown = ["red"]

    def act(self, role: str, action: Any, answers_us: int = 0) -> Step:
        self.shown[0] = "blue"
        return super().act(role, action)

    def twist(self, percept: Percept) -> Percept:
        if percept.channel != "lamp":
            return percept
        return replace(percept, scene=self.shown, draw=lamp_of, tell=None)


def lamp_of(scene: list[str]) -> Any:
    return relay.lamp(scene[0])


class Shouted(Labels, frozen=True):
    def write(self, action: str) -> str:
        return f"I choose {action}!"


class UnreadableActions(Broken):
    def observe(self, role: str) -> Observation:
        seen = super().observe(role)
        return replace(seen, actions=Shouted(seen.actions.labels))


class Kept(Labels, frozen=True):
    scene: Any = None

    def click(self) -> Any:
        return self.scene


class ActionsHoldScenes(Broken):
    def observe(self, role: str) -> Observation:
        seen = super().observe(role)
        return replace(seen, actions=Kept(seen.actions.labels, scene=seen.percepts[0].scene))

    def twist(self, percept: Percept) -> Percept:
        return replace(percept, scene=[str(percept.scene)], draw=lamp_of, tell=None)


class ForgivesMalformed(Broken):
    def act(self, role: str, action: Any, answers_us: int = 0) -> Step:
        step = super().act(role, action)
        return replace(step, status="ok") if isinstance(action, Malformed) else step


class NeverEnds(Broken):
    def act(self, role: str, action: Any, answers_us: int = 0) -> Step:
        return Step.malformed() if isinstance(action, Malformed) else super().act(role, action)


class AnyLabelDoes(Broken):
    def act(self, role: str, action: Any, answers_us: int = 0) -> Step:
        return super().act(role, "watch" if isinstance(action, str) else action)


class PendingForever(Broken):
    def pending(self) -> tuple[str, ...]:
        return ("player",)


class ActsAfterTheEnd(Broken):
    def act(self, role: str, action: Any, answers_us: int = 0) -> Step:
        self._turns += 1
        return super().act(role, action)


class CountsTicks(beacon.Beacon):
    """Time costs something every time somebody lets it pass."""

    def __init__(self) -> None:
        super().__init__("standard", codes=2, limit_s=1_000)

    def advance_to(self, time_us: int) -> Step:
        self._strikes += self._strikes < 2
        return super().advance_to(time_us)


class Timed(beacon.Beacon):
    """A beacon; the classes below break what they announce."""

    def __init__(self) -> None:
        super().__init__("standard", codes=2, limit_s=30)


class Idle(Timed):
    """It never has anything to announce; the classes below do something all the same."""

    HALFWAY_US = 15_000_000

    def advance_to(self, time_us: int) -> Step:
        crossed = self._now_us < self.HALFWAY_US <= time_us
        step = super().advance_to(time_us)
        return self.halfway(step) if crossed else step

    def halfway(self, step: Step) -> Step:
        return step


class PaysEarly(Idle):
    def halfway(self, step: Step) -> Step:
        return Step.ok({"guide": 1.0})


class WritesEarly(Idle):
    def halfway(self, step: Step) -> Step:
        return Step.ok(mail=(Mail("guide", ("operator",), "half of the time is gone"),))


class StrikesEarly(Idle):
    def halfway(self, step: Step) -> Step:
        self._strikes += 1
        return step


class GrowsFields(Idle):
    def state(self) -> Any:
        more = {"late": True} if self._now_us >= self.HALFWAY_US else {}
        return {**super().state(), **more}


class AsksEarly(Idle):
    def pending(self) -> tuple[str, ...]:
        asked = super().pending()
        return asked if self._now_us < self.HALFWAY_US else asked[:1]


class AnnouncesThePast(Timed):
    def next_event_us(self) -> int | None:
        return self._now_us


class AnnouncesFractions(Timed):
    def next_event_us(self) -> Any:
        return super().next_event_us() and 3e7


class NeverAnnounces(Timed):
    def next_event_us(self) -> int | None:
        return None


class AnnouncesAfterTheEnd(Timed):
    def next_event_us(self) -> int | None:
        return super().next_event_us() or self._limit_us + 1


class StaysWhereItIs(Idle):
    """What it announces comes, and it announces it again."""

    def next_event_us(self) -> int | None:
        return self.HALFWAY_US if self._now_us <= self.HALFWAY_US else super().next_event_us()


class AnnouncesLater(Timed):
    """Its event comes no nearer."""

    def next_event_us(self) -> int | None:
        return None if self.outcome() else self._now_us + 20_000_000


class AskingCounts(Timed):
    def next_event_us(self) -> int | None:
        self._invalid += 1
        return super().next_event_us()


class SleepsForEver(NeverAnnounces):
    def pending(self) -> tuple[str, ...]:
        return ()


class BoughtByNobody(Broken):
    spec = replace(relay.SPEC, buys_time="referee")


class PausesBackwards(Broken):
    spec = replace(relay.SPEC, pause_us=-1)


class MovesWithTime(Broken):
    def advance_to(self, time_us: int) -> Step:
        self._invalid = time_us
        return Step.ok()


class OneMetricLess(Broken):
    def metrics(self, role: str | None = None) -> dict[str, float]:
        return {"raw_score": 0.0}


class OutOfBounds(Broken):
    def metrics(self, role: str | None = None) -> dict[str, float]:
        return {"raw_score": 2.0, "invalid_rate": 0.0}


class NoOracle(Broken):
    spec = replace(relay.SPEC, id="broken/no-oracle-v0", baselines="tests.toys.cartpole")


class TossesCoins(Broken):
    def act(self, role: str, action: Any, answers_us: int = 0) -> Step:
        random.random()
        return super().act(role, action)


class StrictVoters(quorum.Quorum):
    """It calls every vote illegal."""

    def __init__(self) -> None:
        super().__init__("standard", rounds=2)

    def act(self, role: str, action: Any, answers_us: int = 0) -> Step:
        return replace(super().act(role, action), status="illegal")


class EndsAgain(Broken):
    def advance_to(self, time_us: int) -> Step:
        self._right += 1
        return Step.ok()

    def outcome(self) -> Outcome | None:
        return super().outcome()


FAULTS: list[tuple[Callable[[], Env], str, str]] = [
    (TwoPlayers, "check_spec", "a role is declared twice"),
    (WrongDefault, "check_spec", "option repeats does not allow its own default"),
    (BoughtByNobody, "check_spec", "referee buys time and is no role"),
    (PausesBackwards, "check_spec", "pause_us must be at least 0"),
    (StateOfNaN, "check_state", "not plain JSON"),
    (HiddenDraw, "check_state", "replay leads to other states"),
    (HiddenDraw, "check_same_seed", "two envs with one seed differ"),
    (TellsNothing, "check_brief", "needs a task, rules and an answer"),
    (UndeclaredChannel, "check_percepts", "channel smell is not declared"),
    (WrongModality, "check_percepts", "renders audio"),
    (RemembersEpisodes, "check_same_seed", "differs after reset"),
    (SharesState, "check_separate", "share state"),
    (LookingCounts, "check_observe", "observe"),
    (DrawsAtOnce, "check_renders_nothing", "Audio, Image built"),
    (LocalDraw, "check_scenes_pickle", "does not pickle"),
    (LiveScene, "check_scenes_captured", "changed what channel lamp showed"),
    (UnreadableActions, "check_actions", "does not read back"),
    (ActionsHoldScenes, "check_actions_hide", "actions.scene'. is of the scene of channel lamp"),
    (ForgivesMalformed, "check_malformed", "status 'ok', not 'malformed'"),
    (NeverEnds, "check_malformed", "beyond the horizon"),
    (AnyLabelDoes, "check_illegal", "an unknown label took effect"),
    (PendingForever, "check_after_end", "pending after the outcome"),
    (ActsAfterTheEnd, "check_after_end", "after the end changed the state"),
    (EndsAgain, "check_after_end", "time after the end"),
    (CountsTicks, "check_time", "cut of an interval changes"),
    (MovesWithTime, "check_time", "time changes a clockless world"),
    (PaysEarly, "check_next_event", "a reward of .*guide.* comes before the event at 30000000"),
    (WritesEarly, "check_next_event", "mail comes before the event"),
    (StrikesEarly, "check_next_event", "event at 30000000 us: .*metrics//strikes"),
    (GrowsFields, "check_next_event", "change before the event at 30000000 us: state/late"),
    (AsksEarly, "check_next_event", "others are asked before the event"),
    (AnnouncesThePast, "check_next_event", "the next event lies at 0 us and it is 0 us"),
    (AnnouncesFractions, "check_next_event", "30000000.0: give whole microseconds"),
    (NeverAnnounces, "check_next_event", "a reward of .* comes though no event is announced"),
    (AnnouncesAfterTheEnd, "check_next_event", "an event is announced for after the end"),
    (StaysWhereItIs, "check_next_event", "the next event lies at 15000000 us and it is 15000000"),
    (AnnouncesLater, "check_next_event", "another event is announced before"),
    (AskingCounts, "check_next_event", "asking for the next event changes it, or the state"),
    (SleepsForEver, "check_next_event", "nobody is pending and"),
    (OneMetricLess, "check_metrics", r"differ in \['invalid_rate'\]"),
    (OutOfBounds, "check_metrics", "outside"),
    (NoOracle, "check_policies", "declared and missing"),
    (StrictVoters, "check_policies", "the random policy acts illegal"),
    (TossesCoins, "check_no_global_random", "global randomness"),
]
CLEAN = (Broken, Timed, Idle, lambda: quorum.Quorum("standard", rounds=2))


@pytest.mark.parametrize(("env", "check", "message"), FAULTS)
def test_the_check_finds_the_fault(env: Callable[[], Env], check: str, message: str) -> None:
    if env is NoOracle:
        registry.register_env(NoOracle.spec)
    (case,) = cases(lambda level: env(), ["short"], seeds=(0,))
    with pytest.raises(AssertionError, match=message) as error:
        getattr(conformance, check)(case)
    assert str(error.value).startswith(f"{case.spec.id} level short seed 0: ")


@pytest.mark.parametrize("env", CLEAN)
def test_the_same_env_without_the_fault_passes(env: Callable[[], Env]) -> None:
    conformance.check_env(lambda level: env(), seeds=(0,))


def test_every_check_has_a_fault_to_find() -> None:
    assert {check for _, check, _ in FAULTS} == {check.__name__ for check in conformance.CHECKS}
