"""Threads: immutable conversations whose last hash stands for all of them."""

from hypothesis import given
from hypothesis import strategies as st

from polyathlon.core.models import Message, Request, Sampling, Thread, ToolCall, say, thread
from polyathlon.core.parts import Image, Text

WORDS = st.text(st.characters(codec="utf-8"), max_size=8)
CALLS = st.lists(st.builds(ToolCall, WORDS, WORDS, WORDS), max_size=2).map(tuple)
MESSAGES = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant", "tool"]),
    st.lists(st.builds(Text, WORDS), max_size=2).map(tuple),
    CALLS,
    WORDS,
    WORDS,
)


@given(st.lists(MESSAGES, min_size=1, max_size=4), st.lists(MESSAGES, min_size=1, max_size=4))
def test_two_threads_share_a_hash_only_when_equal(one: list[Message], two: list[Message]) -> None:
    assert (thread(*one).hash == thread(*two).hash) == (one == two)


def test_fields_do_not_run_into_each_other() -> None:
    thought = Message("assistant", reasoning="a|b|c|")
    called = Message("assistant", tool_calls=(ToolCall("a", "b", "c"),))
    assert Thread(thought).hash != Thread(called).hash


def test_the_hash_chains_over_everything_before() -> None:
    first = thread(say("user", "a"), say("assistant", "b"))
    other = thread(say("user", "x"), say("assistant", "b"))
    assert first.message == other.message
    assert first.hash != other.hash
    assert first.append(say("user", "c")).hash == thread(*first.messages(), say("user", "c")).hash


def test_appending_leaves_the_thread_as_it_was() -> None:
    root = thread(say("user", "a"))
    left, right = root.append(say("assistant", "b")), root.append(say("assistant", "c"))
    assert [len(node.messages()) for node in (root, left, right)] == [1, 2, 2]
    assert [node.length for node in left.nodes()] == [2, 1]
    assert left.parent is right.parent is root


def test_media_count_by_their_signal() -> None:
    black, white = Image(1, 1, b"\0\0\0"), Image(1, 1, b"\xff\xff\xff")
    assert Thread(say("user", black)).hash == Thread(say("user", Image(1, 1, b"\0\0\0"))).hash
    assert Thread(say("user", black)).hash != Thread(say("user", white)).hash


def test_a_request_is_its_thread_model_and_settings() -> None:
    asked = Request(thread(say("user", "a")))
    cold = Request(asked.thread, Sampling(temperature=0.0))
    assert asked.hash("m") == Request(thread(say("user", "a"))).hash("m")
    assert len({asked.hash("m"), asked.hash("n"), cold.hash("m")}) == 3
