"""Commands about files that hold the packet: file add, remove, list, refresh."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ctxrepo.agents import names as agent_names
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json, without_verb

if TYPE_CHECKING:
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.delivery.blocks import BlockState

FILE = "AGENTS.md"
"""What most agents read; those that read another file say so."""

_SAYS = {
    "current": "up to date",
    "stale": "older than the memory",
    "damaged": "left alone",
    "without": "its block was taken out; `ctxrepo file add` puts it back",
    "missing": "gone",
    "unusable": "left alone",
    "busy": "being edited; the next round looks again",
}
_GIT = {
    "tracked": "{path} is tracked by git: the block shows as a change, and whoever gets the file reads your "
    "memory in it",
    "seen": "git doesn't ignore {path}: an `add` would take it along, with your memory in it",
}

group = typer.Typer()

PathWord = Annotated[
    str, typer.Argument(metavar="PATH", help=f"The file; {FILE} at the top of the checkout by default.")
]
AgentName = Annotated[
    str,
    typer.Option(
        "--agent", metavar="AGENT", help=f"The file that this agent reads: {', '.join(agent_names())}."
    ),
]


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="file")


@group.callback(invoke_without_command=True)
def file(context: typer.Context, json: Json = False) -> None:
    """Keep the packet in files that agents read by themselves.

    Without a verb it lists them.

    Example: ctxrepo file
    """
    without_verb(context, list_, json=json)


@group.command()
def add(
    path: PathWord = "",
    agent: AgentName = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the change and make none.")] = False,
    json: Json = False,
) -> None:
    """Put the packet into a file, and keep it up to date there.

    It stands between two markers, at the end of the file or where they are already. Nothing else in the file
    is changed. Set `delivery.mode` to `file`, so that hooks don't say it again.

    Example: ctxrepo file add --agent claude
    """
    from ctxrepo.services.delivery.blocks import add

    run = _settled()
    added = add(run.memory, _named(run, path, agent), run.env, is_trial=dry_run)
    where = str(added.block.path)
    if added.tracking in _GIT:
        output.notice(_GIT[added.tracking].format(path=where))
    if run.memory.settings.delivery.mode != "file":
        output.notice("hooks give the packet too until `ctxrepo config set delivery.mode file`")
    data = {
        "path": where,
        "project": added.block.project,
        "changed": bool(added.diff) and not dry_run,
        "diff": added.diff,
        "new": added.block.is_new,
        "git": added.tracking,
    }
    done = "the packet stands in" if added.diff else "the packet stood already in"
    output.done(json, data, added.diff.rstrip("\n") if dry_run and added.diff else f"{done} {where}")


@group.command()
def remove(path: PathWord = "", agent: AgentName = "", json: Json = False) -> None:
    """Take the packet out of a file again, and leave every other byte as it is.

    A file that was made for it goes when nothing else is in it.

    Example: ctxrepo file remove --agent claude
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.delivery.blocks import remove

    run = Runtime()
    target = _named(run, path, agent)
    had_one = remove(run.memory, target)
    text = f"removed from {target}" if had_one else f"{target} held none any more, and gets none"
    output.done(json, {"path": str(target), "removed": had_one}, text)


@group.command("list")
def list_(json: Json = False) -> None:
    """List the files that hold the packet, and how each stands.

    Example: ctxrepo file list
    """
    from ctxrepo.services.delivery.blocks import standings

    found = standings(_settled().memory)
    text = "\n".join(map(_line, found)) or "no file holds the packet; `ctxrepo file add` puts it into one"
    output.done(json, {"files": [_data(one) for one in found]}, text)


@group.command()
def refresh(json: Json = False) -> None:
    """Bring the packet in all these files up to date now.

    A worker does it after each commit and on each new day.

    Example: ctxrepo file refresh
    """
    from ctxrepo.services.delivery.blocks import renew

    run = _settled()
    found = renew(run.memory, run.now, always=True)
    renewed = [str(one.block.path) for one in found if one.state == "stale"]
    for one in found:
        if one.state not in ("current", "stale"):
            output.notice(_line(one))
    text = "\n".join(f"renewed {path}" for path in renewed) or "nothing was to be renewed"
    output.done(json, {"files": [_data(one) for one in found], "renewed": renewed}, text)


def _settled() -> Runtime:
    from ctxrepo.faces.cli.runtime import Runtime

    run = Runtime()
    run.settle()
    return run


def _named(run: Runtime, path: str, agent: str) -> Path:
    from ctxrepo.agents.known import agent_named
    from ctxrepo.services.delivery.blocks import default_file

    if path and agent:
        raise UsageError("--agent names a file, and so does PATH", "Give one of them.")
    if path:
        return run.cwd / Path(path).expanduser()
    return default_file(run.memory, run.cwd, agent_named(agent).identity.INSTRUCTIONS if agent else FILE)


def _line(one: BlockState) -> str:
    said = _SAYS[one.state] + (f": {one.why}" if one.why else "")
    whose = one.block.project or "no project"
    return f"{one.block.path} ({whose}): {said}"


def _data(one: BlockState) -> dict[str, Any]:
    return {
        "path": str(one.block.path),
        "project": one.block.project,
        "state": one.state,
        "why": one.why,
    }
