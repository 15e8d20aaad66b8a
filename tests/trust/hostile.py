"""Run directories as somebody might send them: each is a whole one with something done to it."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import yaml
import zstandard
from tests.trust.test_bounds import BOMB, LAUGHS, huge_png

from polyathlon.experiments.packs import PackWriter
from polyathlon.media import footage
from polyathlon.media.packing import Packed

Harm = Callable[["Victim"], object]
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eevil\u2028<script>alert(1)</script>"
LINE = '{"event":"advance","time_us":1}\n'


class Victim:
    """A copy of a run with two ended episodes, and a folder that nothing may be written to."""

    def __init__(self, run: Path, elsewhere: Path) -> None:
        self.run = run
        self.elsewhere = elsewhere
        self.id = sorted(path.name.split(".")[0] for path in (run / "episodes").iterdir())[0]

    @property
    def sealed(self) -> Path:
        return self.run / "episodes" / f"{self.id}.jsonl.zst"

    @property
    def events(self) -> list[dict[str, Any]]:
        text = zstandard.ZstdDecompressor().decompress(self.sealed.read_bytes())
        return [json.loads(line) for line in text.splitlines()]

    def write(self, events: list[dict[str, Any]], name: str = "") -> None:
        lines = [json.dumps(event, separators=(",", ":")) for event in events]
        self.pack("\n".join([*lines, ""]).encode(), name)

    def pack(self, data: bytes, name: str = "") -> None:
        target = self.sealed.with_name(f"{name or self.id}.jsonl.zst")
        target.write_bytes(zstandard.ZstdCompressor(3).compress(data))

    def change(self, kind: str, **fields: Any) -> None:
        self.write([{**e, **fields} if e["event"] == kind else e for e in self.events])

    def lineup(self, **player: Any) -> None:
        header, *rest = self.events
        header["episode"]["lineup"] = {"player": player}
        self.write([header, *rest])

    def spec(self, **fields: Any) -> None:
        header, *rest = self.events
        header["episode"] |= fields
        self.write([header, *rest])

    def among(self, *events: dict[str, Any]) -> None:
        header, *rest = self.events
        self.write([header, *events, *rest])

    @property
    def marker(self) -> Path:
        return self.run / "experiment.yaml"

    def ask(self, **group: Any) -> None:
        """Change what the run is said to play."""
        request = yaml.safe_load(self.marker.read_text())
        request["experiment"]["groups"][0] |= group
        self.marker.write_text(yaml.safe_dump(request))

    def medium(self, packed: Packed | None, digest: str = "ab" * 32, raw: bytes = b"") -> None:
        """Let the trace name a picture, and a pack hold it."""
        part = {"type": "image", "digest": digest, "shape": "1x1"}
        said = {"event": "message", "hash": "h", "parent": "", "speaker": "user", "parts": [part]}
        self.among(said)
        (self.run / "media").mkdir(exist_ok=True)
        if packed is not None:
            writer = PackWriter(self.run / "media")
            writer.append(bytes.fromhex(digest), packed)
            writer.end()
        elif raw:
            (self.run / "media" / "0001.pack").write_bytes(raw)

    def link(self, name: str, folder: bool = False) -> None:
        """Put a link out of the run in place of something in it."""
        path, target = self.run / name, self.elsewhere / Path(name).name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.parent.mkdir(exist_ok=True)
        if folder:
            target.mkdir(exist_ok=True)
        path.symlink_to(target)


def zeros(size: int, known: bool) -> bytes:
    """A frame of `size` zeros, some thousandths as large."""
    made = zstandard.ZstdCompressor(1).compressobj(*([size] if known else []))
    chunk = bytes(1 << 22)
    return b"".join(made.compress(chunk) for _ in range(size >> 22)) + made.flush()


def trap_index(victim: Victim) -> None:
    index = victim.run / "index.sqlite"
    index.unlink()
    db = sqlite3.connect(index)
    db.execute(
        "CREATE TABLE episodes (id TEXT PRIMARY KEY, env, level, seed, status, cause,"
        " score, calls, cost_usd)"
    )
    db.execute(
        "CREATE TRIGGER t AFTER INSERT ON episodes BEGIN INSERT INTO episodes(id) "
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) "
        "SELECT x FROM c; END"
    )
    db.commit()
    db.close()


def pieces_bomb(victim: Victim) -> None:
    text = {"type": "text", "pieces": ["x" * 100_000, *([0] * 100_000)]}
    said = {"event": "message", "hash": "h", "parent": "", "speaker": "user", "parts": [text]}
    victim.among(said)


def pieces_again(victim: Victim) -> None:
    first = {"type": "text", "pieces": ["x" * 1_000_000]}
    again = {"type": "text", "pieces": [0] * 10}
    said = {"event": "message", "hash": "h", "parent": "", "speaker": "user"}
    victim.among({**said, "parts": [first]}, *[{**said, "parts": [again]}] * 5_000)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def deep(victim: Victim) -> None:
    text = "[" * 100_000 + "]" * 100_000
    seen = '{"event":"observation","role":"player","turn":0,"time_us":0,"percepts":[{"channel":"b",'
    header = json.dumps(victim.events[0])
    line = f'{seen}"modality":"image","facts":{{"a":{text}}}}}]}}'
    victim.pack(f"{header}\n{line}\n".encode())


def clocked(victim: Victim, env: str, level: str, roles: tuple[str, ...]) -> None:
    """A world with a clock, told to let an age pass."""
    header = victim.events[0]
    lineup = {role: {"kind": "random"} for role in roles}
    header["episode"] |= {"env": env, "level": level, "options": {}, "lineup": lineup}
    seen = {"event": "observation", "role": roles[0], "turn": 0, "time_us": 0}
    end = {"event": "end", "status": "done", "cause": "end", "metrics": {"score": 1.0}}
    victim.write([header, seen, {"event": "advance", "time_us": 10**15}, end])


def files(victim: Victim) -> None:
    data = victim.sealed.read_bytes()
    for name in ("a\nb", "\x1b[2J", "..", "-rf", "x" * 200, "$(touch x)", "%s%n", "ünïcode"):
        (victim.run / "episodes" / f"{name}.jsonl.zst").write_bytes(data)


def scored(victim: Victim, data: bytes) -> None:
    folder = victim.run / "scores" / "loops"
    folder.mkdir(parents=True)
    (folder / f"{victim.id}.json").write_bytes(data)


def termed(victim: Victim, *lines: dict[str, Any]) -> None:
    """Let the record of terms hold further lines."""
    usual = {"at": "2026-01-01T00:00:00.000+00:00", "terms": {}, "schema": 1}
    with (victim.run / "terms.jsonl").open("a") as file:
        file.writelines(json.dumps({**usual, **line}) + "\n" for line in lines)


def amended(victim: Victim, **group: Any) -> None:
    """Let the record of terms say that something else is played."""
    experiment = yaml.safe_load(victim.marker.read_text())["experiment"]
    experiment["groups"][0] |= group
    termed(victim, {"experiment": experiment, "changes": [ESCAPES]})


def sparse(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(20 << 30)


def many(victim: Victim, count: int, line: str = LINE) -> None:
    victim.pack(json.dumps(victim.events[0]).encode() + b"\n" + (line * count).encode())


ACT = (
    '{"event":"act","role":"player","turn":1,"time_us":0,"action":"up","status":"ok","score":1.0}\n'
)
HUGE = 10**300
NOISE = random.Random(1).randbytes(9_999)
INFINITE = b'{"event":"end","cause":"","status":"done","wall_s":1e999}\n'
PACK_HEAD = b"PLYPACK\x02PREC" + bytes([1, 0, 0, 0]) + b"\xff" * 16 + bytes(40)

HARMS: dict[str, Harm] = {
    "yaml: laughs": lambda v: v.marker.write_text(LAUGHS),
    "yaml: deep": lambda v: v.marker.write_text("[" * 500_000),
    "yaml: large": lambda v: v.marker.write_text("x: " + "y" * 3_000_000),
    "yaml: sparse": lambda v: sparse(v.marker),
    "yaml: code": lambda v: v.marker.write_text("!!python/object/apply:os.system ['touch canary']"),
    "yaml: empty": lambda v: v.marker.write_text(""),
    "yaml: a list": lambda v: v.marker.write_text("[1, 2]"),
    "yaml: no experiment": lambda v: v.marker.write_text("schema: 2\n"),
    "yaml: odd experiment": lambda v: v.marker.write_text("schema: 2\nexperiment: [1]\n"),
    "yaml: huge schema": lambda v: v.marker.write_text(f"schema: {HUGE}\nexperiment: {{}}\n"),
    "yaml: escapes": lambda v: v.ask(levels=[ESCAPES]),
    "yaml: agent": lambda v: v.ask(lineups=[{"*": {"kind": "evil:act"}}]),
    "yaml: host": lambda v: v.ask(lineups=[{"*": {"model": "vllm/x@http://127.0.0.1:9/v1"}}]),
    "yaml: login": lambda v: v.ask(lineups=[{"*": {"model": "vllm/x@http://a:secretword@h/v1"}}]),
    "yaml: seeds": lambda v: v.ask(seeds="0:999999999999"),
    "yaml: product": lambda v: v.ask(seeds="0:1000000", attempts=1_000_000),
    "yaml: weights": lambda v: v.ask(lineups=[{"*": {"kind": "random", "weights": "../" * 99}}]),
    "yaml: episodes": lambda v: v.marker.write_text(
        "schema: 2\nexperiment: {episodes: [{env: ../x, level: l, options: {}, seed: 1, "
        "lineup: {player: {kind: 'evil:act'}}}]}\n"
    ),
    "link: marker": lambda v: v.link("experiment.yaml"),
    "link: lock": lambda v: v.link("lock"),
    "link: index": lambda v: v.link("index.sqlite"),
    "link: page": lambda v: v.link("report.html"),
    "link: partial page": lambda v: v.link("report.html.tmp"),
    "link: scores": lambda v: v.link("scores", folder=True),
    "link: media": lambda v: v.link("media", folder=True),
    "link: episode": lambda v: v.link(f"episodes/{v.id}.jsonl"),
    "link: sealed": lambda v: v.link(f"episodes/{v.id}.jsonl.zst"),
    "link: itself": lambda v: (v.run / "episodes" / "x.jsonl").symlink_to("x.jsonl"),
    "pipe: episode": lambda v: os.mkfifo(v.run / "episodes" / "pipe.jsonl"),
    "pipe: lock": lambda v: ((v.run / "lock").unlink(), os.mkfifo(v.run / "lock")),
    "index: trigger": trap_index,
    "index: noise": lambda v: (v.run / "index.sqlite").write_bytes(
        random.Random(1).randbytes(9999)
    ),
    "names": files,
    "zst: says 3 GB": lambda v: v.sealed.write_bytes(zeros(3 << 30, known=True)),
    "zst: hides 1 GB": lambda v: v.sealed.write_bytes(zeros(1 << 30, known=False)),
    "zst: cut": lambda v: v.sealed.write_bytes(v.sealed.read_bytes()[:-7]),
    "zst: noise": lambda v: v.sealed.write_bytes(random.Random(2).randbytes(999)),
    "zst: empty": lambda v: v.sealed.write_bytes(b""),
    "zst: sparse": lambda v: sparse(v.sealed),
    "open: sparse": lambda v: sparse(v.run / "episodes" / "sparse.jsonl"),
    "abandoned: sparse": lambda v: sparse(v.run / "abandoned" / f"{v.id}.0.jsonl"),
    "lines: many": lambda v: many(v, 4_000_000),
    "lines: most allowed": lambda v: many(v, 400_000),
    "lines: acts": lambda v: many(v, 300_000, ACT),
    "lines: one of 60 MB": lambda v: v.pack(b'{"event":"' + b"x" * 60_000_000),
    "lines: no text": lambda v: v.pack(b'{"event":"end","cause":"\xff\xfe","status":"done"}\n'),
    "lines: surrogates": lambda v: v.change("act", thought="\ud800", action="\udfff"),
    "json: deep": deep,
    "json: half deep": lambda v: v.spec(
        options={"a": 1},
        branch=None,
        lineup={"player": {"kind": "random", "harness": {"a": nested(300)}}},
    ),
    "json: huge seed": lambda v: v.spec(seed=HUGE),
    "json: huge time": lambda v: v.change("act", time_us=HUGE, turn=-HUGE),
    "json: huge counts": lambda v: v.change("end", turns=HUGE, calls=-HUGE, time_us=HUGE),
    "json: huge metrics": lambda v: v.change("end", metrics={"score": 1e308, "x": -1e308}),
    "json: infinite": lambda v: v.pack(
        b'{"event":"end","cause":"","status":"done","wall_s":1e999}\n'
    ),
    "json: many metrics": lambda v: v.change("end", metrics={f"m{n}": 1.0 for n in range(100_000)}),
    "json: many roles": lambda v: v.spec(
        lineup={f"r{n}": {"kind": "random"} for n in range(50_000)}
    ),
    "json: nobody's act": lambda v: v.change("act", role="nobody"),
    "json: two headers": lambda v: v.write([v.events[0], *v.events]),
    "json: no header": lambda v: v.write(v.events[1:]),
    "json: newer": lambda v: v.change("header", schema=99),
    "json: older": lambda v: v.change("header", schema=-5),
    "text: escapes": lambda v: v.change("act", thought=ESCAPES, action=ESCAPES, malformed=ESCAPES),
    "text: cause": lambda v: v.change("end", cause=ESCAPES * 1_000),
    "text: pieces": pieces_bomb,
    "text: pieces again": pieces_again,
    "text: wrong piece": lambda v: v.among(
        {
            "event": "message",
            "hash": "h",
            "parent": "",
            "speaker": "user",
            "parts": [{"type": "text", "pieces": [7]}],
        }
    ),
    "spec: code": lambda v: v.lineup(kind="evil:act"),
    "spec: system": lambda v: v.lineup(kind="os:system"),
    "spec: no such kind": lambda v: v.lineup(kind=ESCAPES),
    "spec: login": lambda v: v.lineup(kind="llm", model="vllm/x@http://a:secretword@h/v1"),
    "spec: harness": lambda v: v.lineup(
        kind="llm",
        model="scripted/x",
        harness={"perception": 7, "prompts": "../../x", "preset": [1], "history": HUGE},
    ),
    "spec: env": lambda v: v.spec(env="../../../etc/passwd", level=ESCAPES),
    "spec: options": lambda v: v.spec(options={"size": 10**9, "horizon": -1}),
    "spec: interventions": lambda v: v.spec(interventions=["../x", "noise:gaussian=1e300", ""]),
    "spec: scheduler": lambda v: v.spec(scheduler={"kind": "virtual", "latency_s": 1e-300}),
    "spec: name of 1 MB": lambda v: v.spec(level="l" * 1_000_000),
    "time: showdown": lambda v: clocked(
        v, "omniplay/showdown-v0", "easy", ("red", "blue", "green", "yellow")
    ),
    "time: phantom": lambda v: clocked(v, "omniplay/phantom-v0", "easy", ("player",)),
    "time: bomb": lambda v: clocked(v, "gptnt/solo-v0", "keypad", ("player",)),
    "media: wide": lambda v: v.medium(Packed("image", "rows", (60_000, 60_000), BOMB)),
    "media: bomb": lambda v: v.medium(Packed("audio", "pcm", (1, 1), BOMB)),
    "media: png": lambda v: v.medium(Packed("image", "png", (1, 1), huge_png(13_300, 13_300))),
    "media: film": lambda v: v.medium(
        Packed(
            "video",
            "footage",
            (9, 9),
            msgspec.msgpack.encode(footage.Footage(9, 9, 1.0, (10**9, 10**9), BOMB)),
        )
    ),
    "media: nested": lambda v: v.medium(Packed("video", "footage", (9, 9), b"\x91" * 100_000)),
    "media: promise": lambda v: v.medium(None, raw=PACK_HEAD),
    "media: index": lambda v: v.medium(None, raw=PACK_HEAD + b"\xff" * 8 + b"PLYINDEX"),
    "media: a folder": lambda v: (v.medium(None), (v.run / "media" / "1.pack").mkdir()),
    "media: path": lambda v: v.medium(None, digest="../../../../etc/passwd"),
    "media: old link": lambda v: (v.medium(None), v.link("media/ab"), v.link("media/ab")),
    "terms: noise": lambda v: (v.run / "terms.jsonl").write_bytes(NOISE),
    "terms: sparse": lambda v: sparse(v.run / "terms.jsonl"),
    "terms: a folder": lambda v: (
        (v.run / "terms.jsonl").unlink(),
        (v.run / "terms.jsonl").mkdir(),
    ),
    "terms: pipe": lambda v: (
        (v.run / "terms.jsonl").unlink(),
        os.mkfifo(v.run / "terms.jsonl"),
    ),
    "terms: link": lambda v: v.link("terms.jsonl"),
    "terms: deep": lambda v: (v.run / "terms.jsonl").write_text(
        '{"at":"","terms":{},"experiment":' + "[" * 100_000 + "]" * 100_000 + "}\n"
    ),
    "terms: too many": lambda v: termed(v, *[{"spent_usd": 1.0}] * 100_000),
    "terms: many": lambda v: termed(v, *[{"spent_usd": 1.0, "marks": {f"{v.id}.0": 1}}] * 3_000),
    "terms: changes": lambda v: termed(v, {"changes": [ESCAPES] * 1_000, "at": ESCAPES}),
    "terms: marks": lambda v: termed(v, {"marks": {f"{ESCAPES}{n}": HUGE for n in range(99)}}),
    "terms: other marks": lambda v: termed(v, {"marks": {"../x.0": 10**15, f"{v.id}.0": -5}}),
    "terms: numbers": lambda v: termed(v, {"spent_usd": 1e308, "unpriced": -(10**15)}),
    "terms: budget": lambda v: termed(v, {"terms": {"budget_usd": -1e308, "attempt_s": -1.0}}),
    "terms: prices": lambda v: termed(
        v, {"terms": {"prices": {ESCAPES: {"input": -1e308, "output": 1e308}}, "imports": ["evil"]}}
    ),
    "terms: rates": lambda v: termed(v, {"terms": {"rates": {ESCAPES: {"in_flight": -5}}}}),
    "terms: newer": lambda v: termed(v, {"schema": 99}),
    "terms: code": lambda v: amended(v, lineups=[{"*": {"kind": "evil:act"}}]),
    "terms: host": lambda v: amended(v, lineups=[{"*": {"model": "vllm/x@http://127.0.0.1:9/v1"}}]),
    "terms: seeds": lambda v: amended(v, seeds="0:999999999999"),
    "yaml: terms": lambda v: v.marker.write_text(
        v.marker.read_text().replace("terms:", "terms: [1]\nother:")
    ),
    "scores: deep": lambda v: scored(v, b"[" * 100_000),
    "scores: huge": lambda v: sparse(v.run / "scores" / "loops" / f"{v.id}.json"),
    "scores: noise": lambda v: scored(v, random.Random(3).randbytes(500)),
}


def tree(folder: Path) -> Iterator[tuple[str, bytes | str]]:
    """Names and contents of what is under a folder; links as what they lead to."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            yield str(path), str(path.readlink())
        elif path.is_file():
            yield str(path), path.read_bytes()
