"""The command for the first hour on a machine: start."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from ctxrepo.agents.permissions import LEVELS
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output, waiting
from ctxrepo.faces.cli.answer import open_desk, perform, resumable, show
from ctxrepo.faces.cli.ask import confirm
from ctxrepo.faces.cli.options import argument, json_option, option

if TYPE_CHECKING:
    from ctxrepo.app.repository.first_hour import FirstHour, FirstStep

_LINES = 20
"""Lines of one thing that are shown."""


def start(
    remote: Annotated[str, argument(metavar="REMOTE")] = "",
    permissions: Annotated[str, option("--permissions", metavar="LEVEL")] = "",
    yes: Annotated[bool, option("--yes", "-y")] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Set up this machine step by step, and show what you get."""
    from ctxrepo.app.repository import first_hour
    from ctxrepo.app.sessions.past_search import quoted

    if permissions not in ("", *LEVELS):
        raise UsageError(f"--permissions takes none, read or write, not {permissions}")
    asks = not (yes or json) and sys.stdin.isatty()
    desk = open_desk()

    def agrees(step: FirstStep) -> bool:
        waiting.over()
        text = _shown(step.name, step.lines)
        if asks:
            output.tell(text)
        elif not json:
            output.show_lines(output.lines_of(text))
        return step.is_open and (yes or (asks and confirm("Do this?")))

    request = first_hour.StartRequest(remote, permissions, not (yes or asks), agrees)
    with resumable():
        result = perform(desk, first_hour.start, request)
    show(result, json, lambda done: quoted(desk, _ending(done)) if done.context else "")


def _shown(heading: str, lines: Sequence[str]) -> str:
    """A heading, and below it the first lines, with how many more there are."""
    left = len(lines) - _LINES
    shown = [*lines[:_LINES], *([f"… {left} more"] if left > 0 else [])]
    return "\n".join([f"{heading}:", *(f"  {line}" for line in shown)])


def _ending(done: FirstHour) -> str:
    """What a session would be given, without rules and the end of the frame, and the answer."""
    facts = done.context.partition("\n## ")[2].rpartition("\n</")[0]
    given = _shown(f"in {done.folder} a session is given rules, and this", f"## {facts}".split("\n"))
    if not done.command:
        return f'{given}\n\n`ctxrepo remember "…"` keeps a fact for the sessions to come'
    return f"{given}\n\n{_shown(f'`{done.command}` answers there', done.answer.splitlines())}"
