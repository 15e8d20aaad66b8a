"""Requests of every modality and role, and bodies compared with golden files."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from polyathlon.core.models import (
    Message,
    ModelError,
    Reply,
    Request,
    Sampling,
    ToolCall,
    ToolSchema,
    say,
    thread,
)
from polyathlon.core.parts import Audio, Image, Text, Video
from polyathlon.core.schema1 import part_digest
from polyathlon.media import png
from polyathlon.media.video import read_mp4

MP4_BASE64 = base64.b64encode(b"\0\0\0 ftyp").decode()[:10]
GOLDEN = Path(__file__).parent / "golden"
PICTURE = Image(2, 3, bytes(range(18)))
SOUND = Audio(16_000, bytes(range(64)))
CLIP = Video(2, 2, 10.0, bytes(range(120)))
LONG = Video(3, 5, 2.5, bytes(45 * 40))
TOLD = Video(2, 2, 10.0, bytes(range(240)), key_frames=(1, 4, 17))
CALCULATOR = ToolSchema(
    "calculator",
    "evaluate an expression",
    {
        "type": "object",
        "properties": {"expression": {"type": "string"}},
        "required": ["expression"],
    },
)
OBJECT = {
    "type": "object",
    "properties": {"move": {"type": "string", "enum": ["left", "right"]}},
    "required": ["move"],
    "additionalProperties": False,
}
SYSTEM = say("system", "You play.")
TOOL_TALK = thread(
    SYSTEM,
    say("user", "How many?"),
    Message(
        "assistant",
        (Text("I will compute."),),
        (ToolCall("call_1", "calculator", '{"expression":"6*7"}'),),
        reasoning="six by seven",
    ),
    Message("tool", (Text("42"),), tool_call_id="call_1"),
    say("user", "What now?", PICTURE),
)

REQUESTS = {
    "text": Request(
        thread(SYSTEM, say("user", 'Which "way"?'), say("assistant", "left"), say("user", "ünd?")),
        Sampling(temperature=0.0, top_p=0.9, max_tokens=64, seed=7, stop=("\n\n",)),
    ),
    "image": Request(thread(say("user", "Look.", PICTURE, "Which way?"))),
    "audio": Request(thread(say("user", "Listen.", SOUND))),
    "video": Request(thread(say("user", CLIP, "What happened?"))),
    "long_video": Request(thread(say("user", LONG))),
    "video_with_key_frames": Request(thread(say("user", TOLD))),
    "everything": Request(thread(SYSTEM, say("user", "See:", PICTURE, SOUND, CLIP, "Well?"))),
    "tools": Request(TOOL_TALK, tools=(CALCULATOR,)),
    "schema": Request(thread(say("user", "Which way?")), schema=OBJECT),
    "grammar": Request(thread(say("user", "Which way?")), grammar='root ::= "left" | "right"'),
    "effort": Request(
        thread(say("user", "Think.")), Sampling(temperature=0.5, max_tokens=4_000, effort="low")
    ),
    "logprobs": Request(thread(say("user", "Go.")), logprobs=True),
    "image_from_system": Request(thread(say("system", PICTURE), say("user", "Go."))),
    "audio_from_tool": Request(
        thread(say("user", "Hear."), Message("tool", (SOUND,), tool_call_id="call_1"))
    ),
    "video_from_assistant": Request(thread(say("user", "Go."), say("assistant", CLIP))),
}


async def wire_bodies(
    complete: Callable[[Request], Awaitable[Reply]], bodies: list[bytes]
) -> dict[str, Any]:
    """What each request became on the wire: its body and conversions, or why it was refused."""
    seen: dict[str, Any] = {}
    for name, request in REQUESTS.items():
        bodies.clear()
        try:
            reply = await complete(request)
        except ModelError as error:
            sent = "sent" if bodies else "refused"
            seen[name] = {sent: error.detail, "cause": error.cause}
        else:
            assert len(bodies) == 1
            seen[name] = {
                "body": elided(json.loads(bodies[0])),
                "conversions": list(reply.conversions),
            }
    return seen


def compare(kind: str, seen: dict[str, Any]) -> None:
    """Fail where `seen` is not what golden/KIND.json says; UPDATE_GOLDEN=1 rewrites the file."""
    path = GOLDEN / f"{kind}.json"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(json.dumps(seen, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    assert seen == json.loads(path.read_text())


def elided(value: Any) -> Any:
    """`value` with base64 media replaced by what they decode to."""
    if isinstance(value, dict):
        return {key: elided(item) for key, item in value.items()}
    if isinstance(value, list):
        return [elided(item) for item in value]
    if isinstance(value, str):
        return _elided_text(value)
    return value


def _elided_text(text: str) -> str:
    head, comma, data = text.partition(";base64,")
    if not comma:
        head, data = "", text
    if data.startswith("iVBOR"):
        picture = png.decode(_decoded(data))
        name = part_digest(picture)[:16]
        return f"{head}{comma}<png {picture.width_px}x{picture.height_px} {name}>"
    if data.startswith("UklGR"):
        return f"{head}{comma}<wav {hashlib.sha256(_decoded(data)).hexdigest()[:16]}>"
    if data.startswith(MP4_BASE64):
        clip = read_mp4(_decoded(data))
        shape = f"{clip.width_px}x{clip.height_px}"
        return f"{head}{comma}<mp4 {shape}, {clip.frames} frames at {clip.fps:g}>"
    if data.startswith("/9j/"):
        frames = data.split(",")
        sizes = {f"{p.width_px}x{p.height_px}" for p in (png.decode(_decoded(f)) for f in frames)}
        return f"{head}{comma}<{len(frames)} jpegs {' '.join(sorted(sizes))}>"
    return text


def _decoded(data: str) -> bytes:
    """The bytes of standard or URL-safe base64, padded or not."""
    return base64.b64decode(data.translate(str.maketrans("-_", "+/")) + "=" * (-len(data) % 4))
