"""The sessions that agents had lately, and whether each is given anything."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from ctxrepo.domain.project.target import resolve_id
from ctxrepo.errors import CtxrepoError, NoAnswer, NotFound
from ctxrepo.hooks.session.ledger import is_switched_off, switch_memory
from ctxrepo.hooks.session.ledger_file import ledger_path
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.look import folders_there, locate_with_git
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.ledgers import Ledger, ledgers

LATELY = 86400
"""Seconds for which a silent session is still listed."""

_AT_WORK = 3600
"""Seconds for which a silent session may still be running a command."""

_HINT = "`ctxrepo session show` lists those of the last day; --session names one."


@dataclass(frozen=True)
class Caller:
    """Where a command runs: folder, environment, and the (agent, session) that started it, '' for none."""

    folder: Path
    env: Mapping[str, str]
    session: tuple[str, str] = ("", "")


def sessions(memory: Memory, now: datetime) -> list[Ledger]:
    """The sessions of the last day, the newest first. Subagents have none of their own here: they are given
    what the session that started them is."""
    known = ledgers(memory.places.sessions, memory.state.id, now.timestamp() - LATELY)
    return [ledger for ledger in known if not ledger.parent]


def session_meant(memory: Memory, beginning: str, here: Caller, now: datetime) -> Ledger:
    """The session whose id has this beginning; for '' the one that runs the command, else the newest in the
    project. NotFound for none, UsageError for several."""
    if beginning:
        known = [k for k in ledgers(memory.places.sessions, memory.state.id) if not k.parent]
        name = resolve_id(beginning, (k.session for k in known), f"there is no session {beginning}", _HINT)
        return next(k for k in known if k.session == name)
    agent, session = here.session
    if session:
        path = ledger_path(str(memory.places.state), agent, session)
        return Ledger(agent, session, Path(path), is_off=is_switched_off(path))
    if newest := _newest_in(memory, here, sessions(memory, now)):
        return newest
    raise NotFound("no agent's session of the last day was in this project", _HINT)


def only_session_in(memory: Memory, agent: str, folder: Path, now: datetime) -> str:
    """The id of the agent's only session that goes on in a folder or above it and was heard of within the
    hour; '' for none or several."""
    known = ledgers(memory.places.sessions, memory.state.id, now.timestamp() - _AT_WORK)
    here = {str(place) for place in (folder, *folder.parents)}
    going = [k.session for k in known if k.agent == agent and k.cwd in here and not (k.ended or k.parent)]
    return going[0] if len(going) == 1 else ""


def switch(chosen: Ledger, *, is_off: bool) -> Ledger:
    """Have the session given nothing from now on, or everything again; what it writes is kept either way.
    CtxrepoError where its ledger can't be written."""
    if chosen.is_off != is_off:
        switch_memory(str(chosen.path), is_off)
    if is_switched_off(str(chosen.path)) != is_off:
        raise CtxrepoError(f"{chosen.path} can't be written", "Look whether the disk is full.")
    return replace(chosen, is_off=is_off)


def _newest_in(memory: Memory, here: Caller, known: Sequence[Ledger]) -> Ledger | None:
    """The newest session in the project of this folder, or outside of all projects in this folder; one that
    has ended only where none goes on."""
    mine = locate_with_git(memory, here.folder, here.env).project
    projects = {}
    for cwd in folders_there(memory, {k.cwd for k in known}):
        with suppress(NoAnswer):
            projects[cwd] = locate_with_git(memory, Path(cwd)).project
    for ledger in sorted(known, key=lambda ledger: ledger.ended > 0):  # those that go on first
        project = projects.get(ledger.cwd)
        if project.id == mine.id if project and mine else not mine and ledger.cwd == str(here.folder):
            return ledger
    return None
