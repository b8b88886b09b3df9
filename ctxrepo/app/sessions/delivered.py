"""Operations on what sessions are given: the packet, files with it, and sessions switched off and on."""

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
from ctxrepo.hooks.own_files import today
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.delivery.file_blocks import AddResult, BlockState
    from ctxrepo.services.delivery.start_packet import Context
    from ctxrepo.storage.state.ledgers import Ledger


@dataclass(frozen=True)
class ContextRequest:
    """Another preset or budget than that of the settings, and the agent for which the packet is."""

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
    """Say what a session would be given if it started now."""
    from ctxrepo.agents.known import agent_named
    from ctxrepo.hooks.packet.lane import CLAWVM, SCORED
    from ctxrepo.services.delivery.first_files import update_recent_files
    from ctxrepo.services.delivery.start_packet import Start, context

    known = agent_named(request.agent).name if request.agent else ""
    update_recent_files(desk.memory)
    if (request.preset or desk.memory.settings.delivery.preset) in (CLAWVM, SCORED):
        from ctxrepo.services.score.update_scores import update_scores

        update_scores(desk.memory, today())
    start = Start(desk.cwd, request.preset, request.budget, known)
    packet = context(desk.memory, desk.project, start)
    return Result(packet, {**plain_data(packet), "bytes": len(packet.text.encode())})


FILE = "AGENTS.md"
"""What most agents read; an agent that reads another file names it."""

_GIT = {
    "tracked": "{path} is tracked by git: the block shows up as a change, and everyone who gets the file can "
    "read your memory in it",
    "seen": "git doesn't ignore {path}: `git add` would include it, with your memory in it",
}

_STATES = {
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
    """A file: by its path, or the one that an agent reads, else AGENTS.md at the top of the checkout."""

    path: str = ""
    """The file; AGENTS.md at the top of the checkout by default."""
    agent: Annotated[str, f"The file that this agent reads: {', '.join(agent_names())}."] = ""
    is_trial: bool = False
    """Show the change without making it."""


@dataclass(frozen=True)
class RemovedBlock:
    """The file, and whether there was a block to remove."""

    path: Path
    was_there: bool


@reads
def add_block(desk: Desk, request: BlockRequest) -> Result[AddResult]:
    """Put the block into a file, and keep it up to date there."""
    from ctxrepo.services.delivery.file_blocks import add

    result = add(desk.memory, _file(desk, request), desk.env, is_trial=request.is_trial)
    path = str(result.block.path)
    if result.tracking in _GIT:
        desk.notice(_GIT[result.tracking].format(path=path))
    if desk.memory.settings.delivery.mode != "file":
        desk.notice("hooks still give the block as well until `ctxrepo config set delivery.mode file`")
    data = {
        "path": path,
        "project": result.block.project,
        "changed": bool(result.diff) and not request.is_trial,
        "diff": result.diff,
        "new": result.block.is_new,
        "git": result.tracking,
    }
    return Result(result, data)


def remove_block(desk: Desk, request: BlockRequest) -> Result[RemovedBlock]:
    """Remove the block from a file, and leave every other byte unchanged."""
    from ctxrepo.services.delivery.file_blocks import remove

    path = _file(desk, request)
    was_there = remove(desk.memory, path)
    return Result(RemovedBlock(path, was_there), {"path": str(path), "removed": was_there})


@reads
def list_blocks(desk: Desk, _: None) -> Result[Sequence[BlockState]]:
    """List the files with a block, and the state of each."""
    from ctxrepo.services.delivery.file_blocks import states_of_blocks

    blocks = states_of_blocks(desk.memory)
    return Result(blocks, {"files": [*map(_block_fields, blocks)]})


@reads
def renew_blocks(desk: Desk, _: None) -> Result[Sequence[str]]:
    """Update the block in all these files now; the value is the paths of those that were out of date."""
    from ctxrepo.services.delivery.file_blocks import renew

    blocks = renew(desk.memory, desk.now, always=True)
    renewed = [str(block.block.path) for block in blocks if block.state == "stale"]
    desk.notice(*(block_line(block) for block in blocks if block.state not in ("current", "stale")))
    return Result(renewed, {"files": [*map(_block_fields, blocks)], "renewed": renewed})


def block_line(state: BlockState) -> str:
    """The state of a file, in one line."""
    why = f": {state.why}" if state.why else ""
    return f"{state.block.path} ({state.block.project or 'no project'}): {_STATES[state.state]}{why}"


def _file(desk: Desk, request: BlockRequest) -> Path:
    from ctxrepo.agents.known import agent_named
    from ctxrepo.services.delivery.file_blocks import default_file

    if request.path and request.agent:
        raise UsageError("--agent names a file, and so does PATH", "Give one of them.")
    if request.path:
        return desk.cwd / Path(request.path).expanduser()
    name = agent_named(request.agent).identity.INSTRUCTIONS if request.agent else FILE
    return default_file(desk.memory, desk.cwd, name)


def _block_fields(state: BlockState) -> dict[str, Any]:
    block = state.block
    return {"path": str(block.path), "project": block.project, "state": state.state, "why": state.why}


@dataclass(frozen=True)
class SwitchRequest:
    """Whether a session is switched off or on. `session` is the beginning of its id; '' is the session that
    performs the operation, or else the newest in its project."""

    is_off: bool = False
    session: str = ""
    """Another session, by the beginning of its id."""


def list_sessions(desk: Desk, _: None) -> Result[Sequence[Ledger]]:
    """List the sessions of the last day, the newest first."""
    from ctxrepo.services.delivery.sessions import sessions

    ledgers = sessions(desk.memory, desk.now)
    return Result(ledgers, {"sessions": [*map(_session_fields, ledgers)]})


def switch(desk: Desk, request: SwitchRequest) -> Result[Ledger]:
    """Stop giving memory to a session, or start again."""
    from ctxrepo.services.delivery.sessions import Caller, session_meant, switch

    caller = Caller(desk.cwd, desk.env, desk.session)
    ledger = session_meant(desk.memory, request.session, caller, desk.now)
    ledger = switch(ledger, is_off=request.is_off)
    return Result(ledger, _session_fields(ledger))


def _session_fields(ledger: Ledger) -> dict[str, Any]:
    return {
        "agent": ledger.agent,
        "session": ledger.session,
        "cwd": ledger.cwd,
        "began": second_at(ledger.began),
        "last": second_at(ledger.touched),
        "off": ledger.is_off,
        "given": ledger.given,
    }
