"""The command line: one file a command, imported when the command is called.

A command is a typed function. It returns None or its exit code; it raises `UserError` for a wrong
request. Exit codes: 0 done, 1 failed episodes remain, 2 wrong request, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError, Parameter, UnknownCommandError

from polyathlon import __version__
from polyathlon.core.errors import UserError, unknown

DONE, WRONG_REQUEST, INTERRUPTED = 0, 2, 130

COMMANDS = {
    "list": ("list:list_", "Name the envs, suites, agents, models, interventions or tools."),
    "show": ("show:show", "Describe an env: roles, channels, levels, actions, metrics, prompt."),
    "run": ("run:run", "Play the episodes of an env, a glob, a suite or an experiment file."),
    "report": ("report:report", "Tables, statistics and plots of finished runs."),
    "replay": ("replay:replay", "Show a recorded episode, or verify that it replays exactly."),
    "play": ("play:play", "Play an env yourself."),
    "bench": ("bench:bench", "Measure the throughput of envs and runtime on this machine."),
    "doctor": ("doctor:doctor", "Say what is installed, what answers and how to add the rest."),
}


def _app() -> App:
    app = App(
        name="polyathlon",
        help="A laboratory for agents that see, hear, read, speak and act.",
        version=__version__,
        version_format="plaintext",
        help_format="plaintext",
        suppress_keyboard_interrupt=False,
        help_formatter="plain",
        default_parameter=Parameter(negative=()),
    )
    for name, (path, help) in COMMANDS.items():
        app.command(f"polyathlon.cli.{path}", name=name, help=help)
    return app


def main(tokens: Sequence[str] | None = None) -> int:
    """Run one command line (`sys.argv` by default) and return the exit code."""
    try:
        code = _app()(tokens, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except UnknownCommandError as error:
        token = (error.unused_tokens or ("",))[0]
        return _refuse(_one_line(unknown("command", token, COMMANDS)))
    except CycloptsError as error:
        return _refuse(f"{_one_line(error)} See {_help_command(error)}")
    except UserError as error:
        return _refuse(_one_line(error))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERRUPTED
    return DONE if code is None else int(code)


def _refuse(reason: str) -> int:
    print(f"polyathlon: {reason}", file=sys.stderr)
    return WRONG_REQUEST


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _help_command(error: CycloptsError) -> str:
    return " ".join(["polyathlon", *(error.command_chain or ()), "--help"])
