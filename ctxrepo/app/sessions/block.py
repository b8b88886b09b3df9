"""Files that hold the packet: one is added, removed, listed, brought up to date."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.delivery.file_blocks import AddResult, BlockState

FILE = "AGENTS.md"
"""What most agents read; those that read another file say so."""

_GIT = {
    "tracked": "{path} is tracked by git: the block shows as a change, and whoever gets the file reads your "
    "memory in it",
    "seen": "git doesn't ignore {path}: an `add` would take it along, with your memory in it",
}

_SAYS = {
    "current": "up to date",
    "stale": "older than the memory",
    "damaged": "left alone",
    "without": "its block was taken out; `ctxrepo file add` puts it back",
    "missing": "gone",
    "unusable": "left alone",
    "busy": "being edited; the next round looks again",
}


@dataclass(frozen=True)
class BlockRequest:
    """A file by its path, or the one that an agent reads, or AGENTS.md at the top of the checkout."""

    path: str = ""
    agent: str = ""
    is_trial: bool = False
    """Only say what would be changed."""


@dataclass(frozen=True)
class RemovedBlock:
    """The file, and whether a block was taken out of it."""

    path: Path
    had_one: bool


@dataclass(frozen=True)
class RenewedBlocks:
    """How each file stood, and which of them were renewed."""

    blocks: Sequence[BlockState]
    renewed: Sequence[str]


def add_block(desk: Desk, request: BlockRequest) -> Result[AddResult]:
    """Put the packet into a file, and keep it up to date there."""
    from ctxrepo.services.delivery.file_blocks import add

    desk.commit_pending()
    added = add(desk.memory, _file(desk, request), desk.env, is_trial=request.is_trial)
    where = str(added.block.path)
    if added.tracking in _GIT:
        desk.notice(_GIT[added.tracking].format(path=where))
    if desk.memory.settings.delivery.mode != "file":
        desk.notice("hooks give the packet too until `ctxrepo config set delivery.mode file`")
    data = {
        "path": where,
        "project": added.block.project,
        "changed": bool(added.diff) and not request.is_trial,
        "diff": added.diff,
        "new": added.block.is_new,
        "git": added.tracking,
    }
    return Result(added, data)


def remove_block(desk: Desk, request: BlockRequest) -> Result[RemovedBlock]:
    """Take the packet out of a file again, and leave every other byte as it is."""
    from ctxrepo.services.delivery.file_blocks import remove

    path = _file(desk, request)
    had_one = remove(desk.memory, path)
    return Result(RemovedBlock(path, had_one), {"path": str(path), "removed": had_one})


def list_blocks(desk: Desk, _: None) -> Result[Sequence[BlockState]]:
    """List the files that hold the packet, and how each stands."""
    from ctxrepo.services.delivery.file_blocks import states_of_blocks

    desk.commit_pending()
    found = states_of_blocks(desk.memory)
    return Result(found, {"files": [_fields(one) for one in found]})


def renew_blocks(desk: Desk, _: None) -> Result[RenewedBlocks]:
    """Bring the packet in all these files up to date now."""
    from ctxrepo.services.delivery.file_blocks import renew

    desk.commit_pending()
    found = renew(desk.memory, desk.now, always=True)
    renewed = [str(one.block.path) for one in found if one.state == "stale"]
    for one in found:
        if one.state not in ("current", "stale"):
            desk.notice(block_line(one))
    data = {"files": [_fields(one) for one in found], "renewed": renewed}
    return Result(RenewedBlocks(found, renewed), data)


def block_line(one: BlockState) -> str:
    """How a file stands, in a line."""
    said = _SAYS[one.state] + (f": {one.why}" if one.why else "")
    return f"{one.block.path} ({one.block.project or 'no project'}): {said}"


def _file(desk: Desk, request: BlockRequest) -> Path:
    from ctxrepo.agents.known import agent_named
    from ctxrepo.services.delivery.file_blocks import default_file

    if request.path and request.agent:
        raise UsageError("--agent names a file, and so does PATH", "Give one of them.")
    if request.path:
        return desk.cwd / Path(request.path).expanduser()
    name = agent_named(request.agent).identity.INSTRUCTIONS if request.agent else FILE
    return default_file(desk.memory, desk.cwd, name)


def _fields(one: BlockState) -> dict[str, Any]:
    return {
        "path": str(one.block.path),
        "project": one.block.project,
        "state": one.state,
        "why": one.why,
    }
