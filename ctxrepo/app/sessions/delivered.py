"""Operations on what sessions are given: the packet, files that hold it, sessions switched off and on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ctxrepo.agents import names as agent_names
from ctxrepo.app.result import Result, reads
from ctxrepo.domain.formats.described import Between
from ctxrepo.domain.formats.moment import second_at
from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.domain.project.layout import COMPATIBLE
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.delivery.file_blocks import AddResult, BlockState
    from ctxrepo.services.delivery.start_packet import Context
    from ctxrepo.storage.state.ledgers import Ledger


@dataclass(frozen=True)
class ContextRequest:
    """The packet, with another preset or budget than the settings have, and as an agent is given it."""

    preset: Annotated[
        str | None,
        "Use another preset: `scored`, `clawvm`, `daily`, `semantic` or `md` "
        f"(that of {COMPATIBLE}); may be empty.",
    ] = None
    budget: Annotated[int, Between(0)] = 0
    """At most this many bytes; 0 for the limit in the settings."""
    agent: str = ""
    """Cut it to the size that this agent accepts."""


@reads
def context(desk: Desk, request: ContextRequest) -> Result[Context]:
    """Say what a session would start with, up to what was written last."""
    from ctxrepo.agents.known import agent_named
    from ctxrepo.hooks.packet.lane import CLAWVM, SCORED
    from ctxrepo.services.delivery.first_files import update_recent_files
    from ctxrepo.services.delivery.start_packet import Start, context

    known = agent_named(request.agent).name if request.agent else ""
    update_recent_files(desk.memory)
    if (request.preset or desk.memory.settings.delivery.preset) in (CLAWVM, SCORED):
        from ctxrepo.hooks.own_files import today  # other presets have no order by scores
        from ctxrepo.services.score.update_scores import update_scores

        update_scores(desk.memory, today())
    start = Start(desk.cwd, request.preset, request.budget, known)
    made = context(desk.memory, desk.project, start)
    return Result(made, {**plain_data(made), "bytes": len(made.text.encode())})


FILE = "AGENTS.md"
"""What most agents read; those that read another file say so."""

_GIT = {
    "tracked": "{path} is tracked by git: the block shows up as a change, and everyone who gets the file can "
    "read your memory in it",
    "seen": "git doesn't ignore {path}: `git add` would include it, with your memory in it",
}

_SAYS = {
    "current": "up to date",
    "stale": "out of date",
    "damaged": "left alone",
    "without": "its block was removed; `ctxrepo file add` puts it back",
    "missing": "gone",
    "unusable": "left alone",
    "busy": "being edited; it is checked again later",
}


@dataclass(frozen=True)
class BlockRequest:
    """A file by its path, or the one that an agent reads, or AGENTS.md at the top of the checkout."""

    path: str = ""
    """The file; AGENTS.md at the top of the checkout by default."""
    agent: Annotated[str, f"The file that this agent reads: {', '.join(agent_names())}."] = ""
    is_trial: bool = False
    """Show the change without making it."""


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


@reads
def add_block(desk: Desk, request: BlockRequest) -> Result[AddResult]:
    """Put the block into a file, and keep it up to date there."""
    from ctxrepo.services.delivery.file_blocks import add

    added = add(desk.memory, _file(desk, request), desk.env, is_trial=request.is_trial)
    where = str(added.block.path)
    if added.tracking in _GIT:
        desk.notice(_GIT[added.tracking].format(path=where))
    if desk.memory.settings.delivery.mode != "file":
        desk.notice("hooks still give the block as well until `ctxrepo config set delivery.mode file`")
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
    """Remove the block from a file, and leave every other byte unchanged."""
    from ctxrepo.services.delivery.file_blocks import remove

    path = _file(desk, request)
    had_one = remove(desk.memory, path)
    return Result(RemovedBlock(path, had_one), {"path": str(path), "removed": had_one})


@reads
def list_blocks(desk: Desk, _: None) -> Result[Sequence[BlockState]]:
    """List the files with a block, and the state of each."""
    from ctxrepo.services.delivery.file_blocks import states_of_blocks

    found = states_of_blocks(desk.memory)
    return Result(found, {"files": [_block_fields(one) for one in found]})


@reads
def renew_blocks(desk: Desk, _: None) -> Result[RenewedBlocks]:
    """Update the block in all these files now."""
    from ctxrepo.services.delivery.file_blocks import renew

    found = renew(desk.memory, desk.now, always=True)
    renewed = [str(one.block.path) for one in found if one.state == "stale"]
    desk.notice(*(block_line(one) for one in found if one.state not in ("current", "stale")))
    data = {"files": [_block_fields(one) for one in found], "renewed": renewed}
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


def _block_fields(one: BlockState) -> dict[str, Any]:
    return {"path": str(one.block.path), "project": one.block.project, "state": one.state, "why": one.why}


@dataclass(frozen=True)
class SwitchRequest:
    """Whether a session is to be given nothing any more; `session` is the beginning of its id, '' the one
    that the operation is performed in or the newest in its project."""

    is_off: bool = False
    session: str = ""
    """Another session, by the beginning of its id."""


def list_sessions(desk: Desk, _: None) -> Result[Sequence[Ledger]]:
    """List the sessions of the last day, the newest first."""
    from ctxrepo.services.delivery.sessions import sessions

    found = sessions(desk.memory, desk.now)
    return Result(found, {"sessions": [_session_fields(one) for one in found]})


def switch(desk: Desk, request: SwitchRequest) -> Result[Ledger]:
    """Give a session nothing any more, or what it is due again."""
    from ctxrepo.services.delivery.sessions import Caller, session_meant, switch

    here = Caller(desk.cwd, desk.env, desk.session)
    meant = session_meant(desk.memory, request.session, here, desk.now)
    done = switch(meant, is_off=request.is_off)
    return Result(done, _session_fields(done))


def _session_fields(one: Ledger) -> dict[str, Any]:
    return {
        "agent": one.agent,
        "session": one.session,
        "cwd": one.cwd,
        "began": second_at(one.began),
        "last": second_at(one.touched),
        "off": one.is_off,
        "given": one.given,
    }
