"""A world that goes on while a person looks: late answers count, early ones wait, none is lost."""

from __future__ import annotations

import asyncio

import pytest

from polyathlon.play.seat import Answer, Left, Moment, Table

pytest.importorskip("polyathlon.play.server")


def seat(live: bool):  # type: ignore[no-untyped-def]
    return Table("Game", ("player",), {}, live).seats["player"]


def moment(turn: int) -> Moment:
    return Moment("Game", "player", turn, (), (), (), "Now?", "anything")


def test_patience_ends_without_an_answer() -> None:
    place = seat(live=True)
    place.show(moment(0), {})
    assert asyncio.run(place.answer(0.01)) is None
    assert not place.now().waiting


def test_an_answer_between_two_questions_answers_the_next() -> None:
    place = seat(live=True)
    place.show(moment(0), {})
    early = Answer(place.now().number, "cut")
    assert place.give(early)
    place.show(moment(1), {})
    assert asyncio.run(place.answer(0.01)) == early
    assert asyncio.run(place.answer(0.01)) is None, "it counts once"


@pytest.mark.parametrize("live", [True, False])
def test_only_in_a_living_world_may_an_answer_be_to_what_was_shown_before(live: bool) -> None:
    place = seat(live)
    place.show(moment(0), {})
    seen = place.now().number
    place.show(moment(1), {})

    async def answered() -> object:
        waiting = asyncio.ensure_future(place.answer(0.2))
        await asyncio.sleep(0.01)
        accepted = place.give(Answer(seen, "cut"))
        return accepted, await waiting

    assert asyncio.run(answered()) == ((True, Answer(seen, "cut")) if live else (False, None))


def test_an_answer_to_an_ended_game_never_reaches_the_next() -> None:
    place = seat(live=True)
    place.show(moment(0), {})
    old = Answer(place.now().number, "cut")
    place.give(old)
    place.show(moment(0), {})
    assert asyncio.run(place.answer(0.01)) is None
    assert not place.give(old)


def test_leaving_is_noticed_between_two_questions() -> None:
    place = seat(live=True)
    place.show(moment(0), {})
    place.give(Left())
    assert isinstance(asyncio.run(place.answer(0.01)), Left)
