"""Pictures for replays: as stored by the run, or drawn again from the recorded actions."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence

import msgspec

from polyathlon import registry
from polyathlon.core import trace
from polyathlon.core.actions import Malformed
from polyathlon.core.canonical import digest
from polyathlon.core.parts import Image
from polyathlon.core.world import Env, Observation, Role

MOST_PX = 480
COLOURS = 64

Key = tuple[Role, int]


class Drawn(msgspec.Struct):
    """What an episode showed at the wanted turns, drawn again.

    `pictures` and `words` are by role and turn; the entry of a turn that was never played is
    what the world looked like at the end. `problem` says why drawing stopped early, if it did.
    """

    pictures: dict[Key, tuple[Image, ...]] = {}
    words: dict[Key, str] = {}
    problem: str = ""


def redraw(events: Iterable[trace.Event], wanted: set[Key]) -> Drawn:
    """Play the recorded actions again and draw the percepts of the wanted turns.

    What is drawn is what the world offered, before interventions. An env that is not installed,
    fails or comes to another state than recorded ends the drawing with a `problem`.
    """
    drawn = Drawn()
    try:
        _redraw(iter(events), wanted, drawn)
    except Exception as error:  # whatever an env raises must not cost the report
        drawn.problem = f"{type(error).__name__}: {error}"
    return drawn


def data_uri(image: Image) -> str:
    """The picture as a PNG data URI of COLOURS colours, at most MOST_PX wide and high.

    For drawn boards that is smaller than WebP, as fast to make, and leaves edges sharp.
    """
    from PIL import Image as Pil

    size = (image.width_px, image.height_px)
    picture = Pil.frombytes("RGB", size, image.rgb)
    picture.thumbnail((MOST_PX, MOST_PX))
    buffer = io.BytesIO()
    few = picture.quantize(COLOURS, Pil.Quantize.FASTOCTREE, dither=Pil.Dither.NONE)
    few.save(buffer, "PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def stored(data: bytes | None) -> Image | None:
    """A stored picture, or None where it was not kept or cannot be read."""
    from polyathlon.media import png

    if data is None:
        return None
    try:
        return png.decode(data)
    except ValueError:
        return None


def _redraw(events: Iterable[trace.Event], wanted: set[Key], drawn: Drawn) -> None:
    header = next(iter(events))
    assert isinstance(header, trace.Header)
    spec = header.episode
    env = registry.make(spec.env, spec.level, spec.options)
    env.reset(spec.seed)
    seen: dict[Role, Observation] = {}
    for event in events:
        match event:
            case trace.Observed():
                seen[event.role] = env.observe(event.role)
                if (event.role, event.turn) in wanted:
                    _draw((event.role, event.turn), seen[event.role], drawn)
            case trace.Acted():
                _act(env, seen.get(event.role) or env.observe(event.role), event)
                if event.state and digest(env.state()) != event.state:
                    drawn.problem = f"the world differs from the recorded one at turn {event.turn}"
                    return
            case trace.Advanced():
                env.advance_to(event.time_us)
            case trace.Ended():
                for role, obs in seen.items():
                    _draw((role, obs.turn + 1), env.observe(role), drawn)


def _act(env: Env, obs: Observation, event: trace.Acted) -> None:
    action = obs.actions.parse(event.action) if event.action is not None else None
    env.act(event.role, action or Malformed(event.malformed, event.raw))


def _draw(key: Key, obs: Observation, drawn: Drawn) -> None:
    parts: Sequence[object] = [
        percept.render() for percept in obs.percepts if percept.modality == "image"
    ]
    drawn.pictures[key] = tuple(part for part in parts if isinstance(part, Image))
    words = [percept.meaning for percept in obs.percepts]
    drawn.words[key] = "\n\n".join(word for word in words if word)
