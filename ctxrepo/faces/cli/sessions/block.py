"""Commands about files that hold the packet: file add, remove, list, refresh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ctxrepo.agents import names as agent_names
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import argument, json_option, option, without_verb

if TYPE_CHECKING:
    from ctxrepo.services.delivery.file_blocks import AddResult, BlockState

group = typer.Typer()

PathWord = Annotated[
    str, argument(metavar="PATH", help="The file; AGENTS.md at the top of the checkout by default.")
]
AgentName = Annotated[
    str,
    option("--agent", metavar="AGENT", help=f"The file that this agent reads: {', '.join(agent_names())}."),
]


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="file")


@group.callback(invoke_without_command=True)
def file(context: typer.Context, json: Annotated[bool, json_option()] = False) -> None:
    """Keep the packet in files that agents read by themselves.

    Without a verb it lists them.

    Example: ctxrepo file
    """
    without_verb(context, list_, json=json)


@group.command()
def add(
    path: PathWord = "",
    agent: AgentName = "",
    dry_run: Annotated[bool, option("--dry-run", help="Show the change and make none.")] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Put the packet into a file, and keep it up to date there.

    It stands between two markers, at the end of the file or where they are already. Nothing else in the file
    is changed. Set `delivery.mode` to `file`, so that hooks don't say it again.

    Example: ctxrepo file add --agent claude
    """
    from ctxrepo.app.sessions.block import BlockRequest, add_block

    def said(added: AddResult) -> str:
        done = "the packet stands in" if added.diff else "the packet stood already in"
        return added.diff.rstrip("\n") if dry_run and added.diff else f"{done} {added.block.path}"

    answer(open_desk(), add_block, BlockRequest(path, agent, dry_run), json, said)


@group.command()
def remove(path: PathWord = "", agent: AgentName = "", json: Annotated[bool, json_option()] = False) -> None:
    """Take the packet out of a file again, and leave every other byte as it is.

    A file that was made for it goes when nothing else is in it.

    Example: ctxrepo file remove --agent claude
    """
    from ctxrepo.app.sessions.block import BlockRequest, RemovedBlock, remove_block

    def said(done: RemovedBlock) -> str:
        nothing = f"{done.path} held none any more, and gets none"
        return f"removed from {done.path}" if done.had_one else nothing

    answer(open_desk(), remove_block, BlockRequest(path, agent), json, said)


@group.command("list")
def list_(json: Annotated[bool, json_option()] = False) -> None:
    """List the files that hold the packet, and how each stands.

    Example: ctxrepo file list
    """
    from ctxrepo.app.sessions.block import block_line, list_blocks

    def said(found: Sequence[BlockState]) -> str:
        nothing = "no file holds the packet; `ctxrepo file add` puts it into one"
        return "\n".join(map(block_line, found)) or nothing

    answer(open_desk(), list_blocks, None, json, said)


@group.command()
def refresh(json: Annotated[bool, json_option()] = False) -> None:
    """Bring the packet in all these files up to date now.

    A worker does it after each commit and on each new day.

    Example: ctxrepo file refresh
    """
    from ctxrepo.app.sessions.block import RenewedBlocks, renew_blocks

    def said(done: RenewedBlocks) -> str:
        return "\n".join(f"renewed {path}" for path in done.renewed) or "nothing was to be renewed"

    answer(open_desk(), renew_blocks, None, json, said)
