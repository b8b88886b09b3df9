"""Commands for the first hour: setup, which connects agents, start, which takes the other steps as well, and
demo, a memory to look around in."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from ctxrepo.agents import names as agent_names
from ctxrepo.agents.known import agent_named
from ctxrepo.agents.permissions import LEVELS
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output, waiting
from ctxrepo.faces.cli.answer import answer, ask, confirm, open_desk, perform, resumable, show
from ctxrepo.faces.cli.options import argument, json_option, option

if TYPE_CHECKING:
    from ctxrepo.app.repository.first_hour import FirstHour, FirstStep
    from ctxrepo.services.demo.play_story import DemoMemory
    from ctxrepo.services.setup.setup import Plan
    from ctxrepo.services.setup.standings import Standing


def setup(
    agent: Annotated[
        list[str] | None, argument(metavar="AGENT", help=f"{', '.join(agent_names())}; may be several.")
    ] = None,
    every: Annotated[bool, option("--all")] = False,
    check: Annotated[bool, option("--check")] = False,
    remove: Annotated[bool, option("--remove")] = False,
    dry_run: Annotated[bool, option("--dry-run", "--diff")] = False,
    trust: Annotated[bool, option("--trust")] = False,
    permissions: Annotated[
        str, option("--permissions", metavar="LEVEL", help="none, read or write: what it may run unasked.")
    ] = "",
    own_memory: Annotated[
        str, option("--own-memory", metavar="WHERE", help="here or own: where it keeps a memory of its own.")
    ] = "",
    mcp: Annotated[bool, option("--mcp")] = False,
    no_mcp: Annotated[bool, option("--no-mcp")] = False,
    yes: Annotated[bool, option("--yes", "-y")] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Connect an agent: install hooks and skills in its settings."""
    from ctxrepo.app.repository import connecting
    from ctxrepo.storage.user.receipt import Choices

    agents = connecting.AgentsRequest(agent or (), every)
    if check:
        answer(connecting.check_setup, agents, json, _checked)
        return

    def words_of(result: connecting.SetupResult) -> str:
        return "\n".join(
            _words(agent_setup.plan, remove, agent_setup.is_applied, dry_run)
            + (f"\nnot trusted: {agent_setup.untrusted}" if agent_setup.untrusted else "")
            for agent_setup in result.done
        )

    _require_level(permissions)
    if own_memory not in ("", "here", "own"):
        raise UsageError(f"--own-memory takes here or own, not {own_memory}")
    if mcp and no_mcp:
        raise UsageError("--mcp and --no-mcp say opposite things")
    choices = Choices(permissions, True if mcp else False if no_mcp else None)
    request = connecting.SetupRequest(
        agents, lambda plan: yes or _agreed(plan, json), remove, dry_run, trust, choices, own_memory
    )
    answer(connecting.set_up, request, json, words_of)


def _require_level(permissions: str) -> None:
    if permissions not in ("", *LEVELS):
        raise UsageError(f"--permissions takes none, read or write, not {permissions}")


def _agreed(plan: Plan, json: bool) -> bool:
    """Say what would change and ask, as often as the difference is wanted; UsageError without a terminal."""
    if json or not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask at", "Check with --diff, then add --yes.")
    title = agent_named(plan.agent).title
    output.tell(f"{title}: these files change, and nothing else:")
    for line in plan.summary:
        output.tell(f"  {line}")
    while True:
        typed = ask("Make these changes? [y/N/d, d shows the difference]", "n", show_default=False)
        match typed.strip().lower():
            case "y" | "yes":
                return True
            case "n" | "no":
                output.tell(f"{title} is left as it is")
                return False
            case "d" | "diff":
                output.show_difference(plan.diff)
            case other:
                output.tell(f"{other!r} is none of y, n and d")


def _words(plan: Plan, remove: bool, is_applied: bool, dry_run: bool) -> str:
    if not plan.visible:
        return f"{plan.agent}: nothing to remove" if remove else f"{plan.agent} is connected already"
    if is_applied:
        paths = (f"\n  {change.path}" for change in plan.visible)
        verb = "removed" if remove else "changed" if plan.only_takes else "connected"
        return f"{verb} {plan.agent}:{''.join(paths)}"
    return plan.diff if dry_run else f"{plan.agent}: nothing was changed"


def _checked(standings: Sequence[Standing]) -> str:
    lines = []
    for standing in standings:
        choices = standing.choices
        level = "" if choices.permissions == "none" else f", --permissions {choices.permissions}"
        lines.append(f"{standing.agent}: {standing.state}{level}{', --mcp' if choices.mcp else ''}")
        lines += [f"  {f.problem}. {f.remedy}" for f in standing.findings]
    return "\n".join(lines)


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

    _require_level(permissions)
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
    show(result, json, lambda outcome: quoted(desk, _ending(outcome)) if outcome.context else "")


def _shown(heading: str, lines: Sequence[str]) -> str:
    """A heading, and below it the first lines, with how many more there are."""
    more = len(lines) - _LINES
    rows = [*lines[:_LINES], *([f"… {more} more"] if more > 0 else [])]
    return "\n".join([f"{heading}:", *(f"  {line}" for line in rows)])


def _ending(outcome: FirstHour) -> str:
    """What a session would be given, without rules and the end of the frame, and the answer."""
    facts = outcome.context.partition("\n## ")[2].rpartition("\n</")[0]
    sample = _shown(f"in {outcome.folder} a session is given rules, and this", f"## {facts}".split("\n"))
    if not outcome.command:
        return f'{sample}\n\n`ctxrepo remember "…"` keeps a fact for the sessions to come'
    return f"{sample}\n\n{_shown(f'`{outcome.command}` answers there', outcome.answer.splitlines())}"


def demo(
    folder: Annotated[str, argument(metavar="FOLDER")] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Make a memory of invented people, to look around in."""
    from ctxrepo.app.repository.first_hour import DemoRequest, make_demo

    answer(make_demo, DemoRequest(folder), json, _way_in)


def _way_in(demo: DemoMemory) -> str:
    """What the demo is, and commands that look around in it."""
    what = f"{len(demo.projects)} projects on {demo.machines} machines, {demo.days} days"
    command = shlex.quote(str(demo.command))
    ways = "".join(f"\n  {command} {way}" for way in _WAYS_IN)
    return f"made {demo.folder}: {what}\nlook around in it; to be rid of it, delete the folder:{ways}"


_WAYS_IN = ("status", "review", "review --html", "inbox", "why topics/gotcha.md#L9", "diff")
