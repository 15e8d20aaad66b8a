"""The media of a replay: what was delivered at each step, and what it was before interventions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from polyathlon.analysis.report.embedding import File, Signal, embedded
from polyathlon.analysis.report.frames import Drawn, Key
from polyathlon.core import trace
from polyathlon.core.errors import UserError
from polyathlon.core.parts import Modality, Part
from polyathlon.core.percepts import Percept
from polyathlon.experiments.rundir import RunDir

SENT, REDRAWN = "as sent to the model", "drawn again from the recorded actions"
TRUE = "before the interventions"
LEFT_OUT = "left out for size and time"
SAME_WORDS = "the same in words"
UNSEEN = -1
MOST_WORDS = 400
CLIPS: Mapping[Modality, int] = {"image": 16, "audio": 8, "video": 4}
"""How many steps of an episode show sounds, videos, and pictures that are slow to draw again."""


class Gallery:
    """Embeds media once each; those shown since `begin` are named by their place."""

    def __init__(self, run: RunDir, drawn: Drawn) -> None:
        self._run = run
        self._drawn = drawn
        self._files: dict[str, File | None] = {}
        self._digests: dict[tuple[Key, str, bool], str] = {}
        self._places: dict[str, int] = {}
        self._clips: Mapping[Modality, set[Key]] = {}

    def begin(self, clips: Mapping[Modality, set[Key]]) -> None:
        """Start anew; only the steps of `clips` show their sounds, videos and redrawn pictures."""
        self._places.clear()
        self._clips = clips

    def files(self) -> list[dict[str, str]]:
        """The media shown since `begin`, by place."""
        found = [self._files[digest] for digest in self._places]
        return [msgspec.structs.asdict(file) for file in found if file is not None]

    def given(
        self, key: Key, sensed: Sequence[trace.Sensed], refs: Sequence[trace.Ref]
    ) -> list[dict[str, Any]]:
        """The media of a message as sent; where there are none, what was delivered, redrawn."""
        signals = [ref for ref in refs if ref.type != "text"]
        named = zip(signals, _names(signals, sensed), strict=True)
        sent = [self._sent(key, ref, percept) for ref, percept in named]
        return [shown for shown in sent if shown] or self._redrawn(key)

    def changes(self, key: Key, observed: trace.Observed | None) -> list[dict[str, Any]]:
        """What interventions changed at a step: per channel what was delivered, what was true."""
        if observed is None or not observed.truth:
            return []
        moment = self._drawn.moments.get(key)
        given, true = _by_channel(observed.percepts), _by_channel(observed.truth)
        drawn_given = {} if moment is None else _by_channel(moment.delivered)
        drawn_true = {} if moment is None else _by_channel(moment.true)
        return [
            {
                "channel": channel,
                **_both(
                    _told(drawn_given.get(channel), given.get(channel)),
                    _told(drawn_true.get(channel), true.get(channel)),
                ),
                "media": self._percepts(key, [drawn_true[channel]], TRUE)
                if channel in drawn_true
                else [],
            }
            for channel in {**true, **given}
            if given.get(channel) != true.get(channel)
            or drawn_given.get(channel) != drawn_true.get(channel)
        ]

    def words(self, key: Key) -> str:
        """What was delivered at a step, in words."""
        moment = self._drawn.moments.get(key)
        told = [_meaning(percept) for percept in moment.delivered] if moment else []
        return "\n\n".join(filter(None, told))

    def _redrawn(self, key: Key) -> list[dict[str, Any]]:
        moment = self._drawn.moments.get(key)
        return self._percepts(key, moment.delivered, REDRAWN) if moment else []

    def _sent(
        self, key: Key, ref: trace.Ref, percept: trace.Sensed | None
    ) -> dict[str, Any] | None:
        channel = percept.channel if percept else ref.type
        words = self._caption(key, percept)
        if ref.type != "image" and not self._shows(key, ref.type):
            return _shown(UNSEEN, channel, words, f"{SENT}; {LEFT_OUT}")
        place = self._place(ref.digest, lambda: self._load(key, ref))
        return None if place == UNSEEN else _shown(place, channel, words, SENT)

    def _caption(self, key: Key, percept: trace.Sensed | None) -> str:
        """A percept in words: those it was spoken from, else its meaning."""
        moment = self._drawn.moments.get(key)
        if percept is None or moment is None or _words(percept):
            return _words(percept)
        return _meaning(_by_channel(moment.delivered).get(percept.channel))

    def _load(self, key: Key, ref: trace.Ref) -> Part | None:
        """A part as stored, or drawn again where that is the same signal."""
        try:
            return self._run.load(ref)
        except UserError:
            moment = self._drawn.moments.get(key)
        for percept in moment.delivered if moment else ():
            part = _rendered(percept) if percept.modality == ref.type else None
            if part is not None and part.digest == ref.digest:
                return part
        return None

    def _percepts(self, key: Key, percepts: Iterable[Percept], source: str) -> list[dict[str, Any]]:
        shown = []
        for percept in percepts:
            if percept.modality == "text":
                continue
            words = _words(percept) or _meaning(percept)
            if self._shows(key, percept.modality):
                place = self._drawn_place(key, percept, source == TRUE)
                note = source if place != UNSEEN else f"{source}; cannot be shown here"
            else:
                place, note = UNSEEN, f"{source}; {LEFT_OUT}"
            shown.append(_shown(place, percept.channel, words, note))
        return shown

    def _drawn_place(self, key: Key, percept: Percept, true: bool) -> int:
        known = self._digests.get((key, percept.channel, true))
        if known is not None:
            return self._place(known, lambda: None)
        part = _rendered(percept)
        if part is None:
            return UNSEEN
        self._digests[key, percept.channel, true] = part.digest
        return self._place(part.digest, lambda: part)

    def _shows(self, key: Key, modality: Modality) -> bool:
        return key in self._clips.get(modality, ())

    def _place(self, digest: str, load: Callable[[], Part | None]) -> int:
        if digest not in self._files:
            part = load()
            self._files[digest] = embedded(part) if isinstance(part, Signal) else None
        if self._files[digest] is None:
            return UNSEEN
        return self._places.setdefault(digest, len(self._places))


def _shown(place: int, channel: str, words: str, source: str) -> dict[str, Any]:
    return {"place": place, "channel": channel, "words": words[:MOST_WORDS], "source": source}


def _names(refs: Sequence[trace.Ref], sensed: Sequence[trace.Sensed]) -> list[trace.Sensed | None]:
    """The percept of each medium: the nth of a modality, where there are as many of both."""
    names: dict[Modality, list[trace.Sensed]] = {}
    for percept in sensed:
        names.setdefault(percept.modality, []).append(percept)
    counts = [sum(ref.type == other.type for other in refs) for ref in refs]
    return [
        names[ref.type].pop(0) if len(names.get(ref.type, ())) == count else None
        for ref, count in zip(refs, counts, strict=True)
    ]


def _by_channel(percepts: Iterable[Any]) -> dict[str, Any]:
    return {percept.channel: percept for percept in percepts}


def _told(percept: Percept | None, sensed: trace.Sensed | None) -> str:
    if sensed is None:
        return "nothing"
    told = _words(sensed) or _meaning(percept)
    return told or msgspec.json.encode(sensed.facts).decode()


def _both(given: str, true: str) -> dict[str, str]:
    return {"delivered": given, "true": SAME_WORDS if given == true else true}


def _words(percept: Percept | trace.Sensed | None) -> str:
    words = percept.facts.get("words", "") if percept else ""
    return words if isinstance(words, str) else ""


def _meaning(percept: Percept | None) -> str:
    try:
        return (percept and percept.meaning) or ""
    except Exception:  # as with drawing: no env may cost the report
        return ""


def _rendered(percept: Percept) -> Part | None:
    try:
        return percept.render()
    except Exception:  # whatever an env raises, a missing codec or voice: it is not shown
        return None
