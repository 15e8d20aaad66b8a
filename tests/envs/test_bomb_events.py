"""What a bomb does by itself it announces: nothing before the moment, something at it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.envs.test_bomb_machine import KINDS, possible

from polyathlon.envs.gptnt.bomb.bomb import (
    OVER,
    Bomb,
    acted,
    advanced,
    build,
    lights_on,
    next_event_us,
)
from polyathlon.envs.gptnt.bomb.missions import NEEDY, MissionSpec

LATE = st.none() | st.integers(0, 9_000_000)
"""How long an act waits; None waits for whatever the bomb does by itself."""


@st.composite
def bombs(draw: st.DrawFn) -> Bomb:
    """A lit bomb with needy modules, few minutes and few or many strikes."""
    mission = MissionSpec(
        "test",
        draw(st.integers(0, 1 << 32)),
        draw(st.integers(1, 400)),
        tuple(draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=5))),
        draw(st.sampled_from((1, 3, 100))),
        back_placement=True,
        needy=tuple(draw(st.lists(st.sampled_from(tuple(NEEDY)), min_size=1, max_size=4))),
    )
    return lights_on(build(mission, draw(st.integers(0, 2))))


def require_announced(bomb: Bomb) -> None:
    """Nothing but the time differs just before the next event; at it something does."""
    due_us = next_event_us(bomb)
    if bomb.phase in OVER:
        assert due_us is None
        assert advanced(bomb, bomb.time_us + 10**10) is bomb
        return
    assert due_us is not None
    assert due_us > bomb.time_us
    for time_us in (due_us - 1, (bomb.time_us + due_us) // 2):
        assert replace(advanced(bomb, time_us), time_us=bomb.time_us) == bomb
        assert next_event_us(advanced(bomb, time_us)) == due_us
    after = advanced(bomb, due_us)
    assert after.time_us == due_us
    assert (after.phase, after.modules) != (bomb.phase, bomb.modules)
    following_us = next_event_us(after)
    assert following_us is None if after.phase in OVER else following_us > due_us


@given(bombs(), st.lists(st.tuples(LATE, st.integers(0, 1 << 16)), max_size=30))
def test_a_bomb_does_what_it_announces_and_nothing_else(
    bomb: Bomb, steps: list[tuple[int | None, int]]
) -> None:
    require_announced(bomb)
    for wait_us, choice in steps:
        due_us = next_event_us(bomb)
        if due_us is None:
            break
        bomb = advanced(bomb, due_us if wait_us is None else bomb.time_us + wait_us)
        require_announced(bomb)
        acts = possible(bomb)
        bomb = acted(bomb, acts[choice % len(acts)]).bomb
        require_announced(bomb)


@given(bombs())
def test_a_bomb_left_alone_comes_to_its_end_from_event_to_event(bomb: Bomb) -> None:
    left_alone, woken = advanced(bomb, 10**10), 0
    while (due_us := next_event_us(bomb)) is not None:
        bomb = advanced(bomb, due_us)
        woken += 1
    assert bomb == left_alone
    assert bomb.phase in OVER
    assert woken < 200


def test_a_bomb_in_the_dark_announces_nothing() -> None:
    assert next_event_us(build(MissionSpec("test", 1, 60, ("Wires",), needy=("Vent",)))) is None
