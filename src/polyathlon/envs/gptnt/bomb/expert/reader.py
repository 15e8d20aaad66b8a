"""The expert who has the rules and hears messages, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from polyathlon.envs.gptnt.bomb.expert.casing import QUESTIONS, Untold
from polyathlon.envs.gptnt.bomb.expert.notes import Notes
from polyathlon.envs.gptnt.bomb.expert.phrases import MOST_CHARS, UNCLEAR
from polyathlon.envs.gptnt.bomb.expert.topics import TOPICS
from polyathlon.envs.gptnt.bomb.rulebook.book import RuleBook


class Reader:
    """Answers descriptions with instructions, and asks for what the rules need besides.

    It holds the rules and what it was told. No message makes it raise.
    """

    def __init__(self, book: RuleBook) -> None:
        self._notes = Notes(book)
        self._open = ""

    def reply(self, messages: Sequence[str]) -> str | None:
        """What to say to the messages that came in; None is to say nothing."""
        replies = [self._answer(message[:MOST_CHARS]) for message in messages]
        return next(reversed(replies), None)

    def _answer(self, message: str) -> str:
        """To the message or, if it tells of the edges only, to the description that waits."""
        learned = self._notes.edges.learn(message)
        return self._advice(message) or (learned and self._advice(self._open)) or UNCLEAR

    def _advice(self, message: str) -> str | None:
        try:
            answers = (topic.advice(message, self._notes) for topic in TOPICS.values())
            return next(filter(None, answers), None)
        except Untold as untold:
            self._open = message
            return QUESTIONS[untold.fact]
