"""Commands about files that hold the packet: file add, remove, list, refresh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.sessions import delivered
from ctxrepo.app.sessions.delivered import BlockRequest
from ctxrepo.faces.cli.answer import answer
from ctxrepo.faces.cli.options import DRY_RUN, USUAL, Group, command, json_option

if TYPE_CHECKING:
    from ctxrepo.services.delivery.file_blocks import AddResult, BlockState


group = Group("file", "Keep the memory block in files that agents read.", "list")


@group.command()
@command(path="PATH", agent=USUAL, is_trial=DRY_RUN)
def add(request: BlockRequest, json: bool = False) -> None:
    """Put the block into a file, and keep it up to date there."""

    def said(added: AddResult) -> str:
        done = "the block is in" if added.diff else "the block was already in"
        return added.diff.rstrip("\n") if request.is_trial and added.diff else f"{done} {added.block.path}"

    answer(delivered.add_block, request, json, said)


@group.command()
@command(path="PATH", agent=USUAL)
def remove(request: BlockRequest, json: bool = False) -> None:
    """Remove the block from a file, and leave every other byte unchanged."""

    def said(done: delivered.RemovedBlock) -> str:
        nothing = f"{done.path} has no block any more, and won't get one"
        return f"removed from {done.path}" if done.had_one else nothing

    answer(delivered.remove_block, request, json, said)


@group.command("list")
def list_(json: Annotated[bool, json_option()] = False) -> None:
    """List the files with a block, and the state of each."""

    def said(found: Sequence[BlockState]) -> str:
        nothing = "no file has the block; `ctxrepo file add` puts it into one"
        return "\n".join(map(delivered.block_line, found)) or nothing

    answer(delivered.list_blocks, None, json, said)


@group.command()
def refresh(json: Annotated[bool, json_option()] = False) -> None:
    """Update the block in all these files now."""

    def said(done: delivered.RenewedBlocks) -> str:
        return "\n".join(f"updated {path}" for path in done.renewed) or "everything was up to date"

    answer(delivered.renew_blocks, None, json, said)
