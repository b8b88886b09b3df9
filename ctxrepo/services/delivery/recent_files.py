"""What comes first in the packets of each project, by what agents' tools did, goes from the access log into
the cache."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from ctxrepo.agents import only_reads
from ctxrepo.domain.tape.candidates import is_below_one
from ctxrepo.domain.tape.first import FirstFile
from ctxrepo.domain.tape.focus import Touch, kind_of
from ctxrepo.hooks.packet.render import MD
from ctxrepo.hooks.session.ledger import ledger_path, read_ledger
from ctxrepo.lazy import dataclass
from ctxrepo.services.delivery.select_files import ProjectHome, select, select_for_md
from ctxrepo.services.settings.tape import settings_by_owner
from ctxrepo.storage.cache.rows import digest_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.accesslog import AccessLog
from ctxrepo.storage.state.compiled import CompiledCheckout, read_checkouts

MOST_ACCESSES = 4000
"""How many of the newest lines of the log count."""


def update_recent_files(memory: Memory) -> bool:
    """Update what the cache says comes first, from the access log. False where nothing has changed since the
    last time."""
    may_doubt = memory.settings.project.trust == "open"
    known = read_checkouts(memory.places.state)
    checkouts = [c for c in known if c.project and (may_doubt or not c.claim)]
    settings, is_md = settings_by_owner(memory), memory.settings.delivery.preset == MD
    log = AccessLog(memory.state.access)
    wanted = [*sorted((c.top, c.project, c.folder) for c in checkouts), settings, is_md, memory.cache.head]
    stamp = f"{log.stamp} {digest_of(repr(wanted))}"
    if memory.cache.recent_stamp == stamp:
        return False
    touches = _with_real_paths(memory, _touches(log), [c.top for c in checkouts])
    firsts: dict[tuple[str, str], Sequence[FirstFile]] = {}
    choose = select_for_md if is_md else select
    for home, uses in _by_project(memory, touches, checkouts):
        for owner, tape in settings.items():
            tops = tuple(top for top in home.tops if not is_below_one(top, tape.exclude_dirs))
            firsts[home.project, owner] = choose(memory, replace(home, tops=tops), uses, tape) if tops else ()
    memory.cache.set_recent(firsts, stamp)
    return True


def _touches(log: AccessLog) -> list[Touch]:
    """What was done to files, the oldest first."""
    newest, end = islice(log.newest(), MOST_ACCESSES), log.written
    found = [
        # A clock that was ahead would keep what it dated first for as long as it was.
        Touch(
            min(a.at, end),
            a.path,
            kind_of(a.tool, only_reads(a.agent, a.tool)),
            a.ranges,
            _key(a.agent, a.session),
        )
        for a in newest
        if a.at >= 0
    ]
    found.reverse()
    return sorted(found, key=lambda touch: touch.at)


def _key(agent: str, session: str) -> str:
    return f"{agent} {session}" if session else ""


def _with_real_paths(memory: Memory, touches: Sequence[Touch], tops: Sequence[str]) -> list[Touch]:
    """The touches of files that are still there, each by its path without links; a folder that hangs has
    none."""

    def folder(path: str) -> Path:
        return next((Path(top) for top in tops if is_below_one(path, (top,))), Path(path).parent)

    found = memory.outside.ask_each(dict.fromkeys(touch.path for touch in touches), _found, folder)
    real = {path: there for path, there in found if there}
    there = (touch for touch in touches if touch.path in real)
    return [Touch(t.at, real[t.path], t.kind, t.ranges, t.session) for t in there]


def _found(path: str) -> str:
    return os.path.realpath(path) if os.path.isfile(path) else ""


@dataclass(frozen=True)
class _Homes:
    """Which project a touch belongs to. `projects` is by the tops of checkouts, `folders` by the folder in
    the memory, `sessions` by the session."""

    root: str
    projects: Mapping[str, str]
    folders: Mapping[str, str]
    sessions: Mapping[str, str]

    def of(self, touch: Touch) -> set[str]:
        """The projects that count it: that of the session, and that of the checkout which the file is in. A
        note that nobody's session touched counts for its own project."""
        session = self.sessions.get(touch.session, "")
        if is_below_one(touch.path, (self.root,)):
            folder = touch.path[len(self.root) + 1 :].partition("/")[0]
            return {session or self.folders.get(folder, "")} - {""}
        return {session, self.projects.get(top_of(touch.path, self.projects), "")} - {""}


def _by_project(
    memory: Memory, touches: Sequence[Touch], checkouts: Sequence[CompiledCheckout]
) -> Iterable[tuple[ProjectHome, list[Touch]]]:
    """Each project that anything was done for, with what that was, oldest first. Where nothing was, the lists
    of the settings still say what comes first."""
    root = os.path.realpath(memory.root)
    tops = {c.top: c.project for c in checkouts}
    folders = {c.folder: c.project for c in checkouts if c.folder}
    keys = dict.fromkeys(touch.session for touch in touches if touch.session)
    sessions = {key: _project_of(memory, key, tops, folders) for key in keys}
    homes = _Homes(root, tops, folders, sessions)
    found: dict[str, list[Touch]] = {c.project: [] for c in checkouts}
    for touch in touches:
        for project in homes.of(touch) & found.keys():
            found[project].append(touch)
    of_project = {project: folder for folder, project in folders.items()}
    for project, uses in found.items():
        own = tuple(top for top, its in tops.items() if its == project and os.path.isabs(top))
        yield ProjectHome(project, of_project.get(project, ""), own, root), uses


def _project_of(memory: Memory, key: str, tops: Mapping[str, str], folders: Mapping[str, str]) -> str:
    """The id of the project that a session is in, as its ledger says; '' where nobody knows."""
    agent, _, session = key.partition(" ")
    record = read_ledger(ledger_path(str(memory.places.state), agent, session), memory.state.id)
    if record.project and record.project in folders:
        return folders[record.project]
    return tops.get(top_of(f"{record.cwd}/.", tops), "") if record.cwd else ""


def top_of(path: str, tops: Iterable[str]) -> str:
    """The nearest checkout that the file at `path` is in, or ''."""
    known = {*tops}
    while (parent := os.path.dirname(path)) != path:
        path = parent
        if path in known:
            return path
    return ""
