"""The command line: one file a command, imported when the command is called.

A command is a typed function. It returns None or its exit code; it raises `UserError` for a wrong
request. Exit codes: 0 done, 1 failed or unplayed episodes remain, 2 wrong request,
130 interrupted.
The parser is imported only for a command, so that the list of commands answers at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from polyathlon import __version__
from polyathlon.core.console import note, say, show_uncaught
from polyathlon.core.errors import RunStopped, UserError, unknown
from polyathlon.core.ownmodules import leave_folder

ERROR_CHARACTERS = 2_000
DONE, FAILED, WRONG_REQUEST, INTERRUPTED = 0, 1, 2, 130

COMMANDS = {
    "list": ("listing:list_", "Name the envs, suites, agents, models, interventions or tools."),
    "show": ("show:show", "Describe an env: roles, channels, levels, actions, metrics, prompt."),
    "run": ("run:run", "Play the episodes of an env, a glob, a suite or an experiment file."),
    "report": ("report:report", "Tables, statistics and plots of finished runs."),
    "replay": ("replay:replay", "Show a recorded episode, or verify that it replays exactly."),
    "branch": ("branch:branch", "Begin episodes that share the past of a recorded one."),
    "probe": ("probe:probe", "Ask for recorded decisions again while a channel lies."),
    "score": ("score:score", "Score the ended episodes of a run from their traces."),
    "play": ("play:play", "Play an env yourself."),
    "serve": ("serve:serve", "Serve a world over HTTP: the defusal simulator."),
    "bench": ("bench:bench", "Measure the throughput of envs and runtime on this machine."),
    "doctor": ("doctor:doctor", "Say what is installed, what answers and how to add the rest."),
}


def main(tokens: Sequence[str] | None = None) -> int:
    """Run one command line (`sys.argv` by default) and return the exit code.

    The process of `sys.argv` ends at once when it is interrupted, whatever threads and engines do.
    """
    if tokens is not None:
        return _answered(list(tokens))
    leave_folder()
    sys.excepthook = show_uncaught
    code = _answered(sys.argv[1:])
    if code == INTERRUPTED:
        sys.stderr.flush()
        os._exit(code)
    return code


def _answered(words: list[str]) -> int:
    if words in ([], ["--help"], ["-h"]):
        say(_overview())
        return DONE
    if words == ["--version"]:
        say(__version__)
        return DONE
    try:
        code = _call(words)
        sys.stdout.flush()
    except UserError as error:
        note(f"polyathlon: {' '.join(str(error).split())[:ERROR_CHARACTERS]}")
        return FAILED if isinstance(error, RunStopped) else WRONG_REQUEST
    except KeyboardInterrupt:
        note("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERRUPTED
    return code


def _overview() -> str:
    width = max(map(len, COMMANDS))
    return "\n".join(
        [
            "Usage: polyathlon COMMAND ...",
            "",
            "A laboratory for agents that see, hear, read, speak and act.",
            "",
            *(f"  {name.ljust(width)}  {about}" for name, (_, about) in COMMANDS.items()),
            "",
            "polyathlon COMMAND --help says more; polyathlon --version names the version.",
        ]
    )


def _call(words: Sequence[str]) -> int:
    name = words[0]
    if name not in COMMANDS:
        raise unknown("command", name, COMMANDS)
    from cyclopts import App, CycloptsError, Parameter

    app = App(
        name="polyathlon",
        version_flags=(),
        help_format="plaintext",
        help_formatter="plain",
        default_parameter=Parameter(negative=()),
        suppress_keyboard_interrupt=False,
    )
    app.command(f"polyathlon.cli.{COMMANDS[name][0]}", name=name)
    try:
        code = app(words, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        raise UserError(f"{error} See polyathlon {name} --help") from None
    return DONE if code is None else int(code)
