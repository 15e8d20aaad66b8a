"""What the specs of the envs that are played with the bomb say alike; imports no rules."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from polyathlon.core.spec import Channel, Metric, Option

Pace: TypeAlias = Literal["any", "stepped", "realtime"]
Thinking: TypeAlias = Literal["thoughts", "think"]

SIZES = {"640x480": (640, 480), "504x504": (504, 504), "448x448": (448, 448)}
SIZE_PX = SIZES["640x480"]
SINGLE = (
    "wires",
    "button",
    "keypad",
    "simon-says",
    "whos-on-first",
    "memory",
    "maze",
    "morse-code",
    "complicated-wires",
    "wire-sequence",
    "passwords",
)
"""Levels of one module, by its type."""

PUBLISHED = ("multi", *SINGLE)
"""Levels of ten missions each."""

LEVELS = (*PUBLISHED, "2.1", "2.3", "2.4", "3.1", "3.2", "3.3", "random")
TICK_US = 500_000
HORIZON = 4_000
"""More than the half seconds of the longest time limit that a drawn mission can have."""

BOMB_CHANNELS = (
    Channel("previous", "image", "the bomb before the player's last turn; absent at first"),
    Channel("burst", "image", "the last seconds, a picture each quarter, before a blinking module"),
    Channel("view", "image", "the bomb now, with its location markers", size_px=SIZE_PX),
    Channel(
        "sounds", "audio", "what was heard since the last look, for 4 s at most", default=False
    ),
)
MANUAL_CHANNELS = (
    Channel("manual_text", "text", "the words of a page of the manual, once"),
    Channel("manual_pages", "image", "the picture of a page of the manual, once"),
)
FEEDBACK = Channel("feedback", "text", "what was wrong with the form of the last reply, if it was")

METRICS = (
    Metric("raw_score", "solved modules of all modules"),
    Metric("solved", "all modules were solved", event=True),
    Metric("modules_solved", "modules that were solved"),
    Metric("modules_solved_share", "solved modules of all modules"),
    Metric("modules", "modules that had to be solved"),
    Metric("strikes", "mistakes", "", False, 3.0),
    Metric("strikeout", "the last strike ended the game", "", False, 0.0, True),
    Metric("timeout", "the countdown ended the game", "", False, 0.0, True),
    Metric("time_left_s", "what the countdown showed at the end", "s"),
    Metric("time_share", "share of the time limit that was used up", "", False, 1.0),
    Metric("turns", "turns taken", "", False),
    Metric("messages", "turns that sent a message", "", False),
    Metric("message_chars", "characters of all messages", "", False),
    Metric("waits", "turns spent waiting, those lost to errors among them", "", False),
    Metric("navigations", "turns that turned the bomb or zoomed out", "", False),
    Metric("interactions", "turns that pressed, held or let go of something", "", False),
    Metric("zoom_ins", "clicks that opened a module", "", False),
    Metric("invalid_actions", "turns lost to errors", "", False),
    Metric("structural_errors", "replies without one readable action", "", False),
    Metric("unknown_labels", "marker letters that nothing wore", "", False),
    Metric("soft_warnings", "replies with faults whose action was carried out", "", False),
    Metric("mission", "number of the mission among the ten of its level; 0 if drawn"),
    Metric("time_limit_s", "the countdown at the start", "s"),
)

OPTIONS = (
    Option("mission", 0, "which mission; 0 takes it from the seed", 0, 10),
    Option("rule_seed", 0, "the rules of modules and manual; 0 has the standard ones", 0, 2**31),
    Option(
        "time_limit",
        "formula",
        "where limits of single modules come from: the paper's formula or its table",
        choices=("formula", "table"),
    ),
    Option("strike_limit", 3, "the strike that ends the game", 1, 5),
    Option("widgets", 5, "widgets on the edges beside the serial number", 0, 11),
    Option("needy", 0, "modules that need attention now and then, added while there is room", 0, 3),
    Option(
        "interaction",
        "markers",
        "how a place is named: by marker, by pixel, in 0..1000, or in 0..1",
        choices=("markers", "absolute", "scaled", "relative"),
    ),
    Option("size", "640x480", "pictures of the bomb in pixels", choices=tuple(SIZES)),
    Option("props", True, "whether things lie on the table that do not matter"),
    Option(
        "pace",
        "any",
        "what players are told of time: that of any, the stepped or a realtime scheduler",
        choices=get_args(Pace),
    ),
    Option(
        "thinking",
        "thoughts",
        "the tag around thoughts, and whether they read as notes or as an inner voice",
        choices=get_args(Thinking),
    ),
    Option("named", True, "whether the game's name is told, which may recall what was read of it"),
    Option("server", "", "address of a simulator that runs the bomb; empty for this process"),
)
