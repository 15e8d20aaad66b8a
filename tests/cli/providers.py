"""Every provider at once on loopback: real HTTP, one answer, in each interface's own form."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from polyathlon.testing.faults import completion, response

SAID = "move: up"
KEYS = ("OPENAI", "OPENROUTER", "ANTHROPIC", "GOOGLE")


def environment(url: str) -> dict[str, str]:
    """What sends every provider's requests to `url`, with keys that are none."""
    keys = {f"{name}_API_KEY": "sk-none" for name in KEYS}
    bases = {f"{name}_BASE_URL": f"{url}/v1" for name in ("OPENAI", "OPENROUTER")}
    hosts = {f"{name}_BASE_URL": url for name in ("ANTHROPIC", "GOOGLE_GEMINI")}
    return {**keys, **bases, **hosts}


@contextmanager
def providers() -> Iterator[str]:
    """The address of the server, without a path."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Provider) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send({"object": "list", "data": [{"id": "NAME", "object": "model"}]})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self._send(_answer(self.path, body))

    def _send(self, answer: dict[str, Any]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


def _answer(path: str, body: bytes) -> dict[str, Any]:
    if "generateContent" in path:
        content = {"role": "model", "parts": [{"text": SAID}]}
        return {
            "candidates": [{"content": content, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 3},
        }
    if path.endswith("/messages"):
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "any",
            "content": [{"type": "text", "text": SAID}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 9, "output_tokens": 3},
        }
    return response(SAID, body) if path.endswith("/responses") else completion(SAID, body)
